// Random histories of installations and of what users do between them, against a simple model.
#include <random>
#include <set>

#include "directory/sources/installer_fixture_for_test.h"

namespace iii::sources {
namespace {

const std::vector<std::string> kPaths = {"SKILL.md", "a.md", "b/c.md", "b/d/e.md", "f.png"};

// What the rules say, with nothing but maps.
struct Model {
  Files disk;
  std::optional<Files> locked;
  std::set<std::string> conflicts;
  std::set<std::string> pruned;

  void install(const Files& bundle, bool force) {
    conflicts.clear();
    pruned.clear();
    for (const auto& [path, text] : locked.value_or(Files{})) {
      if (bundle.contains(path) || !disk.contains(path)) continue;
      if (disk[path] == text || force) {
        disk.erase(path);
        pruned.insert(path);
      } else {
        conflicts.insert(path);
      }
    }
    for (const auto& [path, text] : bundle) {
      const bool there = disk.contains(path);
      const bool ours = there && locked && locked->contains(path) && disk[path] == (*locked)[path];
      if (!there || disk[path] == text || ours || force) {
        disk[path] = text;
      } else {
        conflicts.insert(path);
      }
    }
    locked = bundle;
  }

  void remove(bool force) {
    conflicts.clear();
    pruned.clear();
    for (const auto& [path, text] : disk) {
      const auto known = locked->find(path);
      const bool ours = known != locked->end() && known->second == text;
      (ours || force ? pruned : conflicts).insert(path);
    }
    std::erase_if(disk, [this](const auto& file) { return pruned.contains(file.first); });
    locked.reset();
  }
};

class History {
 public:
  explicit History(unsigned seed) : random_(seed) {}

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) {
      switch (pick(6)) {
        case 0:
          edit();
          break;
        case 1:
          remove();
          break;
        case 2:
          remove_namespace();
          break;
        default:
          install();
      }
      compare();
    }
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  std::string text() { return std::string(1, static_cast<char>('a' + pick(3))); }
  const std::string& path() { return kPaths[static_cast<size_t>(pick(5))]; }

  void edit() {
    const std::string& at = path();
    model_.disk[at] = text();
    folder_.put("resend/" + at, model_.disk[at]);
    story_ += "edit " + at + "\n";
  }
  void remove() {
    const std::string& at = path();
    model_.disk.erase(at);
    std::filesystem::remove(folder_.path("resend/" + at));
    story_ += "remove " + at + "\n";
  }
  void install() {
    Files bundle;
    for (const std::string& at : kPaths) {
      if (pick(3) != 0) bundle[at] = text();
    }
    const bool force = pick(4) == 0;
    story_ += "install" + std::string(force ? " by force" : "");
    for (const auto& [at, content] : bundle) story_ += " " + at + "=" + content;
    story_ += "\n";
    model_.install(bundle, force);
    const auto report = folder_.install(bundle_of("1", bundle), {.force = force});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(std::set(report->conflicts.begin(), report->conflicts.end()), model_.conflicts);
    EXPECT_EQ(std::set(report->pruned.begin(), report->pruned.end()), model_.pruned);
    EXPECT_EQ(report->skills_written.size() + report->assets_written.size() +
                  report->unchanged.size() + report->conflicts.size(),
              bundle.size() + dropped_conflicts(bundle));
  }
  void remove_namespace() {
    const bool force = pick(2) == 0;
    story_ += "remove the namespace" + std::string(force ? " by force\n" : "\n");
    const auto report = Installer(folder_.path()).remove("resend", {.force = force}, {});
    ASSERT_EQ(report.has_value(), model_.locked.has_value()) << story_;
    if (!report) return;
    model_.remove(force);
    EXPECT_EQ(std::set(report->kept.begin(), report->kept.end()), model_.conflicts) << story_;
    EXPECT_EQ(std::set(report->removed.begin(), report->removed.end()), model_.pruned) << story_;
  }
  size_t dropped_conflicts(const Files& bundle) const {
    return static_cast<size_t>(std::ranges::count_if(
        model_.conflicts, [&bundle](const std::string& at) { return !bundle.contains(at); }));
  }

  void compare() {
    Files seen;
    for (const auto& [at, content] : picture_of(folder_.path("resend"))) {
      if (content != "/") seen[at] = content;
    }
    EXPECT_EQ(seen, model_.disk) << story_;
    std::vector<std::string> states;
    std::set<std::string> all;
    const Files locked = model_.locked.value_or(Files{});
    for (const auto& [at, content] : locked) all.insert(at);
    if (model_.locked) {
      for (const auto& [at, content] : model_.disk) all.insert(at);
    }
    for (const std::string& at : all) {
      const char* const state = !locked.contains(at)                  ? " extra"
                                : !model_.disk.contains(at)           ? " missing"
                                : model_.disk.at(at) == locked.at(at) ? " intact"
                                                                      : " edited";
      states.push_back("resend/" + at + state);
    }
    EXPECT_EQ(verified(folder_.path()), states) << story_;
  }

  std::mt19937 random_;
  SkillsFolder folder_;
  Model model_;
  std::string story_;
};

TEST(InstallerProperty, W9W10W11RandomHistoriesFollowTheModel) {
  for (unsigned seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    History(seed).run(20);
  }
}

}  // namespace
}  // namespace iii::sources
