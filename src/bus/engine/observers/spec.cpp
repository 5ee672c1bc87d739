// `observe` to an ObserverSpec, and the view that hosts get.
#include <algorithm>
#include <array>
#include <utility>

#include "bus/engine/observers/observer.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

using filter::Part;

constexpr uint8_t kDefaultCapture =
    filter::bit(Part::kInput) | filter::bit(Part::kOutput) | filter::bit(Part::kCaller);
constexpr size_t kMaxId = 1024;

std::unexpected<Error> invalid(std::string message) {
  return fail("INVALID_ARGS", std::move(message));
}

// A member that is present and not null.
const json::Value* given(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

Result<FunctionKey> read_key(const json::Value& object, std::string_view what) {
  const json::Value* id = given(object, "function_id");
  const json::Value* name_space = given(object, "namespace");
  if (id == nullptr || id->as_string() == nullptr || id->as_string()->empty()) {
    return invalid("`" + std::string(what) + ".function_id` must be the id of a function.");
  }
  if (name_space == nullptr) return FunctionKey{"default", *id->as_string()};
  if (name_space->as_string() == nullptr) {
    return fail("INVALID_NAMESPACE", "`" + std::string(what) +
                                         ".namespace` must be a string. Next: omit it to use "
                                         "`default`.");
  }
  if (is_blank(*name_space->as_string())) {
    return fail("INVALID_NAMESPACE", "`" + std::string(what) +
                                         ".namespace` is empty. Give it a name, or omit it to use "
                                         "`default`.");
  }
  return FunctionKey{*name_space->as_string(), *id->as_string()};
}

using Warnings = std::vector<std::string>;

ObserveOn read_on(const json::Value& source, Warnings& warnings) {
  const json::Value* on = given(source, "on");
  if (on == nullptr) return ObserveOn::kSuccess;
  const std::string* text = on->as_string();
  for (const ObserveOn each : {ObserveOn::kSuccess, ObserveOn::kError, ObserveOn::kComplete}) {
    if (text != nullptr && *text == on_name(each)) return each;
  }
  warnings.emplace_back(
      "`source.on` is not `success`, `error` or `complete`, so the observer never fires.");
  return ObserveOn::kUnknown;
}

Deliver read_deliver(const json::Value& source, Warnings& warnings) {
  const json::Value* deliver = given(source, "deliver");
  if (deliver == nullptr) return Deliver::kEnvelope;
  const std::string* text = deliver->as_string();
  for (const Deliver each : {Deliver::kEnvelope, Deliver::kInput, Deliver::kOutput}) {
    if (text != nullptr && *text == deliver_name(each)) return each;
  }
  warnings.emplace_back(
      "`source.deliver` is not `envelope`, `input` or `output`, so `envelope` is used.");
  return Deliver::kEnvelope;
}

// No bit for a name that is not known.
uint8_t capture_bit(const json::Value& name) {
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const auto part = static_cast<Part>(i);
    if (name.as_string() != nullptr && *name.as_string() == filter::part_name(part)) {
      return filter::bit(part);
    }
  }
  return 0;
}

uint8_t read_capture(const json::Value& source, Warnings& warnings) {
  constexpr size_t kMostShown = 64;
  const json::Value* capture = given(source, "capture");
  if (capture == nullptr) return kDefaultCapture;
  if (capture->as_array() == nullptr) {
    warnings.emplace_back("`source.capture` is not an array, so the default is used.");
    return kDefaultCapture;
  }
  uint8_t bits = 0;
  const json::Value* unknown = nullptr;
  for (const json::Value& name : *capture->as_array()) {
    const uint8_t bit = capture_bit(name);
    if (bit == 0 && unknown == nullptr) unknown = &name;
    bits |= bit;
  }
  if (unknown != nullptr) {
    warnings.push_back("`source.capture` has " +
                       std::string(utf8_prefix(json::to_text(*unknown), kMostShown)) +
                       ", which is not a part of an event.");
  }
  return bits;
}

Result<void> read_source(const json::Value& source, ObserverSpec& spec) {
  auto key = read_key(source, "source");
  if (!key) return std::unexpected(key.error());
  spec.source = std::move(*key);
  if (const json::Value* args = given(source, "args")) {
    if (args->as_object() == nullptr) return invalid("`source.args` must be an object.");
    spec.args = *args;
  }
  const json::Value* filters = given(source, "filters");
  auto parsed = filter::Filter::parse(filters == nullptr ? json::Value(json::Object{}) : *filters);
  if (!parsed) return std::unexpected(parsed.error());
  spec.filter = std::make_shared<const filter::Filter>(std::move(*parsed));
  spec.capture = read_capture(source, spec.warnings);
  spec.on = read_on(source, spec.warnings);
  spec.deliver = read_deliver(source, spec.warnings);
  return {};
}

}  // namespace

std::string_view state_name(ObserverState state) {
  constexpr std::array<std::string_view, 5> kNames{"pending", "active", "suspended", "error",
                                                   "disposed"};
  return kNames.at(static_cast<size_t>(state));
}

std::string_view on_name(ObserveOn on) {
  constexpr std::array<std::string_view, 4> kNames{"success", "error", "complete", "unknown"};
  return kNames.at(static_cast<size_t>(on));
}

std::string_view deliver_name(Deliver deliver) {
  constexpr std::array<std::string_view, 3> kNames{"envelope", "input", "output"};
  return kNames.at(static_cast<size_t>(deliver));
}

Result<ObserverSpec> ObserverSpec::read(const protocol::Observe& frame) {
  if (frame.id.empty() || frame.id.size() > kMaxId) {
    return invalid("The id of an observer must have 1 to " + std::to_string(kMaxId) + " bytes.");
  }
  if (!frame.wrong.empty()) {
    const bool object = frame.wrong == "source" || frame.wrong == "target";
    return invalid("`" + std::string(frame.wrong) + "` must be " +
                   (object ? "an object with a `function_id`." : "a whole number."));
  }
  if (frame.source.size() > kMostSourceBytes || frame.target.size() > kMostSourceBytes) {
    return fail("LIMIT_EXCEEDED", "`source` and `target` may have " +
                                      std::to_string(kMostSourceBytes) + " bytes each.");
  }
  ObserverSpec spec;
  spec.id = std::string(frame.id);
  const auto source = json::parse(frame.source);
  const auto target = json::parse(frame.target);
  if (!source || !target) return invalid("`source` and `target` must be objects.");
  if (auto read = read_source(*source, spec); !read) return std::unexpected(read.error());
  auto key = read_key(*target, "target");
  if (!key) return std::unexpected(key.error());
  spec.target = std::move(*key);
  if (frame.max_in_flight == 0 || frame.max_fires == 0) {
    return invalid("`max_fires` and `max_in_flight` must be at least 1.");
  }
  spec.max_fires = frame.max_fires;
  spec.expires_in_ms = frame.expires_in_ms;
  spec.max_in_flight = frame.max_in_flight.value_or(kDefaultInFlight);
  if (spec.max_in_flight > kMostInFlight) {
    spec.max_in_flight = kMostInFlight;
    spec.warnings.push_back("`max_in_flight` is larger than " + std::to_string(kMostInFlight) +
                            ", which is used instead.");
  }
  if (frame.metadata) {
    spec.metadata = JsonText(std::string(*frame.metadata));
    spec.metadata->share();
  }
  spec.write_view();
  return spec;
}

ObserverSpec ObserverSpec::from_binding(const Binding& binding, FunctionKey source) {
  ObserverSpec spec;
  spec.id = binding.id;
  spec.source = std::move(source);
  spec.target = {binding.name_space, binding.function_id};
  spec.filter = std::make_shared<const filter::Filter>();
  spec.capture = filter::bit(Part::kInput);
  spec.deliver = Deliver::kInput;
  if (binding.metadata) {
    spec.metadata = JsonText(*binding.metadata);
    spec.metadata->share();
  }
  spec.legacy = true;
  std::string legacy = "{\"trigger_type\":";
  json::append_string(legacy, binding.trigger_type);
  legacy += ",\"config\":" + binding.config + "}";
  spec.write_view(legacy);
  return spec;
}

void ObserverSpec::write_view(const std::optional<std::string>& legacy_part) {
  view = "{\"id\":";
  json::append_string(view, id);
  view += ",\"args\":";
  json::append(view, args);
  view += ",\"filters\":";
  json::append(view, filter->normal_form());
  view += ",\"target\":";
  json::append_string(view, target.id);
  view += ",\"capture\":[";
  bool first = true;
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const auto part = static_cast<Part>(i);
    if (!captures(part)) continue;
    if (!std::exchange(first, false)) view += ',';
    json::append_string(view, filter::part_name(part));
  }
  view += "],\"on\":";
  json::append_string(view, on_name(on));
  if (legacy_part) view += ",\"legacy\":" + *legacy_part;
  view += '}';
}

size_t ObserverSpec::stored_bytes() const {
  return Ledger::kEntryBytes + 2 * id.size() + source.id.size() + source.name_space.size() +
         target.id.size() + target.name_space.size() + 3 * view.size() +
         (metadata ? metadata->size() : 0);
}

}  // namespace iii::engine
