// Random trees, random edits: after every edit the answer equals that of a Content that sees the
// tree for the first time and has no watches.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <random>

#include "directory/content/content.h"
#include "directory/content/fixture_for_test.h"
#include "foundation/base/log.h"

namespace iii::content {
namespace {

class Editor {
 public:
  Editor(fs::path base, uint32_t seed) : base_(std::move(base)), random_(seed) {}

  // Does one thing, and says what.
  std::string edit() {
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        return write(place());
      case 3:
        return replace(place());
      case 4:
        return append(place());
      case 5:
        return remove(below(4) == 0 ? folder() : place());
      case 6:
        return make_folder(folder());
      case 7:
        return move(folder(), folder());
      case 8:
        return move(place(), place());
      case 9:
        return link(below(2) == 0 ? folder() : place());
      case 10:
        return swap_link(below(2) == 0 ? folder() : place());
      case 11:
        return mode(below(2) == 0 ? folder() : place());
      case 13:
        return below(4) == 0 ? root() : touch(place());
      case 14:
        return exchange(folder(), folder());
      default:
        return write(place());
    }
  }

 private:
  size_t below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }
  template <size_t N>
  std::string pick(const std::array<const char*, N>& from) {
    return from[below(N)];
  }

  // Few names, so that edits meet.
  std::string folder() {
    constexpr std::array kNames = {"a", "b", "C", "prompts", "a.md"};
    std::string path = pick(std::array{"local", "global", "global"});
    for (size_t depth = 1 + below(3); depth > 0; --depth) path += "/" + pick(kNames);
    return path;
  }
  std::string place() {
    constexpr std::array kNames = {"index.md", "SKILL.md",  "x.md", "X.md",
                                   "a.md",     "notes.txt", "a"};
    const std::string in = below(5) == 0 ? pick(std::array{"local", "global"}) : folder();
    return in + "/" + pick(kNames);
  }
  std::string text() {
    // Some of one length: only then do stamps have to be good.
    return pick(std::array{"# One\n\nFirst.\n", "# Two\n\nFirst.\n", "# Six\n\nFirst.\n",
                           "---\ntitle: T\ndescription: D\n---\nBody\n",
                           "---\nname: shared\ndescription: P\n---\nBody\n",
                           "---\ntitle: a: b\n---\n# H\n\nBody\n", "", "\xff\xfe", "\n\n",
                           "---\ndescription: open"});
  }
  fs::path at(const std::string& path) const { return base_ / path; }
  void parents(const std::string& path) {
    std::error_code ignored;
    if (below(3) != 0) fs::create_directories(at(path).parent_path(), ignored);
  }
  static void store(const fs::path& path, const std::string& text, int flags) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | flags, 0644);
    if (fd < 0) return;
    EXPECT_EQ(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    ::close(fd);
  }

  std::string write(const std::string& path) {
    parents(path);
    store(at(path), text(), O_TRUNC);
    return "write " + path;
  }
  std::string append(const std::string& path) {
    store(at(path), "More.\n", O_APPEND);
    return "append " + path;
  }
  std::string replace(const std::string& path) {
    parents(path);
    const fs::path temporary = at(path + ".tmp");
    store(temporary, text(), O_TRUNC);
    ::rename(temporary.c_str(), at(path).c_str());
    return "replace " + path;
  }
  std::string remove(const std::string& path) {
    std::error_code ignored;
    fs::remove_all(at(path), ignored);
    return "remove " + path;
  }
  std::string make_folder(const std::string& path) {
    std::error_code ignored;
    fs::create_directories(at(path), ignored);
    return "mkdir " + path;
  }
  std::string move(const std::string& from, const std::string& to) {
    parents(to);
    ::rename(at(from).c_str(), at(to).c_str());
    return "move " + from + " to " + to;
  }
  std::string exchange(const std::string& one, const std::string& two) {
    const fs::path aside = at("global/aside");
    ::rename(at(one).c_str(), aside.c_str());
    ::rename(at(two).c_str(), at(one).c_str());
    ::rename(aside.c_str(), at(two).c_str());
    return "exchange " + one + " and " + two;
  }
  std::string target() {
    return pick(std::array{".", "..", "../a", "../b", "a", "x.md", "../x.md", "../a/x.md", "b/a",
                           "../../global/a", "nowhere", "../../outside", "../b/a/index.md",
                           "SKILL.md", "C", "../prompts"});
  }
  std::string link(const std::string& path) {
    parents(path);
    const std::string to = target();
    std::error_code ignored;
    fs::create_symlink(to, at(path), ignored);
    return "link " + path + " to " + to;
  }
  std::string swap_link(const std::string& path) {
    const fs::path temporary = at(path + ".lnk");
    const std::string to = target();
    std::error_code ignored;
    fs::create_symlink(to, temporary, ignored);
    ::rename(temporary.c_str(), at(path).c_str());
    return "swap " + path + " to a link to " + to;
  }
  std::string mode(const std::string& path) {
    constexpr std::array<mode_t, 6> kModes = {0755, 0755, 0644, 0, 0444, 0311};
    const mode_t mode = kModes[below(6)];
    ::chmod(at(path).c_str(), mode);
    return "chmod " + path + " " + std::to_string(mode);
  }
  std::string touch(const std::string& path) {
    const std::array<timespec, 2> times = {
        {{.tv_sec = 1'000'000'000, .tv_nsec = 0}, {.tv_sec = 1'000'000'000, .tv_nsec = 0}}};
    ::utimensat(AT_FDCWD, at(path).c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
    return "touch " + path;
  }
  std::string root() {
    const std::string name = pick(std::array{"local", "global"});
    switch (below(4)) {
      case 0:
        return remove(name);
      case 1:
        ::rename(at(name).c_str(), at("parked").c_str());
        return "park " + name;
      case 2:
        ::rename(at("parked").c_str(), at(name).c_str());
        return "unpark " + name;
      default:
        ::symlink("parked", at(name).c_str());
        return "link root " + name;
    }
  }

  const fs::path base_;
  std::mt19937 random_;
};

std::vector<std::string> without(const std::vector<std::string>& lines,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> out;
  for (const std::string& line : lines) {
    if (std::ranges::find(others, line) == others.end()) out.push_back(line);
  }
  return out;
}

struct Setup {
  uint32_t seed;
  size_t max_watches;
};

class RandomEdits : public testing::TestWithParam<Setup> {};

std::vector<Setup> setups() {
  std::vector<Setup> all;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    for (const size_t watches : {SIZE_MAX, size_t{0}, size_t{6}}) all.push_back({seed, watches});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomEdits, testing::ValuesIn(setups()),
                         [](const testing::TestParamInfo<Setup>& one) {
                           const size_t watches = one.param.max_watches;
                           return "Seed" + std::to_string(one.param.seed) +
                                  (watches == 0   ? "Stamps"
                                   : watches == 6 ? "Mixed"
                                                  : "Watches");
                         });

TEST_P(RandomEdits, EveryAnswerEqualsThatOfAFullScan) {
  set_log_level(LogLevel::kError);  // each full scan would say that it does not watch
  TempTree tree;
  tree.folder("outside");
  ::chmod(tree.at("").c_str(), 0777);
  // As root every file is readable; permissions shall matter here. (Without being root this changes
  // nothing.)
  const int before = ::setfsuid(65534);
  ContentOptions options = tree.options();
  options.max_watches = GetParam().max_watches;
  options.builtin = {{"a/SKILL.md", "# Compiled in\n\nText.\n"}};
  ContentOptions plain = options;
  plain.max_watches = 0;
  std::unique_ptr<Content> content = Content::open(options);
  // III_PROPERTY_SEED moves all seeds, for a longer search by hand.
  const char* const moved = std::getenv("III_PROPERTY_SEED");
  Editor editor(tree.at(""),
                GetParam().seed + (moved ? static_cast<uint32_t>(std::atoi(moved)) : 0));
  std::vector<std::string> history;
  std::mt19937 random(GetParam().seed);
  for (int step = 0; step < 150; ++step) {
    history.clear();
    for (size_t edits = 1 + random() % 4; edits > 0; --edits) history.push_back(editor.edit());
    if (random() % 16 == 0) {  // a new start, with what the last one left behind
      content.reset();
      if (random() % 2 == 0) history.push_back(editor.edit());
      content = Content::open(options);
    }
    const GenerationPtr seen = content->fresh();
    const std::vector<std::string> is = everything(seen);
    const std::vector<std::string> should = everything(Content::open(plain)->fresh());
    ASSERT_TRUE(is == should) << "step " << step << " after: " << testing::PrintToString(history)
                              << "\nonly here: " << testing::PrintToString(without(is, should))
                              << "\nonly there: " << testing::PrintToString(without(should, is));
    const Accounting& all = seen->accounting;
    ASSERT_EQ(all.files, all.skills + all.prompts + all.supporting + all.skipped);
    ASSERT_EQ(content->fresh(), seen) << "step " << step;
  }
  ::setfsuid(static_cast<uid_t>(before));
  set_log_level(LogLevel::kInfo);
}

}  // namespace
}  // namespace iii::content
