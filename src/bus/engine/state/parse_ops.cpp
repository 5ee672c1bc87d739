// From JSON text to ops: which fields each op takes, and what is said when they are wrong.
#include <array>
#include <utility>

#include "bus/engine/state/update_ops.h"
#include "foundation/json/describe.h"

namespace iii::engine {

namespace {

constexpr std::array<std::pair<std::string_view, UpdateKind>, 6> kKinds = {{
    {"set", UpdateKind::kSet},
    {"merge", UpdateKind::kMerge},
    {"increment", UpdateKind::kIncrement},
    {"decrement", UpdateKind::kDecrement},
    {"append", UpdateKind::kAppend},
    {"remove", UpdateKind::kRemove},
}};

json::Problem parse_kind(json::Slice op, UpdateKind& out) {
  const auto type = json::member(op, "type");
  if (!type) return "missing field `type`";
  std::string word;
  if (json::Problem problem = json::decode_into(*type, word, {})) return problem;
  std::string choices;
  for (const auto& [name, kind] : kKinds) {
    if (name == word) {
      out = kind;
      return std::nullopt;
    }
    choices += (choices.empty() ? "`" : ", `") + std::string(name) + "`";
  }
  return "unknown variant `" + word + "`, expected one of " + choices;
}

// A required string: one literal key, or "" for the root.
json::Problem parse_key(json::Slice op, std::vector<std::string>& out) {
  const auto path = json::member(op, "path");
  if (!path) return "missing field `path`";
  std::string key;
  if (json::Problem problem = json::decode_into(*path, key, {})) return problem;
  if (!key.empty()) out.push_back(std::move(key));
  return std::nullopt;
}

// merge and append: absent, null, "" and [] are the root.
json::Problem parse_path(json::Slice op, std::vector<std::string>& out) {
  const auto path = json::member(op, "path");
  if (!path || *path == "null") return std::nullopt;
  if (json::kind_of(*path) == json::Kind::kString) return parse_key(op, out);
  if (json::kind_of(*path) != json::Kind::kArray) {
    return json::type_mismatch(*path, "a string or an array of strings");
  }
  return json::decode_into(*path, out, {});
}

json::Problem parse_value(json::Slice op, bool required, json::Value& out) {
  const auto value = json::member(op, "value");
  if (!value) return required ? json::Problem("missing field `value`") : std::nullopt;
  return json::decode_into(*value, out, {});
}

json::Problem parse_op(json::Slice op, UpdateOp& out) {
  if (json::kind_of(op) != json::Kind::kObject) return json::type_mismatch(op, "an update op");
  if (json::Problem problem = parse_kind(op, out.kind)) return problem;
  switch (out.kind) {
    case UpdateKind::kSet: {
      if (json::Problem problem = parse_key(op, out.path)) return problem;
      return parse_value(op, false, out.value);
    }
    case UpdateKind::kMerge:
    case UpdateKind::kAppend: {
      if (json::Problem problem = parse_path(op, out.path)) return problem;
      return parse_value(op, true, out.value);
    }
    case UpdateKind::kIncrement:
    case UpdateKind::kDecrement: {
      if (json::Problem problem = parse_key(op, out.path)) return problem;
      const auto by = json::member(op, "by");
      if (!by) return "missing field `by`";
      return json::decode_into(*by, out.by, {});
    }
    case UpdateKind::kRemove:
      return parse_key(op, out.path);
  }
  return std::nullopt;
}

}  // namespace

size_t count_ops(json::Slice ops) {
  if (json::kind_of(ops) != json::Kind::kArray) return 0;
  size_t count = 0;
  json::Walker walker(ops);
  json::Slice key;
  for (json::Slice op; walker.next(key, op);) ++count;
  return count;
}

Result<std::vector<UpdateOp>> parse_update_ops(json::Slice ops) {
  if (json::kind_of(ops) != json::Kind::kArray) {
    return fail("deserialization_error", json::type_mismatch(ops, "a sequence"));
  }
  std::vector<UpdateOp> out;
  json::Walker walker(ops);
  json::Slice key;
  json::Slice op;
  while (walker.next(key, op)) {
    if (json::Problem problem = parse_op(op, out.emplace_back())) {
      return fail("deserialization_error", std::move(*problem));
    }
  }
  return out;
}

json::Value update_ops_schema() {
  static constexpr std::string_view kText = R"({"type":"array",
    "description":"Changes, applied in order. `path` names a key of the value; absent, the value itself.",
    "items":{"oneOf":[
    {"type":"object","required":["type","path"],"properties":{"type":{"const":"set"},
      "path":{"type":"string"},"value":{}}},
    {"type":"object","required":["type","value"],"properties":{"type":{"const":"merge"},
      "path":{"$ref":"#/definitions/UpdatePath"},"value":{"type":"object"}}},
    {"type":"object","required":["type","path","by"],"properties":{"type":{"const":"increment"},
      "path":{"type":"string"},"by":{"type":"integer","format":"int64"}}},
    {"type":"object","required":["type","path","by"],"properties":{"type":{"const":"decrement"},
      "path":{"type":"string"},"by":{"type":"integer","format":"int64"}}},
    {"type":"object","required":["type","value"],"properties":{"type":{"const":"append"},
      "path":{"$ref":"#/definitions/UpdatePath"},"value":{}}},
    {"type":"object","required":["type","path"],"properties":{"type":{"const":"remove"},
      "path":{"type":"string"}}}]}})";
  return json::parse(kText).value();
}

}  // namespace iii::engine
