#include "json/schema_check.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "json/schema_compiled.h"
#include "json/write.h"

namespace iii::json {

namespace {

using schema_detail::Compiled;
using schema_detail::shown;

// Violations of one schema. A sink that takes one answers the question "valid or not".
struct Sink {
  size_t room;
  std::vector<std::string> found = {};

  bool full() const { return found.size() >= room; }
};

// Holds every 64-bit integer and every double exactly.
using Exact = long double;

Exact exact(const Value& number) {
  if (number.as_int() != nullptr) return static_cast<Exact>(*number.as_int());
  if (number.as_uint() != nullptr) return static_cast<Exact>(*number.as_uint());
  return static_cast<Exact>(*number.as_double());
}

bool is_integer(const Value& value) {
  if (const double* d = value.as_double()) return std::trunc(*d) == *d;
  return value.as_int() != nullptr || value.as_uint() != nullptr;
}

// Text that is the same for values that JSON Schema calls equal: 1 and 1.0 are.
void append_canonical(std::string& out, const Value& value) {
  if (const Array* array = value.as_array()) {
    out += '[';
    for (const Value& element : *array) {
      append_canonical(out, element);
      out += ',';
    }
    out += ']';
  } else if (const Object* object = value.as_object()) {
    out += '{';
    for (const auto& [key, member] : *object) {
      append_string(out, key);
      out += ':';
      append_canonical(out, member);
      out += ',';
    }
    out += '}';
  } else if (const double* d = value.as_double();
             d != nullptr && std::trunc(*d) == *d && std::fabs(*d) < 9.2e18) {
    append_number(out, static_cast<int64_t>(*d));
  } else {
    append(out, value);
  }
}

std::string canonical(const Value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

std::string plural(const Value& count, std::string_view one, std::string_view many) {
  return to_text(count) + " " + std::string(*count.as_int() == 1 ? one : many);
}

class Checker {
 public:
  explicit Checker(const Compiled& compiled)
      : compiled_(compiled), steps_left_(compiled.limits.max_steps) {}

  std::vector<std::string> run(const Value& value) {
    Sink sink{compiled_.limits.max_violations};
    check(compiled_.root, value, 0, sink);
    if (given_up_) {
      return {"the value and the schema are too large or nested to be checked: given up after " +
              std::to_string(compiled_.limits.max_steps) + " steps or " +
              std::to_string(compiled_.limits.max_depth) + " levels"};
    }
    return std::move(sink.found);
  }

 private:
  // Everything a keyword may need.
  struct Site {
    const Object& schema;
    const Value& argument;  // of the keyword
    const Value& value;     // being checked
    size_t depth;
    Sink& sink;
  };
  using Keyword = void (Checker::*)(const Site&);

  bool spend(size_t steps) {
    if (steps > steps_left_) {
      given_up_ = true;
      steps_left_ = 0;
      return false;
    }
    steps_left_ -= steps;
    return !given_up_;
  }

  void check(const Value& schema, const Value& value, size_t depth, Sink& sink) {
    if (depth > compiled_.limits.max_depth) given_up_ = true;
    if (!spend(1) || sink.full()) return;
    if (const bool* all = schema.as_bool()) {
      if (!*all) sink.found.push_back("False schema does not allow " + text(value));
      return;
    }
    const Object& object = *schema.as_object();
    for (const auto& [name, argument] : object) {
      const Keyword keyword = find_keyword(name);
      if (keyword == nullptr) continue;
      (this->*keyword)(Site{object, argument, value, depth, sink});
      if (given_up_ || sink.full()) return;
    }
  }

  bool valid(const Value& schema, const Value& value, size_t depth) {
    Sink one{1};
    check(schema, value, depth, one);
    return one.found.empty() && !given_up_;
  }

  std::string text(const Value& value) const { return shown(value, compiled_.limits.max_text); }
  void report(const Site& site, std::string what) { site.sink.found.push_back(std::move(what)); }
  // `<value> <complaint>`
  void blame(const Site& site, const std::string& complaint) {
    report(site, text(site.value) + " " + complaint);
  }

  bool matches(const std::string& pattern, std::string_view subject) {
    const RE2& regex = *compiled_.patterns.find(pattern)->second;
    // The worst case of RE2 is the product of both sizes.
    const size_t cost = subject.size() * static_cast<size_t>(regex.ProgramSize()) / 1024 + 1;
    return spend(cost) &&
           RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), regex);
  }

  bool equal(const Value& a, const std::string& b) {
    const std::string text_of_a = canonical(a);
    return spend((text_of_a.size() + b.size()) / 256 + 1) && text_of_a == b;
  }

  static bool has_type(const Value& value, std::string_view type) {
    if (type == "integer") return is_integer(value);
    return value.kind_name() == type;
  }

  // ---- any value ----

  void type(const Site& site) {
    if (const std::string* name = site.argument.as_string()) {
      if (!has_type(site.value, *name)) blame(site, "is not of type \"" + *name + "\"");
      return;
    }
    std::vector<std::string> names;
    for (const Value& name : *site.argument.as_array()) {
      if (has_type(site.value, *name.as_string())) return;
      names.push_back('"' + *name.as_string() + '"');
    }
    std::ranges::sort(names);
    blame(site, (names.size() == 1 ? "is not of type " : "is not of types ") + join(names, ", "));
  }

  void enumeration(const Site& site) {
    const std::string wanted = canonical(site.value);
    std::vector<std::string> choices;
    for (const Value& choice : *site.argument.as_array()) {
      if (equal(choice, wanted)) return;
      if (given_up_) return;
      if (choices.size() < 20) choices.push_back(text(choice));
    }
    if (choices.empty()) return blame(site, "is not one of []");
    const std::string last = std::move(choices.back());
    choices.pop_back();
    blame(site, "is not one of " + (choices.empty() ? last : join(choices, ", ") + " or " + last));
  }

  void constant(const Site& site) {
    if (!equal(site.argument, canonical(site.value))) {
      report(site, text(site.argument) + " was expected");
    }
  }

  void all_of(const Site& site) {
    for (const Value& schema : *site.argument.as_array()) {
      check(schema, site.value, site.depth + 1, site.sink);
    }
  }

  size_t count_valid(const Site& site, size_t enough) {
    size_t count = 0;
    for (const Value& schema : *site.argument.as_array()) {
      if (count >= enough || given_up_) break;
      if (valid(schema, site.value, site.depth + 1)) ++count;
    }
    return count;
  }

  void any_of(const Site& site) {
    if (count_valid(site, 1) == 0) {
      blame(site, "is not valid under any of the schemas listed in the 'anyOf' keyword");
    }
  }

  void one_of(const Site& site) {
    const size_t count = count_valid(site, 2);
    if (count == 0) {
      blame(site, "is not valid under any of the schemas listed in the 'oneOf' keyword");
    } else if (count > 1) {
      blame(site, "is valid under more than one of the schemas listed in the 'oneOf' keyword");
    }
  }

  void negation(const Site& site) {
    if (valid(site.argument, site.value, site.depth + 1)) {
      report(site, text(site.argument) + " is not allowed for " + text(site.value));
    }
  }

  void condition(const Site& site) {
    const char* branch = valid(site.argument, site.value, site.depth + 1) ? "then" : "else";
    const auto found = site.schema.find(branch);
    if (found != site.schema.end()) check(found->second, site.value, site.depth + 1, site.sink);
  }

  void reference(const Site& site) {
    const Value* target = schema_detail::resolve(compiled_.root, *site.argument.as_string());
    check(*target, site.value, site.depth + 1, site.sink);
  }

  // ---- numbers ----

  void bound(const Site& site, bool outside, const std::string& complaint) {
    if (outside) blame(site, complaint + " of " + text(site.argument));
  }
  void minimum(const Site& site) {
    if (!site.value.is_number()) return;
    bound(site, exact(site.value) < exact(site.argument), "is less than the minimum");
  }
  void maximum(const Site& site) {
    if (!site.value.is_number()) return;
    bound(site, exact(site.value) > exact(site.argument), "is greater than the maximum");
  }
  void exclusive_minimum(const Site& site) {
    if (!site.value.is_number()) return;
    bound(site, exact(site.value) <= exact(site.argument), "is less than or equal to the minimum");
  }
  void exclusive_maximum(const Site& site) {
    if (!site.value.is_number()) return;
    bound(site, exact(site.value) >= exact(site.argument),
          "is greater than or equal to the maximum");
  }
  void multiple_of(const Site& site) {
    if (!site.value.is_number()) return;
    // 0.07 is a multiple of 0.01 for people, though not for doubles: hence the tolerance.
    const Exact times = exact(site.value) / exact(site.argument);
    const bool integers = is_integer(site.value) && is_integer(site.argument);
    const Exact off =
        integers ? std::fmod(exact(site.value), exact(site.argument)) : times - std::round(times);
    if (std::fabs(off) > (integers ? 0 : 1e-9L)) {
      blame(site, "is not a multiple of " + text(site.argument));
    }
  }

  // ---- strings ----

  void min_length(const Site& site) {
    const std::string* subject = site.value.as_string();
    if (subject == nullptr || utf8_length(*subject) >= limit_of(site)) return;
    blame(site, "is shorter than " + plural(site.argument, "character", "characters"));
  }
  void max_length(const Site& site) {
    const std::string* subject = site.value.as_string();
    if (subject == nullptr || utf8_length(*subject) <= limit_of(site)) return;
    blame(site, "is longer than " + plural(site.argument, "character", "characters"));
  }
  void pattern(const Site& site) {
    const std::string* subject = site.value.as_string();
    if (subject == nullptr || matches(*site.argument.as_string(), *subject)) return;
    blame(site, "does not match " + text(site.argument));
  }

  // ---- arrays ----

  static size_t limit_of(const Site& site) { return static_cast<size_t>(*site.argument.as_int()); }

  void min_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr || array->size() >= limit_of(site)) return;
    blame(site, "has less than " + plural(site.argument, "item", "items"));
  }
  void max_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr || array->size() <= limit_of(site)) return;
    blame(site, "has more than " + plural(site.argument, "item", "items"));
  }
  void unique_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr || !*site.argument.as_bool()) return;
    std::unordered_set<std::string> seen;
    for (const Value& element : *array) {
      std::string text_of_it = canonical(element);
      if (!spend(text_of_it.size() / 256 + 1)) return;
      if (!seen.insert(std::move(text_of_it)).second) return blame(site, "has non-unique elements");
    }
  }

  void check_from(const Site& site, const Value& schema, size_t first) {
    const Array& array = *site.value.as_array();
    for (size_t i = first; i < array.size(); ++i) {
      if (given_up_ || site.sink.full()) return;
      check(schema, array[i], site.depth + 1, site.sink);
    }
  }
  void prefix_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr) return;
    const Array& schemas = *site.argument.as_array();
    for (size_t i = 0; i < std::min(array->size(), schemas.size()); ++i) {
      check(schemas[i], (*array)[i], site.depth + 1, site.sink);
    }
  }
  void items(const Site& site) {
    if (site.value.as_array() == nullptr) return;
    if (site.argument.as_array() != nullptr) return prefix_items(site);  // draft-07 tuples
    const auto prefix = site.schema.find("prefixItems");
    const size_t first = prefix == site.schema.end() ? 0 : prefix->second.as_array()->size();
    check_from(site, site.argument, first);
  }
  void additional_items(const Site& site) {
    const Array* array = site.value.as_array();
    const auto tuple = site.schema.find("items");
    if (array == nullptr || tuple == site.schema.end()) return;
    const Array* schemas = tuple->second.as_array();
    if (schemas == nullptr || array->size() <= schemas->size()) return;
    const bool* all = site.argument.as_bool();
    if (all == nullptr || *all) return check_from(site, site.argument, schemas->size());
    std::vector<std::string> extra;
    for (size_t i = schemas->size(); i < array->size() && extra.size() < 20; ++i) {
      extra.push_back(text((*array)[i]));
    }
    report(site, "Additional items are not allowed (" + join(extra, ", ") +
                     (extra.size() == 1 ? " was unexpected)" : " were unexpected)"));
  }
  void contains(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr) return;
    const auto least = site.schema.find("minContains");
    const auto most = site.schema.find("maxContains");
    size_t count = 0;
    for (const Value& element : *array) {
      if (given_up_) return;
      if (valid(site.argument, element, site.depth + 1)) ++count;
    }
    const auto wanted = static_cast<int64_t>(count);
    if (wanted < (least == site.schema.end() ? 1 : *least->second.as_int())) {
      report(site, count == 0
                       ? "None of " + text(site.value) + " are valid under the given schema"
                       : text(site.value) + " has too few items valid under the given schema");
    } else if (most != site.schema.end() && wanted > *most->second.as_int()) {
      report(site, "Too many items of " + text(site.value) + " are valid under the given schema");
    }
  }

  // ---- objects ----

  void min_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || object->size() >= limit_of(site)) return;
    blame(site, "has less than " + plural(site.argument, "property", "properties"));
  }
  void max_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || object->size() <= limit_of(site)) return;
    blame(site, "has more than " + plural(site.argument, "property", "properties"));
  }
  void require(const Site& site, const Value& names) {
    for (const Value& name : *names.as_array()) {
      if (!site.value.as_object()->contains(*name.as_string())) {
        report(site, text(name) + " is a required property");
      }
      if (site.sink.full()) return;
    }
  }
  void required(const Site& site) {
    if (site.value.as_object() != nullptr) require(site, site.argument);
  }
  void property_names(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr) return;
    for (const auto& [name, member] : *object) {
      if (given_up_ || site.sink.full()) return;
      check(site.argument, Value(name), site.depth + 1, site.sink);
    }
  }
  void dependencies(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr) return;
    for (const auto& [name, needs] : *site.argument.as_object()) {
      if (!object->contains(name)) continue;
      if (needs.as_array() != nullptr) {
        require(site, needs);
      } else {
        check(needs, site.value, site.depth + 1, site.sink);
      }
      if (given_up_ || site.sink.full()) return;
    }
  }

  // When `additionalProperties` restricts something, it takes over `properties` and
  // `patternProperties` too: members are then reported in their own order, and the unexpected ones
  // at the end.
  static bool taken_over(const Site& site) {
    const auto other = site.schema.find("additionalProperties");
    if (other == site.schema.end()) return false;
    const bool* all = other->second.as_bool();
    return all == nullptr || !*all;
  }

  void properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || taken_over(site)) return;
    for (const auto& [name, schema] : *site.argument.as_object()) {
      const auto member = object->find(name);
      if (member == object->end()) continue;
      check(schema, member->second, site.depth + 1, site.sink);
      if (given_up_ || site.sink.full()) return;
    }
  }
  void pattern_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || taken_over(site)) return;
    for (const auto& [name, member] : *object) {
      check_patterns(site, site.argument, name, member);
      if (given_up_ || site.sink.full()) return;
    }
  }
  bool check_patterns(const Site& site, const Value& patterns, const std::string& name,
                      const Value& member) {
    bool matched = false;
    for (const auto& [pattern, schema] : *patterns.as_object()) {
      if (!matches(pattern, name)) continue;
      matched = true;
      check(schema, member, site.depth + 1, site.sink);
    }
    return matched;
  }
  void additional_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || !taken_over(site)) return;
    const auto listed = site.schema.find("properties");
    const auto patterns = site.schema.find("patternProperties");
    std::vector<std::string> unexpected;
    for (const auto& [name, member] : *object) {
      if (!spend(1) || site.sink.full()) return;
      bool known = false;
      if (listed != site.schema.end()) {
        if (const Value* schema = listed->second.find(name)) {
          known = true;
          check(*schema, member, site.depth + 1, site.sink);
        }
      }
      if (patterns != site.schema.end()) {
        known = check_patterns(site, patterns->second, name, member) || known;
      }
      if (known) continue;
      if (site.argument.as_bool() == nullptr) {
        check(site.argument, member, site.depth + 1, site.sink);
      } else if (unexpected.size() < 20) {
        unexpected.push_back("'" + std::string(utf8_prefix(name, 200)) + "'");
      }
    }
    if (unexpected.empty()) return;
    report(site, "Additional properties are not allowed (" + join(unexpected, ", ") +
                     (unexpected.size() == 1 ? " was unexpected)" : " were unexpected)"));
  }

  static Keyword find_keyword(std::string_view name);

  const Compiled& compiled_;
  size_t steps_left_;
  bool given_up_ = false;
};

Checker::Keyword Checker::find_keyword(std::string_view name) {
  static const std::map<std::string_view, Keyword> kKeywords = {
      {"$ref", &Checker::reference},
      {"additionalItems", &Checker::additional_items},
      {"additionalProperties", &Checker::additional_properties},
      {"allOf", &Checker::all_of},
      {"anyOf", &Checker::any_of},
      {"const", &Checker::constant},
      {"contains", &Checker::contains},
      {"dependencies", &Checker::dependencies},
      {"dependentRequired", &Checker::dependencies},
      {"dependentSchemas", &Checker::dependencies},
      {"enum", &Checker::enumeration},
      {"exclusiveMaximum", &Checker::exclusive_maximum},
      {"exclusiveMinimum", &Checker::exclusive_minimum},
      {"if", &Checker::condition},
      {"items", &Checker::items},
      {"maxItems", &Checker::max_items},
      {"maxLength", &Checker::max_length},
      {"maxProperties", &Checker::max_properties},
      {"maximum", &Checker::maximum},
      {"minItems", &Checker::min_items},
      {"minLength", &Checker::min_length},
      {"minProperties", &Checker::min_properties},
      {"minimum", &Checker::minimum},
      {"multipleOf", &Checker::multiple_of},
      {"not", &Checker::negation},
      {"oneOf", &Checker::one_of},
      {"pattern", &Checker::pattern},
      {"patternProperties", &Checker::pattern_properties},
      {"prefixItems", &Checker::prefix_items},
      {"properties", &Checker::properties},
      {"propertyNames", &Checker::property_names},
      {"required", &Checker::required},
      {"type", &Checker::type},
      {"uniqueItems", &Checker::unique_items},
  };
  const auto found = kKeywords.find(name);
  return found == kKeywords.end() ? nullptr : found->second;
}

}  // namespace

std::vector<std::string> Schema::check(const Value& value) const {
  return Checker(*compiled_).run(value);
}

}  // namespace iii::json
