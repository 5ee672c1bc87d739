#include "directory/library/change_log.h"

#include <gmock/gmock.h>

#include "directory/library/testing.h"

namespace iii::directory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

content::GenerationPtr numbered(content::GenerationPtr generation, uint64_t number) {
  auto copy = std::make_shared<content::Generation>(*generation);
  copy->number = number;
  return copy;
}

std::vector<std::string> words(const std::vector<Change>& changes) {
  std::vector<std::string> out;
  for (const Change& change : changes) {
    const char sign = change.act == ChangeAct::kAdded     ? '+'
                      : change.act == ChangeAct::kRemoved ? '-'
                                                          : '~';
    out.push_back(sign + change.id);
  }
  return out;
}
std::vector<std::string> words(const ChangeLog::Answer& answer) {
  std::vector<std::string> out;
  for (const ChangeLog::Entry& entry : answer.entries) {
    for (std::string& word : words(*entry.changes)) out.push_back(std::move(word));
  }
  return out;
}

Change at(uint64_t generation, std::string id) {
  Change change;
  change.generation = generation;
  change.id = std::move(id);
  return change;
}

ChangeList list(std::vector<Change> changes) {
  return std::make_shared<const std::vector<Change>>(std::move(changes));
}

TEST(Differences, SharedRowsAreTheSameDocument) {
  const auto before = numbered(make_generation({{"a"}, {"b"}, {"c"}}, {"p"}), 1);
  auto after = std::make_shared<content::Generation>(*before);
  after->number = 2;
  auto other = std::make_shared<content::Skill>(*after->skills[1]);
  other->title = "B";
  after->skills.set(1, other);
  after->skills.set(2, std::make_shared<content::Skill>(*after->skills[2]));  // equal
  after->skills.erase(0);
  after->prompts.clear();
  const auto changes = differences(*before, *after);
  EXPECT_THAT(words(changes), ElementsAre("-a", "~b", "-p"));
  EXPECT_EQ(changes[0].generation, 2U);
  EXPECT_EQ(changes[2].kind, ChangeKind::kPrompt);
}

TEST(Differences, IdsAreShownAsListsShowThem) {
  const auto before = numbered(make_generation({}), 1);
  const auto after = numbered(make_generation({{"ns/index"}, {"ns/deep/x"}}), 2);
  const auto changes = differences(*before, *after);
  EXPECT_THAT(words(changes), ElementsAre("+ns/deep/x", "+ns"));
  EXPECT_EQ(changes[1].name_space, "ns");
}

TEST(ChangeLog, TellsWhatCameAfterAGeneration) {
  ChangeLog log(10);
  log.add(list({at(2, "a"), at(2, "b")}), 0);
  log.add(list({at(3, "c")}), 0);
  EXPECT_THAT(words(log.since(2, 3, 100)), ElementsAre("~c"));
  EXPECT_THAT(words(log.since(0, 3, 100)), ElementsAre("~a", "~b", "~c"));
  EXPECT_THAT(log.since(3, 3, 100).entries, IsEmpty());
  EXPECT_FALSE(log.since(0, 3, 100).truncated);
}

TEST(ChangeLog, SaysWhenItNoLongerReachesBack) {
  ChangeLog log(3);
  log.add(list({at(2, "a"), at(2, "b")}), 0);
  log.add(list({at(3, "c"), at(3, "d")}), 0);
  EXPECT_TRUE(log.since(1, 3, 100).truncated);
  EXPECT_FALSE(log.since(2, 3, 100).truncated);
  EXPECT_THAT(words(log.since(1, 3, 100)), ElementsAre("~c", "~d"));
}

TEST(ChangeLog, AGenerationLargerThanTheLogIsForgottenWhole) {
  ChangeLog log(2);
  log.add(list({at(2, "a")}), 0);
  log.add(list({at(3, "b"), at(3, "c"), at(3, "d")}), 0);
  EXPECT_TRUE(log.since(2, 3, 100).truncated);
  EXPECT_THAT(log.since(2, 3, 100).entries, IsEmpty());
  EXPECT_FALSE(log.since(3, 3, 100).truncated);
}

TEST(ChangeLog, PagesEndAtGenerations) {
  ChangeLog log(10);
  log.add(list({at(2, "a"), at(2, "b")}), 0);
  log.add(list({at(3, "c")}), 0);
  const auto page = log.since(0, 3, 1);
  EXPECT_THAT(words(page), ElementsAre("~a", "~b"));
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.up_to, 2U);
  const auto rest = log.since(page.up_to, 3, 1);
  EXPECT_THAT(words(rest), ElementsAre("~c"));
  EXPECT_FALSE(rest.more);
  EXPECT_EQ(rest.up_to, 3U);
}

TEST(ChangeLog, TheNewestCanBeAskedFor) {
  ChangeLog log(10);
  log.add(list({at(2, "a")}), 20);
  log.add(list({at(3, "b"), at(3, "c")}), 30);
  const auto newest = log.since(0, 3, 1, ChangeLog::From::kNewest);
  EXPECT_THAT(words(newest), ElementsAre("~b", "~c"));
  EXPECT_EQ(newest.entries[0].at_ns, 30);
  EXPECT_EQ(newest.up_to, 3U);
  EXPECT_TRUE(newest.more);
  EXPECT_THAT(words(log.since(0, 3, 3, ChangeLog::From::kNewest)), ElementsAre("~a", "~b", "~c"));
}

TEST(ChangeLog, AGenerationFromTheFutureIsOfAnotherTime) {
  EXPECT_TRUE(ChangeLog(10).since(9, 3, 100).truncated);
}

TEST(ChangeLog, KnowsWhenADocumentLastChanged) {
  ChangeLog log(4);
  Change prompt = at(7, "a");
  prompt.kind = ChangeKind::kPrompt;
  log.add(list({at(3, "a"), at(3, "b")}), 0);
  log.add(list({at(5, "a")}), 0);
  log.add(list({prompt}), 0);
  EXPECT_EQ(log.last_change(ChangeKind::kSkill, "a"), 5U);
  EXPECT_EQ(log.last_change(ChangeKind::kSkill, "b"), 3U);
  EXPECT_EQ(log.last_change(ChangeKind::kPrompt, "a"), 7U);
  EXPECT_EQ(log.last_change(ChangeKind::kPrompt, "b"), std::nullopt);
  log.add(list({at(9, "c")}), 0);
  EXPECT_EQ(log.last_change(ChangeKind::kSkill, "b"), std::nullopt) << "forgotten";
}

}  // namespace
}  // namespace iii::directory
