#include "frame_mutator.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "foundation/json/write.h"

namespace iii::fuzz {

namespace {

using json::Array;
using json::Object;
using json::Value;

constexpr size_t kIds = 256;  // remembered
constexpr size_t kMaxFrame = 4 * 1024 * 1024;
constexpr std::array<std::string_view, 8> kFunctions{"f0",   "f1",   "f2", "f3",
                                                     "a::f", "a::g", "",   "é"};
constexpr std::array<std::string_view, 4> kTypes{"t0", "t1", "t2", "golden-type"};
constexpr std::array<std::string_view, 6> kNames{"s0", "s1", "k0", "k1", "k2", "iii-state"};
constexpr std::array<std::string_view, 5> kSpaces{"default", "x", "y", " ", ""};
constexpr std::array<std::string_view, 12> kOps{"set",       "merge",  "increment", "decrement",
                                                "append",    "remove", "append",    "merge",
                                                "increment", "nope",   "set",       "remove"};
constexpr std::array<std::string_view, 26> kKeys{"type",
                                                 "id",
                                                 "function_id",
                                                 "invocation_id",
                                                 "data",
                                                 "config",
                                                 "metadata",
                                                 "namespace",
                                                 "trigger_type",
                                                 "trigger_namespace",
                                                 "scope",
                                                 "key",
                                                 "value",
                                                 "ops",
                                                 "path",
                                                 "by",
                                                 "schema",
                                                 "initial_value",
                                                 "name",
                                                 "error",
                                                 "result",
                                                 "action",
                                                 "baggage",
                                                 "traceparent",
                                                 "condition_function_id",
                                                 "_caller_worker_id"};

std::string_view file_name(const std::filesystem::path& path) { return path.native(); }

}  // namespace

std::vector<Value> recorded_frames(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (file_name(entry.path()).ends_with(".jsonl")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Value> frames;
  for (const auto& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const auto parsed = json::parse(line);
      const Value* frame = parsed ? parsed->find("frame") : nullptr;
      if (frame != nullptr && frame->as_object() != nullptr) frames.push_back(*frame);
    }
  }
  return frames;
}

FrameMutator::FrameMutator(std::vector<Value> frames, std::vector<std::string> functions,
                           std::vector<std::string> types, uint64_t seed)
    : random_(seed),
      frames_(std::move(frames)),
      functions_(std::move(functions)),
      types_(std::move(types)) {}

void FrameMutator::learn(std::string_view id) {
  if (ids_.size() < kIds) {
    ids_.emplace_back(id);
  } else {
    ids_[below(kIds)] = id;
  }
}

std::string FrameMutator::next() {
  if (!last_.empty() && one_in(50)) return last_;  // the same again
  Value frame = base();
  if (!one_in(4)) {
    for (size_t steps = 1 + below(3); steps > 0; --steps) change(frame);
  }
  std::string text;
  write(text, frame);
  if (one_in(12)) damage(text);
  if (text.size() > kMaxFrame) text.resize(kMaxFrame);
  last_ = text;
  return text;
}

std::string FrameMutator::answer(std::string_view invocation_id) {
  Object frame{{"type", "invocationresult"},
               {"invocation_id", invocation_id},
               {"function_id", text("function_id")}};
  if (one_in(4)) {
    frame["error"] = Object{{"code", "c"}, {"message", text("message")}};
  } else {
    frame["result"] = one_in(3) ? Value(false) : small_value(3);
  }
  Value value(std::move(frame));
  if (one_in(8)) change(value);
  std::string out;
  write(out, value);
  if (one_in(40)) damage(out);
  return out;
}

// A third of the frames are recorded ones, mostly in the recorded order.
Value FrameMutator::base() {
  const size_t roll = below(20);
  if (roll < 7) return call_of_builtin();
  if (roll < 10) return binding();
  if (roll < 11) return registration();
  if (roll < 13) return call_of_worker();
  if (roll < 14) return about_observer();
  if (one_in(10)) position_ = below(frames_.size());
  Value frame = frames_[position_];
  position_ = (position_ + 1) % frames_.size();
  // The built-ins instead of what was called then.
  if (Object* object = frame.as_object(); one_in(4) && object->contains("function_id")) {
    (*object)["function_id"] = functions_[below(functions_.size())];
  }
  return frame;
}

Value FrameMutator::call_of_builtin() {
  const std::string& function = functions_[below(functions_.size())];
  Object frame{{"type", "invokefunction"}, {"function_id", function}, {"data", input(function)}};
  if (!one_in(5)) frame["invocation_id"] = one_in(20) ? id() : text("fresh_id");
  if (one_in(20))
    frame["action"] = Object{{"type", one_in(2) ? "void" : "enqueue"}, {"queue", "q"}};
  if (one_in(20)) frame["namespace"] = text("namespace");
  if (one_in(10)) frame["baggage"] = "a=b,c=d;e=f";
  return frame;
}

Value FrameMutator::registration() {
  if (one_in(3)) {
    return Object{{"type", "registertriggertype"},
                  {"id", kTypes[below(kTypes.size())]},
                  {"description", text("name")}};
  }
  const bool withdraw = one_in(4);
  return Object{{"type", withdraw ? "unregisterfunction" : "registerfunction"},
                {"id", kFunctions[below(kFunctions.size())]},
                {"metadata", small_value(2)}};
}

Value FrameMutator::call_of_worker() {
  return Object{{"type", "invokefunction"},
                {"invocation_id", text("fresh_id")},
                {"function_id", kFunctions[below(kFunctions.size())]},
                {"data", small_value(4)}};
}

// Anything may be bound to anything: that is how cycles are made.
Value FrameMutator::binding() {
  const bool by_function = one_in(4);
  Object config;
  if (one_in(3)) config["scope"] = text("scope");
  if (one_in(4)) config["key"] = text("key");
  if (one_in(6)) config["condition_function_id"] = text("function_id");
  Object made{
      {"trigger_type", text("trigger_type")},
      {"function_id", one_in(2) ? functions_[below(functions_.size())] : text("function_id")},
      {"config", std::move(config)}};
  if (one_in(4)) made["metadata"] = small_value(2);
  if (one_in(8)) made["trigger_namespace"] = text("namespace");
  if (by_function) {
    return Object{{"type", "invokefunction"},
                  {"invocation_id", text("fresh_id")},
                  {"function_id", "engine::register_trigger"},
                  {"data", std::move(made)}};
  }
  made["type"] = "registertrigger";
  made["id"] = "b" + std::to_string(below(40));
  return made;
}

// What observing workers and hosts say.
Value FrameMutator::about_observer() {
  const std::string id = "o" + std::to_string(below(20));
  const Value function = kFunctions[below(kFunctions.size())];
  switch (below(6)) {
    case 0:
      return Object{{"type", "unobserve"}, {"id", id}};
    case 1:
      return Object{{"type", "observerack"},
                    {"function_id", function},
                    {"id", id},
                    {"revision", static_cast<int64_t>(below(8))}};
    case 2:
      return Object{{"type", "invocationsobserved"},
                    {"items", Array{Object{{"function_id", function},
                                           {"invocation_id", text("fresh_id")},
                                           {"matched", Array{id}},
                                           {"status", "success"},
                                           {"input", small_value(2)},
                                           {"started_at_ms", number()},
                                           {"duration_ms", number()}}}}};
    default:
      break;
  }
  Object source{{"function_id", function}};
  if (one_in(3)) source["filters"] = Object{{"input.k0", Object{{"$ne", small_value(2)}}}};
  if (one_in(4)) source["capture"] = Array{"input", "output", "error", "caller", "metadata"};
  if (one_in(4)) source["on"] = one_in(2) ? "error" : "complete";
  Object made{{"type", "observe"},
              {"id", id},
              {"source", std::move(source)},
              {"target", Object{{"function_id", kFunctions[below(kFunctions.size())]}}}};
  if (one_in(4)) made["max_fires"] = static_cast<int64_t>(below(5));
  if (one_in(4)) made["expires_in_ms"] = static_cast<int64_t>(below(10'000));
  if (one_in(4)) made["max_in_flight"] = static_cast<int64_t>(below(3));
  return made;
}

// What the function wants, or near enough for the changes to reach deep into it.
Value FrameMutator::input(std::string_view function) {
  Object in;
  if (function.starts_with("state::")) {
    in = {{"scope", text("scope")}, {"key", text("key")}};
    if (function == "state::set") in["value"] = small_value(4);
    if (function == "state::update") {
      Array ops;
      for (size_t i = below(6); i > 0; --i) ops.push_back(update_op());
      in["ops"] = std::move(ops);
    }
  } else if (function.starts_with("configuration::")) {
    in = {{"id", text("key")}, {"name", "n"}, {"description", "d"}, {"value", small_value(3)}};
    if (function == "configuration::register") {
      in["schema"] = schema(3);
      if (!one_in(4)) in["initial_value"] = one_in(8) ? Value("${HOME:x}") : small_value(3);
      if (one_in(4)) in["metadata"] = small_value(2);
    }
  } else if (function.starts_with("engine::observers::")) {
    in = {{"id", "o" + std::to_string(below(20))}};
  } else {
    in = {{"name", text("name")}, {"function_id", text("function_id")}, {"id", id()}};
    if (one_in(2)) in["trigger_type"] = text("trigger_type");
    if (one_in(3)) in["pid"] = 7;
    if (one_in(3)) in["search"] = text("name");
    if (one_in(4)) in["include_internal"] = true;
    if (one_in(3)) in["message"] = text("message");
    if (one_in(3)) in["key"] = text("key");
    if (one_in(3)) in["value"] = text("value");
    if (one_in(4)) in["buffer_size"] = number();
    if (one_in(10)) in["namespace"] = text("namespace");
  }
  return in;
}

Value FrameMutator::update_op() {
  Object op{{"type", kOps[below(kOps.size())]}, {"path", text("key")}};
  if (one_in(3)) op["path"] = Array{text("key"), text("key")};
  if (!one_in(4)) op["value"] = small_value(3);
  if (!one_in(4)) op["by"] = number();
  return op;
}

Value FrameMutator::schema(size_t depth) {
  if (depth == 0) return Object{{"type", "string"}};
  switch (below(8)) {
    case 0:
      return Object{{"type", "object"}, {"properties", Object{{"k0", schema(depth - 1)}}}};
    case 1:
      return Object{{one_in(2) ? "anyOf" : "oneOf", Array{schema(depth - 1), schema(depth - 1)}}};
    case 2:
      return Object{{"$ref", "#/$defs/a"}, {"$defs", Object{{"a", schema(depth - 1)}}}};
    case 3:
      return Object{{"enum", Array{small_value(1), small_value(1)}}, {"uniqueItems", true}};
    case 4:
      return Object{{"pattern", "^(a|b)*[0-9]{1,3}$"}, {"minLength", number()}};
    case 5:
      return Object{{"items", schema(depth - 1)}, {"maxItems", number()}};
    default:
      return one_in(2) ? Value(Object{}) : small_value(depth);
  }
}

Value FrameMutator::small_value(size_t depth) {
  switch (below(depth == 0 ? 5 : 8)) {
    case 0:
      return nullptr;
    case 1:
      return one_in(2);
    case 2:
      return number();
    case 3:
    case 4:
      return text("value");
    case 5: {
      Array array;
      for (size_t i = below(5); i > 0; --i) array.push_back(small_value(depth - 1));
      return array;
    }
    default: {
      Object object;
      for (size_t i = below(5); i > 0; --i) object[text("key")] = small_value(depth - 1);
      return object;
    }
  }
}

Value FrameMutator::number() {
  switch (below(10)) {
    case 0:
      return INT64_MAX;
    case 1:
      return INT64_MIN;
    case 2:
      return UINT64_MAX;
    case 3:
      return 1.7976931348623157e308;
    case 4:
      return 5e-324;
    case 5:
      return -0.0;
    default:
      return static_cast<int64_t>(below(20)) - 5;
  }
}

std::string FrameMutator::huge_text() {
  const size_t size = one_in(200) ? 2'000'000 : one_in(5) ? 70'000 : 3'000;
  switch (below(4)) {
    case 0: {
      std::string open;
      while (open.size() < size) open += "${:";
      return open;
    }
    case 1:
      return std::string(size, '\x01');
    case 2: {
      std::string wide;
      while (wide.size() < size) wide += "\xf0\x9f\x92\xa9";
      return wide;
    }
    default:
      return std::string(size, 'x');
  }
}

std::string FrameMutator::id() {
  if (ids_.empty() || one_in(10)) return text("fresh_id");
  return ids_[below(ids_.size())];
}

// Something that fits the key, mostly.
std::string FrameMutator::text(std::string_view key) {
  if (one_in(300)) return huge_text();
  if (one_in(60)) key = kKeys[below(kKeys.size())];
  if (key == "function_id") {
    return one_in(2) ? functions_[below(functions_.size())]
                     : std::string(kFunctions[below(kFunctions.size())]);
  }
  if (key == "trigger_type") {
    return one_in(4) ? std::string(kTypes[below(kTypes.size())]) : types_[below(types_.size())];
  }
  if (key == "namespace" || key == "trigger_namespace") {
    return std::string(kSpaces[below(kSpaces.size())]);
  }
  if (key == "invocation_id" || key == "id") return id();
  if (key == "fresh_id") {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string made = "00000000-0000-4000-8000-000000000000";
    for (size_t i = 0; i < 8; ++i) made[i] = kDigits[below(16)];
    return made;
  }
  if (one_in(20)) return {};
  return std::string(kNames[below(kNames.size())]);
}

Value& FrameMutator::some_node(Value& root) {
  Value* node = &root;
  while (!one_in(4)) {
    if (Object* object = node->as_object(); object != nullptr && !object->empty()) {
      node = &std::next(object->begin(), static_cast<ptrdiff_t>(below(object->size())))->second;
    } else if (Array* array = node->as_array(); array != nullptr && !array->empty()) {
      node = &(*array)[below(array->size())];
    } else {
      break;
    }
  }
  return *node;
}

void FrameMutator::change_object(Object& object) {
  const auto member = [&] {
    return std::next(object.begin(), static_cast<ptrdiff_t>(below(object.size())));
  };
  switch (below(4)) {
    case 0:
      object.erase(member());
      break;
    case 1: {  // two values change places
      std::swap(member()->second, member()->second);
      break;
    }
    case 2: {  // a value moves to another key
      auto node = object.extract(member());
      node.key() = kKeys[below(kKeys.size())];
      object.insert(std::move(node));
      break;
    }
    default:
      object.insert_or_assign(std::string(kKeys[below(kKeys.size())]), small_value(3));
  }
}

void FrameMutator::change(Value& frame) {
  Value& node = some_node(frame);
  if (Object* object = node.as_object(); object != nullptr && !object->empty() && !one_in(5)) {
    return change_object(*object);
  }
  switch (below(10)) {
    case 0:
      node = number();
      break;
    case 1:
    case 2:
      node = text(kKeys[below(kKeys.size())]);
      break;
    case 3:
      node = functions_[below(functions_.size())];
      break;
    case 4:
      node = id();
      break;
    case 5: {  // part of another frame
      Value other = frames_[below(frames_.size())];
      Value piece = some_node(other);
      node = std::move(piece);
      break;
    }
    case 6:
      for (size_t depth = 1 + below(one_in(10) ? 140 : 4); depth > 0; --depth) {
        Value inner = std::move(node);
        node = one_in(2) ? Value(Array{std::move(inner)}) : Value(Object{{"k0", std::move(inner)}});
      }
      break;
    case 7:
      node = one_in(6) ? Value(huge_text()) : Value(nullptr);
      break;
    default:
      node = small_value(4);
  }
}

// In any order of members, now and then with one of them twice.
void FrameMutator::write(std::string& out, const Value& value) {
  if (const Array* array = value.as_array()) {
    out += '[';
    for (const Value& element : *array) {
      if (&element != &array->front()) out += ',';
      write(out, element);
    }
    out += ']';
    return;
  }
  const Object* object = value.as_object();
  if (object == nullptr) {
    out += json::to_text(value);
    return;
  }
  std::vector<const Object::value_type*> members;
  for (const auto& member : *object) members.push_back(&member);
  if (one_in(10)) std::ranges::shuffle(members, random_);
  if (!members.empty() && one_in(200)) members.push_back(members[below(members.size())]);
  out += '{';
  for (size_t i = 0; i < members.size(); ++i) {
    if (i > 0) out += ',';
    json::append_string(out, members[i]->first);
    out += ':';
    write(out, members[i]->second);
  }
  out += '}';
}

// What no JSON writer would write.
void FrameMutator::damage(std::string& frame) {
  const size_t at = below(frame.size() + 1);
  switch (below(8)) {
    case 0:
      if (at < frame.size()) frame[at] = static_cast<char>(frame[at] ^ (1 << below(8)));
      break;
    case 1:
      frame.resize(at);
      break;
    case 2:
      frame += frame;
      break;
    case 3: {  // the head of this frame, the tail of another
      std::string other;
      write(other, frames_[below(frames_.size())]);
      frame = frame.substr(0, at) + other.substr(below(other.size() + 1));
      break;
    }
    case 4:
      frame.insert(at, 1 + below(4), static_cast<char>(random_()));
      break;
    case 5:
      frame.erase(at, 1 + below(8));
      break;
    case 6: {
      static constexpr std::array<std::string_view, 6> kNumbers{
          "1e-400", "1e400", "-0", "18446744073709551616", "01", "1e16"};
      frame.insert(at, kNumbers[below(kNumbers.size())]);
      break;
    }
    default:
      frame.insert(at, std::string(1 + below(300), one_in(2) ? '[' : ' '));
  }
}

}  // namespace iii::fuzz
