// Recorded frames, changed in every way, against a complete engine: no crash, no sanitizer report,
// no growth.
//
//   mutated_frames FOLDER [--frames N] [--seed S]
//
// The same seed gives the same run. FOLDER holds recordings (`*.jsonl`).
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>

#include "engine_bus.h"
#include "frame_mutator.h"
#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

// The address sanitizer keeps freed memory for a while; little of it, so that growth can be seen.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16"; }

namespace iii::fuzz {
namespace {

constexpr size_t kMaxPeers = 10;
constexpr size_t kMaxOwedAnswers = 60;
constexpr double kFlatMb = 16;          // growth that counts as flat
constexpr uint64_t kLongRun = 500'000;  // frames; shorter runs are still filling what is bounded

// What the program has allocated and not freed. The resident size would also count what the
// allocator keeps for later, which rises and falls.
double in_use_mb() {
#if __has_feature(address_sanitizer)
  const size_t bytes = __sanitizer_get_current_allocated_bytes();
#else
  const struct mallinfo2 info = ::mallinfo2();
  const size_t bytes = info.uordblks + info.hblkhd;
#endif
  return static_cast<double>(bytes) / (1024 * 1024);
}

// The string behind `"key":"` in a frame that the engine wrote.
std::string_view field(std::string_view frame, std::string_view key) {
  const std::string start = "\"" + std::string(key) + "\":\"";
  const size_t at = frame.find(start);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + start.size();
  return frame.substr(begin, frame.find('"', begin) - begin);
}

class Run {
 public:
  Run(const std::string& folder, uint64_t seed)
      : mutator_(recorded_frames(folder), builtin_functions(), builtin_types(), seed) {}

  void step() {
    if (peers_.size() < 2 || (peers_.size() < kMaxPeers && mutator_.one_in(150))) connect();
    if (mutator_.one_in(400)) leave();
    if (mutator_.one_in(80)) bus_.timers.advance(Millis(mutator_.below(12'000)));
    collect();  // a name that is taken, or a timer, may have ended a connection
    if (peers_.empty()) return;
    Connection& from = peers_[mutator_.below(peers_.size())];
    if (from.peer->paused()) return bus_.run_loop(200);
    if (!from.owed.empty() && mutator_.one_in(3)) {
      const size_t at = mutator_.below(from.owed.size());
      const std::string id = from.owed[at];
      from.owed.erase(from.owed.begin() + static_cast<ptrdiff_t>(at));
      from.peer->say(mutator_.answer(id));
    } else {
      from.peer->say(mutator_.next());
    }
    // Now and then the next frame comes before the work of the last one is done.
    bus_.run_loop(mutator_.one_in(4) ? mutator_.below(4) : 200);
    collect();
  }

  void finish() {
    peers_.clear();
    bus_.timers.advance(Millis(60'000));
    bus_.run_loop(100'000);
  }

  void print(FILE* out) const {
    std::fprintf(out, "\nanswers of built-in functions      results   errors  codes\n");
    for (const auto& [function, tally] : answers_) {
      if (!builtins_.contains(function)) continue;
      std::string codes;
      for (const auto& [code, count] : tally.codes) {
        codes += (codes.empty() ? "" : " ") + code + ":" + std::to_string(count);
      }
      std::fprintf(out, "  %-32s %9zu %8zu  %s\n", function.c_str(), tally.results, tally.errors,
                   codes.c_str());
    }
    std::fprintf(out, "\nmessages of the engine\n");
    for (const auto& [type, count] : messages_) {
      std::fprintf(out, "  %-32s %9zu\n", type.c_str(), count);
    }
    std::fprintf(out, "  connections made %zu, ended by the engine %zu\n", made_, ended_);
    std::fprintf(out, "  state: %zu bytes\n", bus_.state.bytes());
  }

  // Every built-in function was reached far enough to give a result.
  std::vector<std::string> never_succeeded() const {
    std::vector<std::string> names;
    for (const std::string& function : builtins_) {
      const auto found = answers_.find(function);
      if (found == answers_.end() || found->second.results == 0) names.push_back(function);
    }
    return names;
  }

 private:
  struct Connection {
    std::unique_ptr<engine::Peer> peer;
    std::vector<std::string> owed;  // calls that it has not answered
  };
  struct Tally {
    size_t results = 0;
    size_t errors = 0;
    std::map<std::string, size_t> codes;
  };

  std::vector<std::string> builtin_functions() {
    bus_.engine.functions().each([this](const engine::FunctionPtr& function) {
      // Event sources of the engine only refuse calls.
      if (!function->is_private) builtins_.insert(function->id);
    });
    return {builtins_.begin(), builtins_.end()};
  }
  std::vector<std::string> builtin_types() const {
    std::vector<std::string> types;
    for (const auto& [key, type] : bus_.engine.triggers().types()) types.push_back(key.id);
    return types;
  }

  void connect() {
    peers_.push_back({std::make_unique<engine::Peer>(bus_), {}});
    ++made_;
    mutator_.learn(peers_.back().peer->id());
    mutator_.learn(peers_.back().peer->token());
    if (mutator_.one_in(4)) return;
    std::string more = mutator_.one_in(5) ? R"(,"namespace":"x")" : "";
    if (mutator_.one_in(2)) more += R"(,"features":["observe.v1","observe.v2"])";
    peers_.back().peer->announce("w" + std::to_string(mutator_.below(20)), more);
  }

  void leave() {
    if (!peers_.empty()) {
      peers_.erase(peers_.begin() + static_cast<ptrdiff_t>(mutator_.below(peers_.size())));
    }
  }

  void collect() {
    for (Connection& connection : peers_) {
      for (const std::string& frame : connection.peer->take()) heard(connection, frame);
    }
    std::erase_if(peers_, [this](const Connection& connection) {
      const bool over = !connection.peer->connected();
      ended_ += over ? 1 : 0;
      return over;
    });
  }

  void heard(Connection& connection, std::string_view frame) {
    const std::string type(field(frame, "type"));
    ++messages_[type];
    const std::string_view head = frame.substr(0, 2000);
    if (type == "invokefunction" && connection.owed.size() < kMaxOwedAnswers) {
      connection.owed.emplace_back(field(head, "invocation_id"));
      mutator_.learn(connection.owed.back());
    }
    if (type != "invocationresult") return;
    // Before the reference below is taken: it may be to one of those.
    if (answers_.size() >= 2'000) {
      std::erase_if(answers_,
                    [this](const auto& entry) { return !builtins_.contains(entry.first); });
    }
    Tally& tally = answers_[std::string(field(head, "function_id").substr(0, 80))];
    const size_t error = head.find(R"("error":{"code":")");
    if (error == std::string_view::npos) {
      ++tally.results;
      if (const std::string_view id = field(head, "id"); !id.empty()) mutator_.learn(id);
      return;
    }
    ++tally.errors;
    ++tally.codes[std::string(field(head.substr(error), "code").substr(0, 40))];
    if (tally.codes.size() > 30) tally.codes.clear();
  }

  EngineBus bus_;
  std::set<std::string> builtins_;
  FrameMutator mutator_;
  std::vector<Connection> peers_;
  std::map<std::string, Tally> answers_;
  std::map<std::string, size_t> messages_;
  size_t made_ = 0;
  size_t ended_ = 0;
};

int run(const std::string& folder, uint64_t frames, uint64_t seed) {
  set_log_level(LogLevel::kOff);
  std::printf("%llu frames, seed %llu\n", static_cast<unsigned long long>(frames),
              static_cast<unsigned long long>(seed));
  Run run(folder, seed);
  const auto began = std::chrono::steady_clock::now();
  double early = 0;
  for (uint64_t i = 1; i <= frames; ++i) {
    run.step();
    if (i != frames / 10 && i != frames / 2 && i != frames) continue;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (early == 0) early = in_use_mb();
    std::printf("  %3llu %%: %.1f MB in use, %.0f frames/s\n",
                static_cast<unsigned long long>(i * 100 / frames), in_use_mb(),
                static_cast<double>(i) / took.count());
    std::fflush(stdout);
  }
  const double growth = in_use_mb() - early;
  run.print(stdout);
  run.finish();
  bool right = true;
  for (const std::string& function : run.never_succeeded()) {
    std::printf("NEVER A RESULT: %s\n", function.c_str());
    right = frames < kLongRun && right;
  }
  std::printf("growth after the first tenth: %.1f MB\n", growth);
  if (frames >= kLongRun && growth > kFlatMb) {
    std::printf("NOT FLAT: more than %.0f MB\n", kFlatMb);
    right = false;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace iii::fuzz

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(break_on_failure, true);
  uint64_t frames = 1'000'000;
  uint64_t seed = 1;
  std::string folder;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--frames" && i + 1 < argc) {
      frames = std::stoull(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::stoull(argv[++i]);
    } else {
      folder = word;
    }
  }
  if (folder.empty()) {
    std::fprintf(stderr, "usage: mutated_frames FOLDER [--frames N] [--seed S]\n");
    return 2;
  }
  return iii::fuzz::run(folder, frames, seed);
}
