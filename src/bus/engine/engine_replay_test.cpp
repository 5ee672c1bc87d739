// Two real workers on the public engine 0.23.0-rc.4 were recorded. Told the same by the workers,
// our engine says the same to them: frame by frame on every connection, except for ids of its own
// choice.
#include <deque>
#include <fstream>
#include <map>
#include <set>

#include "bus/engine/state/state.h"
#include "bus/engine/store/store.h"
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

// The bus with `state::*`, whose writes are done when the test says so.
struct StatefulBus : TestBus {
  StatefulBus() {
    EXPECT_TRUE(state.start());
    for (BuiltinFunction& function : state.functions()) engine.add(std::move(function));
    engine.add(state.trigger_type());
  }

  void run_posted() {
    while (!posted.empty()) {
      auto action = std::move(posted.front());
      posted.pop_front();
      action();
    }
  }

  std::deque<std::move_only_function<void()>> posted;
  std::unique_ptr<Store> store = Store::in_memory(
      [this](std::move_only_function<void()> action) { posted.push_back(std::move(action)); });
  State state{*store, engine, nullptr};
};

struct Recording {
  const char* name;
  std::vector<int64_t> restarts;  // a new engine stands behind these connections and later ones
  std::vector<int64_t> leaves;    // who leaves at the end, so that the last frames come
};

class Replay {
 public:
  explicit Replay(const Recording& recording) : recording_(recording) { start_engine(); }
  ~Replay() { peers_.clear(); }

  void play(const json::Value& line) {
    if (line.find("path") != nullptr) return;  // sockets of channels and of telemetry
    const int64_t connection = *line.find("conn")->as_int();
    const json::Value& frame = *line.find("frame");
    open(connection);
    if (text_at(line, "dir") == "c2s") {
      say(connection, frame);
    } else {
      expected_[lane(connection, frame)].push_back(frame);
    }
    compare();
  }

  void finish() {
    for (const int64_t connection : recording_.leaves) peers_.at(connection)->leave();
    collect();
    compare();
    for (const auto& [to, frames] : expected_) {
      for (const json::Value& frame : frames) {
        ADD_FAILURE() << "never said to " << to.first << ": " << json::to_text(frame);
      }
    }
    for (const auto& [to, frames] : ours_) {
      for (const json::Value& frame : frames) {
        ADD_FAILURE() << "only we said to " << to.first << ": " << json::to_text(frame);
      }
    }
    EXPECT_GE(compared_, 5U);
  }

 private:
  // Frames of one lane are compared in order. Calls have a lane of their own: the public engine
  // runs them beside the registrations, so which of the two comes first is chance.
  using Lane = std::pair<int64_t, bool>;
  static Lane lane(int64_t connection, const json::Value& frame) {
    const std::string type = text_at(frame, "type");
    return {connection, type == "invokefunction" || type == "invocationresult"};
  }

  void start_engine() {
    peers_.clear();
    bus_ = std::make_unique<StatefulBus>();
  }

  void open(int64_t connection) {
    if (peers_.contains(connection) || over_.contains(connection)) return;
    if (std::find(recording_.restarts.begin(), recording_.restarts.end(), connection) !=
        recording_.restarts.end()) {
      for (const auto& [old, peer] : peers_) over_.insert(old);
      start_engine();
    }
    const auto peer = peers_.emplace(connection, std::make_unique<Peer>(*bus_)).first;
    heard(connection, peer->second->greeting());
  }

  void say(int64_t connection, const json::Value& frame) {
    // The public engine drops a call without `data`; reading it as null is our leniency (E21).
    if (text_at(frame, "type") == "invokefunction" && frame.find("data") == nullptr) return;
    if (text_at(frame, "type") == "invokefunction") {
      callers_traces_.insert(text_at(frame, "traceparent"));
    }
    note_ids(frame);
    std::string text = json::to_text(frame);
    for (const auto& [theirs, mine] : ids_) {
      for (size_t at = text.find(theirs); at != std::string::npos; at = text.find(theirs, at + 1)) {
        text.replace(at, theirs.size(), mine);
      }
    }
    peers_.at(connection)->say(text);
    collect();
  }

  void collect() {
    bus_->turn();
    bus_->run_posted();
    bus_->turn();
    for (const auto& [connection, peer] : peers_) {
      for (const std::string& text : peer->take()) heard(connection, text);
    }
  }

  void heard(int64_t connection, const std::string& text) {
    json::Value frame = parsed(text);
    const Lane to = lane(connection, frame);
    ours_[to].push_back(std::move(frame));
  }

  // Ids that a worker speaks of first are its own choice, and the same here as there.
  void note_ids(const json::Value& value) {
    if (const std::string* text = value.as_string(); text != nullptr && Uuid::parse(*text)) {
      ids_.try_emplace(*text, *text);
    } else if (const json::Array* array = value.as_array()) {
      for (const json::Value& element : *array) note_ids(element);
    } else if (const json::Object* object = value.as_object()) {
      for (const auto& [key, member] : *object) note_ids(member);
    }
  }

  void compare() {
    for (auto& [to, theirs] : expected_) {
      auto& mine = ours_[to];
      while (!theirs.empty() && !mine.empty()) {
        const json::Value expected = comparable(theirs.front());
        const json::Value said = comparable(mine.front());
        EXPECT_TRUE(same(expected, said))
            << "to " << to.first << "\n  they: " << json::to_text(expected)
            << "\n  we:   " << json::to_text(said);
        theirs.pop_front();
        mine.pop_front();
        ++compared_;
      }
    }
  }

  // Without what an engine with telemetry adds, without the time of day, and without the features
  // that our greeting offers (observers §1).
  json::Value comparable(json::Value frame) const {
    json::Object& object = *frame.as_object();
    if (text_at(frame, "type") == "workerregistered") object.erase("features");
    if (text_at(frame, "type") == "invokefunction" &&
        !callers_traces_.contains(text_at(frame, "traceparent"))) {
      object.erase("traceparent");
    }
    if (const auto result = object.find("result"); result != object.end()) {
      if (const json::Value* worker = result->second.find("worker")) {
        json::Object row = *worker->as_object();
        row.erase("connected_at_ms");
        (*result->second.as_object())["worker"] = std::move(row);
      }
    }
    return frame;
  }

  bool same(const json::Value& theirs, const json::Value& mine) {
    const std::string* a = theirs.as_string();
    const std::string* b = mine.as_string();
    if (a != nullptr && b != nullptr && Uuid::parse(*a) && Uuid::parse(*b)) {
      return ids_.try_emplace(*a, *b).first->second == *b;
    }
    if (const json::Array* array = theirs.as_array()) {
      const json::Array* other = mine.as_array();
      return other != nullptr &&
             std::equal(array->begin(), array->end(), other->begin(), other->end(),
                        [this](const auto& x, const auto& y) { return same(x, y); });
    }
    if (const json::Object* object = theirs.as_object()) {
      const json::Object* other = mine.as_object();
      return other != nullptr && std::equal(object->begin(), object->end(), other->begin(),
                                            other->end(), [this](const auto& x, const auto& y) {
                                              return x.first == y.first && same(x.second, y.second);
                                            });
    }
    return theirs == mine;
  }

  const Recording& recording_;
  std::unique_ptr<StatefulBus> bus_;
  std::map<int64_t, std::unique_ptr<Peer>> peers_;
  std::set<int64_t> over_;
  std::map<Lane, std::deque<json::Value>> expected_;
  std::map<Lane, std::deque<json::Value>> ours_;
  std::map<std::string, std::string> ids_;  // theirs → ours
  std::set<std::string> callers_traces_;
  size_t compared_ = 0;
};

class EngineReplay : public ::testing::TestWithParam<Recording> {};

TEST_P(EngineReplay, SaysWhatThePublicEngineSaid) {
  std::ifstream file(std::string(III_TEST_DATA) + "/golden/engine-0.23.0-rc.4-sdk-node-0.22.1-" +
                     GetParam().name + ".jsonl");
  ASSERT_TRUE(file);
  Replay replay(GetParam());
  for (std::string text; std::getline(file, text);) replay.play(parsed(text));
  replay.finish();
}

INSTANTIATE_TEST_SUITE_P(Recorded, EngineReplay,
                         ::testing::Values(Recording{"calls", {}, {1}},
                                           Recording{"triggers", {}, {2}},
                                           Recording{"channels", {}, {}}, Recording{"otel", {}, {}},
                                           Recording{"reconnect", {5, 9}, {}}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace iii::engine
