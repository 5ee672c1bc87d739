#include "content_tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "content_words.h"
#include "dice.h"
#include "process.h"

namespace iii::bench {
namespace {

// Of real repositories: half of the documents have more than 5.8 KB, one in a hundred more than 36.
// The last passage of a text goes on a little.
constexpr double kMedianBytes = 5'650;
constexpr double kSpread =
    0.795;  // of the logarithm: ln(36/5.65) over the 99th percentile of N(0,1)
constexpr double kLeastBytes = 400;
constexpr double kMostBytes = 250'000;
constexpr size_t kPerSpace = 120;  // skills in a namespace, on average
constexpr size_t kRareEvery = 1'500;

std::string frontmatter(Dice& dice, const TreeFile& file, const std::string& title) {
  const std::string text = description(dice, file.rare ? kRareWord : "");
  std::string out = "---\n";
  const bool prompt = file.kind == TreeFile::Kind::kPrompt;
  if (!prompt && dice.chance(0.3)) out += "title: " + title + "\n";
  if (!prompt && dice.chance(0.8)) out += "name: " + skill_name(dice) + "\n";
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
    out += "function_id: " + function_id(dice) + "\n";
  }
  if (dice.chance(0.3)) out += "license: MIT\n";
  if (dice.chance(0.25)) out += "allowed-tools: Read, Grep\n";
  if (dice.chance(0.2)) {
    out += fmt::format("metadata:\n  version: \"1.{}\"\n  tags: {}\n", dice.below(9), tags(dice));
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
      const std::string path = homes_[i % homes_.size()] + fmt::format("/assets-{}", i);
      folder(path);
      if (dice_.chance(0.7)) supporting(path + "/logo.svg", 900);
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
    TreeFile& file =
        add(std::move(path), TreeFile::Kind::kSkill, dice_.around(kMedianBytes, kSpread));
    if (++plan_.skills % kRareEvery == 7) {
      file.rare = true;
      ++plan_.rare;
    }
  }

  void supporting(std::string path, double bytes) {
    add(std::move(path), TreeFile::Kind::kSupporting, bytes);
    ++plan_.supporting;
  }

  // A namespace: an overview, and skills in folders of their own, in one of the layouts that
  // repositories have.
  void space() {
    const size_t number = ++spaces_;
    const std::string name = fmt::format("{}-{}", topic(dice_), number);
    const size_t before = plan_.skills;
    folder(name);
    skill(name + "/SKILL.md");
    ++plan_.overviews;
    const size_t until =
        std::min(wanted_, before + dice_.between(kPerSpace / 3, kPerSpace * 5 / 3));
    const double layout = dice_.unit();
    if (layout < 0.4) {
      folder(name + "/skills");
      while (plan_.skills < until) home(name + "/skills");
    } else if (layout < 0.7) {
      while (plan_.skills < until) plugin(name, until);
    } else {
      while (plan_.skills < until) group(name, until);
    }
    if (dice_.chance(0.3)) prompts(name);
    if (number == 2 || plan_.one_space.empty()) {
      plan_.one_space = name;
      plan_.in_one_space = plan_.skills - before;
    }
  }

  void folder(std::string path) {
    taken_.insert(path);
    plan_.folders.push_back(std::move(path));
  }
  // `wanted`, with a number where there is such an entry already.
  std::string unique(const std::string& wanted) {
    std::string out = wanted;
    for (size_t i = 2; taken_.contains(out); ++i) out = fmt::format("{}-{}", wanted, i);
    return out;
  }

  // `<namespace>/plugins/<plugin>/skills/<skill>`.
  void plugin(const std::string& name, size_t until) {
    if (!taken_.contains(name + "/plugins")) folder(name + "/plugins");
    const std::string path = unique(name + "/plugins/" + skill_name(dice_));
    folder(path);
    if (dice_.chance(0.5)) skill(path + "/README.md");
    folder(path + "/skills");
    for (size_t i = dice_.between(1, 8); i > 0 && plan_.skills < until; --i) home(path + "/skills");
  }

  // Skills beside the overview, some a level deeper.
  void group(const std::string& name, size_t until) {
    for (size_t i = dice_.between(1, 12); i > 0 && plan_.skills < until; --i) home(name);
    const std::string path = unique(fmt::format("{}/{}", name, topic(dice_)));
    folder(path);
    for (size_t i = dice_.between(1, 12); i > 0 && plan_.skills < until; --i) home(path);
  }

  // A skill's own folder.
  void home(const std::string& group) {
    const std::string path = unique(group + "/" + skill_name(dice_));
    folder(path);
    homes_.push_back(path);
    skill(path + "/SKILL.md");
    if (dice_.chance(0.12)) {
      folder(path + "/references");
      for (size_t i = dice_.between(1, 4); i > 0; --i) {
        const std::string reference = unique(path + "/references/" + reference_name(dice_));
        taken_.insert(reference);
        skill(reference + ".md");
      }
    }
    if (dice_.chance(0.15)) {
      folder(path + "/scripts");
      supporting(path + "/scripts/run.py", 2'500);
      if (dice_.chance(0.4)) supporting(path + "/scripts/setup.sh", 700);
    }
  }

  void prompts(const std::string& name) {
    folder(name + "/prompts");
    const size_t count = dice_.between(1, 3);
    for (size_t i = 0; i < count; ++i) {
      add(fmt::format("{}/prompts/{}-{}-{}.md", name, skill_name(dice_), spaces_, i),
          TreeFile::Kind::kPrompt, 1'200);
      ++plan_.prompts;
    }
  }

  Dice dice_;
  const size_t wanted_;
  const size_t folders_wanted_;
  size_t spaces_ = 0;
  std::vector<std::string> homes_;
  std::unordered_set<std::string> taken_;  // folders, and files where names could be equal
  TreePlan plan_;
};

std::string portable_text(const TreeFile& file) {
  Dice dice(file.seed);
  std::string body = text_of(file);
  if (const size_t end = body.find("\n---"); body.starts_with("---") && end != std::string::npos) {
    body.erase(0, body.find('\n', end + 1) + 1);
  }
  const std::string folder = std::filesystem::path(file.path).parent_path().filename();
  return fmt::format("---\nname: {}\ndescription: \"{}\"\nlicense: MIT\n---\n\n{}", folder,
                     description(dice, folder), body);
}

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
    while (out.size() < file.bytes) out += data_line(dice);
    return out;
  }
  const std::string heading = title(dice);
  std::string out;
  const bool bom = dice.chance(0.005), crlf = dice.chance(0.01);
  // Some have no frontmatter at all; the first paragraph stands in for the description.
  const bool plain = file.kind == TreeFile::Kind::kSkill && !file.rare && dice.chance(0.1);
  if (bom) out += "\xef\xbb\xbf";
  if (!plain) out += frontmatter(dice, file, heading);
  out += "# " + heading + "\n\n";
  while (out.size() < file.bytes) out += passage(dice);
  if (!crlf) return out;
  std::string with_returns;
  for (const char c : out) {
    if (c == '\n') with_returns += '\r';
    with_returns += c;
  }
  return with_returns;
}

void write_tree(const TreePlan& plan, const std::filesystem::path& root, TreeText text) {
  std::filesystem::create_directories(root);
  for (const std::string& folder : plan.folders) std::filesystem::create_directory(root / folder);
  for (const TreeFile& file : plan.files) {
    const bool portable = text == TreeText::kPortable && file.path.ends_with("/SKILL.md");
    write_file(root / file.path, portable ? portable_text(file) : text_of(file));
  }
}

}  // namespace iii::bench
