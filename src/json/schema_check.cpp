#include "json/schema_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "json/schema_compiled.h"
#include "json/write.h"

namespace iii::json {

namespace {

using schema_detail::Compiled;
using schema_detail::shown;

// What one step pays for, so that all steps take about the same time.
constexpr size_t kWrittenPerStep = 256;    // bytes
constexpr size_t kComparedPerStep = 1024;  // bytes
constexpr size_t kComparisonsPerStep = 32;
// Bytes times instructions of a regular expression for one step: the worst case of RE2.
constexpr size_t kSearchPerStep = 128;
constexpr size_t kKeywordsPerStep = 4;

constexpr size_t kMostListed = 20;  // choices or unexpected names in one message

// Of a key in an object. It may be compared with others that begin like it.
size_t steps_to_find(std::string_view key) { return 16 * key.size() / kComparedPerStep + 1; }

// Violations of one schema. A quiet sink takes one and asks for no message: it answers the question
// "valid or not".
struct Sink {
  size_t room;
  bool quiet;
  size_t count = 0;
  std::vector<std::string> found = {};

  bool full() const { return count >= room; }
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

// An integral double as the text of the integer: JSON Schema calls 1 and 1.0 equal.
void append_canonical_number(std::string& out, const Value& number) {
  const double* d = number.as_double();
  if (d != nullptr && std::trunc(*d) == *d && *d > -9.2e18 && *d < 1.8e19) {
    if (*d < 0) return append_number(out, static_cast<int64_t>(*d));
    return append_number(out, static_cast<uint64_t>(*d));
  }
  append(out, number);
}

std::string plural(const Value& count, std::string_view one, std::string_view many) {
  return to_text(count) + " " + std::string(*count.as_int() == 1 ? one : many);
}

class Checker {
 public:
  explicit Checker(const Compiled& compiled)
      : compiled_(compiled), steps_left_(compiled.limits.max_steps) {}

  size_t steps() const { return compiled_.limits.max_steps - steps_left_; }

  std::vector<std::string> run(const Value& value) {
    Sink sink{compiled_.limits.max_violations, /*quiet=*/false};
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
      if (!*all) add(sink, [&] { return "False schema does not allow " + text(value); });
      return;
    }
    const Object& object = *schema.as_object();
    if (!spend(object.size() / kKeywordsPerStep)) return;
    for (const auto& [name, argument] : object) {
      const Keyword keyword = find_keyword(name);
      if (keyword == nullptr) continue;
      (this->*keyword)(Site{object, argument, value, depth, sink});
      if (given_up_ || sink.full()) return;
    }
  }

  bool valid(const Value& schema, const Value& value, size_t depth) {
    Sink one{1, /*quiet=*/true};
    check(schema, value, depth, one);
    return one.count == 0 && !given_up_;
  }

  std::string text(const Value& value) {
    std::string out = shown(value, compiled_.limits.max_text);
    spend(4 * out.size() / kWrittenPerStep + 1);  // it is copied into a list and a message
    return out;
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

  bool matches(const std::string& pattern, std::string_view subject) {
    const RE2& regex = *compiled_.patterns.find(pattern)->second;
    const size_t cost =
        subject.size() * static_cast<size_t>(regex.ProgramSize()) / kSearchPerStep + 1;
    return spend(cost + steps_to_find(pattern)) &&
           RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), regex);
  }

  // Equal for JSON Schema: 1 and 1.0 are. Ends at the first difference.
  bool equal(const Value& a, const Value& b) {
    if (!spend(1)) return false;
    if (a.is_number() && b.is_number()) return exact(a) == exact(b);
    if (const std::string* text_of_a = a.as_string()) {
      const std::string* text_of_b = b.as_string();
      return text_of_b != nullptr && same_text(*text_of_a, *text_of_b);
    }
    if (const Array* array = a.as_array()) {
      return b.as_array() != nullptr &&
             std::ranges::equal(*array, *b.as_array(),
                                [this](const Value& x, const Value& y) { return equal(x, y); });
    }
    if (const Object* object = a.as_object()) {
      return b.as_object() != nullptr &&
             std::ranges::equal(*object, *b.as_object(), [this](const auto& x, const auto& y) {
               return same_text(x.first, y.first) && equal(x.second, y.second);
             });
    }
    return a == b;
  }
  bool same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && spend(a.size() / kComparedPerStep) && a == b;
  }

  // Appends text that is the same for equal values. False: too many steps.
  bool append_canonical(std::string& out, const Value& value) {
    if (!spend(1)) return false;
    if (const Array* array = value.as_array()) {
      out += '[';
      for (const Value& element : *array) {
        if (!append_canonical(out, element)) return false;
        out += ',';
      }
      out += ']';
    } else if (const Object* object = value.as_object()) {
      out += '{';
      for (const auto& [key, member] : *object) {
        if (!spend(key.size() / kWrittenPerStep)) return false;
        append_string(out, key);
        out += ':';
        if (!append_canonical(out, member)) return false;
        out += ',';
      }
      out += '}';
    } else if (const std::string* text_of_it = value.as_string()) {
      if (!spend(text_of_it->size() / kWrittenPerStep)) return false;
      append_string(out, *text_of_it);
    } else {
      append_canonical_number(out, value);
    }
    return true;
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
      if (equal(choice, site.value) || given_up_) return;
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
      if (given_up_ || site.sink.full()) return;
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
    if (subject == nullptr || matches(*site.argument.as_string(), *subject) || given_up_) return;
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
    // Sorted and not hashed: nobody can choose elements that make it slow.
    const auto rounds = static_cast<size_t>(std::bit_width(texts.size()));
    if (!spend(rounds * (texts.size() / kComparisonsPerStep + bytes / kComparedPerStep))) return;
    std::ranges::sort(texts);
    if (std::ranges::adjacent_find(texts) != texts.end()) blame(site, "has non-unique elements");
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
      if (given_up_ || site.sink.full()) return;
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
      if (given_up_) return;
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
      if (!spend(steps_to_find(name))) return;
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
      if (given_up_) break;
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
    if (names.empty() || given_up_) return;
    report(site, [&] { return "Additional properties are not allowed (" + unexpected(names); });
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

std::vector<std::string> Schema::check(const Value& value, size_t* steps) const {
  Checker checker(*compiled_);
  std::vector<std::string> violations = checker.run(value);
  if (steps != nullptr) *steps = checker.steps();
  return violations;
}

}  // namespace iii::json
