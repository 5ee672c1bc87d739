// Reads the members of a frame into typed fields. Internal to this room.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bus/protocol/keys.h"
#include "foundation/json/slice.h"

namespace iii::protocol {

inline bool is_absent(const Members& members, Key key) {
  return !members.has(key) || members.at(key) == "null";
}

// Reads fields one by one; the first problem sticks and every later read is harmless.
class Reader {
 public:
  explicit Reader(Members& members) : members_(members) {}

  Text required_text(Key key, std::string_view name) {
    use(key, name);
    if (!members_.has(key)) return problem(name, "is missing");
    return as_text(key, name);
  }

  std::optional<Text> text(Key key, std::string_view name) {
    use(key, name);
    if (is_absent(members_, key)) return std::nullopt;
    return as_text(key, name);
  }

  std::optional<Json> any(Key key, std::string_view name) {
    use(key, name);
    if (is_absent(members_, key)) return std::nullopt;
    return members_.at(key);
  }

  std::optional<Uuid> uuid(Key key, std::string_view name, bool required) {
    use(key, name);
    if (is_absent(members_, key)) {
      if (required) problem(name, "is missing");
      return std::nullopt;
    }
    std::optional<Uuid> id = Uuid::parse(as_text(key, name));
    if (!id) problem(name, "is not a UUID");
    return id;
  }

  std::optional<uint64_t> number(Key key, std::string_view name) {
    use(key, name);
    if (is_absent(members_, key)) return std::nullopt;
    const json::Slice text = members_.at(key);
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) {
      problem(name, "is not a whole number");
    }
    return value;
  }
  uint64_t required_number(Key key, std::string_view name) {
    const auto value = number(key, name);
    if (!value) problem(name, "is missing");
    return value.value_or(0);
  }

  std::optional<bool> flag(Key key, std::string_view name) {
    use(key, name);
    if (is_absent(members_, key)) return std::nullopt;
    if (json::kind_of(members_.at(key)) != json::Kind::kBoolean) problem(name, "is not a boolean");
    return members_.at(key) == "true";
  }

  // An optional object or array.
  std::optional<Json> of_kind(Key key, std::string_view name, json::Kind kind) {
    auto value = any(key, name);
    if (value && json::kind_of(*value) != kind) {
      problem(name, kind == json::Kind::kObject ? "is not an object" : "is not an array");
    }
    return value;
  }
  Json required_of_kind(Key key, std::string_view name, json::Kind kind) {
    const auto value = of_kind(key, name, kind);
    if (!value) problem(name, "is missing");
    return value.value_or(Json{});
  }

  // What only matters to peers that observe: of another kind, it is as if it were absent.
  std::optional<Json> tolerated(Key key, json::Kind kind) const {
    if (is_absent(members_, key) || json::kind_of(members_.at(key)) != kind) return std::nullopt;
    return members_.at(key);
  }
  uint64_t tolerated_number(Key key) const {
    const auto text = tolerated(key, json::Kind::kInteger);
    uint64_t value = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
  }
  std::optional<bool> tolerated_flag(Key key) const {
    const auto text = tolerated(key, json::Kind::kBoolean);
    return text ? std::optional<bool>(*text == "true") : std::nullopt;
  }

  std::optional<ErrorBody> error_body(Key key = Key::kError) {
    use(key, "error");
    if (is_absent(members_, key)) return std::nullopt;
    const json::Slice body = members_.at(key);
    const auto code = inner_text(body, "code");
    const auto message = inner_text(body, "message");
    if (!code || !message) {
      problem("error", "needs a code and a message");
      return std::nullopt;
    }
    const auto trace = json::member(body, "stacktrace");
    if (!trace || *trace == "null") return ErrorBody{*code, *message, std::nullopt};
    if (json::kind_of(*trace) != json::Kind::kString) problem("stacktrace", "is not a string");
    return ErrorBody{*code, *message, members_.text(*trace)};
  }

  // kCall when there is none.
  Action action(Text& queue) {
    use(Key::kAction, "action");
    if (is_absent(members_, Key::kAction)) return Action::kCall;
    const json::Slice body = members_.at(Key::kAction);
    const auto type = inner_text(body, "type");
    if (type == "void") return Action::kVoid;
    if (type == "enqueue") {
      const auto name = inner_text(body, "queue");
      if (!name) problem("action", "has no queue");
      queue = name.value_or(Text{});
      return Action::kEnqueue;
    }
    problem("action", "is of an unknown type");
    return Action::kCall;
  }

  // True when the object's own top-level keys include `_caller_worker_id`, however it is spelled.
  bool claims_caller(Json data) const {
    if (const auto known = members_.data_claims_caller()) return *known;
    if (data.front() != '{') return false;
    const bool possible = data.find("caller_worker_id") != Json::npos ||
                          data.find("\\u") != Json::npos;  // an escaped spelling
    return possible && json::member(data, kCallerKey).has_value();
  }

  // An HTTP-invoked function must at least say where (wire §13).
  std::optional<Json> invocation() {
    auto body = any(Key::kInvocation, "invocation");
    if (!body) return std::nullopt;
    if (!inner_text(*body, "url")) problem("invocation", "needs a url");
    if (const auto method = json::member(*body, "method"); method && *method != "null") {
      static constexpr std::array<std::string_view, 5> kMethods{"\"GET\"", "\"POST\"", "\"PUT\"",
                                                                "\"PATCH\"", "\"DELETE\""};
      if (std::find(kMethods.begin(), kMethods.end(), *method) == kMethods.end()) {
        problem("invocation", "has an unknown method");
      }
    }
    return body;
  }

  Result<Frame> finish(Frame frame) {
    if (!problem_.empty()) return fail("malformed", std::move(problem_));
    return frame;
  }

 private:
  void use(Key key, std::string_view name) {
    if (members_.repeated(key)) problem(name, "occurs twice");
  }

  Text as_text(Key key, std::string_view name) {
    if (json::kind_of(members_.at(key)) != json::Kind::kString) {
      return problem(name, "is not a string");
    }
    return members_.text(members_.at(key));
  }

  std::optional<Text> inner_text(json::Slice object, std::string_view name) {
    if (json::kind_of(object) != json::Kind::kObject) return std::nullopt;
    const auto value = json::member(object, name);
    if (!value || json::kind_of(*value) != json::Kind::kString) return std::nullopt;
    return members_.text(*value);
  }

  Text problem(std::string_view name, std::string_view what) {
    if (problem_.empty()) problem_ = std::string(name) + " " + std::string(what);
    return {};
  }

  Members& members_;
  std::string problem_;
};

struct Builder {
  std::string_view type;
  Result<Frame> (*build)(Reader&);
};

// The frames of observers, in build_observe.cpp. Null when `type` is not one of them.
const Builder* observe_builder(std::string_view type);

}  // namespace iii::protocol
