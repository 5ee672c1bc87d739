#include "foundation/json/schema_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/json/schema_compiled.h"
#include "foundation/json/schema_work.h"
#include "foundation/json/write.h"

namespace iii::json {

namespace {

using namespace schema_detail;

constexpr size_t kMostListed = 20;  // choices or unexpected names in one message

// Violations of one schema. A quiet sink takes one and asks for no message: it answers the question
// "valid or not".
struct Sink {
  size_t room;
  bool quiet;
  size_t count = 0;
  std::vector<std::string> found = {};

  bool full() const { return count >= room; }
};

std::string plural(const Value& count, std::string_view one, std::string_view many) {
  return to_text(count) + " " + std::string(*count.as_int() == 1 ? one : many);
}

class Checker : public Work {
 public:
  using Work::Work;

  std::vector<std::string> run(const Value& value) {
    Sink sink{compiled_.limits.max_violations, /*quiet=*/false};
    check(compiled_.root, value, 0, sink);
    if (given_up()) {
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

  void check(const Value& schema, const Value& value, size_t depth, Sink& sink) {
    if (depth > compiled_.limits.max_depth) give_up();
    if (!spend(1) || sink.full()) return;
    if (const bool* all = schema.as_bool()) {
      if (!*all) add(sink, [&] { return "False schema does not allow " + text(value); });
      return;
    }
    const Object& object = *schema.as_object();
    if (!spend(object.size() / kKeywordsPerStep)) return;
    for (const auto& [name, argument] : object) {
      const Keyword keyword = find_keyword(name);
      if (keyword == nullptr) continue;
      (this->*keyword)(Site{object, argument, value, depth, sink});
      if (given_up() || sink.full()) return;
    }
  }

  bool valid(const Value& schema, const Value& value, size_t depth) {
    Sink one{1, /*quiet=*/true};
    check(schema, value, depth, one);
    return one.count == 0 && !given_up();
  }

  // Messages are made only where they are reported: most branches of `anyOf` fail in silence.
  template <typename Message>
  void add(Sink& sink, Message message) {
    ++sink.count;
    if (!sink.quiet) {
      sink.found.push_back(schema_detail::cut(message(), compiled_.limits.max_message));
    }
  }
  template <typename Message>
  void report(const Site& site, Message message) {
    add(site.sink, message);
  }
  // `<value> <complaint>`
  template <typename Complaint>
  void blame(const Site& site, Complaint complaint) {
    add(site.sink, [&] { return text(site.value) + " " + complaint(); });
  }
  void blame(const Site& site, const char* complaint) {
    add(site.sink, [&] { return text(site.value) + " " + complaint; });
  }

  static std::string unexpected(const std::vector<std::string>& listed) {
    return join(listed, ", ") + (listed.size() == 1 ? " was unexpected)" : " were unexpected)");
  }

  static bool has_type(const Value& value, std::string_view type) {
    if (type == "integer") return is_integer(value);
    return value.kind_name() == type;
  }

  // ---- any value ----

  void type(const Site& site) {
    if (const std::string* name = site.argument.as_string()) {
      if (has_type(site.value, *name)) return;
      return blame(site, [&] { return "is not of type \"" + *name + "\""; });
    }
    const Array& names = *site.argument.as_array();
    for (const Value& name : names) {
      if (has_type(site.value, *name.as_string())) return;
    }
    blame(site, [&] {
      std::vector<std::string> quoted;
      for (const Value& name : names) quoted.push_back('"' + *name.as_string() + '"');
      std::ranges::sort(quoted);
      return (quoted.size() == 1 ? "is not of type " : "is not of types ") + join(quoted, ", ");
    });
  }

  void enumeration(const Site& site) {
    const Array& choices = *site.argument.as_array();
    for (const Value& choice : choices) {
      if (equal(choice, site.value) || given_up()) return;
    }
    blame(site, [&] {
      if (choices.empty()) return std::string("is not one of []");
      std::vector<std::string> listed;
      for (const Value& choice : choices) {
        if (listed.size() == kMostListed) break;
        listed.push_back(text(choice));
      }
      const std::string last = std::move(listed.back());
      listed.pop_back();
      return "is not one of " + (listed.empty() ? last : join(listed, ", ") + " or " + last);
    });
  }

  void constant(const Site& site) {
    if (equal(site.argument, site.value)) return;
    report(site, [&] { return text(site.argument) + " was expected"; });
  }

  void all_of(const Site& site) {
    for (const Value& schema : *site.argument.as_array()) {
      if (given_up() || site.sink.full()) return;
      check(schema, site.value, site.depth + 1, site.sink);
    }
  }

  size_t count_valid(const Site& site, size_t enough) {
    size_t count = 0;
    for (const Value& schema : *site.argument.as_array()) {
      if (count >= enough || given_up()) break;
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
      report(site, [&] { return text(site.argument) + " is not allowed for " + text(site.value); });
    }
  }

  void condition(const Site& site) {
    const char* branch = valid(site.argument, site.value, site.depth + 1) ? "then" : "else";
    const auto found = site.schema.find(branch);
    if (found != site.schema.end()) check(found->second, site.value, site.depth + 1, site.sink);
  }

  void reference(const Site& site) {
    const std::string& ref = *site.argument.as_string();
    // Each part of it is a key to look up.
    if (!spend(ref.size() / 8)) return;
    const Value* target = schema_detail::resolve(compiled_.root, ref);
    check(*target, site.value, site.depth + 1, site.sink);
  }

  // ---- numbers ----

  void bound(const Site& site, bool outside, const char* complaint) {
    if (!outside) return;
    blame(site, [&] { return std::string(complaint) + " of " + text(site.argument); });
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
      blame(site, [&] { return "is not a multiple of " + text(site.argument); });
    }
  }

  // ---- strings ----

  void min_length(const Site& site) {
    const std::string* subject = site.value.as_string();
    if (subject == nullptr || !spend(subject->size() / kWrittenPerStep)) return;
    if (utf8_length(*subject) >= limit_of(site)) return;
    blame(site,
          [&] { return "is shorter than " + plural(site.argument, "character", "characters"); });
  }
  void max_length(const Site& site) {
    const std::string* subject = site.value.as_string();
    if (subject == nullptr || !spend(subject->size() / kWrittenPerStep)) return;
    if (utf8_length(*subject) <= limit_of(site)) return;
    blame(site,
          [&] { return "is longer than " + plural(site.argument, "character", "characters"); });
  }
  void pattern(const Site& site) {
    const std::string* subject = site.value.as_string();
    if (subject == nullptr || matches(*site.argument.as_string(), *subject) || given_up()) return;
    blame(site, [&] { return "does not match " + text(site.argument); });
  }

  // ---- arrays ----

  static size_t limit_of(const Site& site) { return static_cast<size_t>(*site.argument.as_int()); }

  void min_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr || array->size() >= limit_of(site)) return;
    blame(site, [&] { return "has less than " + plural(site.argument, "item", "items"); });
  }
  void max_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr || array->size() <= limit_of(site)) return;
    blame(site, [&] { return "has more than " + plural(site.argument, "item", "items"); });
  }
  void unique_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr || !*site.argument.as_bool()) return;
    std::vector<std::string> texts(array->size());
    size_t bytes = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (!append_canonical(texts[i], (*array)[i])) return;
      bytes += texts[i].size();
    }
    // Sorted and not hashed: no choice of elements makes it slow.
    const auto rounds = static_cast<size_t>(std::bit_width(texts.size()));
    if (!spend(rounds * (texts.size() / kComparisonsPerStep + bytes / kComparedPerStep))) return;
    std::ranges::sort(texts);
    if (std::ranges::adjacent_find(texts) != texts.end()) blame(site, "has non-unique elements");
  }

  void check_from(const Site& site, const Value& schema, size_t first) {
    const Array& array = *site.value.as_array();
    for (size_t i = first; i < array.size(); ++i) {
      if (given_up() || site.sink.full()) return;
      check(schema, array[i], site.depth + 1, site.sink);
    }
  }
  void prefix_items(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr) return;
    const Array& schemas = *site.argument.as_array();
    for (size_t i = 0; i < std::min(array->size(), schemas.size()); ++i) {
      if (given_up() || site.sink.full()) return;
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
    report(site, [&] {
      std::vector<std::string> extra;
      for (size_t i = schemas->size(); i < array->size() && extra.size() < kMostListed; ++i) {
        extra.push_back(text((*array)[i]));
      }
      return "Additional items are not allowed (" + unexpected(extra);
    });
  }
  void contains(const Site& site) {
    const Array* array = site.value.as_array();
    if (array == nullptr) return;
    const auto least = site.schema.find("minContains");
    const auto most = site.schema.find("maxContains");
    size_t count = 0;
    for (const Value& element : *array) {
      if (given_up()) return;
      if (valid(site.argument, element, site.depth + 1)) ++count;
    }
    const auto wanted = static_cast<int64_t>(count);
    if (wanted < (least == site.schema.end() ? 1 : *least->second.as_int())) {
      report(site, [&] {
        return count == 0 ? "None of " + text(site.value) + " are valid under the given schema"
                          : text(site.value) + " has too few items valid under the given schema";
      });
    } else if (most != site.schema.end() && wanted > *most->second.as_int()) {
      report(site, [&] {
        return "Too many items of " + text(site.value) + " are valid under the given schema";
      });
    }
  }

  // ---- objects ----

  void min_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || object->size() >= limit_of(site)) return;
    blame(site, [&] { return "has less than " + plural(site.argument, "property", "properties"); });
  }
  void max_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || object->size() <= limit_of(site)) return;
    blame(site, [&] { return "has more than " + plural(site.argument, "property", "properties"); });
  }
  void require(const Site& site, const Value& names) {
    for (const Value& name : *names.as_array()) {
      if (!spend(steps_to_find(*name.as_string())) || site.sink.full()) return;
      if (!site.value.as_object()->contains(*name.as_string())) {
        report(site, [&] { return text(name) + " is a required property"; });
      }
    }
  }
  void required(const Site& site) {
    if (site.value.as_object() != nullptr) require(site, site.argument);
  }
  void property_names(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr) return;
    for (const auto& [name, member] : *object) {
      if (!spend(name.size() / kWrittenPerStep) || site.sink.full()) return;
      check(site.argument, Value(name), site.depth + 1, site.sink);
    }
  }
  void dependencies(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr) return;
    for (const auto& [name, needs] : *site.argument.as_object()) {
      if (!spend(steps_to_find(name))) return;
      if (!object->contains(name)) continue;
      if (needs.as_array() != nullptr) {
        require(site, needs);
      } else {
        check(needs, site.value, site.depth + 1, site.sink);
      }
      if (given_up() || site.sink.full()) return;
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
      if (!spend(steps_to_find(name))) return;
      const auto member = object->find(name);
      if (member == object->end()) continue;
      check(schema, member->second, site.depth + 1, site.sink);
      if (given_up() || site.sink.full()) return;
    }
  }
  void pattern_properties(const Site& site) {
    const Object* object = site.value.as_object();
    if (object == nullptr || taken_over(site)) return;
    for (const auto& [name, member] : *object) {
      check_patterns(site, site.argument, name, member);
      if (given_up() || site.sink.full()) return;
    }
  }
  bool check_patterns(const Site& site, const Value& patterns, const std::string& name,
                      const Value& member) {
    bool matched = false;
    for (const auto& [pattern, schema] : *patterns.as_object()) {
      if (given_up()) break;
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
    std::vector<std::string> names;  // that nothing allows
    for (const auto& [name, member] : *object) {
      if (!spend(steps_to_find(name)) || site.sink.full()) return;
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
      } else if (names.size() < kMostListed) {
        names.push_back("'" + std::string(utf8_prefix(name, 200)) + "'");
      }
    }
    if (names.empty() || given_up()) return;
    report(site, [&] { return "Additional properties are not allowed (" + unexpected(names); });
  }

  static Keyword find_keyword(std::string_view name);
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

std::vector<std::string> Schema::check(const Value& value, size_t* steps) const {
  Checker checker(*compiled_);
  std::vector<std::string> violations = checker.run(value);
  if (steps != nullptr) *steps = checker.steps();
  return violations;
}

}  // namespace iii::json
