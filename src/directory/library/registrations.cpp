#include "directory/library/registrations.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "directory/content/types.h"
#include "directory/library/cause.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Digits at `at`, all of them.
std::optional<int> number_at(std::string_view text, size_t at, size_t count) {
  if (text.size() < at + count) return std::nullopt;
  int out = 0;
  const char* end = text.data() + at + count;
  const auto [stop, problem] = std::from_chars(text.data() + at, end, out);
  if (problem != std::errc() || stop != end || out < 0) return std::nullopt;
  return out;
}

// `Z` or `+01:30`, in seconds.
std::optional<int64_t> offset_of(std::string_view zone) {
  if (zone == "Z" || zone == "z") return 0;
  if (zone.size() != 6 || (zone[0] != '+' && zone[0] != '-') || zone[3] != ':') return std::nullopt;
  const auto hours = number_at(zone, 1, 2);
  const auto minutes = number_at(zone, 4, 2);
  if (!hours || !minutes) return std::nullopt;
  const int64_t seconds = (int64_t{*hours} * 60 + *minutes) * 60;
  return zone[0] == '-' ? -seconds : seconds;
}

// The fraction at the beginning of `rest`, which is taken off.
int64_t take_fraction(std::string_view& rest) {
  if (!rest.starts_with('.')) return 0;
  rest.remove_prefix(1);
  int64_t out = 0;
  int64_t unit = kSecond / 10;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    out += unit * (rest[0] - '0');
    unit /= 10;
    rest.remove_prefix(1);
  }
  return out;
}

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
  // 2026-05-01T12:34:56
  constexpr size_t kSeconds = 19;
  if (text.size() <= kSeconds || text[4] != '-' || text[7] != '-' || text[13] != ':' ||
      text[16] != ':') {
    return content::kNoTime;
  }
  const auto year = number_at(text, 0, 4), month = number_at(text, 5, 2),
             day = number_at(text, 8, 2), hour = number_at(text, 11, 2),
             minute = number_at(text, 14, 2), second = number_at(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return content::kNoTime;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  // Within what fits into 64 bits of nanoseconds.
  if (!date.ok() || *year < 1700 || *year > 2200 || *hour > 23 || *minute > 59 || *second > 60) {
    return content::kNoTime;
  }
  std::string_view rest = text.substr(kSeconds);
  const int64_t fraction = take_fraction(rest);
  const std::optional<int64_t> offset = offset_of(rest);
  if (!offset) return content::kNoTime;
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = ((days * 24 + *hour) * 60 + *minute) * 60 + *second - *offset;
  return seconds * kSecond + fraction;
}

}  // namespace iii::directory
