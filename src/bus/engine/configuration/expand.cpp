#include "bus/engine/configuration/expand.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/json/yaml.h"

namespace iii::engine {

namespace {

using json::Array;
using json::Object;
using json::Value;

struct Placeholder {
  size_t begin = 0;
  size_t end = 0;  // behind the brace
  std::string name;
  std::optional<std::string> fallback;
};

// Finds the placeholders of a text one after the other. `${}`, and `${` without its brace, are
// plain text. Linear: every byte is passed once by the search for `${`, once by the search for its
// brace (an answer stays good for every `${` before that brace), and once as the inside of a
// placeholder.
class Placeholders {
 public:
  explicit Placeholders(std::string_view text) : text_(text) {}

  std::optional<Placeholder> next() {
    for (size_t at = text_.find("${", at_); at != std::string_view::npos;
         at = text_.find("${", at + 2)) {
      if (close_ <= at) close_ = text_.find('}', at);
      if (close_ == std::string_view::npos) break;
      const std::string_view inner = text_.substr(at + 2, close_ - at - 2);
      // Where the name is blank, only blanks were passed to find its end.
      const size_t first = inner.find_first_not_of(" \t\n\r\f\v");
      if (first == std::string_view::npos || inner[first] == ':') continue;
      const size_t colon = inner.find(':', first);
      at_ = close_ + 1;
      Placeholder found{at, at_, std::string(trim(inner.substr(0, colon))), std::nullopt};
      if (colon != std::string_view::npos) {
        found.fallback = std::string(trim(inner.substr(colon + 1)));
      }
      return found;
    }
    at_ = text_.size();
    return std::nullopt;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
  size_t close_ = 0;  // the first brace behind the last `${`
};

class Expander {
 public:
  explicit Expander(const Environment& environment) : environment_(environment) {}

  bool too_large() const { return inserted_ > kMaxExpandedBytes; }

  Value expand(const Value& value) {
    if (const std::string* text = value.as_string()) return expand_text(*text);
    if (const Array* array = value.as_array()) {
      Array out;
      out.reserve(array->size());
      for (const Value& element : *array) out.push_back(expand(element));
      return out;
    }
    if (const Object* object = value.as_object()) {
      Object out;
      for (const auto& [key, member] : *object) out.emplace_hint(out.end(), key, expand(member));
      return out;
    }
    return value;
  }

  std::vector<std::string> take_unset() { return std::move(unset_); }

 private:
  Value expand_text(const std::string& text) {
    if (too_large()) return text;  // it will fail: stop working
    Placeholders placeholders(text);
    std::optional<Placeholder> found = placeholders.next();
    if (!found) return text;
    if (found->begin == 0 && found->end == text.size()) {
      std::optional<std::string> inserted = text_for(*found);
      if (!inserted) return text;
      // Empty stays an empty string: YAML would make it null.
      if (inserted->empty()) return std::string();
      if (std::optional<Value> typed = json::parse_yaml(*inserted)) return std::move(*typed);
      return std::move(*inserted);
    }
    std::string out;
    size_t at = 0;
    while (found && !too_large()) {
      out.append(text, at, found->begin - at);
      const std::optional<std::string> inserted = text_for(*found);
      out += inserted ? std::string_view(*inserted)
                      : std::string_view(text).substr(found->begin, found->end - found->begin);
      at = found->end;
      found = placeholders.next();
    }
    return out.append(text, at);
  }

  // Nothing, and the name noted, when there is neither a value nor a default.
  std::optional<std::string> text_for(const Placeholder& placeholder) {
    std::optional<std::string> text = environment_(placeholder.name);
    if (!text) text = placeholder.fallback;
    if (text) {
      inserted_ += text->size();
    } else if (std::ranges::find(unset_, placeholder.name) == unset_.end() &&
               unset_.size() < kMaxUnsetNames) {
      unset_.push_back(placeholder.name);
    }
    return text;
  }

  static constexpr size_t kMaxUnsetNames = 32;  // enough for a message

  const Environment& environment_;
  std::vector<std::string> unset_;
  size_t inserted_ = 0;
};

}  // namespace

Environment allowed_environment(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& name) -> std::optional<std::string> {
    const auto allows = [&name](std::string_view allowed) {
      if (!allowed.ends_with('*')) return name == allowed;
      allowed.remove_suffix(1);
      return name.starts_with(allowed);
    };
    if (std::ranges::none_of(names, allows)) return std::nullopt;
    const char* value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

Result<Expansion> expand(const Value& value, const Environment& environment) {
  Expander expander(environment);
  Expansion out;
  out.value = expander.expand(value);
  if (expander.too_large()) {
    return fail("EXPAND_FAILED", "the expanded value takes more than " +
                                     std::to_string(kMaxExpandedBytes) + " bytes");
  }
  out.unset = expander.take_unset();
  return out;
}

}  // namespace iii::engine
