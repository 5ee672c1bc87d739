#include "content_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace iii::bench {
namespace {

// Of the length that is aimed at; the last sentence goes on a little.
constexpr double kMedianDescription = 165;
constexpr double kDescriptionSpread = 0.72;  // of the logarithm
constexpr double kLeastDescription = 30;
constexpr double kMostDescription = 1'000;  // the specification allows 1024

constexpr std::string_view kTopics[] = {
    "database", "queue",     "browser",  "mail",  "invoice",   "search", "video",    "image",
    "audit",    "deploy",    "cron",     "cache", "storage",   "auth",   "calendar", "metrics",
    "report",   "parser",    "crawler",  "chat",  "ledger",    "maps",   "voice",    "form",
    "contract", "terraform", "postgres", "react", "kubernetes"};
constexpr std::string_view kDeeds[] = {
    "create",    "update",   "query",   "export",   "import",  "validate", "migrate",
    "monitor",   "schedule", "render",  "review",   "convert", "archive",  "restore",
    "compare",   "publish",  "rotate",  "trace",    "debug",   "merge",    "split",
    "summarise", "sign",     "profile", "annotate", "deploy",  "scaffold", "translate"};
constexpr std::string_view kThings[] = {
    "records",  "tables",    "messages", "pages",    "payments",  "reports",      "streams",
    "images",   "secrets",   "roles",    "events",   "charts",    "logs",         "webhooks",
    "layouts",  "indexes",   "drafts",   "tickets",  "sessions",  "templates",    "branches",
    "licences", "snapshots", "batches",  "diagrams", "workflows", "spreadsheets", "notebooks"};
constexpr std::string_view kQualifiers[] = {
    "typescript", "python",  "advanced",    "best-practices", "helper", "runner",
    "expert",     "guide",   "patterns",    "automation",     "cloud",  "security",
    "api",        "cli",     "performance", "testing",        "local",  "architecture",
    "checklist",  "analyst", "toolkit",     "reviewer",       "writer", "integration"};
constexpr std::string_view kWords[] = {
    "the",     "a",       "when",    "before",  "after",   "every",    "value",   "field",
    "result",  "call",    "worker",  "engine",  "returns", "accepts",  "checks",  "writes",
    "reads",   "keeps",   "removes", "first",   "last",    "only",     "with",    "without",
    "through", "into",    "from",    "between", "user",    "account",  "request", "answer",
    "limit",   "default", "option",  "name",    "path",    "content",  "version", "state",
    "error",   "retry",   "timeout", "batch",   "window",  "document", "section", "example",
    "must",    "should",  "may",     "never",   "always",  "and",      "or",      "is",
    "are",     "of",      "to",      "in",      "for",     "on",       "by",      "as"};

std::string capital(std::string_view word) {
  std::string out(word);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
  return out;
}

std::string paragraph(Dice& dice) {
  std::string out;
  for (size_t i = dice.between(1, 4); i > 0; --i) {
    out += sentence(dice, dice.between(6, 18));
    out += i > 1 ? " " : "\n\n";
  }
  return out;
}

std::string code(Dice& dice) {
  std::string out = dice.chance(0.5) ? "```json\n" : "```bash\n";
  for (size_t i = dice.between(2, 9); i > 0; --i) {
    out += fmt::format("  \"{}_{}\": \"{} {}\", # {}\n", dice.pick(kDeeds), dice.pick(kThings),
                       dice.pick(kWords), dice.pick(kWords), dice.below(100'000));
  }
  return out + "```\n\n";
}

std::string list(Dice& dice) {
  std::string out;
  for (size_t i = dice.between(2, 7); i > 0; --i) {
    out += fmt::format("- `{}`: {}\n", dice.pick(kThings), sentence(dice, dice.between(3, 12)));
  }
  return out + '\n';
}

// One more thing that a description says.
std::string remark(Dice& dice) {
  switch (dice.below(4)) {
    case 0:
      return fmt::format("Use when the user asks to {} {}, mentions {} {} or {}.",
                         dice.pick(kDeeds), dice.pick(kThings), dice.pick(kTopics),
                         dice.pick(kThings), dice.pick(kQualifiers));
    case 1:
      return fmt::format("Covers {}, {} and {} for {}.", dice.pick(kThings), dice.pick(kThings),
                         dice.pick(kThings), capital(dice.pick(kTopics)));
    case 2:
      return fmt::format("Not for {} {}, see {}-{} instead.", dice.pick(kTopics),
                         dice.pick(kThings), dice.pick(kDeeds), dice.pick(kThings));
    default:
      return sentence(dice, dice.between(6, 16));
  }
}

}  // namespace

std::string_view topic(Dice& dice) { return dice.pick(kTopics); }

std::string skill_name(Dice& dice) {
  std::string out(dice.pick(dice.chance(0.6) ? std::span<const std::string_view>(kDeeds)
                                             : std::span<const std::string_view>(kTopics)));
  const double more = dice.unit();
  if (more < 0.93) out.append("-").append(dice.pick(kThings));
  if (more < 0.45) out.append("-").append(dice.pick(kQualifiers));
  if (more < 0.08) out.append("-").append(dice.pick(kTopics));
  return out;
}

std::string reference_name(Dice& dice) {
  std::string out(dice.pick(kThings));
  if (dice.chance(0.5)) out.append("-").append(dice.pick(kQualifiers));
  return out;
}

std::string title(Dice& dice) {
  return fmt::format("{} {} in {}", capital(dice.pick(kDeeds)), dice.pick(kThings),
                     dice.pick(kTopics));
}

std::string function_id(Dice& dice) {
  return fmt::format("{}::{}", dice.pick(kTopics), dice.pick(kDeeds));
}

std::string tags(Dice& dice) {
  return fmt::format("[{}, {}]", dice.pick(kTopics), dice.pick(kThings));
}

std::string description(Dice& dice, std::string_view mentions) {
  const auto length = static_cast<size_t>(std::clamp(
      dice.around(kMedianDescription, kDescriptionSpread), kLeastDescription, kMostDescription));
  std::string out = fmt::format("{} {} of {}", capital(dice.pick(kDeeds)), dice.pick(kThings),
                                dice.pick(kTopics));
  if (!mentions.empty()) out.append(" with ").append(mentions);
  out += '.';
  while (out.size() < length) out.append(" ").append(remark(dice));
  return out;
}

std::string sentence(Dice& dice, size_t words) {
  std::string out = capital(dice.pick(kWords));
  for (size_t i = 1; i < words; ++i) {
    out += ' ';
    out += dice.pick(dice.chance(0.15) ? std::span<const std::string_view>(kThings)
                                       : std::span<const std::string_view>(kWords));
    if (dice.chance(0.06)) out += ',';
  }
  return out + '.';
}

std::string passage(Dice& dice) {
  const double what = dice.unit();
  std::string out = what < 0.15 ? "## " + capital(dice.pick(kDeeds)) + "\n\n" : "";
  return out + (what < 0.55 ? paragraph(dice) : what < 0.8 ? code(dice) : list(dice));
}

std::string data_line(Dice& dice) {
  return fmt::format("{} = {}\n", dice.pick(kThings), dice.next());
}

}  // namespace iii::bench
