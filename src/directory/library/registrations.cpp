#include "directory/library/registrations.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <utility>

#include "directory/content/types.h"
#include "directory/library/cause.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

// The text of a prompt that a function makes.
std::string how_to_run(const RegisteredDocument& prompt) {
  std::string call = "{\"name\":";
  json::append_string(call, prompt.key);
  call += ",\"arguments\":{";
  std::string lines;
  for (const PromptArgument& argument : prompt.arguments) {
    if (call.back() != '{') call += ',';
    json::append_string(call, argument.name);
    call += ":\"...\"";
    lines += "- `" + argument.name + "` (" + (argument.required ? "required" : "optional") + ")";
    if (argument.description) lines += ": " + *argument.description;
    lines += '\n';
  }
  call += "}}";
  std::string out =
      "There is no template to read: the function `" + prompt.function_id +
      "` makes the messages of this prompt whenever it is asked for. To get them call "
      "`prompts::mcp-get` with\n\n```json\n" +
      call + "\n```\n";
  if (!lines.empty()) out += "\nArguments:\n\n" + lines;
  return out;
}

// Engines answered `state::list` in three shapes over time; anything else holds no records.
std::vector<json::Slice> records(std::string_view text) {
  const json::Slice reply = json::trimmed(text);
  std::vector<json::Slice> out;
  const auto take_all = [&out](json::Slice list, bool wrapped) {
    json::Walker walker(list);
    json::Slice key;
    json::Slice element;
    while (walker.next(key, element)) {
      if (!wrapped) {
        out.push_back(element);
      } else if (json::kind_of(element) == json::Kind::kObject) {
        if (const auto value = json::member(element, "value")) out.push_back(*value);
      }
    }
  };
  const auto is_list = [](const std::optional<json::Slice>& slice) {
    return slice && json::kind_of(*slice) == json::Kind::kArray;
  };
  if (json::kind_of(reply) == json::Kind::kArray) {
    take_all(reply, false);
  } else if (json::kind_of(reply) == json::Kind::kObject) {
    if (const auto items = json::member(reply, "items"); is_list(items)) {
      take_all(*items, true);
    } else if (const auto value = json::member(reply, "value"); is_list(value)) {
      take_all(*value, false);
    }
  }
  return out;
}

// The records, as JSON describes them.
struct StoredSkill : RegisteredDocument {};
struct StoredPrompt : RegisteredDocument {};

auto describe(json::Type<StoredSkill>) {
  using T = StoredSkill;
  return json::object<T>("StoredSkill", "", json::field("id", &T::key, ""),
                         json::field("skill", &T::text, ""),
                         json::field("registered_at", &T::registered_at, ""));
}
auto describe(json::Type<StoredPrompt>) {
  using T = StoredPrompt;
  return json::object<T>("StoredPrompt", "", json::field("name", &T::key, ""),
                         json::field("description", &T::description, ""),
                         json::field("arguments", &T::arguments, "").optional(),
                         json::field("function_id", &T::function_id, ""),
                         json::field("registered_at", &T::registered_at, ""));
}

void derive(ChangeKind kind, RegisteredDocument& document, size_t record_bytes) {
  if (kind == ChangeKind::kPrompt) document.text = how_to_run(document);
  document.time_ns = parse_time(document.registered_at);
  document.record_bytes = record_bytes;
}

template <typename Stored>
Result<RegisteredPtr> read_as(ChangeKind kind, json::Slice record) {
  Stored stored;
  if (json::Problem problem = json::decode_into(record, stored, {})) {
    return fail(kUnreadableRecord, std::move(*problem));
  }
  auto out = std::make_shared<RegisteredDocument>(std::move(stored));
  derive(kind, *out, record.size());
  return out;
}

auto place_of(const RegisteredRows& rows, std::string_view key) {
  return std::ranges::lower_bound(
      rows, key, {}, [](const RegisteredPtr& row) { return std::string_view(row->key); });
}

}  // namespace

bool same_record(const RegisteredDocument& a, const RegisteredDocument& b) {
  return a.key == b.key && a.registered_at == b.registered_at && a.text == b.text &&
         a.description == b.description && a.arguments == b.arguments &&
         a.function_id == b.function_id;
}

RegisteredPtr Registrations::find(ChangeKind kind, std::string_view key) const {
  const auto at = place_of(rows(kind), key);
  return at != rows(kind).end() && (*at)->key == key ? *at : nullptr;
}

void set_row(RegisteredRows& rows, std::string_view key, RegisteredPtr document) {
  auto at = rows.begin() + (place_of(rows, key) - rows.begin());
  if (at != rows.end() && (*at)->key == key) at = rows.erase(at);
  if (document != nullptr) rows.insert(at, std::move(document));
}

std::string store_record(ChangeKind kind, RegisteredDocument& document) {
  std::string record = kind == ChangeKind::kSkill ? json::encode(StoredSkill{document})
                                                  : json::encode(StoredPrompt{document});
  derive(kind, document, record.size());
  return record;
}

Result<RegisteredPtr> read_record(ChangeKind kind, std::string_view record) {
  const json::Slice value = json::trimmed(record);
  return kind == ChangeKind::kSkill ? read_as<StoredSkill>(kind, value)
                                    : read_as<StoredPrompt>(kind, value);
}

RegisteredRows read_list(ChangeKind kind, std::string_view answer, const RegisteredRows& before) {
  RegisteredRows out;
  for (const json::Slice record : records(answer)) {
    if (Result<RegisteredPtr> row = read_record(kind, record)) out.push_back(std::move(*row));
  }
  const auto key = [](const RegisteredPtr& row) -> const std::string& { return row->key; };
  std::ranges::sort(out, {}, key);
  const auto [first, last] = std::ranges::unique(out, {}, key);
  out.erase(first, last);
  for (RegisteredPtr& row : out) {
    const auto old = place_of(before, row->key);
    if (old != before.end() && same_record(**old, *row)) row = *old;
  }
  return out;
}

int64_t parse_time(std::string_view text) {
  constexpr int64_t kSecond = 1'000'000'000;
  const std::string copy(text);
  std::tm time{};
  const char* rest = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (rest == nullptr) return content::kNoTime;
  int64_t fraction = 0;
  if (*rest == '.') {
    for (int64_t unit = kSecond / 10; *++rest >= '0' && *rest <= '9'; unit /= 10) {
      fraction += unit * (*rest - '0');
    }
  }
  const int64_t seconds = timegm(&time);
  std::tm zone{};
  rest = strptime(rest, "%z", &zone);
  // Within what fits into 64 bits of nanoseconds.
  const bool in_range = time.tm_year > -200 && time.tm_year < 300;
  if (rest == nullptr || *rest != '\0' || !in_range) return content::kNoTime;
  return (seconds - zone.tm_gmtoff) * kSecond + fraction;
}

}  // namespace iii::directory
