#include "engine/configuration/expand.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "json/yaml.h"

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

// The first placeholder at or behind `from`. `${}`, and `${` without its brace, are plain text.
std::optional<Placeholder> find_placeholder(std::string_view text, size_t from) {
  for (size_t at = text.find("${", from); at != std::string_view::npos;
       at = text.find("${", at + 2)) {
    const size_t close = text.find('}', at);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inner = text.substr(at + 2, close - at - 2);
    const size_t colon = inner.find(':');
    const std::string_view name = trim(inner.substr(0, colon));
    if (name.empty()) continue;
    Placeholder found{at, close + 1, std::string(name), std::nullopt};
    if (colon != std::string_view::npos) {
      found.fallback = std::string(trim(inner.substr(colon + 1)));
    }
    return found;
  }
  return std::nullopt;
}

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
    std::optional<Placeholder> found = find_placeholder(text, 0);
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
      found = find_placeholder(text, at);
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

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
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
