#include "faces/console/events.h"

#include <gmock/gmock.h>

#include "bus/net/fake_http_response.h"
#include "foundation/base/fake_timers.h"

namespace iii::console {
namespace {

using directory::Change;
using directory::ChangeAct;
using directory::ChangeKind;
using directory::ChangeOp;
using directory::ChangeSet;
using net::FakeHttpResponse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Fake = std::shared_ptr<FakeHttpResponse>;

class EventsTest : public testing::Test {
 protected:
  EventsTest() {
    limits.replay_events = 3;
    limits.max_ids = 2;
  }

  Events& events() {
    if (!events_) {
      events_.emplace(
          timers, Position{"e1", 10},
          Events::Source{.beat = [this] { ++beats; },
                         .begin = [this] { ++begins; },
                         .may_stay = [this](const std::string& client) { return client != gone; }},
          limits);
    }
    return *events_;
  }
  Fake open(const std::string& client = "c", const char* last = nullptr,
            const std::string& address = "127.0.0.1") {
    net::HttpRequest request;
    request.peer = address;
    if (last != nullptr) request.headers.push_back({"Last-Event-ID", last});
    auto response = std::make_shared<FakeHttpResponse>();
    events().open(request, response, client);
    return response;
  }
  static Change change(std::string id, ChangeOp op = ChangeOp::kExternal) {
    return {.kind = ChangeKind::kSkill, .act = ChangeAct::kAdded, .id = std::move(id), .op = op};
  }
  void changed(uint64_t generation, std::vector<Change> changes) {
    auto after = std::make_shared<content::Generation>();
    after->number = generation;
    events().changed({.before = after,
                      .after = after,
                      .changes = std::make_shared<std::vector<Change>>(std::move(changes))});
  }
  static std::vector<std::string> lines(const Fake& stream, std::string_view begin) {
    std::vector<std::string> out;
    for (const std::string_view line : split(stream->body, '\n')) {
      if (line.starts_with(begin)) out.emplace_back(line.substr(begin.size()));
    }
    return out;
  }
  static std::vector<std::string> names(const Fake& stream) { return lines(stream, "event: "); }
  static std::vector<std::string> ids(const Fake& stream) { return lines(stream, "id: "); }

  FakeTimers timers;
  EventLimits limits;
  std::string gone = "nobody";
  int beats = 0;
  int begins = 0;

 private:
  std::optional<Events> events_;
};

TEST_F(EventsTest, APositionIsAnEpochAndAGeneration) {
  const std::optional<Position> read = Position::parse("a-b/17");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->epoch, "a-b");
  EXPECT_EQ(read->text(), "a-b/17");
  for (const char* bad : {"", "17", "a/", "a/x", "a/-1", "a/1x", "a/99999999999999999999"}) {
    EXPECT_FALSE(Position::parse(bad)) << bad;
  }
}

TEST_F(EventsTest, HelloSaysWhereWeAre) {
  const Fake stream = open();
  EXPECT_EQ(stream->status, 200);
  EXPECT_EQ(stream->header("Content-Type"), "text/event-stream");
  EXPECT_EQ(stream->body,
            "id: e1/10\nevent: hello\ndata: {\"epoch\":\"e1\",\"generation\":10}\n\n");
}

TEST_F(EventsTest, AChangeIsToldWithItsIds) {
  const Fake stream = open();
  changed(11, {change("a"), change("b"), change("c")});
  EXPECT_THAT(stream->body, HasSubstr("id: e1/11\nevent: change\ndata: {"));
  EXPECT_THAT(stream->body,
              HasSubstr(R"("changes":[{"change":"added","id":"a","kind":"skill"},)"
                        R"({"change":"added","id":"b","kind":"skill"}],"generation":11,"more":1,)"
                        R"("op":"external","source":"disk"})"));
}

TEST_F(EventsTest, CausesAreToldApartAndThePositionComesLast) {
  const Fake stream = open();
  changed(11, {change("a"), change("b", ChangeOp::kDownload)});
  EXPECT_THAT(names(stream), ElementsAre("hello", "change", "change"));
  EXPECT_THAT(ids(stream), ElementsAre("e1/10", "e1/11"));
  const size_t second = stream->body.rfind("id: ");
  EXPECT_THAT(stream->body.substr(second), HasSubstr("\"op\":\"download\""));
}

TEST_F(EventsTest, AGenerationWithoutChangedDocumentsIsToldOnce) {
  const Fake stream = open();
  changed(11, {});
  changed(11, {});
  EXPECT_THAT(names(stream), ElementsAre("hello", "change"));
}

TEST_F(EventsTest, WhoComesBackGetsWhatWasMissed) {
  changed(11, {change("a")});
  changed(12, {change("b")});
  const Fake stream = open("c", "e1/11");
  EXPECT_THAT(names(stream), ElementsAre("hello", "change"));
  EXPECT_THAT(ids(stream), ElementsAre("e1/11", "e1/12"))
      << "the position never runs ahead of what was read";
  const Fake up_to_date = open("c", "e1/12");
  EXPECT_THAT(names(up_to_date), ElementsAre("hello"));
}

TEST_F(EventsTest, WhatIsForgottenOrOfAnotherEpochIsTruncated) {
  for (uint64_t i = 11; i <= 15; ++i) changed(i, {change("a")});
  for (const char* last : {"e1/10", "e1/11", "e0/14", "e1/16", "nonsense", ""}) {
    const Fake stream = open(last, last);
    EXPECT_THAT(names(stream), ElementsAre("hello", "truncated")) << last;
    EXPECT_THAT(ids(stream), ElementsAre("e1/15")) << last;
  }
  EXPECT_THAT(names(open("c", "e1/12")), ElementsAre("hello", "change", "change", "change"));
}

TEST_F(EventsTest, ReplayIsBoundedByBytesToo) {
  limits.replay_events = 1'000;
  limits.replay_bytes = 2'000;
  for (uint64_t i = 11; i <= 1'000; ++i) changed(i, {change("a")});
  EXPECT_THAT(names(open("c", "e1/980")), ElementsAre("hello", "truncated"));
  EXPECT_THAT(names(open("c", "e1/999")), ElementsAre("hello", "change"));
}

TEST_F(EventsTest, LimitsOfStreams) {
  limits.max_streams = 4;
  limits.max_streams_per_client = 3;
  std::vector<Fake> all;
  for (int i = 0; i < 3; ++i) all.push_back(open("one"));
  const Fake fourth = open("one");
  EXPECT_EQ(fourth->status, 429);
  EXPECT_EQ(fourth->header("Retry-After"), "30");
  EXPECT_EQ(open("two")->status, 200);
  EXPECT_EQ(open("three")->status, 429);
  all[0]->leave();
  EXPECT_EQ(open("one")->status, 200);
}

TEST_F(EventsTest, OneAddressLeavesStreamsForOthers) {
  limits.max_streams = 40;
  std::vector<Fake> all;
  for (int i = 0; i < 21; ++i) {
    all.push_back(open("session " + std::to_string(i), nullptr, "192.0.2.1"));
  }
  EXPECT_EQ(all[19]->status, 200) << "at the limit";
  EXPECT_EQ(all[20]->status, 429) << "beyond it";
  EXPECT_EQ(open("other", nullptr, "192.0.2.2")->status, 200);
  all[0]->leave();
  all[1]->leave();
  EXPECT_EQ(open("again", nullptr, "192.0.2.1")->status, 200);
}

TEST_F(EventsTest, ASlowReaderIsDropped) {
  const Fake slow = open();
  const Fake other = open();
  slow->queued = limits.max_queued_bytes + 1;
  events().tell("sample", "{}");
  EXPECT_FALSE(slow->open);
  EXPECT_TRUE(other->open);
  EXPECT_EQ(events().streams(), 1U);
}

TEST_F(EventsTest, BeatsOnlyWhileSomebodyListens) {
  events();
  EXPECT_EQ(timers.pending(), 0U);
  const Fake first = open();
  const Fake second = open();
  EXPECT_EQ(begins, 1);
  timers.advance(Millis(14'500));
  EXPECT_EQ(beats, 14);
  EXPECT_THAT(first->body, Not(HasSubstr(": keep-alive")));
  timers.advance(Millis(1'000));
  EXPECT_THAT(first->body, HasSubstr(": keep-alive\n\n"));
  first->leave();
  second->leave();
  timers.advance(Millis(2'000));
  EXPECT_EQ(timers.pending(), 0U);
  EXPECT_EQ(beats, 15);
  open();
  EXPECT_EQ(begins, 2);
}

TEST_F(EventsTest, SessionsThatAreOverDoNotListen) {
  const Fake stays = open("a");
  const Fake goes = open("b");
  const Fake ended = open("c");
  events().drop("c");
  EXPECT_FALSE(ended->open);
  gone = "b";
  timers.advance(Millis(15'000));
  EXPECT_FALSE(goes->open);
  EXPECT_TRUE(stays->open);
  events().shut_down();
  EXPECT_FALSE(stays->open);
}

}  // namespace
}  // namespace iii::console
