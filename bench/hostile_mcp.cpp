// Attacks with requests of MCP that are expensive to answer.
#include <fmt/format.h>

#include <algorithm>

#include "hostile_client.h"

namespace iii::bench {
namespace {

constexpr size_t kLargest = 4'000'000;  // bytes; a body may have 4 MiB

// As often as it takes to see what it costs.
void ask_some(Arena& arena, std::string_view method, std::string_view params) {
  for (size_t i = 0; i < arena.amount(3, 1) && arena.in_time(); ++i) {
    HostileClient client(arena);
    check_settled(arena, client.peer(), client.ask(method, params));
  }
}
void call_some(Arena& arena, std::string_view function, std::string_view input) {
  ask_some(arena, "tools/call",
           fmt::format(R"("name":"call","arguments":{{"function":"{}","arguments":{}}})", function,
                       input));
}

void function_info(Arena& arena) {
  call_some(arena, "directory::function-info",
            text_input("function_id", arena.amount(kLargest, 10'000)));
}
void explain(Arena& arena) {
  call_some(arena, "directory::skills::explain", text_input("id", arena.amount(300'000, 10'000)));
}
void prompt_name(Arena& arena) {
  const std::string input = text_input("name", arena.amount(kLargest, 10'000));
  ask_some(arena, "prompts/get", std::string_view(input).substr(1, input.size() - 2));
}

// A skill with one large file of each kind.
void large_files(const std::filesystem::path& folder, bool quick) {
  const auto size = [quick](size_t full) { return quick ? full / 1'000 : full; };
  write_skill(folder, "text", "Has a file.", "file.txt", std::string(size(16'700'000), 't'));
  write_skill(folder, "control", "Has a file.", "file.txt", std::string(size(16'700'000), '\1'));
  write_skill(folder, "twelve", "Has a file.", "file.txt", std::string(size(12'000'000), '\1'));
  write_skill(folder, "binary", "Has a file.", "file.bin", std::string(size(12'000'000), '\xff'));
}

void read_one(Arena& arena) {
  for (const char* id : {"skill://text/file.txt", "skill://control/file.txt"}) {
    const bool answered = call_at_once(arena, 1, "read", fmt::format(R"({{"id":"{}"}})", id));
    arena.check("everything is answered or refused", answered);
  }
}

void read_many(Arena& arena, size_t count) {
  arena.check("everything is answered or refused",
              call_at_once(arena, count, "read", R"({"id":"skill://twelve/file.txt"})"));
}
void read_12(Arena& arena) { read_many(arena, arena.amount(12, 3)); }
void read_60(Arena& arena) { read_many(arena, arena.amount(60, 6)); }

void read_binary(Arena& arena) {
  HostileClient finder(arena);
  double worst_ms = 0;
  const auto find = [&] {
    const int64_t began = now_ns();
    check_settled(arena, finder.peer(), finder.call("find", R"({"query":"something known"})"));
    worst_ms = std::max(worst_ms, static_cast<double>(now_ns() - began) / 1e6);
  };
  const bool answered =
      call_at_once(arena, arena.amount(60, 6), "read", R"({"id":"skill://binary/file.bin"})", find);
  arena.check("everything is answered or refused", answered);
  arena.check(fmt::format("`find` takes {:.0f} ms at most", worst_ms), true);
}

void find_functions(Arena& arena) {
  HostilePeer worker = arena.worker("hostile");
  worker.send_bytes(many(arena.amount(10'000, 100), [](size_t i) {
    return function_text(
        fmt::format("shop::order-{}::list", i),
        fmt::format(R"(,"description":"Lists the orders of customer {}, newest first, with their )"
                    R"(prices and what was paid for shipping. {}")",
                    i, std::string(200, 'd')));
  }));
  worker.call("engine::workers::list", "{}");
  HostileClient client(arena);
  const size_t count = arena.amount(20, 3);
  for (size_t i = 0; i < count && arena.in_time(); ++i) {
    check_settled(arena, client.peer(),
                  client.call("find", fmt::format(R"({{"query":"orders of customer {}"}})", i)));
  }
}

}  // namespace

std::vector<Attack> mcp_attacks() {
  return {
      {"mcp-function-info", "directory::function-info with an id of 4 MB, through `call`",
       function_info, many_names},
      {"mcp-explain", "directory::skills::explain with an id of 300 KB, through `call`", explain,
       many_names},
      {"mcp-prompt-name", "prompts/get with a name of 4 MB; 2 000 prompts", prompt_name,
       many_names},
      {"read-16mb", "`read` of files of 16.7 MB: text, control characters", read_one, large_files},
      {"read-12", "12 reads of 12 MB of control characters at once", read_12, large_files},
      {"read-60", "60 reads of 12 MB of control characters at once", read_60, large_files},
      {"read-binary", "60 reads of a binary file of 12 MB, and `find` meanwhile", read_binary,
       large_files},
      {"find-functions", "`find` with 10 000 registered functions", find_functions, few_files},
  };
}

}  // namespace iii::bench
