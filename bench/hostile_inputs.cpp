// Attacks with inputs that are larger than any honest one: of built-in functions, and of functions
// of the directory through the bus and the console.
#include <fmt/format.h>

#include "hostile_client.h"

namespace iii::bench {
namespace {

// `[1,1,…]`: each element takes many times its two bytes when it is read.
std::string list_of(std::string_view element, size_t bytes) {
  std::string list = "[";
  while (list.size() + element.size() + 2 < bytes) list.append(element) += ',';
  return list.append(element) + "]";
}

void call_builtin(Arena& arena, std::string_view function, std::string_view start,
                  std::string_view element = "1") {
  HostilePeer peer = arena.worker("hostile");
  const std::string list = list_of(element, arena.amount(64 * kMiB - 4'096, kMiB));
  check_settled(arena, peer, peer.call(function, fmt::format("{}{}}}", start, list)));
}
void announce_features(Arena& arena) {
  call_builtin(arena, "engine::workers::register", R"({"name":"hostile","pid":1,"features":)");
}
void stats_functions(Arena& arena) { call_builtin(arena, "engine::stats", R"({"functions":)"); }
void update_ops(Arena& arena) {
  constexpr const char* kStart = R"({"scope":"s","key":"k","ops":)";
  call_builtin(arena, "state::update", kStart);
  call_builtin(arena, "state::update", kStart, R"({"type":"remove","path":"a"})");
}

void announce_description(Arena& arena) {
  const std::string text(arena.amount(60 * kMiB, kMiB), 'd');
  HostilePeer peer = arena.connect();
  check_settled(arena, peer,
                peer.call("engine::workers::register",
                          fmt::format(R"({{"name":"hostile","pid":1,"description":"{}"}})", text)));
}

// Bindings whose provider never answers: the time of all of them is up together.
void late_verdicts(Arena& arena) {
  HostilePeer provider = arena.worker("provider");
  provider.send(type_text("hostile::silent"));
  provider.call("engine::workers::list", "{}");
  provider.hear = [](std::string_view) { return true; };
  HostilePeer binder = arena.worker("binder");
  binder.hear = [](std::string_view) { return true; };
  const size_t count = arena.amount(10'000, 100);
  const size_t before = binder.heard();
  binder.send_bytes(many(count, [](size_t i) {
    return call_text(invocation_id(0xd0e, i), "engine::register_trigger",
                     R"({"trigger_type":"hostile::silent","function_id":"x","config":{}})");
  }));
  const int64_t end = now_ns() + static_cast<int64_t>(arena.seconds(15, 0.2) * 1e9);
  while (now_ns() < end && arena.in_time() && binder.heard() - before < count) {
    provider.listen(0.01);
    binder.listen(0.01);
  }
  arena.check(fmt::format("{} are answered", binder.heard() - before), true);
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

// Observers that are made one after the other and expire at the same moment.
void expire_together(Arena& arena) {
  HostilePeer peer = arena.connect();
  peer.call("engine::workers::register", R"({"name":"hostile","pid":1,"features":["observe.v1"]})");
  size_t expired = 0;
  peer.hear = [&expired](std::string_view text) {
    if (text.find(R"("EXPIRED")") != std::string_view::npos) ++expired;
    return true;
  };
  const double seconds = arena.seconds(5, 0.3);
  const int64_t end = now_ns() + static_cast<int64_t>(seconds * 1e9);
  constexpr size_t kOfOneSource = 1'000;  // as many as one may have
  for (size_t i = 0; i < arena.amount(10'000, 100) && now_ns() < end; ++i) {
    peer.send(fmt::format(R"({{"type":"observe","id":"o{}","source":{{"function_id":"s{}"}},)"
                          R"("target":{{"function_id":"x"}},"expires_in_ms":{}}})",
                          i, i / kOfOneSource, (end - now_ns()) / 1'000'000));
  }
  peer.listen(seconds + 1);
  arena.check(fmt::format("{} expire", expired), true);
  HostilePeer other = arena.worker("other");
  arena.check("another worker is answered", succeeded(other.call("engine::workers::list", "{}")));
}

// What has to be compared with every name there is.
struct LongText {
  const char* function;
  const char* key;
};
constexpr LongText kLongTexts[] = {{"directory::function-info", "function_id"},
                                   {"directory::skills::explain", "id"},
                                   {"directory::skills::get", "id"},
                                   {"directory::prompts::get", "name"}};

void bus_long_id(Arena& arena) {
  for (const LongText& each : kLongTexts) {
    HostilePeer peer = arena.worker("hostile");
    check_settled(arena, peer,
                  peer.call(each.function, text_input(each.key, arena.amount(1'000'000, 10'000))));
  }
}

void console_long_id(Arena& arena) {
  for (const LongText& each : kLongTexts) {
    HostilePeer peer = arena.connect_http();
    const std::string body = fmt::format(R"({{"function_id":"{}","payload":{}}})", each.function,
                                         text_input(each.key, arena.amount(1'000'000, 10'000)));
    const std::string response =
        peer.ask(post_text("/console/call", "Origin: http://127.0.0.1\r\nX-Console: 1\r\n", body));
    check_settled(arena, peer, response);
    arena.check("the console is there", response.find(R"("origin_required")") == std::string::npos);
  }
}

}  // namespace

std::vector<Attack> input_attacks() {
  return {
      {"features-64mib", "an announce with 64 MiB of `[1,1,…]` as features", announce_features,
       few_files},
      {"stats-64mib", "engine::stats with 64 MiB of `[1,1,…]` as functions", stats_functions,
       few_files},
      {"ops-64mib", "state::update with 64 MiB of ops: `[1,1,…]`, and real ones", update_ops,
       few_files},
      {"announce-60mib", "an announce with a description of 60 MiB", announce_description,
       few_files},
      {"late-verdicts", "10 000 bindings whose provider does not answer in time", late_verdicts,
       few_files},
      {"expire-together", "10 000 observers that expire at the same moment", expire_together,
       few_files},
      {"bus-long-id", "ids of 1 MB for functions of the directory, 2 000 skills and prompts",
       bus_long_id, many_names},
      {"console-long-id", "the same through POST /console/call", console_long_id, many_names},
  };
}

}  // namespace iii::bench
