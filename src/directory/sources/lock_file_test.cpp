#include "directory/sources/lock_file.h"
#include "foundation/base/sha256.h"

#include <gmock/gmock.h>

namespace iii::sources {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

LockedFile locked_file(std::string_view bytes) { return {sha256_hex(bytes), bytes.size()}; }

Lock example() {
  Lock lock;
  LockedNamespace resend{.source = RegistrySource{"resend", std::nullopt, "latest"},
                         .resolved = "1.10",  // would be a number if it were not quoted
                         .branch = "",
                         .folder = "",
                         .automatic = true,
                         .files = {}};
  resend.files["index.md"] = locked_file("a");
  resend.files["emails/send.md"] = locked_file("bb");
  resend.files["yes: #no"] = locked_file("");
  LockedNamespace design{.source = RepoSource{"https://git.test/x.git", "design", std::nullopt},
                         .resolved = "0123456789abcdef0123456789abcdef01234567",
                         .branch = "main",
                         .folder = "skills/design",
                         .automatic = false,
                         .files = {}};
  design.files["SKILL.md"] = locked_file("ccc");
  lock.namespaces = {{"resend", resend}, {"design", design}};
  return lock;
}

std::string complaint(const std::string& text) {
  const Result<Lock> lock = parse_lock(text);
  return lock ? "fine" : lock.error().code + "|" + lock.error().message;
}

TEST(LockFile, HoldsWhatWasWritten) {
  const Lock lock = example();
  const Result<Lock> back = parse_lock(render_lock(lock));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, lock);
  EXPECT_EQ(parse_lock(render_lock({})).value(), Lock{});
}

TEST(LockFile, HoldsAcceptedRisks) {
  Lock lock = example();
  lock.namespaces["design"].accepted = {{sha256_hex("ccc"), {"download_run", "paste_host"}}};
  const std::string text = render_lock(lock);
  EXPECT_EQ(parse_lock(text).value(), lock);
  EXPECT_THAT(text, HasSubstr("accepted_risks:"));
  EXPECT_THAT(render_lock(example()), Not(HasSubstr("accepted_risks")));
  std::string broken = text;
  broken.replace(broken.find(sha256_hex("ccc"), broken.find("accepted_risks:")), 64, "x");
  EXPECT_THAT(complaint(broken), AllOf(HasSubstr("D333|"), HasSubstr("accepted_risks")));
}

TEST(LockFile, IsSortedAndWithoutTimesSoThatEqualContentIsEqualBytes) {
  const std::string text = render_lock(example());
  EXPECT_EQ(text, render_lock(parse_lock(text).value()));
  EXPECT_LT(text.find("design:"), text.find("resend:"));
  EXPECT_LT(text.find("emails/send.md"), text.find("index.md"));
  EXPECT_THAT(text, AllOf(HasSubstr("\nversion: 1\nnamespaces:\n"), HasSubstr("resolved: '1.10'"),
                          HasSubstr("    files:\n      SKILL.md:\n        sha256: ")));
}

TEST(LockFile, TextThatYamlWouldReadOtherwiseComesBackAsText) {
  for (const std::string resolved :
       {"1.0", "true", "null", "~",          "0x1f",         "- x", "a: b",
        "#c",  "'q'",  "\"",   "two\nlines", " pad ",        "{x}", "*a",
        "&b",  "!t",   "%d",   "@e",         "\u00e4\u20ac", "1e3", ""}) {
    Lock lock = example();
    lock.namespaces["resend"].resolved = resolved;
    const Result<Lock> back = parse_lock(render_lock(lock));
    ASSERT_TRUE(back) << resolved << back.error().message;
    EXPECT_EQ(back->namespaces.at("resend").resolved, resolved);
  }
  Lock lock = example();
  lock.namespaces["resend"].resolved = "\xff";  // must not reach the emitter
  EXPECT_EQ(parse_lock(render_lock(lock))->namespaces.at("resend").resolved, "\\xff");
}

TEST(LockFile, RefusesANewerFormatInsteadOfMisreadingIt) {
  EXPECT_THAT(complaint("version: 2\nnamespaces: {}\n"),
              AllOf(HasSubstr("D333|"), HasSubstr("format 2"), HasSubstr("Next:")));
}

TEST(LockFile, KeepsUnknownKeysOut) {
  std::string text = render_lock(example());
  text += "later: {a: 1}\n";
  EXPECT_EQ(parse_lock(text).value(), example());
}

TEST(LockFile, SaysWhatIsWrongWithADamagedFile) {
  const std::string good = render_lock(example());
  const auto with = [&good](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return complaint(text);
  };
  EXPECT_THAT(complaint(""), HasSubstr("D333|"));
  EXPECT_THAT(complaint("[]"), HasSubstr("D333|"));
  EXPECT_THAT(complaint("version: 1\n"), HasSubstr("`namespaces` is missing"));
  EXPECT_THAT(complaint(good.substr(0, good.size() / 2)), HasSubstr("D333|"));
  EXPECT_THAT(complaint("a: 1\n<<<<<<< HEAD\nb: 2\n"), HasSubstr("line 2"));
  EXPECT_THAT(complaint("version: 1\nnamespaces: \xff\n"), HasSubstr("UTF-8"));
  EXPECT_THAT(with("resolved: '1.10'", "resolved: 1.10"), HasSubstr("put it in quotes"));
  EXPECT_THAT(with("source: repo", "source: ftp"), HasSubstr("`registry` or `repo`"));
  EXPECT_THAT(with("index.md", "other.md"), HasSubstr("does not fit its files"));
  EXPECT_THAT(with("index.md", "../x.md"), HasSubstr("not a path of a bundle"));
  EXPECT_THAT(with("worker: resend", "worker: other"), HasSubstr("another namespace"));
  EXPECT_THAT(with("size: 2", "size: -2"), HasSubstr("needs `sha256`"));
  EXPECT_THAT(complaint(std::string(kMaxLockBytes + 1, '#')), HasSubstr("larger than"));
  EXPECT_THAT(complaint("nope"),
              AllOf(HasSubstr("Nothing was changed"), HasSubstr("Next:"), Not(HasSubstr("/tmp"))));
}

// A lock is committed and comes with somebody else's project.
TEST(LockFile, SourcesPassTheChecksOfRequests) {
  const auto with_repo = [](const std::string& repo) {
    Lock lock = example();
    std::get<RepoSource>(lock.namespaces["design"].source).repo = repo;
    return complaint(render_lock(lock));
  };
  EXPECT_EQ(with_repo("ssh://git@git.test/x"), "fine");
  for (const char* repo : {"ssh://-oProxyCommand=id/x", "ext::sh -c id", "/etc", "--upload-pack=id",
                           "http://git.test/x", "https://%31/x", "git@-oProxyCommand=id:x"}) {
    EXPECT_THAT(with_repo(repo), AllOf(HasSubstr("D333|"), HasSubstr("`design`: "))) << repo;
  }
  // A folder has to be called one, and only the command line reads it (Downloads).
  Lock local = example();
  std::get<RepoSource>(local.namespaces["design"].source).repo = "file:///etc";
  std::string text = render_lock(local);
  EXPECT_EQ(complaint(text), "fine");
  text.replace(text.find("source: folder"), 14, "source: repo");
  EXPECT_THAT(complaint(text), HasSubstr("may not use 'file:'"));
  EXPECT_THAT(with_repo("https://me:s3cret@git.test/x"),
              AllOf(HasSubstr("credentials"), Not(HasSubstr("s3cret"))));
  Lock lock = example();
  std::get<RepoSource>(lock.namespaces["design"].source).ref = "--upload-pack=id";
  EXPECT_THAT(complaint(render_lock(lock)), HasSubstr("branch, tag or commit"));
  lock = example();
  lock.namespaces["design"].resolved = "--upload-pack=id";
  EXPECT_THAT(complaint(render_lock(lock)), HasSubstr("`resolved` is not a commit"));
  lock = example();
  std::get<RegistrySource>(lock.namespaces["resend"].source).tag = std::string(300, 'x');
  EXPECT_THAT(complaint(render_lock(lock)), HasSubstr("the tag is too long"));
}

TEST(LockFile, KeptAndFixedFilesAreRecorded) {
  Lock lock = example();
  LockedNamespace& design = lock.namespaces["design"];
  const std::string digest = design.digest();
  design.files["SKILL.md"].kept = "1.0";
  design.files["SKILL.md"].fixed = sha256_hex("mended");
  EXPECT_EQ(parse_lock(render_lock(lock)).value(), lock);
  EXPECT_EQ(design.digest(), digest) << "what the source has";
  design.files["SKILL.md"].kept = "";
  EXPECT_EQ(parse_lock(render_lock(lock)).value(), lock);
  design.files["SKILL.md"].fixed = "x";
  EXPECT_THAT(complaint(render_lock(lock)), HasSubstr("`fixed` must be 64 hex digits"));
}

TEST(LockFile, WhereASkillIsAndHowItsFilesAreIsRecorded) {
  Lock lock = example();
  LockedNamespace design = lock.namespaces["design"];
  design.tree = std::string(40, 'b');
  design.files["SKILL.md"].executable = true;
  auto& source = std::get<RepoSource>(design.source);
  source.path = "plugins/x/skills/design";
  source.as = "mine";
  lock.namespaces.emplace("mine", design);
  source = {"file:///home/me/skills", "local", {}};
  lock.namespaces.emplace("local", design);
  const std::string text = render_lock(lock);
  EXPECT_EQ(parse_lock(text).value(), lock);
  EXPECT_THAT(text,
              AllOf(HasSubstr("source: folder"), HasSubstr("mode: x"), HasSubstr("as: mine")));
  design.tree = "--x";
  lock.namespaces["local"] = design;
  EXPECT_THAT(complaint(render_lock(lock)), HasSubstr("`tree` is not the id of a tree"));
}

TEST(LockFile, OneDigestStandsForAllFiles) {
  LockedNamespace one = example().namespaces["resend"];
  LockedNamespace two = one;
  EXPECT_THAT(one.digest(), testing::MatchesRegex("sha256:[0-9a-f]{64}"));
  two.resolved = "other";
  EXPECT_EQ(one.digest(), two.digest());
  two.files["index.md"] = locked_file("A");
  EXPECT_NE(one.digest(), two.digest());
  two = one;
  two.files.erase("index.md");
  EXPECT_NE(one.digest(), two.digest());
}

TEST(LockFile, W13APersonsExactChoiceIsAPin) {
  LockedNamespace locked = example().namespaces["resend"];
  locked.automatic = false;
  EXPECT_FALSE(locked.pinned()) << "a tag moves";
  locked.source = RegistrySource{"resend", "1.10", std::nullopt};
  EXPECT_TRUE(locked.pinned());
  locked.automatic = true;
  EXPECT_FALSE(locked.pinned()) << "nobody chose it";
  locked = example().namespaces["design"];
  EXPECT_FALSE(locked.pinned());
  std::get<RepoSource>(locked.source).ref = "0123456789ABCDEF";
  EXPECT_TRUE(locked.pinned());
  std::get<RepoSource>(locked.source).ref = "v1.0";
  EXPECT_FALSE(locked.pinned());
}

TEST(LockFile, Sha256OfKnownText) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace iii::sources
