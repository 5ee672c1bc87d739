#include "faces/mcp/client_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "directory/content/types.h"
#include "directory/table/function_table.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::mcp {

namespace {

constexpr size_t kMostCharacters = 100;
constexpr int64_t kNanosPerMilli = 1'000'000;

constexpr const char* kAboutSessions =
    "Lists the MCP clients of this server (HTTP): their name and version, protocol version, since "
    "when they are there, how many requests they made that read something, and how many addresses "
    "they are subscribed to. Clients of the protocol without sessions are listed while they listen "
    "and for five minutes after a request. Clients over stdio run a server of their own and are "
    "not listed.";

struct SessionsInput {};
struct SessionRow {
  std::string client;
  std::string version;
  std::string transport = "http";
  std::string dialect;
  std::string since;
  uint64_t reads = 0;
  uint64_t subscribed = 0;
};
struct SessionsOutput {
  std::vector<SessionRow> sessions;
};

auto describe(json::Type<SessionsInput>) {
  return json::object<SessionsInput>("DirectorySessionsInput", "");
}
auto describe(json::Type<SessionRow>) {
  using T = SessionRow;
  return json::object<T>(
      "SessionRow", "",
      json::field("client", &T::client, "Name that the client gives itself; may be empty."),
      json::field("version", &T::version, "Its version; may be empty."),
      json::field("transport", &T::transport, "`http`."),
      json::field("dialect", &T::dialect, "Version of the protocol that it speaks."),
      json::field("since", &T::since, "When it was first seen."),
      json::field("reads", &T::reads,
                  "Requests that read documents or called functions since then."),
      json::field("subscribed", &T::subscribed,
                  "Addresses that it is subscribed to; streams that listen, in the dialect "
                  "without sessions."));
}
auto describe(json::Type<SessionsOutput>) {
  return json::object<SessionsOutput>(
      "DirectorySessionsOutput", "",
      json::field("sessions", &SessionsOutput::sessions, "The clients, oldest first."));
}

std::string member(const json::Value& info, std::string_view key) {
  const json::Value* value = info.find(key);
  if (value == nullptr || value->as_string() == nullptr) return {};
  return std::string(utf8_prefix(*value->as_string(), kMostCharacters));
}

}  // namespace

ClientName client_name(const json::Value* info) {
  if (info == nullptr) return {};
  return {.name = member(*info, "name"), .version = member(*info, "version")};
}

bool is_read(std::string_view method) {
  constexpr std::array<std::string_view, 5> kReads = {"resources/read", "prompts/get", "tools/call",
                                                      "skills/list", "skills/get"};
  return std::ranges::find(kReads, method) != kReads.end();
}

std::shared_ptr<ClientUse> RecentClients::seen(ClientName client, const std::string& address,
                                               std::string_view dialect) {
  Key key{client, address};
  auto found = clients_.find(key);
  if (found != clients_.end() && !is_here(found->second)) {
    clients_.erase(found);
    found = clients_.end();
  }
  if (found == clients_.end()) {
    if (clients_.size() >= kMost) forget_one();
    auto use =
        std::make_shared<ClientUse>(std::move(client), std::string(dialect), timers_.wall_ms());
    found = clients_.emplace(std::move(key), Seen{std::move(use), {}}).first;
  }
  found->second.last = timers_.now();
  return found->second.use;
}

// The one that was seen least recently, of the address that has most of them.
void RecentClients::forget_one() {
  std::map<std::string_view, size_t> counts;
  for (const auto& [key, seen] : clients_) ++counts[key.second];
  clients_.erase(std::ranges::max_element(clients_, [&](const auto& a, const auto& b) {
    const size_t of_a = counts[a.first.second];
    const size_t of_b = counts[b.first.second];
    return of_a != of_b ? of_a < of_b : a.second.last > b.second.last;
  }));
}

bool RecentClients::is_here(const Seen& seen) const {
  return seen.use->subscribed > 0 || timers_.now() - seen.last < kKept;
}

std::vector<ClientUse> RecentClients::rows() const {
  std::vector<ClientUse> out;
  for (const auto& [key, seen] : clients_) {
    if (is_here(seen)) out.push_back(*seen.use);
  }
  return out;
}

size_t RecentClients::size() const {
  return static_cast<size_t>(
      std::ranges::count_if(clients_, [&](const auto& each) { return is_here(each.second); }));
}

void add_sessions(directory::FunctionTable& table,
                  std::function<std::vector<ClientUse>()> clients) {
  table.add<SessionsInput, SessionsOutput>(
      {.id = "directory::sessions",
       .title = "MCP sessions",
       .description = kAboutSessions,
       .hints = {.read_only = true, .idempotent = true, .operators_only = true}},
      [clients = std::move(clients)](const SessionsInput&) {
        SessionsOutput out;
        std::vector<ClientUse> all = clients();
        std::ranges::sort(all, {}, &ClientUse::since_ms);
        for (ClientUse& each : all) {
          out.sessions.push_back({.client = std::move(each.client.name),
                                  .version = std::move(each.client.version),
                                  .dialect = std::move(each.dialect),
                                  .since = content::format_time(each.since_ms * kNanosPerMilli),
                                  .reads = each.reads,
                                  .subscribed = each.subscribed});
        }
        return out;
      });
}

}  // namespace iii::mcp
