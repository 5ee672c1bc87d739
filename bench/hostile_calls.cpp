// Attacks with calls, answers, registrations and log lines.
#include <fmt/format.h>

#include "hostile.h"

namespace iii::bench {
namespace {

// A payload that makes the whole message `total` bytes long.
std::string padded_call(const std::string& id, const std::string& function, size_t total) {
  const std::string empty = call_text(id, function, R"({"x":""})");
  return call_text(id, function,
                   fmt::format(R"({{"x":"{}"}})", std::string(total - empty.size(), 'x')));
}

void call_64mib(Arena& arena) {
  HostilePeer victim = arena.worker("victim");
  victim.send(function_text("victim::f"));
  victim.call("engine::workers::list", "{}");
  victim.hear = [&victim](std::string_view text) {
    if (!text.starts_with(R"({"type":"invokefunction")")) return false;
    victim.send(answer_text(text_of(text.substr(0, 300), "invocation_id"), "1"));
    return true;
  };
  HostilePeer caller = arena.worker("caller");
  const size_t total = arena.amount(64 * kMiB, kMiB);
  for (uint64_t i = 0; i < 3; ++i) {
    const std::string id = invocation_id(0x6464, i);
    caller.send(padded_call(id, "victim::f", total - i * 100));
    victim.listen(0.3);
    arena.check("the caller is answered", caller.wait_for(id, 5).has_value());
  }
  arena.check("the victim stays connected", !victim.ended_by_server(0.2));
}

// The answer grows by the caller's trace context on its way.
void answer_64mib(Arena& arena) {
  HostilePeer worker = arena.worker("worker");
  worker.send(function_text("worker::f"));
  worker.call("engine::workers::list", "{}");
  const size_t total = arena.amount(64 * kMiB, kMiB);
  worker.hear = [&](std::string_view text) {
    if (!text.starts_with(R"({"type":"invokefunction")")) return false;
    const std::string id = text_of(text, "invocation_id");
    const size_t frame = answer_text(id, R"("")").size();
    worker.send(answer_text(id, '"' + std::string(total - frame, 'r') + '"'));
    return true;
  };
  HostilePeer caller = arena.worker("caller");
  const std::string id = invocation_id(0x6565, 1);
  caller.send(call_text(id, "worker::f", "{}",
                        fmt::format(R"(,"baggage":"k={}")", std::string(20'000, 'b'))));
  worker.listen(0.5);
  arena.check("the caller is answered", caller.wait_for(id, 5).has_value());
  arena.check("the caller stays connected", succeeded(caller.call("engine::workers::list", "{}")));
}

// All ids have the same value in the hash of an engine that does not seed it.
std::string colliding_id(uint64_t i) {
  const uint64_t low = 0x8000'0000'0000'0000ULL + i * 0x1'0001;
  return invocation_id(0x1234'5678'9abc'4def ^ (low + 0x9e3779b97f4a7c15ULL), low);
}

void calls_to_itself(Arena& arena, std::string (*id)(uint64_t)) {
  HostilePeer peer = arena.worker("hostile");
  peer.send(function_text("hostile::never"));
  peer.call("engine::workers::list", "{}");
  peer.hear = [](std::string_view) { return true; };
  peer.send_bytes(many(arena.amount(65'536, 500),
                       [&](size_t i) { return call_text(id(i), "hostile::never", "1"); }));
  peer.listen(0.3);
}
void colliding_ids(Arena& arena) { calls_to_itself(arena, colliding_id); }

void leave_calls(Arena& arena) {
  const auto plain = [](uint64_t i) { return invocation_id(i * 0x9e37'79b9, i); };
  calls_to_itself(arena, plain);
  HostilePeer callee = arena.worker("callee");
  callee.send(function_text("callee::never"));
  callee.call("engine::workers::list", "{}");
  callee.hear = [](std::string_view) { return true; };
  HostilePeer caller = arena.worker("caller");
  caller.hear = [](std::string_view) { return true; };
  caller.send_bytes(many(arena.amount(65'536, 500),
                         [&](size_t i) { return call_text(plain(i), "callee::never", "1"); }));
  callee.listen(0.5);
  callee.leave();  // the caller hears of each call
  caller.listen(0.5);
}

void flood(Arena& arena, const std::string& block, double seconds = 3) {
  HostilePeer peer = arena.worker("hostile");
  peer.hear = [](std::string_view) { return true; };
  arena.flood(peer, block, seconds);
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

void tiny_calls(Arena& arena) {
  flood(arena, many(2'000, [](size_t) { return void_text("x", "1"); }));
}
void tiny_builtin_calls(Arena& arena) {
  flood(arena, many(2'000, [](size_t i) {
          return call_text(invocation_id(1, i), "engine::workers::list", "{}");
        }));
}
void malformed(Arena& arena) {
  const std::string texts[] = {"{", "[1,2", R"({"type":1})", R"({"type":"nope"})", "\"", "nul"};
  flood(arena, many(3'000, [&](size_t i) { return texts[i % 6]; }));
}
void answers_nobody_waits_for(Arena& arena) {
  flood(arena, many(2'000, [](size_t i) { return answer_text(invocation_id(7, i), "1"); }));
}
void registrations(Arena& arena) {
  flood(arena, many(2'000, [](size_t i) {
          return i % 2 == 0 ? function_text(fmt::format("f{}", i))
                            : fmt::format(R"({{"type":"unregisterfunction","id":"f{}"}})", i - 1);
        }));
}

void not_json(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string text(arena.amount(64 * kMiB, kMiB), 'x');
  for (int i = 0; i < 5; ++i) peer.send(text);
  const std::string almost = call_text(invocation_id(1, 1), "x", '"' + text.substr(200)) + "]";
  for (int i = 0; i < 3; ++i) peer.send(almost);
  peer.call("engine::workers::list", "{}");
}

void deep(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const size_t size = arena.amount(60 * kMiB, kMiB);
  peer.send(std::string(size, '['));
  peer.send(R"({"type":"invokefunction","function_id":"x","data":)" + std::string(size, '['));
  std::string nested;
  while (nested.size() < size) nested += R"({"a":)";
  peer.send(R"({"type":"invokefunction","function_id":"x","data":)" + nested);
  arena.check("the engine answers afterwards", succeeded(peer.call("engine::workers::list", "{}")));
}

void large_calls(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const size_t count = arena.amount(20, 3);
  size_t answered = 0;
  peer.hear = [&](std::string_view text) {
    answered += text.find("invocationresult") != text.npos ? 1 : 0;
    return true;
  };
  for (size_t i = 0; i < count; ++i) {
    peer.send(padded_call(invocation_id(9, i), "nobody::f", arena.amount(15 * kMiB, kMiB)));
  }
  while (answered < count && arena.in_time() && peer.open()) peer.listen(0.05);
  arena.check(fmt::format("{} of {} calls are answered", answered, count), answered == count);
}

void list_functions(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string description = fmt::format(R"(,"description":"{}")", std::string(4'000, 'x'));
  peer.send_bytes(many(arena.amount(10'000, 100), [&](size_t i) {
    return function_text(fmt::format("listed::{}", i), description);
  }));
  peer.calls(arena.amount(10, 2), 5, "engine::functions::list", [](size_t) { return "{}"; });
  peer.calls(arena.amount(20, 2), 5, "engine::functions::list",
             [](size_t) { return R"({"search":"zzz"})"; });
}

// Texts as long as a message where short ones are usual, in everything that may carry one.
void long_texts(Arena& arena) {
  HostilePeer worker = arena.worker("worker");
  worker.hear = [](std::string_view) { return true; };
  worker.send(function_text("worker::f"));
  HostilePeer peer = arena.worker("hostile");
  peer.hear = [](std::string_view) { return true; };
  const std::string text(arena.amount(60 * kMiB, kMiB), 'x');
  const std::string quoted = '"' + text + '"';
  peer.send(call_text(invocation_id(5, 1), text, "1"));
  peer.send(call_text(invocation_id(5, 2), "worker::f", "1", R"(,"baggage":"k=)" + text + '"'));
  peer.send(call_text(invocation_id(5, 3), "worker::f", "1", R"(,"metadata":)" + quoted));
  peer.send(function_text(text));
  peer.send(function_text("hostile::f", R"(,"description":)" + quoted));
  peer.send(function_text("hostile::f", R"(,"metadata":)" + quoted));
  peer.send(bind_text("b", "nobody::type", "hostile::f", quoted));
  peer.send(bind_text("b", "state", "worker::f", "{}", R"(,"metadata":)" + quoted));
  peer.calls(5, 1, "state::set",
             [](size_t i) { return fmt::format(R"({{"scope":"s","key":"{}","value":1}})", i); });
  worker.listen(0.3);
  peer.calls(5, 5, "engine::functions::info",
             [](size_t) { return R"({"function_id":"hostile::f"})"; });
  peer.calls(5, 5, "engine::workers::info", [](size_t) { return R"({"name":"hostile"})"; });
  peer.leave();
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

void list_workers(Arena& arena) {
  std::vector<HostilePeer> peers;
  for (size_t i = 0; i < arena.amount(1'000, 20) && arena.in_time(); ++i) {
    peers.push_back(arena.worker(fmt::format("worker-{}", i)));
  }
  HostilePeer peer = arena.worker("hostile");
  peer.calls(arena.amount(500, 5), 100, "engine::workers::list", [](size_t) { return "{}"; });
}

void log_lines(Arena& arena) {
  const std::string line = fmt::format(R"({{"message":"{}"}})", std::string(500, 'l'));
  flood(arena, many(2'000, [&](size_t) { return void_text("engine::log::info", line); }), 2);
}
void log_large(Arena& arena) {
  HostilePeer peer = arena.worker("hostile");
  const std::string line =
      fmt::format(R"({{"message":"{}"}})", std::string(arena.amount(15 * kMiB, kMiB), '\x7f'));
  for (int i = 0; i < 5; ++i) peer.send(void_text("engine::log::error", line));
  peer.call("engine::workers::list", "{}");
}

// Before the announce registrations are kept as text.
void before_announce(Arena& arena) {
  std::vector<HostilePeer> peers;
  const std::string text = function_text(
      "f",
      fmt::format(R"(,"description":"{}")", std::string(arena.amount(11 * kMiB, 10'000), 'x')));
  for (size_t i = 0; i < arena.amount(40, 4) && arena.in_time(); ++i) {
    peers.push_back(arena.connect());
    for (int k = 0; k < 4; ++k) peers.back().send(text);
  }
  HostilePeer other = arena.worker("other");
  other.listen(arena.seconds(6, 1));  // beyond the grace
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

}  // namespace

std::vector<Attack> call_attacks() {
  return {
      {"call-64mib", "calls of 64 MiB to a worker that does nothing wrong", call_64mib},
      {"answer-64mib", "an answer of 64 MiB to a caller with much baggage", answer_64mib},
      {"large-calls", "20 calls of 15 MiB to an unknown function", large_calls},
      {"colliding-ids", "65 536 calls whose ids collide in an unseeded hash", colliding_ids},
      {"leave-calls", "65 536 calls under way: the caller leaves, then a callee", leave_calls},
      {"tiny-calls", "a flood of calls without an answer", tiny_calls},
      {"tiny-builtin-calls", "a flood of engine::workers::list", tiny_builtin_calls},
      {"malformed", "a flood of broken frames", malformed},
      {"stray-answers", "a flood of answers that nobody waits for", answers_nobody_waits_for},
      {"registrations", "a flood of functions registered and withdrawn", registrations},
      {"not-json-64mib", "8 messages of 64 MiB that are not JSON", not_json},
      {"deep-nesting", "60 MiB of opening brackets, three ways", deep},
      {"list-functions", "10 000 functions of 4 KB, 30 lists", list_functions},
      {"long-texts", "60 MiB of text in ids, baggage, metadata, descriptions and configs",
       long_texts},
      {"list-workers", "1 000 workers, 500 lists", list_workers},
      {"log-lines", "a flood of log lines", log_lines},
      {"log-large", "5 log lines of 15 MiB", log_large},
      {"log-closed",
       "the same flood, standard error closed",
       log_lines,
       nullptr,
       {},
       Errors::kClosedPipe},
      {"log-full",
       "the same flood, nobody reads standard error",
       log_lines,
       nullptr,
       {},
       Errors::kFullPipe},
      {"before-announce", "40 connections with 44 MiB of registrations each", before_announce},
  };
}

}  // namespace iii::bench
