#include "directory/library/registrations.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>
#include <utility>

#include "directory/content/types.h"
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

// Sorted documents; of several with one key the first. Texts are shared with equal ones in
// `before`.
void remove_duplicates(std::vector<RegisteredDocument>& rows,
                       const std::vector<RegisteredDocument>* before) {
  const auto same_key = [](const auto& a, const auto& b) { return a.key == b.key; };
  const auto [first, last] = std::ranges::unique(rows, same_key);
  rows.erase(first, last);
  if (before == nullptr) return;
  auto old = before->begin();
  for (RegisteredDocument& row : rows) {
    while (old != before->end() && old->key < row.key) ++old;
    if (old != before->end() && *old == row) row.text = old->text;
  }
}

}  // namespace

bool RegisteredDocument::operator==(const RegisteredDocument& other) const {
  return key == other.key && description == other.description &&
         registered_at == other.registered_at && (text == other.text || *text == *other.text);
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

std::string how_to_run(const RegisteredPrompt& prompt) {
  std::string call = "{\"name\":";
  json::append_string(call, prompt.name);
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

RegistrationsPtr make_registrations(std::vector<RegisteredSkill> skills,
                                    const std::vector<RegisteredPrompt>& prompts,
                                    const RegistrationsPtr& before) {
  auto out = std::make_shared<Registrations>();
  out->skills.reserve(skills.size());
  for (RegisteredSkill& skill : skills) {
    out->skills.push_back({.key = std::move(skill.id),
                           .text = std::make_shared<const std::string>(std::move(skill.skill)),
                           .time_ns = parse_time(skill.registered_at),
                           .registered_at = std::move(skill.registered_at)});
  }
  out->prompts.reserve(prompts.size());
  for (const RegisteredPrompt& prompt : prompts) {
    out->prompts.push_back({.key = prompt.name,
                            .description = prompt.description,
                            .text = std::make_shared<const std::string>(how_to_run(prompt)),
                            .time_ns = parse_time(prompt.registered_at),
                            .registered_at = prompt.registered_at,
                            .function_id = prompt.function_id,
                            .arguments = prompt.arguments});
  }
  remove_duplicates(out->skills, before != nullptr ? &before->skills : nullptr);
  remove_duplicates(out->prompts, before != nullptr ? &before->prompts : nullptr);
  if (before != nullptr && *out == *before) return before;
  return out;
}

}  // namespace iii::directory
