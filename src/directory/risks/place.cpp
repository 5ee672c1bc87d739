#include "directory/risks/place.h"

#include <algorithm>
#include <array>

#include "foundation/base/text.h"

namespace iii::risks {

namespace {

constexpr auto kWarningWords = std::to_array<std::string_view>({
    "adversarial", "anti-pattern",    "anti-patterns", "antipattern",
    "attack",      "attacker",        "attackers",     "attacks",
    "audit",       "avoid",           "avoids",        "bad",
    "block",       "blocked",         "blocking",      "blocks",
    "cannot",      "caution",         "compromised",   "danger",
    "dangerous",   "denied",          "deny",          "denylist",
    "detect",      "detected",        "detection",     "detects",
    "disallowed",  "don't",           "exfiltrate",    "exfiltration",
    "exploit",     "exploits",        "flag",          "flagged",
    "flags",       "forbid",          "forbidden",     "guardrail",
    "guardrails",  "harmful",         "hostile",       "injection",
    "injections",  "insecure",        "jailbreak",     "jailbreaks",
    "malicious",   "malware",         "mistake",       "mistakes",
    "mitigation",  "never",           "payload",       "payloads",
    "pentest",     "phishing",        "prohibited",    "red-flag",
    "red-flags",   "refuse",          "refused",       "reject",
    "rejected",    "rejects",         "risk",          "risks",
    "risky",       "sanitize",        "scanner",       "security",
    "suspicious",  "threat",          "threats",       "unsafe",
    "untrusted",   "vulnerabilities", "vulnerability", "vulnerable",
    "warning",     "wrong",
});
static_assert(std::ranges::is_sorted(kWarningWords));

constexpr auto kDocuments =
    std::to_array<std::string_view>({"adoc", "markdown", "md", "mdc", "mdx", "rst", "text", "txt"});
constexpr auto kShells = std::to_array<std::string_view>(
    {"bash", "bat", "cmd", "fish", "ksh", "ps1", "psm1", "sh", "zsh"});
constexpr auto kPrograms =
    std::to_array<std::string_view>({"cjs", "go", "js", "jsx", "lua", "mjs", "mts", "php", "pl",
                                     "py", "rb", "rs", "swift", "ts", "tsx"});
// Languages of code blocks that a shell runs. Empty: the block names none.
constexpr auto kShellBlocks = std::to_array<std::string_view>(
    {"", "bash", "bat", "batch", "cmd", "console", "fish", "powershell", "ps", "ps1", "pwsh", "sh",
     "shell", "shell-session", "shellscript", "terminal", "zsh"});

bool is_word_byte(char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '\''; }

// `do not`, `must not` and the like; "if it is not there" does not warn.
bool forbids(std::string_view before, std::string_view word) {
  return word == "not" && (before == "do" || before == "must" || before == "should" ||
                           before == "shall" || before == "does" || before == "can");
}

bool has_warning_sign(std::string_view line) {
  for (const std::string_view sign : {"\xe2\x9d\x8c", "\xf0\x9f\x9a\xab", "\xe2\x9a\xa0",
                                      "\xe2\x9b\x94", "\xf0\x9f\x94\xb4", "\xe2\x9c\x97"}) {
    if (line.contains(sign)) return true;
  }
  return false;
}

size_t heading_level(std::string_view text) {
  const size_t level = std::min(text.find_first_not_of('#'), text.size());
  const bool heading = level >= 1 && level <= 6 && level < text.size() && text[level] == ' ';
  return heading ? level : 0;
}

bool is_list_item(std::string_view text) {
  if (text.starts_with("- ") || text.starts_with("* ") || text.starts_with("+ ")) return true;
  const size_t digits = text.find_first_not_of("0123456789");
  return digits != 0 && digits < text.size() && (text[digits] == '.' || text[digits] == ')');
}

bool is_comment(std::string_view text, FileKind kind) {
  if (text.starts_with("#!")) return false;
  if (text.starts_with("//") || text.starts_with("/*") || text.starts_with("* ")) {
    return kind == FileKind::kScript;
  }
  return text.starts_with('#') || text.starts_with("::") || text.starts_with("rem ");
}

}  // namespace

std::string extension_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : ascii_lower(name.substr(dot + 1));
}

FileKind kind_of(std::string_view path, std::string_view bytes) {
  const std::string extension = extension_of(path);
  if (is_one_of(extension, kDocuments)) return FileKind::kDocument;
  if (is_one_of(extension, kShells)) return FileKind::kShellScript;
  if (is_one_of(extension, kPrograms)) return FileKind::kScript;
  if (bytes.starts_with("#!")) {
    const std::string_view first = bytes.substr(0, std::min<size_t>(bytes.find('\n'), 128));
    return first.contains("sh") ? FileKind::kShellScript : FileKind::kScript;
  }
  return extension.empty() ? FileKind::kDocument : FileKind::kData;
}

bool warns(std::string_view line) {
  const std::string lower = ascii_lower(line);
  std::string_view before;
  for (auto at = lower.begin(); at != lower.end();) {
    const auto begin = std::find_if(at, lower.end(), is_word_byte);
    at = std::find_if_not(begin, lower.end(), is_word_byte);
    const std::string_view word(begin, at);
    if (std::ranges::binary_search(kWarningWords, word) || forbids(before, word)) return true;
    before = word;
  }
  return has_warning_sign(line);
}

Place Places::next(std::string_view line) {
  if (kind_ == FileKind::kDocument) return in_document(line);
  return in_code(trim(line), kind_ == FileKind::kShellScript);
}

Place Places::in_document(std::string_view line) {
  const std::string_view text = trim(line);
  if (fence_ != 0) return in_block(text);
  if (opens_block(text)) return {.markup = true};
  const bool table = text.starts_with('|');
  if (const size_t level = heading_level(text); level != 0) heading(text);
  const bool warned = warned_level_ != 0 || introduced_;
  prose(text);
  return {.where = Where::kProse,
          .syntax = table ? Syntax::kTable : Syntax::kProse,
          .shell = false,
          .warned = warned || introduced_};
}

bool Places::opens_block(std::string_view text) {
  for (const char mark : {'`', '~'}) {
    const size_t length = std::min(text.find_first_not_of(mark), text.size());
    if (length < 3) continue;
    const std::string_view info = trim(text.substr(length));
    if (mark == '`' && info.contains('`')) return false;  // a code span
    fence_ = mark;
    fence_length_ = length;
    const std::string language = ascii_lower(info.substr(0, info.find_first_of(" \t{,:")));
    fence_shell_ = is_one_of(language, kShellBlocks);
    fence_warned_ = warned_level_ != 0 || introduced_ || warns(last_prose_);
    comment_warned_ = false;
    return true;
  }
  return false;
}

Place Places::in_block(std::string_view text) {
  const size_t length = std::min(text.find_first_not_of(fence_), text.size());
  if (length >= fence_length_ && length == text.size()) {
    fence_ = 0;
    comment_warned_ = false;
    return {.markup = true};
  }
  Place place = in_code(text, fence_shell_);
  place.warned = place.warned || fence_warned_;
  return place;
}

Place Places::in_code(std::string_view text, bool shell) {
  Place place{.where = Where::kCode, .syntax = Syntax::kShell, .shell = shell, .warned = false};
  if (text.empty()) {
    comment_warned_ = false;
  } else if (is_comment(text, shell ? FileKind::kShellScript : FileKind::kScript)) {
    place.where = Where::kComment;
    comment_warned_ = warns(text);
  }
  place.warned = comment_warned_;
  return place;
}

// A heading warns of everything below it, up to the next one of its level.
void Places::heading(std::string_view text) {
  const size_t level = heading_level(text);
  introduced_ = false;
  if (warned_level_ != 0 && level > warned_level_) return;
  warned_level_ = warns(text) ? level : 0;
}

void Places::prose(std::string_view text) {
  if (text.empty()) return;
  last_prose_ = text;
  if (text.ends_with(':') || text.ends_with(":**")) {
    introduced_ = warns(text);
  } else if (!is_list_item(text) && !text.starts_with('|')) {
    introduced_ = false;
  }
}

}  // namespace iii::risks
