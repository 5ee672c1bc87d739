// Whether the paths of a filter can exist, by the schemas that the function has published.
#include "bus/filter/compiled.h"
#include "foundation/base/text.h"

namespace iii::filter {

namespace {

constexpr size_t kMaxReferences = 16;  // followed in a row: references may form a circle

enum class Verdict : uint8_t { kKnown, kUnknown, kImpossible };

// A position in a schema. `schema` is nullptr where nothing is known any more.
struct Place {
  const json::Value* root;
  const json::Value* schema;
};

const json::Value* resolve_reference(const json::Value& root, std::string_view reference) {
  if (!reference.starts_with("#/")) return nullptr;
  const json::Value* at = &root;
  for (const std::string_view part : split(reference.substr(2), '/')) {
    at = at == nullptr ? nullptr : at->find(part);
  }
  return at;
}

bool is_null_schema(const json::Value& schema) {
  const json::Value* type = schema.find("type");
  return type != nullptr && type->as_string() != nullptr && *type->as_string() == "null";
}

// The one alternative of `anyOf` or `oneOf` that is not null; nullptr when there are several.
const json::Value* only_alternative(const json::Value& alternatives) {
  const json::Array* list = alternatives.as_array();
  const json::Value* only = nullptr;
  if (list == nullptr) return nullptr;
  for (const json::Value& one : *list) {
    if (is_null_schema(one)) continue;
    if (only != nullptr) return nullptr;
    only = &one;
  }
  return only;
}

// Follows references and nullable wrappers.
const json::Value* settled(const Place& place) {
  const json::Value* at = place.schema;
  for (size_t i = 0; at != nullptr && i < kMaxReferences; ++i) {
    if (const json::Value* reference = at->find("$ref")) {
      const std::string* text = reference->as_string();
      at = text == nullptr ? nullptr : resolve_reference(*place.root, *text);
    } else if (const json::Value* any_of = at->find("anyOf")) {
      at = only_alternative(*any_of);
    } else if (const json::Value* one_of = at->find("oneOf")) {
      at = only_alternative(*one_of);
    } else if (at->find("allOf") != nullptr) {
      return nullptr;
    } else {
      return at;
    }
  }
  return nullptr;
}

Verdict enter(Place& place, const std::string& segment) {
  const json::Value* schema = settled(place);
  place.schema = nullptr;
  if (schema == nullptr) return Verdict::kUnknown;
  if (const json::Value* items = schema->find("items"); items != nullptr &&
                                                        items->as_object() != nullptr &&
                                                        array_index(segment) != std::string::npos) {
    place.schema = items;
    return Verdict::kKnown;
  }
  const json::Value* properties = schema->find("properties");
  if (const json::Value* known = properties == nullptr ? nullptr : properties->find(segment)) {
    place.schema = known;
    return Verdict::kKnown;
  }
  const json::Value* additional = schema->find("additionalProperties");
  const bool closed = additional != nullptr && additional->as_bool() != nullptr &&
                      !*additional->as_bool() && schema->find("patternProperties") == nullptr;
  return closed ? Verdict::kImpossible : Verdict::kUnknown;
}

class Checker {
 public:
  Checker(const json::Value* request, const json::Value* response)
      : request_(request), response_(response) {}

  std::vector<std::string> unchecked;

  Result<void> group(const Group& group, const Place& element) {
    for (const Clause& clause : group.clauses) {
      for (const Group& inner : clause.groups) {
        if (auto done = this->group(inner, element); !done) return done;
      }
      if (clause.kind != Clause::Kind::kPath) continue;
      if (auto done = path_clause(clause, element); !done) return done;
    }
    return {};
  }

 private:
  Result<void> path_clause(const Clause& clause, const Place& element) {
    Place place = start(clause.path.root, element);
    for (const std::string& segment : clause.path.segments) {
      if (place.root == nullptr) break;  // nothing was published
      const Verdict verdict = enter(place, segment);
      if (verdict == Verdict::kImpossible) {
        return fail("INVALID_FILTER_PATH", "The path `" + clause.path.text +
                                               "` cannot exist: the schema of the function has no "
                                               "property `" +
                                               segment + "` there and allows no others.");
      }
      if (verdict == Verdict::kUnknown) {
        unchecked.push_back(clause.path.text);
        break;
      }
    }
    return operators(clause.operators, place);
  }

  Result<void> operators(const std::vector<Operator>& operators, const Place& place) {
    for (const Operator& op : operators) {
      if (op.op != Op::kAny) continue;
      Place element{place.root, nullptr};
      if (const json::Value* schema = settled(place)) element.schema = schema->find("items");
      if (auto done = this->operators(op.elements, element); !done) return done;
      if (auto done = group(op.group, element); !done) return done;
    }
    return {};
  }

  Place start(Part root, const Place& element) const {
    if (root == Part::kElement) return element;
    if (root == Part::kInput) return {request_, request_};
    if (root == Part::kOutput) return {response_, response_};
    return {nullptr, nullptr};
  }

  const json::Value* request_;
  const json::Value* response_;
};

}  // namespace

Result<std::vector<std::string>> Filter::check_paths(const json::Value* request,
                                                     const json::Value* response) const {
  Checker checker(request, response);
  if (auto done = checker.group(*root_, {nullptr, nullptr}); !done) {
    return std::unexpected(done.error());
  }
  return std::move(checker.unchecked);
}

}  // namespace iii::filter
