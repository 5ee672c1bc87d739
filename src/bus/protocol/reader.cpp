// From the members of a JSON object to a typed frame.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "bus/protocol/fields.h"
#include "bus/protocol/keys.h"

namespace iii::protocol {

namespace {

// A whole number of 64 bits without sign.
std::optional<uint64_t> number_in(Json text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && read == end ? std::optional(value) : std::nullopt;
}

// Reads fields one by one; the first problem sticks and every later read is harmless.
class Reader {
 public:
  explicit Reader(Members& members) : members_(members) {}

  void text(Key key, Text& value) {
    use(key);
    if (!members_.has(key)) return problem(key, "is missing");
    value = as_text(key);
  }
  void text(Key key, std::optional<Text>& value) {
    if (given(key)) value = as_text(key);
  }
  void name_space(Key key, std::optional<Text>& value) { text(key, value); }

  void json(Key key, std::optional<Json>& value) {
    if (given(key)) value = members_.at(key);
  }
  void payload(Key key, std::optional<Json>& value) { json(key, value); }
  void payload(Key key, Json& value) {
    if (given(key)) value = members_.at(key);
  }
  void data(Key key, Json& value) { payload(key, value); }

  void container(Key key, std::optional<Json>& value, json::Kind kind) {
    json(key, value);
    if (value && json::kind_of(*value) != kind) {
      problem(key, kind == json::Kind::kObject ? "is not an object" : "is not an array");
    }
  }
  void container(Key key, Json& value, json::Kind kind) {
    std::optional<Json> read;
    container(key, read, kind);
    if (!read && value.empty()) problem(key, "is missing");
    value = read.value_or(value);
  }

  void uuid(Key key, std::optional<Uuid>& value) {
    if (!given(key)) return;
    value = Uuid::parse(as_text(key));
    if (!value) problem(key, "is not a UUID");
  }
  void uuid(Key key, Uuid& value) {
    std::optional<Uuid> read;
    uuid(key, read);
    if (!read) problem(key, "is missing");
    value = read.value_or(Uuid{});
  }

  void number(Key key, uint64_t& value) {
    if (!given(key)) return;
    const auto read = number_in(members_.at(key));
    if (!read) problem(key, "is not a whole number");
    value = read.value_or(0);
  }
  void required_number(Key key, uint64_t& value) {
    if (members_.absent(key)) problem(key, "is missing");
    number(key, value);
  }

  void flag(Key key, bool& value) {
    if (!given(key)) return;
    if (json::kind_of(members_.at(key)) != json::Kind::kBoolean) problem(key, "is not a boolean");
    value = members_.at(key) == "true";
  }

  void lenient(Key key, std::optional<Json>& value, json::Kind kind) const {
    if (is(key, kind)) value = members_.at(key);
  }
  void lenient(Key key, uint64_t& value) const {
    if (is(key, json::Kind::kInteger)) value = number_in(members_.at(key)).value_or(0);
  }
  void lenient(Key key, std::optional<bool>& value) const {
    if (is(key, json::Kind::kBoolean)) value = members_.at(key) == "true";
  }
  void lenient(Key key, bool& value) const {
    value = is(key, json::Kind::kBoolean) && members_.at(key) == "true";
  }

  // What cannot be used is named in `wrong`: the frame is answered.
  void usable(Key key, Json& object, Text& wrong) {
    use(key);
    if (is(key, json::Kind::kObject)) {
      object = members_.at(key);
    } else if (wrong.empty()) {
      wrong = key.name();
    }
  }
  void usable(Key key, std::optional<uint64_t>& value, Text& wrong) {
    if (!given(key)) return;
    value = number_in(members_.at(key));
    if (!value && wrong.empty()) wrong = key.name();
  }

  void error(Key key, std::optional<ErrorBody>& value) {
    if (!given(key)) return;
    const json::Slice body = members_.at(key);
    const auto code = inner_text(body, "code");
    const auto message = inner_text(body, "message");
    if (!code || !message) return problem(key, "needs a code and a message");
    value = ErrorBody{*code, *message, std::nullopt};
    const auto trace = json::member(body, "stacktrace");
    if (!trace || *trace == "null") return;
    if (json::kind_of(*trace) != json::Kind::kString) {
      return problem(key, "has a stacktrace that is not a string");
    }
    value->stacktrace = members_.text(*trace);
  }
  void error(Key key, ErrorBody& value) {
    std::optional<ErrorBody> read;
    error(key, read);
    value = read.value_or(value);
  }

  void action(Key key, Action& action, Text& queue) {
    if (!given(key)) return;
    const json::Slice body = members_.at(key);
    const auto type = inner_text(body, "type");
    if (type == "void") {
      action = Action::kVoid;
    } else if (type == "enqueue") {
      action = Action::kEnqueue;
      const auto name = inner_text(body, "queue");
      if (!name) return problem(key, "has no queue");
      queue = *name;
    } else {
      problem(key, "is of an unknown type");
    }
  }

  // An HTTP-invoked function must at least say where (wire §13).
  void invocation(Key key, std::optional<Json>& value) {
    json(key, value);
    if (!value) return;
    if (!inner_text(*value, "url")) problem(key, "needs a url");
    if (const auto method = json::member(*value, "method"); method && *method != "null") {
      static constexpr std::array<std::string_view, 5> kMethods{"\"GET\"", "\"POST\"", "\"PUT\"",
                                                                "\"PATCH\"", "\"DELETE\""};
      if (std::ranges::find(kMethods, *method) == kMethods.end()) {
        problem(key, "has an unknown method");
      }
    }
  }

  // True when the object's own top-level keys include `_caller_worker_id`, however it is spelled.
  bool claims_caller(Json data) const {
    if (const auto known = members_.data_claims_caller()) return *known;
    if (data.front() != '{') return false;
    const bool possible = data.find("caller_worker_id") != Json::npos ||
                          data.find("\\u") != Json::npos;  // an escaped spelling
    return possible && json::member(data, kCallerKey).has_value();
  }

  bool failed() const { return !problem_.empty(); }
  std::unexpected<Error> failure() { return fail("malformed", std::move(problem_)); }

 private:
  void use(Key key) {
    if (members_.repeated(key)) problem(key, "occurs twice");
  }
  bool given(Key key) {
    use(key);
    return !members_.absent(key);
  }
  bool is(Key key, json::Kind kind) const {
    return !members_.absent(key) && json::kind_of(members_.at(key)) == kind;
  }

  Text as_text(Key key) {
    if (json::kind_of(members_.at(key)) == json::Kind::kString) {
      return members_.text(members_.at(key));
    }
    problem(key, "is not a string");
    return {};
  }

  std::optional<Text> inner_text(json::Slice object, std::string_view name) {
    if (json::kind_of(object) != json::Kind::kObject) return std::nullopt;
    const auto value = json::member(object, name);
    if (!value || json::kind_of(*value) != json::Kind::kString) return std::nullopt;
    return members_.text(*value);
  }

  void problem(Key key, std::string_view what) {
    if (problem_.empty()) problem_ = std::string(key.name()) + " " + std::string(what);
  }

  Members& members_;
  std::string problem_;
};

template <typename F>
Result<Frame> read(Reader& reader) {
  F frame;
  fields(reader, frame);
  if constexpr (std::same_as<F, InvokeFunction>) {
    frame.data_claims_caller = reader.claims_caller(frame.data);
  }
  if (reader.failed()) return reader.failure();
  return frame;
}

struct TypeReader {
  Text type;
  Result<Frame> (*read)(Reader&);
};

template <typename... Fs>
consteval auto readers_of(const std::variant<Fs...>* /*frame*/) {
  return std::array{TypeReader{Fs::kType, read<Fs>}...};
}
constexpr auto kReaders = readers_of(static_cast<const Frame*>(nullptr));

}  // namespace

Result<Frame> build_frame(Members& members) {
  Reader reader(members);
  Text type;
  reader.text("type", type);
  if (reader.failed()) return reader.failure();
  for (const TypeReader& each : kReaders) {
    if (each.type == type) return each.read(reader);
  }
  return fail("malformed", "unknown type " + std::string(type.substr(0, 64)));
}

}  // namespace iii::protocol
