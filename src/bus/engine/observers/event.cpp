#include "bus/engine/observers/event.h"

#include <utility>

#include "bus/protocol/writer.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

using filter::Part;

// Strings of `object` under these keys, and one level of `parent`.
void append_stated(std::string& out, json::Slice object, bool with_worker) {
  json::Walker walker(object);
  json::Slice key;
  json::Slice value;
  while (walker.next(key, value)) {
    const bool known = key == "\"function_id\"" || key == "\"invocation_id\"" ||
                       (with_worker && (key == "\"worker_id\"" || key == "\"worker_name\""));
    if (!known || json::kind_of(value) != json::Kind::kString) continue;
    if (out.back() != '{') out += ',';
    out += key;
    out += ':';
    out += value;
  }
}

void append_member(std::string& out, std::string_view key, std::string_view text) {
  out += ",\"";
  out += key;
  out += "\":";
  json::append_string(out, text);
}

}  // namespace

std::string stamped_caller(std::optional<std::string_view> stated, std::string_view worker_id,
                           const std::optional<std::string>& worker_name) {
  std::string out = "{\"worker_id\":";
  json::append_string(out, worker_id);
  if (worker_name) append_member(out, "worker_name", *worker_name);
  if (!stated || !stated->starts_with('{')) return out + "}";
  append_stated(out, *stated, false);
  if (const auto parent = json::member(*stated, "parent");
      parent && json::kind_of(*parent) == json::Kind::kObject) {
    std::string inner = "{";
    append_stated(inner, *parent, true);
    out += ",\"parent\":" + inner + "}";
  }
  return out + "}";
}

std::optional<std::string> without_caller(std::string_view text) {
  if (!text.starts_with('{')) return std::nullopt;
  const bool possible = text.find("caller_worker_id") != std::string_view::npos ||
                        text.find("\\u") != std::string_view::npos;  // an escaped spelling
  if (!possible || !json::member(text, protocol::kCallerKey)) return std::nullopt;
  std::string out = "{";
  protocol::append_without_caller(out, text);
  return out + "}";
}

ObserverIds read_ids(std::string_view array) {
  ObserverIds ids;
  json::Walker walker(array);
  json::Slice key;
  json::Slice value;
  while (ids.size() < Source::kMostObservers && walker.next(key, value)) {
    if (json::kind_of(value) == json::Kind::kString) ids.insert(json::string_of(value));
  }
  return ids;
}

size_t ObservedEvent::bytes() const {
  size_t sum = traceparent.size() + baggage.size() + (matched_text ? matched_text->size() : 0);
  for (const auto& text : parts) sum += text ? text->size() : 0;
  return sum;
}

bool ObservedEvent::exceeds(uint8_t wanted_parts) const {
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    if ((wanted_parts & filter::bit(static_cast<Part>(i))) == 0) continue;
    if (parts[i] && parts[i]->size() > kMostFiltered) return true;
  }
  return false;
}

void ObservedEvent::clean() {
  for (const Part part : {Part::kInput, Part::kOutput}) {
    std::optional<JsonText>& text = this->part(part);
    if (!text) continue;
    if (auto without = without_caller(text->view())) text = JsonText(std::move(*without));
  }
}

ObservedValues::ObservedValues(const ObservedEvent& event, uint8_t wanted_parts) {
  if (event.matched_text) matched_ = read_ids(*event.matched_text);
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const std::optional<JsonText>& text = event.parts[i];
    if (!text || (wanted_parts & filter::bit(static_cast<Part>(i))) == 0) continue;
    if (auto value = json::parse(text->view())) values_[i] = std::move(*value);
  }
}

bool ObservedValues::matches(const filter::Filter& filter) const {
  filter::Document document;
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    document.parts[i] = values_[i] ? &*values_[i] : nullptr;
  }
  return filter.matches(document);
}

JsonText activation_data(const ObservedEvent& event, const ObserverSpec& spec,
                         const std::string& activation_id) {
  if (spec.deliver != Deliver::kEnvelope) {
    const auto& alone = event.part(spec.deliver == Deliver::kInput ? Part::kInput : Part::kOutput);
    return alone ? *alone : JsonText("null");
  }
  std::string out = "{\"observer_id\":";
  json::append_string(out, spec.id);
  append_member(out, "activation_id", activation_id);
  append_member(out, "function_id", event.source.id);
  append_member(out, "namespace", event.source.name_space);
  append_member(out, "invocation_id", event.invocation_id);
  append_member(out, "status", event.success ? "success" : "error");
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const auto part = static_cast<Part>(i);
    if (!event.parts[i] || !spec.captures(part)) continue;
    out += ",\"";
    out += filter::part_name(part);
    out += "\":";
    out += event.parts[i]->view();
  }
  out += ",\"started_at_ms\":";
  json::append_number(out, event.started_at_ms);
  out += ",\"duration_ms\":";
  json::append_number(out, event.duration_ms);
  return out + "}";
}

}  // namespace iii::engine
