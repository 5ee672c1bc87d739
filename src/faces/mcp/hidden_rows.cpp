#include "faces/mcp/hidden_rows.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/json/slice.h"

namespace iii::mcp {

namespace {

constexpr std::array<std::string_view, 4> kRowsOfFunctions = {
    R"("functions")", R"("triggers")", R"("registered_triggers")", R"("nearest")"};
constexpr std::string_view kWorkerRows = R"("workers")";
constexpr std::string_view kPromptRows = R"("prompts")";
constexpr std::string_view kMeant = "Did you mean: ";

// Copies JSON text, except for rows about hidden functions.
class Copy {
 public:
  explicit Copy(const HiddenThings& hidden) : hidden_(hidden) {}

  bool names_hidden(json::Slice row, std::string_view member = "function_id") const {
    std::optional<json::Slice> id = row;
    if (json::kind_of(row) == json::Kind::kObject) id = json::member(row, member);
    return id && json::kind_of(*id) == json::Kind::kString &&
           hidden_.function(json::string_of(*id));
  }
  bool is_hidden_prompt(json::Slice row) const {
    if (hidden_.prompts.empty() || json::kind_of(row) != json::Kind::kObject) return false;
    const std::optional<json::Slice> name = json::member(row, "name");
    return name && json::kind_of(*name) == json::Kind::kString &&
           hidden_.prompts.contains(json::string_of(*name));
  }

  // `key` is that of the member that the value is in, with quotes.
  void add(json::Slice value, json::Slice key) {
    const json::Kind kind = json::kind_of(value);
    if (kind != json::Kind::kObject && kind != json::Kind::kArray) {
      text += value;
      return;
    }
    const bool is_object = kind == json::Kind::kObject;
    text += is_object ? '{' : '[';
    json::Walker walker(value);
    json::Slice name;
    json::Slice each;
    bool first = true;
    while (walker.next(name, each)) {
      if (!is_object && leaves_out(each, key)) continue;
      if (!std::exchange(first, false)) text += ',';
      if (is_object) {
        text += name;
        text += ':';
      }
      add(each, is_object ? name : json::Slice());
    }
    text += is_object ? '}' : ']';
  }

  std::string text;
  bool anything_left_out = false;

 private:
  bool leaves_out(json::Slice row, json::Slice key) {
    const bool of_functions = std::ranges::find(kRowsOfFunctions, key) != kRowsOfFunctions.end();
    const bool hidden =
        (of_functions && names_hidden(row)) ||
        (key == kPromptRows && (names_hidden(row, "handler") || is_hidden_prompt(row))) ||
        (key == kWorkerRows && only_hidden(row));
    anything_left_out |= hidden;
    return hidden;
  }

  // A group of functions of which none is left.
  bool only_hidden(json::Slice worker) const {
    if (json::kind_of(worker) != json::Kind::kObject) return false;
    const std::optional<json::Slice> functions = json::member(worker, "functions");
    if (!functions || json::kind_of(*functions) != json::Kind::kArray) return false;
    json::Walker walker(*functions);
    json::Slice key;
    json::Slice row;
    bool any = false;
    while (walker.next(key, row)) {
      if (!names_hidden(row)) return false;
      any = true;
    }
    return any;
  }

  const HiddenThings& hidden_;
};

}  // namespace

Result<std::string> without_hidden(std::string json_text, bool about_one,
                                   const HiddenThings& hidden) {
  Copy copy(hidden);
  const json::Slice root = json::trimmed(json_text);
  if (json::kind_of(root) != json::Kind::kObject) return json_text;
  if (about_one && (copy.names_hidden(root) || copy.is_hidden_prompt(root))) {
    return fail("missing",
                "There is no such function or prompt. Next: choose another one with `find`.");
  }
  copy.add(root, {});
  return copy.anything_left_out ? std::move(copy.text) : std::move(json_text);
}

std::string without_hidden_suggestions(std::string message, const IsHidden& is_hidden) {
  const size_t begin = message.find(kMeant);
  const size_t end = message.find('?', begin);
  if (begin == std::string::npos || end == std::string::npos) return message;
  const size_t ids = begin + kMeant.size();
  std::vector<std::string> shown;
  for (const std::string_view id : split(std::string_view(message).substr(ids, end - ids), ',')) {
    if (!is_hidden(trim(id))) shown.emplace_back(trim(id));
  }
  if (!shown.empty()) return message.replace(ids, end - ids, join(shown, ", "));
  const size_t blank = begin > 0 && message[begin - 1] == ' ' ? 1 : 0;
  return message.erase(begin - blank, end + 1 - begin + blank);
}

}  // namespace iii::mcp
