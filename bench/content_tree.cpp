#include "content_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string_view>

#include "process.h"

namespace iii::bench {
namespace {

constexpr double kMedianBytes = 5'000;
constexpr double kSpread = 0.8487;  // of the logarithm: ln(36/5) over the 99th percentile of N(0,1)
constexpr double kLeastBytes = 400;
constexpr double kMostBytes = 250'000;
constexpr size_t kPerSpace = 120;  // skills in a namespace, on average
constexpr size_t kRareEvery = 1'500;

// splitmix64: small, and the same everywhere (the standard's distributions are not).
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
    return z ^ (z >> 31U);
  }
  size_t below(size_t count) { return static_cast<size_t>(next() % count); }
  size_t between(size_t low, size_t high) { return low + below(high - low + 1); }
  bool chance(double p) { return unit() < p; }
  double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(6.283185307179586 * unit());
  }
  template <typename Words>
  std::string_view pick(const Words& words) {
    return words[below(std::size(words))];
  }

 private:
  uint64_t state_;
};

constexpr std::string_view kTopics[] = {
    "database", "queue", "browser", "mail",    "invoice", "search",   "video",   "image",  "audit",
    "deploy",   "cron",  "cache",   "storage", "auth",    "calendar", "metrics", "report", "parser",
    "crawler",  "chat",  "ledger",  "maps",    "voice",   "form",     "contract"};
constexpr std::string_view kDeeds[] = {
    "create",   "update", "query",  "export",  "import",  "validate", "migrate", "monitor",
    "schedule", "render", "review", "convert", "archive", "restore",  "compare", "summarise",
    "publish",  "rotate", "trace",  "debug",   "merge",   "split",    "sign",    "translate"};
constexpr std::string_view kThings[] = {
    "records", "tables",  "messages", "pages",     "payments", "reports",  "streams", "images",
    "secrets", "roles",   "events",   "charts",    "logs",     "webhooks", "layouts", "indexes",
    "drafts",  "tickets", "sessions", "templates", "branches", "licences", "batches", "snapshots"};
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

std::string description(Dice& dice, const TreeFile& file) {
  std::string out = fmt::format("{} {} of {}", capital(dice.pick(kDeeds)), dice.pick(kThings),
                                dice.pick(kTopics));
  if (file.rare) out += fmt::format(" with {}", kRareWord);
  out += ". Use when " + sentence(dice, dice.between(8, 24));
  return out;
}

std::string frontmatter(Dice& dice, const TreeFile& file, const std::string& title) {
  const std::string text = description(dice, file);
  std::string out = "---\n";
  const bool prompt = file.kind == TreeFile::Kind::kPrompt;
  if (!prompt && dice.chance(0.7)) out += "title: " + title + "\n";
  if (!prompt && dice.chance(0.5)) {
    out += fmt::format("name: {}-{}\n", dice.pick(kDeeds), dice.pick(kThings));
  }
  const double way = dice.unit();
  if (way < 0.6) {
    out += "description: " + text + "\n";
  } else if (way < 0.85) {
    out += "description: \"" + text + "\"\n";
  } else if (way < 0.97) {
    out += "description: >-\n  " + text + "\n  " + sentence(dice, 8) + "\n";
  } else {
    out += "description: Note: " + text + "\n";  // what people write, and YAML does not take
  }
  if (file.rare) {
    out += fmt::format("type: {}\n", kRareType);
  } else if (dice.chance(0.2)) {
    out += dice.chance(0.6) ? "type: how-to\n" : "type: reference\n";
  }
  if (dice.chance(0.2)) {
    out += fmt::format("function_id: {}::{}\n", dice.pick(kTopics), dice.pick(kDeeds));
  }
  if (dice.chance(0.3)) out += "license: MIT\n";
  if (dice.chance(0.25)) out += "allowed-tools: Read, Grep\n";
  if (dice.chance(0.2)) {
    out += fmt::format("metadata:\n  version: \"1.{}\"\n  tags: [{}, {}]\n", dice.below(9),
                       dice.pick(kTopics), dice.pick(kThings));
  }
  return out + "---\n\n";
}

class Planner {
 public:
  Planner(size_t skills, uint64_t seed)
      : dice_(seed), wanted_(skills), folders_wanted_(skills + skills / 6) {}

  TreePlan run() {
    while (plan_.skills < wanted_) space();
    // What is missing of the folders are those that skills bring along without documents.
    for (size_t i = 0; plan_.folders.size() < folders_wanted_; ++i) {
      const std::string folder = homes_[i % homes_.size()] + fmt::format("/assets-{}", i);
      plan_.folders.push_back(folder);
      if (dice_.chance(0.7)) supporting(folder + "/" + "logo.svg", 900);
    }
    return std::move(plan_);
  }

 private:
  TreeFile& add(std::string path, TreeFile::Kind kind, double bytes) {
    TreeFile file{.path = std::move(path), .kind = kind};
    file.bytes = static_cast<uint32_t>(std::clamp(bytes, kLeastBytes, kMostBytes));
    file.seed = dice_.next();
    plan_.files.push_back(std::move(file));
    return plan_.files.back();
  }

  void skill(std::string path) {
    if (plan_.skills == wanted_) return;
    TreeFile& file = add(std::move(path), TreeFile::Kind::kSkill,
                         kMedianBytes * std::exp(kSpread * dice_.normal()));
    if (++plan_.skills % kRareEvery == 7) {
      file.rare = true;
      ++plan_.rare;
    }
  }

  void supporting(std::string path, double bytes) {
    add(std::move(path), TreeFile::Kind::kSupporting, bytes);
    ++plan_.supporting;
  }

  // A namespace: an overview, skills in folders of their own, some a level deeper.
  void space() {
    const size_t number = ++spaces_;
    const std::string name = fmt::format("{}-{}", dice_.pick(kTopics), number);
    const size_t before = plan_.skills;
    plan_.folders.push_back(name);
    skill(name + "/SKILL.md");
    ++plan_.overviews;
    const size_t until =
        std::min(wanted_, before + dice_.between(kPerSpace / 3, kPerSpace * 5 / 3));
    std::string group = name;
    while (plan_.skills < until) {
      if (dice_.chance(0.08)) {
        group = fmt::format("{}/{}-{}", name, dice_.pick(kTopics), plan_.folders.size());
        plan_.folders.push_back(group);
      }
      home(dice_.chance(0.5) ? name : group);
    }
    if (dice_.chance(0.3)) prompts(name);
    if (number == 2 || plan_.one_space.empty()) {
      plan_.one_space = name;
      plan_.in_one_space = plan_.skills - before;
    }
  }

  // A skill's own folder.
  void home(const std::string& group) {
    const std::string folder = fmt::format("{}/{}-{}-{}", group, dice_.pick(kDeeds),
                                           dice_.pick(kThings), plan_.folders.size());
    plan_.folders.push_back(folder);
    homes_.push_back(folder);
    skill(folder + "/SKILL.md");
    if (dice_.chance(0.12)) {
      plan_.folders.push_back(folder + "/references");
      const size_t count = dice_.between(1, 4);
      for (size_t i = 0; i < count; ++i) {
        skill(fmt::format("{}/references/{}-{}.md", folder, dice_.pick(kThings), i));
      }
    }
    if (dice_.chance(0.15)) {
      plan_.folders.push_back(folder + "/scripts");
      supporting(folder + "/scripts/run.py", 2'500);
      if (dice_.chance(0.4)) supporting(folder + "/scripts/setup.sh", 700);
    }
  }

  void prompts(const std::string& name) {
    plan_.folders.push_back(name + "/prompts");
    const size_t count = dice_.between(1, 3);
    for (size_t i = 0; i < count; ++i) {
      add(fmt::format("{}/prompts/{}-{}-{}.md", name, dice_.pick(kDeeds), spaces_, i),
          TreeFile::Kind::kPrompt, 1'200);
      ++plan_.prompts;
    }
  }

  Dice dice_;
  const size_t wanted_;
  const size_t folders_wanted_;
  size_t spaces_ = 0;
  std::vector<std::string> homes_;
  TreePlan plan_;
};

void write_file(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) die("cannot write " + path);
  if (write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    die("cannot write " + path);
  }
  close(file);
}

}  // namespace

TreePlan plan_tree(size_t skills, uint64_t seed) { return Planner(skills, seed).run(); }

std::string text_of(const TreeFile& file) {
  Dice dice(file.seed);
  if (file.kind == TreeFile::Kind::kSupporting) {
    std::string out = "# generated\n";
    while (out.size() < file.bytes)
      out += fmt::format("{} = {}\n", dice.pick(kThings), dice.next());
    return out;
  }
  const std::string title = fmt::format("{} {} in {}", capital(dice.pick(kDeeds)),
                                        dice.pick(kThings), dice.pick(kTopics));
  std::string out;
  const bool bom = dice.chance(0.005), crlf = dice.chance(0.01);
  // Some have no frontmatter at all; the first paragraph stands in for the description.
  const bool plain = file.kind == TreeFile::Kind::kSkill && !file.rare && dice.chance(0.1);
  if (bom) out += "\xef\xbb\xbf";
  if (!plain) out += frontmatter(dice, file, title);
  out += "# " + title + "\n\n";
  while (out.size() < file.bytes) {
    const double what = dice.unit();
    if (what < 0.15) out += "## " + capital(dice.pick(kDeeds)) + "\n\n";
    out += what < 0.55 ? paragraph(dice) : what < 0.8 ? code(dice) : list(dice);
  }
  if (!crlf) return out;
  std::string with_returns;
  for (const char c : out) {
    if (c == '\n') with_returns += '\r';
    with_returns += c;
  }
  return with_returns;
}

void write_tree(const TreePlan& plan, const std::filesystem::path& root) {
  std::filesystem::create_directories(root);
  for (const std::string& folder : plan.folders) std::filesystem::create_directory(root / folder);
  for (const TreeFile& file : plan.files) write_file(root / file.path, text_of(file));
}

}  // namespace iii::bench
