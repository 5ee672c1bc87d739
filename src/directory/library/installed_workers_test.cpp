// Who is installed, as seen through the functions that filter by it.
#include "directory/library/installed_workers.h"

#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::SizeIs;

class InstalledWorkers : public DirectoryTest {
 protected:
  InstalledWorkers() {
    for (const char* path : {"alpha/SKILL.md", "beta/SKILL.md", "rootdoc.md"}) {
      tree.put(std::string("global/") + path);
    }
    installed_options = {.filter = true, .ttl = milliseconds(60'000), .timeout = milliseconds(20)};
  }
  void answers(const std::string& names) {
    manager = Manager::kAnswers;
    workers = R"({"workers":[)" + names + "]}";
  }
  void pass(int ms) { now += milliseconds(ms); }
};

const std::string kAlpha = R"({"name":"alpha"})";
const std::string kBeta = R"({"name":"beta"})";

TEST_F(InstalledWorkers, R50_SwitchedOffNothingIsFilteredAndNobodyIsAsked) {
  installed_options.filter = false;
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "beta", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(0));
}

TEST_F(InstalledWorkers, R51_TheQuestionIsAnEmptyObjectAndNamesAreTakenFromTheRows) {
  answers(R"({"name":"alpha","running":false},{"name":7},{"version":"1"},"beta",null)");
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  ASSERT_THAT(questions, SizeIs(1));
  EXPECT_EQ(*questions[0].find("data"), json::Value(json::Object{}));
}

TEST_F(InstalledWorkers, R51_AnAnswerOfAnotherShapeMeansThatNothingIsInstalled) {
  manager = Manager::kAnswers;
  installed_options.ttl = milliseconds(0);
  start();
  for (const char* odd :
       {"null", "[]", R"({"workers":{}})", R"({"names":["alpha"]})", "\"alpha\""}) {
    workers = odd;
    EXPECT_THAT(listed(), ElementsAre("rootdoc")) << odd;
  }
}

TEST_F(InstalledWorkers, ContainersOfComposeAreInstalledToo) {
  installed_options.ttl = milliseconds(0);
  engine.compose = R"({"containers":[{"container":"beta","state":"failed"},{"state":"ready"},7]})";
  start();
  EXPECT_THAT(listed(), ElementsAre("beta", "rootdoc")) << "without worker::list";
  answers(kAlpha);
  EXPECT_THAT(listed(), ElementsAre("alpha", "beta", "rootdoc"));
  engine.compose = R"({"containers":{}})";
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc")) << "an answer of another shape";
}

TEST_F(InstalledWorkers, R51_NamesMatchExactly) {
  answers(R"({"name":"alph"},{"name":"betas"})");
  start();
  EXPECT_THAT(listed(), ElementsAre("rootdoc"));
}

// Defect: what the filter hides was "not found", and nothing named the filter.
TEST_F(InstalledWorkers, AMissThatTheFilterCausesNamesTheFilterAndWhatWouldShowTheSkill) {
  tree.put("global/beta/deep/er.md");
  answers(kAlpha);
  start();
  for (const char* id : {"beta", "beta/index", "iii://beta/deep/er"}) {
    EXPECT_THAT(
        refusal("directory::skills::get", std::string(R"({"id":")") + id + R"("})"),
        testing::AllOf(testing::StartsWith("D110 not_found:"), testing::HasSubstr("was not found"),
                       testing::HasSubstr("`filter_unregistered` hides"),
                       testing::HasSubstr("install the worker `beta`"),
                       testing::HasSubstr("`filter_unregistered: false`"),
                       testing::HasSubstr("Next: call directory::skills::list")))
        << id;
  }
  EXPECT_THAT(refusal("directory::skills::get", R"({"id":"gamma"})"),
              testing::Not(testing::HasSubstr("filter_unregistered")));
}

TEST_F(InstalledWorkers, TheDoctorNamesEveryNamespaceThatTheFilterHides) {
  tree.put("global/beta/deep/er.md");
  answers(kAlpha);
  start();
  const json::Value report = ask("directory::doctor", R"({"code":"hidden_by_filter"})");
  EXPECT_EQ(json::to_text(*report.find("hidden")), "2");
  ASSERT_THAT(*report.find("findings")->as_array(), SizeIs(1));
  const json::Value& finding = report.find("findings")->as_array()->front();
  EXPECT_EQ(text(finding, "code"), "hidden_by_filter");
  EXPECT_EQ(text(finding, "path"), "beta/");
  EXPECT_THAT(
      text(finding, "message"),
      testing::AllOf(testing::HasSubstr("2 skills are hidden"), testing::HasSubstr("worker `beta`"),
                     testing::HasSubstr("filter_unregistered: false")));
}

TEST_F(InstalledWorkers, AWorkerWhoseNameIsNoIdKeepsItsDocuments) {
  tree.put("global/My Worker/SKILL.md", "# Mine\n\nText.\n");
  answers(R"({"name":"My Worker"})");
  start();
  EXPECT_THAT(listed(), ElementsAre("my-worker", "rootdoc"));
  EXPECT_EQ(text(ask("directory::skills::get", R"({"id":"worker"})"), "id"), "my-worker");
}

TEST_F(InstalledWorkers, R53_BeforeAnybodyEverAnsweredEverythingIsShown) {
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "beta", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(1));
}

TEST_F(InstalledWorkers, R53_AQuickRefusalIsNotRememberedSoANewManagerCountsAtOnce) {
  start();
  EXPECT_THAT(listed(), SizeIs(3));
  answers(kAlpha);
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
}

TEST_F(InstalledWorkers, R53_WhenTheManagerGoesItsLastAnswerIsUsedWhateverItsAge) {
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  manager = Manager::kAbsent;
  pass(24 * 3'600'000);
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(2));
}

TEST_F(InstalledWorkers, R54_AnAnswerIsUsedUntilItsTtlIsOver) {
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  workers = R"({"workers":[)" + kBeta + "]}";
  pass(59'999);
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(1));
  pass(1);
  EXPECT_THAT(listed(), ElementsAre("beta", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(2));
}

TEST_F(InstalledWorkers, R54_WithATtlOfZeroEveryCallAsks) {
  installed_options.ttl = milliseconds(0);
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  answers(kBeta);
  EXPECT_THAT(listed(), ElementsAre("beta", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(2));
}

TEST_F(InstalledWorkers, R54_CallersThatComeTogetherShareOneQuestion) {
  answers(kAlpha);
  start();
  std::vector<std::string> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(send("directory::skills::list", "{}"));
  for (const std::string& call : calls) {
    EXPECT_THAT(*outcome(call).find("result")->find("skills")->as_array(), SizeIs(2));
  }
  EXPECT_THAT(questions, SizeIs(1));
}

TEST_F(InstalledWorkers, R54_AReloadForgetsTheAnswer) {
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  answers(kBeta);
  library->installed().set_options(installed_options);
  EXPECT_THAT(listed(), ElementsAre("beta", "rootdoc"));
}

TEST_F(InstalledWorkers, R55_TheIndexAsksEveryTimeAndTheOthersProfit) {
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  answers(kAlpha + "," + kBeta);
  EXPECT_EQ(*ask("directory::skills::index").find("workers_count"), json::Value(2));
  EXPECT_THAT(questions, SizeIs(2));
  EXPECT_THAT(listed(), ElementsAre("alpha", "beta", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(2));
}

TEST_F(InstalledWorkers, R56_PromptsAreNotFiltered) {
  tree.put("global/gamma/prompts/p.md", "---\ndescription: One.\n---\nBody.\n");
  answers(kAlpha);
  start();
  EXPECT_THAT(*ask("directory::prompts::list").find("prompts")->as_array(), SizeIs(1));
  EXPECT_EQ(text(ask("directory::prompts::get", R"({"name":"p"})"), "body"), "Body.\n");
}

// Weakness 6 of the original: five seconds for every call, for ever.
TEST_F(InstalledWorkers, ASilentManagerIsWaitedForOncePerTtl) {
  manager = Manager::kHangs;
  start();
  EXPECT_THAT(listed(), SizeIs(3)) << "nothing known yet, so nothing is filtered";
  EXPECT_THAT(questions, SizeIs(1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_THAT(listed(), SizeIs(3));
    ask("directory::skills::index");
    refusal("directory::skills::get", R"({"id":"no/such"})");
  }
  EXPECT_THAT(questions, SizeIs(1));
  pass(60'000);
  EXPECT_THAT(listed(), SizeIs(3));
  EXPECT_THAT(questions, SizeIs(2));
}

TEST_F(InstalledWorkers, ASilentManagerLeavesTheLastAnswerAndIsBelievedAgainWhenItSpeaks) {
  answers(kAlpha);
  start();
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  manager = Manager::kHangs;
  pass(60'000);
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc"));
  answers(kBeta);
  EXPECT_THAT(listed(), ElementsAre("alpha", "rootdoc")) << "not asked again yet";
  pass(60'000);
  EXPECT_THAT(listed(), ElementsAre("beta", "rootdoc"));
  EXPECT_THAT(questions, SizeIs(3));
}

TEST_F(InstalledWorkers, WithATtlOfZeroASilentManagerIsLeftAloneForAWhileAllTheSame) {
  installed_options.ttl = milliseconds(0);
  installed_options.retry_after = milliseconds(1'000);
  manager = Manager::kHangs;
  start();
  EXPECT_THAT(listed(), SizeIs(3));
  EXPECT_THAT(listed(), SizeIs(3));
  EXPECT_THAT(questions, SizeIs(1));
  pass(1'000);
  EXPECT_THAT(listed(), SizeIs(3));
  EXPECT_THAT(questions, SizeIs(2));
}

TEST_F(InstalledWorkers, AMissAsksForNamesOnlyOnce) {
  answers(kAlpha);
  start();
  refusal("directory::skills::get", R"({"id":"zzz"})");
  refusal("directory::skills::get", R"({"id":"zzz"})");
  EXPECT_THAT(questions, SizeIs(1));
}

}  // namespace
}  // namespace iii::directory
