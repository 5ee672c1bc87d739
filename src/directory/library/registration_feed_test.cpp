// One store: what workers registered, as the functions of the directory show it beside the files.
#include <map>

#include "directory/reading/fixture_for_test.h"
#include "directory/table/state_events.h"
#include "foundation/json/write.h"

namespace iii::directory {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kTime = "2026-05-01T12:34:56.123456789+00:00";
constexpr const char* kList = "directory::skills::list";
constexpr const char* kGet = "directory::skills::get";

class OneStore : public DirectoryTest {
 protected:
  OneStore() {
    engine.on_frame = [this](const json::Value& frame) { on_call(frame); };
    // Nobody looks by himself, unless a test wants it.
    options.gather = std::chrono::hours(1);
  }

  void start_store() {
    options.skills_scope = "s";
    options.prompts_scope = "p";
    options.timeout = timeout;
    registrations = options;
    open_library();
    subscription = library->changes().subscribe([this](const ChangeSet& changes) {
      for (const Change& change : *changes.changes) {
        told.push_back(std::string(word(change.op)) + " " + change.id + " " + change.source);
      }
    });
    add_state_events(table, *library->registrations());
    add_skill_functions(table, *library, limits);
    add_prompt_functions(table, *library, {}, limits.max_answer_bytes);
    add_doctor(table, {.library = *library});
    serve();
  }

  void put_skill(const std::string& id, const std::string& text) {
    const json::Value record = json::Object{{"id", id}, {"skill", text}, {"registered_at", kTime}};
    state["s"][id] = json::to_text(record);
  }
  void put_prompt(const std::string& name) {
    state["p"][name] = R"({"name":")" + name +
                       R"(","description":"Says hello.","arguments":[{"name":"to",)"
                       R"("description":"Whom.","required":true}],"function_id":"mail::hello",)"
                       R"("registered_at":"2026-05-01T12:00:00+00:00"})";
  }
  void event() { outcome(send("directory::__on_state_change", R"({"scope":"s"})")); }
  void event_of(const std::string& key, const std::string& now, const std::string& before) {
    outcome(send("directory::__on_state_change",
                 R"({"event_type":"state:updated","key":")" + key + R"(","new_value":)" + now +
                     R"(,"old_value":)" + before + R"(,"scope":"s","type":"state"})"));
  }
  template <typename T>
  void run(task::Task<Result<T>> task) {
    bool done = false;
    worker.spawn([](task::Task<Result<T>> wanted, bool& out) -> task::Task<void> {
      EXPECT_TRUE(co_await wanted);
      out = true;
    }(std::move(task), done));
    engine.run_until([&] { return done; });
  }
  // As a worker registers it with us.
  void write(const std::string& id, const std::string& text) {
    run(library->registrations()->put(ChangeKind::kSkill,
                                      {.key = id, .text = text, .registered_at = kTime}));
  }
  void pass(int ms) { now += milliseconds(ms); }

  json::Value row(const std::string& id) {
    const json::Value answer = ask(kList);
    for (const json::Value& each : *answer.find("skills")->as_array()) {
      if (text(each, "id") == id) return each;
    }
    ADD_FAILURE() << "not listed: " << id;
    return {};
  }
  std::string body(const std::string& id) {
    return text(ask(kGet, R"({"id":")" + id + R"("})"), "body");
  }
  std::vector<std::string> prompt_names() {
    std::vector<std::string> out;
    const json::Value answer = ask("directory::prompts::list");
    for (const json::Value& each : *answer.find("prompts")->as_array()) {
      out.push_back(text(each, "name"));
    }
    return out;
  }
  // `code path` of what the doctor says about registrations.
  std::vector<std::string> findings() {
    const json::Value report = ask("directory::doctor");
    const auto count = [&](const char* key) { return json::to_text(*report.find(key)); };
    EXPECT_EQ(std::stoul(count("files")),
              std::stoul(count("skills")) + std::stoul(count("prompts")) +
                  std::stoul(count("supporting")) + std::stoul(count("skipped")));
    std::vector<std::string> out;
    for (const json::Value& finding : *report.find("findings")->as_array()) {
      if (text(finding, "root") != "registered") continue;
      out.push_back(text(finding, "code") + " " + text(finding, "path"));
    }
    return out;
  }

  std::map<std::string, std::map<std::string, std::string>> state;
  // What `state::list` does: answers, refuses at once, or says nothing.
  enum class State { kAnswers, kAbsent, kHangs };
  State mood = State::kAnswers;
  std::vector<json::Value> asked;  // calls of state::list
  std::vector<std::string> told;
  milliseconds timeout{10'000};
  RegistrationOptions options;
  ChangeHub::Subscription subscription;

  void answer_list(const json::Value& frame) {
    std::string rows;
    for (const auto& [key, record] : state[text(*frame.find("data"), "scope")]) {
      rows += (rows.empty() ? "" : ",") + record;
    }
    engine.answer(frame, ",\"result\":[" + rows + "]");
  }

 private:
  void on_call(const json::Value& frame) {
    const std::string function = text(frame, "function_id");
    if (text(frame, "type") != "invokefunction") return;
    if (function == "state::list") {
      asked.push_back(frame);
      if (mood == State::kAnswers) answer_list(frame);
      if (mood != State::kAbsent) return;
    } else if (function == "state::set") {
      const json::Value& data = *frame.find("data");
      state["s"][text(data, "key")] = json::to_text(*data.find("value"));
      return engine.answer(frame, ",\"result\":{}");
    } else if (function == "state::delete") {
      state["s"].clear();
      return engine.answer(frame, ",\"result\":{}");
    } else if (function == "worker::list" && manager == Manager::kAnswers) {
      return engine.answer(frame, ",\"result\":" + workers);
    }
    engine.answer(frame, R"(,"error":{"code":"function_not_found","message":"nobody"})");
  }
};

TEST_F(OneStore, ARegisteredSkillIsListedByTheRulesOfItsMarkdownAndSaysWhereItCameFrom) {
  tree.put("global/alpha/SKILL.md");
  put_skill("mail", "# Mail\n\nSends mail.\n");
  put_skill("typed", "---\ntitle: Typed\ntype: how-to\ndescription: Told.\n---\nText.\n");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("alpha", "mail", "typed"));
  const json::Value mail = row("mail");
  EXPECT_EQ(text(mail, "title"), "Mail");
  EXPECT_EQ(text(mail, "description"), "Sends mail.");
  EXPECT_EQ(json::to_text(*mail.find("bytes")), "20");
  EXPECT_EQ(text(mail, "modified_at"), kTime);
  EXPECT_EQ(text(mail, "origin"), "registered");
  EXPECT_EQ(text(row("typed"), "type"), "how-to");
  EXPECT_EQ(text(row("typed"), "title"), "Typed");
  EXPECT_EQ(row("alpha").find("origin"), nullptr);
}

TEST_F(OneStore, ARegisteredSkillIsReadHoweverItsIdIsWritten) {
  tree.put("global/alpha/SKILL.md");
  put_skill("mail", "---\ntitle: Post\n---\nHow to send.\n");
  start_store();
  for (const char* id : {"mail", "iii://mail", "mail/index", "mail/SKILL.md", "MAIL", "mail.md"}) {
    EXPECT_EQ(body(id), "How to send.\n") << id;
  }
  const json::Value got = ask(kGet, R"({"id":"mail","include_description":true})");
  EXPECT_EQ(text(got, "id"), "mail");
  EXPECT_EQ(text(got, "title"), "Post");
  EXPECT_EQ(text(got, "description"), "How to send.");
  EXPECT_EQ(text(got, "origin"), "registered");
  EXPECT_EQ(ask(kGet, R"({"id":"alpha"})").find("origin"), nullptr);
}

TEST_F(OneStore, TheIndexNamesRegisteredSkillsAmongTheOverviews) {
  tree.put("global/alpha/SKILL.md", "# Alpha\n\nFirst.\n");
  put_skill("mail", "# Mail\n\nSends mail.\n");
  start_store();
  const json::Value index = ask("directory::skills::index");
  EXPECT_EQ(json::to_text(*index.find("workers_count")), "2");
  EXPECT_THAT(text(index, "body"), HasSubstr("## Mail\n\nSends mail.\n"));
  EXPECT_THAT(text(index, "body"), HasSubstr("## Alpha"));
}

TEST_F(OneStore, FiltersPagesAndSuggestionsWorkOverBoth) {
  tree.put("global/alpha/SKILL.md", "# Alpha\n\nFirst.\n");
  tree.put("global/zeta/SKILL.md", "# Zeta\n\nLast letter.\n");
  put_skill("mail", "---\ntype: how-to\n---\n# Mail\n\nSends a letter.\n");
  start_store();
  EXPECT_THAT(listed(R"({"search":"LETTER"})"), ElementsAre("mail", "zeta"));
  EXPECT_THAT(listed(R"({"prefix":"ma"})"), ElementsAre("mail"));
  EXPECT_THAT(listed(R"({"type":"how-to"})"), ElementsAre("mail"));
  const json::Value page = ask(kList, R"({"limit":2})");
  const std::string cursor = text(page, "next_cursor");
  EXPECT_THAT(listed(R"({"cursor":")" + cursor + R"("})"), ElementsAre("zeta"));
  EXPECT_THAT(refusal(kGet, R"({"id":"mailx"})"), HasSubstr("mail"));
}

TEST_F(OneStore, ARegisteredPromptIsListedAndItsBodySaysHowToRunIt) {
  tree.put("global/alpha/prompts/write.md", "---\ndescription: Writes.\n---\nWrite.\n");
  put_prompt("hello");
  start_store();
  EXPECT_THAT(prompt_names(), ElementsAre("hello", "write"));
  const json::Value got = ask("directory::prompts::get", R"({"name":"hello"})");
  EXPECT_EQ(text(got, "description"), "Says hello.");
  EXPECT_EQ(text(got, "origin"), "registered");
  EXPECT_EQ(text(got, "modified_at"), "2026-05-01T12:00:00+00:00");
  EXPECT_THAT(text(got, "body"), HasSubstr("`prompts::mcp-get`"));
  EXPECT_THAT(text(got, "body"), HasSubstr(R"({"name":"hello","arguments":{"to":"..."}})"));
  EXPECT_THAT(text(got, "body"), HasSubstr("`to` (required): Whom."));
  EXPECT_EQ(ask("directory::prompts::get", R"({"name":"write"})").find("origin"), nullptr);
  EXPECT_THAT(refusal("directory::prompts::get", R"({"name":"helo"})"), HasSubstr("hello"));
}

TEST_F(OneStore, WhereAFileHasTheIdTooTheFileWinsAndTheDoctorSaysSo) {
  tree.put("global/mail/SKILL.md", "# File\n\nFile.\n");
  tree.put("global/notes.md", "# Notes\n\nFile.\n");
  tree.put("global/mail/prompts/hello.md", "---\ndescription: File.\n---\nFile.\n");
  put_skill("mail", "# Registered\n\nOther.\n");
  put_skill("notes", "# Registered\n\nOther.\n");
  put_prompt("hello");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("mail", "notes"));
  EXPECT_EQ(body("mail"), "# File\n\nFile.\n");
  EXPECT_EQ(body("notes"), "# Notes\n\nFile.\n");
  EXPECT_EQ(text(ask("directory::prompts::get", R"({"name":"hello"})"), "body"), "File.\n");
  EXPECT_THAT(findings(),
              ElementsAre("registered_hidden skills/mail", "registered_hidden skills/notes",
                          "registered_hidden prompts/hello"));
  // The file goes: the registration takes its place in the next answer.
  tree.remove("global/mail/SKILL.md");
  EXPECT_EQ(body("mail"), "# Registered\n\nOther.\n");
  EXPECT_THAT(findings(), SizeIs(2));
}

TEST_F(OneStore, RecordsWhoseIdIsNoneAreNotServedAndTheDoctorNamesThem) {
  put_skill("BAD id", "# Bad\n\nBad.\n");
  put_skill("mail/index", "# Second\n\nSecond.\n");
  put_skill("mail", "# First\n\nFirst.\n");
  put_skill("mail/send", "# Send\n\nSend.\n");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("mail", "mail/send"));
  EXPECT_EQ(body("mail"), "# First\n\nFirst.\n");
  EXPECT_THAT(findings(), ElementsAre("registered_invalid skills/BAD id",
                                      "registered_hidden skills/mail/index"));
}

TEST_F(OneStore, RegisteredSkillsAreShownWhoeverIsInstalled) {
  installed_options = {.filter = true};
  manager = Manager::kAnswers;
  tree.put("global/alpha/SKILL.md");
  put_skill("mail", "# Mail\n\nSends mail.\n");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(text(ask("directory::skills::index"), "body"), HasSubstr("## Mail"));
  EXPECT_EQ(body("mail"), "# Mail\n\nSends mail.\n");
}

TEST_F(OneStore, WhatWeWroteOurselvesIsInTheNextAnswerWithoutAskingState) {
  start_store();
  EXPECT_THAT(listed(), IsEmpty());
  put_skill("more", "# More\n\nMore.\n");
  EXPECT_THAT(listed(), IsEmpty()) << "no event came, and the snapshot is young";
  const size_t before = asked.size();
  write("mail", "# Mail\n\nSends mail.\n");
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_EQ(body("mail"), "# Mail\n\nSends mail.\n");
  event_of("mail", state["s"]["mail"], "null");
  EXPECT_THAT(listed(), ElementsAre("mail"));
  const std::string record = state["s"]["mail"];
  run(library->registrations()->remove(ChangeKind::kSkill, "mail"));
  event_of("mail", "null", record);
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_EQ(asked.size(), before) << "an event of our own write tells nothing new";
  EXPECT_THAT(told, ElementsAre("register mail registered", "unregister mail registered"));
  put_skill("more", "# More\n\nMore.\n");
  event_of("more", state["s"]["more"], "null");
  EXPECT_THAT(listed(), ElementsAre("more"));
}

TEST_F(OneStore, AnAnswerToAnEarlierQuestionDoesNotUndoAWrite) {
  start_store();
  EXPECT_THAT(listed(), IsEmpty());
  mood = State::kHangs;
  pass(1'000);
  const std::string early = send(kList, "{}");
  engine.run_until([this] { return asked.size() == 3; });
  const json::Value question = asked.back();
  write("mail", "# Mail\n\nSends mail.\n");
  mood = State::kAnswers;
  engine.answer(question, R"(,"result":[])");
  EXPECT_THAT(*outcome(early).find("result")->find("skills")->as_array(), SizeIs(1));
  EXPECT_THAT(listed(), ElementsAre("mail"));
}

TEST_F(OneStore, AnEventOfStateMakesTheNextAnswerNew) {
  start_store();
  EXPECT_THAT(listed(), IsEmpty());
  put_skill("mail", "# Mail\n\nSends mail.\n");
  event();
  EXPECT_THAT(listed(), ElementsAre("mail"));
}

TEST_F(OneStore, BothScopesAreListenedTo) {
  start_store();
  std::vector<std::string> configs;
  for (const json::Value& frame : engine.of_type("registertrigger")) {
    EXPECT_EQ(text(frame, "trigger_type"), "state");
    configs.push_back(json::to_text(*frame.find("config")));
  }
  EXPECT_THAT(configs, ElementsAre(R"({"scope":"s"})", R"({"scope":"p"})"));
}

TEST_F(OneStore, WithoutEventsTheSnapshotIsUsedForItsTtlAndMuchLongerWithThem) {
  start_store();
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_THAT(asked, SizeIs(2)) << "one question for each scope";
  put_skill("mail", "# Mail\n\nSends mail.\n");
  pass(999);
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_THAT(asked, SizeIs(2));
  pass(1);
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(asked, SizeIs(4));
  event();
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(asked, SizeIs(6));
  pass(59'999);
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(asked, SizeIs(6));
  pass(1);
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(asked, SizeIs(8));
}

TEST_F(OneStore, WithATtlOfZeroEveryCallAsksOnce) {
  options.ttl = milliseconds(0);
  start_store();
  engine.run_until([this] { return asked.size() == 2; });
  const size_t before = asked.size();
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_THAT(listed(), IsEmpty());
  EXPECT_LE(asked.size(), before + 4);
}

TEST_F(OneStore, CallersThatComeTogetherShareOneQuestion) {
  start_store();
  EXPECT_THAT(listed(), IsEmpty());
  pass(1'000);
  const std::string first = send(kList, "{}");
  const std::string second = send("directory::prompts::list", "{}");
  const std::string third = send("directory::doctor", "{}");
  for (const std::string& call : {first, second, third}) {
    EXPECT_NE(outcome(call).find("result"), nullptr);
  }
  EXPECT_THAT(asked, SizeIs(4));
}

TEST_F(OneStore, WithNothingRegisteredTheFilesGoThroughUntouched) {
  tree.put("global/alpha/SKILL.md");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("alpha"));
  const size_t before = asked.size();
  for (int i = 0; i < 100; ++i) EXPECT_THAT(listed(), ElementsAre("alpha"));
  EXPECT_THAT(asked, SizeIs(before));
  EXPECT_EQ(library->latest()->generation, library->latest()->files);
}

TEST_F(OneStore, AnEngineWithoutStateServesTheFiles) {
  mood = State::kAbsent;
  tree.put("global/alpha/SKILL.md");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("alpha"));
  EXPECT_THAT(listed(), ElementsAre("alpha"));
  EXPECT_THAT(asked, SizeIs(1)) << "a refusal counts for as long as an answer";
  // A state that comes later is noticed.
  mood = State::kAnswers;
  put_skill("mail", "# Mail\n\nSends mail.\n");
  pass(1'000);
  EXPECT_THAT(listed(), ElementsAre("alpha", "mail"));
}

TEST_F(OneStore, WhenStateFallsSilentOneQuestionIsWaitedForAndTheLastSnapshotStandsIn) {
  timeout = milliseconds(20);
  put_skill("mail", "# Mail\n\nSends mail.\n");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("mail"));
  mood = State::kHangs;
  pass(1'000);
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(asked, SizeIs(3));
  // Nobody waits again; now and then somebody asks.
  pass(4'999);
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(asked, SizeIs(3));
  mood = State::kAnswers;
  put_skill("more", "# More\n\nMore.\n");
  pass(1);
  EXPECT_THAT(listed(), ElementsAre("mail"));
  engine.run_until([this] { return library->latest()->generation->skills.size() == 2; });
  EXPECT_THAT(listed(), ElementsAre("mail", "more"));
}

TEST_F(OneStore, ChangesAreToldButNotWhatWasThereWhenWeCame) {
  put_skill("mail", "# Mail\n\nSends mail.\n");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("mail"));
  EXPECT_THAT(told, IsEmpty());
  put_skill("more", "# More\n\nMore.\n");
  put_skill("mail", "# Mail\n\nSends more mail.\n");
  put_prompt("hello");
  event();
  listed();
  EXPECT_THAT(told, ElementsAre("register mail registered", "register more registered",
                                "register hello registered"));
  told.clear();
  state["s"].erase("mail");
  event();
  listed();
  listed();
  EXPECT_THAT(told, ElementsAre("unregister mail registered"));
}

TEST_F(OneStore, WhatIsWrittenBeforeTheFirstAnswerIsToldAllTheSame) {
  mood = State::kHangs;
  put_skill("old", "# Old\n\nOld.\n");
  start_store();
  engine.run_until([this] { return asked.size() == 1; });
  write("mail", "# Mail\n\nSends mail.\n");
  mood = State::kAnswers;
  answer_list(asked.back());
  EXPECT_THAT(listed(), ElementsAre("mail", "old"));
  EXPECT_THAT(told, ElementsAre("register mail registered"));
}

TEST_F(OneStore, SubscribersHearWithoutAnybodyReading) {
  options.gather = milliseconds(0);
  start_store();
  EXPECT_THAT(listed(), IsEmpty());
  put_skill("mail", "# Mail\n\nSends mail.\n");
  event();
  engine.run_until([this] { return !told.empty(); });
  EXPECT_THAT(told, ElementsAre("register mail registered"));
}

TEST_F(OneStore, AFileThatHidesARegistrationHappenedOnDisk) {
  put_skill("mail", "# Mail\n\nSends mail.\n");
  start_store();
  EXPECT_THAT(listed(), ElementsAre("mail"));
  tree.put("global/mail/SKILL.md");
  listed();
  tree.remove("global/mail/SKILL.md");
  listed();
  EXPECT_THAT(told, ElementsAre("external mail disk", "external mail disk"));
}

TEST(RegisteredTime, IsReadAsRfc3339) {
  const int64_t second = 1'000'000'000;
  EXPECT_EQ(parse_time("1970-01-01T00:00:01Z"), second);
  EXPECT_EQ(parse_time("1970-01-01T01:00:01.5+01:00"), second + second / 2);
  EXPECT_EQ(parse_time("1969-12-31T23:59:59-00:00"), -second);
  EXPECT_EQ(content::format_time(parse_time(kTime)), kTime);
  for (const char* text : {"", "t", "2026-05-01", "2026-05-01T12:34:56", "2026-13-01T12:34:56Z",
                           "2026-05-01T12:34:56.5", "2026-05-01T12:34:56+1", "9999-05-01T12:34:56Z",
                           "2026-05-01T-2:34:56Z"}) {
    EXPECT_EQ(parse_time(text), content::kNoTime) << text;
  }
}

}  // namespace
}  // namespace iii::directory
