// The MCP server without transports: one feature core, two dialects.
//
// A transport reads messages, decides the dialect (dialect.h) and calls start(); the answer comes
// through a callback, once, unless the request is cancelled.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/loop.h"
#include "directory/library/latch.h"
#include "faces/mcp/feature.h"
#include "faces/mcp/host.h"
#include "faces/mcp/live_calls.h"
#include "faces/mcp/subscribers.h"
#include "foundation/task/pool.h"
#include "foundation/task/task.h"
#include "foundation/task/task_group.h"

namespace iii::mcp {

struct ServerOptions {
  std::string version = "0";  // of this program
  ToolsMode tools = ToolsMode::kMinimal;
  std::vector<std::string> hidden = {};  // functions that are not shown, by the beginning of the id
  // Functions for operators that are shown all the same, by the beginning of the id.
  std::vector<std::string> allowed = {};
  bool skills = true;                   // the Skills extension
  bool private_cache = false;           // results must not be shared between users
  uint64_t list_ttl_ms = 10'000;        // how long clients may keep lists
  size_t max_listens = 2'048;           // listen streams of all clients
  size_t max_subscriptions = 10'000;    // addresses of one session
  size_t max_listen_addresses = 1'000;  // of one listen stream: they come in one message
};

// A session of the handshake dialect.
struct Session {
  Version version = kNewestHandshake;
  std::optional<Level> level = {};
  Capabilities capabilities = {};  // of the client
  SubscriberPtr subscriber = std::make_shared<Subscriber>();
};
using SessionPtr = std::shared_ptr<Session>;

struct Request {
  std::string id;  // JSON text
  std::string method;
  json::Value params;
  SessionPtr session = {};                  // null: a stateless request
  std::optional<Level> level = {};          // of a stateless request
  std::optional<json::Raw> arguments = {};  // of tools/call
  std::string caller = "mcp";
  Sink notify = {};  // messages about this request; called until its answer
  CheckHeader check_header = {};
  net::KeptPtr memory = {};  // where it counts as long as it runs; null: nowhere
};

// An answer as it is sent.
struct Finished {
  std::string text;
  int http_status = 200;
};

// A request that is being answered. Cancelled: nothing more is sent for it.
class Running {
 public:
  bool is_over() const { return over_; }
  void cancel();

 private:
  friend class Server;
  std::stop_source stop_;
  bool over_ = false;
  std::function<void()> on_cancel_;
};
using RunningPtr = std::shared_ptr<Running>;

class Features;

// On the loop thread.
class Server {
 public:
  Server(net::Loop& loop, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Documents and functions are there now; requests that need them have waited for this.
  void open(const Host& host);
  // Ends listen streams with their result. Nothing is to be started afterwards.
  void shut_down();

  // `done` may be called before start() returns.
  RunningPtr start(Request request, std::function<void(Finished)> done);

  // What a running function says: see live_calls.h.
  task::Task<Result<json::Raw>> tell(json::Value message) { return live_.tell(std::move(message)); }
  // A client's answer to something that it was asked.
  void deliver(const Message& response);

  // How often the functions of the engine are compared while somebody wants to hear of changes. The
  // engine's own event about them may come seconds later.
  static constexpr std::chrono::milliseconds kToolsPoll{500};

  // Of the text of an `initialize`.
  static constexpr size_t kMaxInitializeBytes = 64 * 1024;
  // What a session or a listen stream counts as, besides its subscriptions.
  static constexpr size_t kSubscriberBytes = 4 * 1024;
  // `initialize`: a new session with the version that both sides know, and the result. It counts
  // in `memory`, unless that is null.
  struct Opened {
    SessionPtr session;
    std::string result;  // members
  };
  std::expected<Opened, RpcError> initialize(const Message& message, net::KeptPtr memory);
  // The session hears of changes from now on, through its subscriber's `send`.
  void connect(const SessionPtr& session) { subscribers_.add(session->subscriber); }
  // For every session that is over, connected or not.
  void disconnect(const SessionPtr& session) { subscribers_.remove(session->subscriber); }

  const ServerOptions& options() const { return options_; }
  task::Pool& pool() { return pool_; }
  uint64_t requests() const { return requests_; }  // so far
  size_t subscribed_addresses() const { return subscribers_.addresses(); }

 private:
  // Something that a client was asked.
  struct Question {
    directory::Latch answered;
    Result<json::Value> answer = fail("no_answer", "the client did not answer in time");
  };
  struct Listen {
    SubscriberPtr subscriber;
    directory::Latch ended;
  };

  task::Task<void> run(Request request, RunningPtr running, std::function<void(Finished)> done);
  task::Task<Outcome> answer(Request& request, const RunningPtr& running);
  task::Task<Outcome> answer_from_features(Request& request, const RunningPtr& running);
  task::Task<Result<json::Value>> ask(SessionPtr session, Sink notify, std::string method,
                                      std::string params);
  void plan_tools_poll();
  task::Task<void> poll_tools();
  task::Task<Outcome> listen(Request& request, const RunningPtr& running);
  Outcome discover() const;
  Outcome set_level(const Request& request) const;
  Outcome subscribe(const Request& request, bool on);
  Call call_of(Request& request, const RunningPtr& running);
  Finished finished(const Request& request, Outcome outcome) const;
  std::string capabilities(bool handshake) const;
  std::string server_info() const;

  // Names some skills in the instructions.
  task::Task<void> introduce_skills();

  net::Loop& loop_;
  const ServerOptions options_;
  std::string instructions_;
  const directory::FunctionTable* functions_ = nullptr;
  Subscribers subscribers_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  directory::Latch opened_;
  LiveCalls live_;
  RandomIds ids_;
  std::map<std::string, std::shared_ptr<Question>> questions_;  // by id, as JSON text
  std::set<std::shared_ptr<Listen>> listens_;
  directory::ChangeHub::Subscription changes_;
  task::Pool pool_;
  std::unique_ptr<Features> features_;
  TimerId tools_timer_ = 0;
  bool introducing_ = false;
  std::optional<std::string> tools_;  // what the engine's functions were when they were compared
  uint64_t requests_ = 0;
  task::TaskGroup tasks_;  // ends first
};

// What agents are told about this server; under 1 500 characters. `skills` is a page of
// directory::skills::index with a budget: as many of its ids are named as there is room for.
std::string instructions(ToolsMode mode, std::string_view skills = {});

}  // namespace iii::mcp
