// Streamable HTTP: both dialects on one address. The body of a POST decides the dialect, headers
// only cross-check it; GET and DELETE belong to sessions of the handshake dialect.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bus/net/client_shares.h"
#include "bus/net/http_router.h"
#include "bus/net/loop.h"
#include "faces/mcp/client_list.h"
#include "faces/mcp/event_stream.h"
#include "faces/mcp/http_headers.h"
#include "faces/mcp/server.h"
#include "foundation/base/uuid.h"
#include "foundation/task/task_group.h"

namespace iii::mcp {

struct HttpEndpointOptions {
  size_t max_body_bytes = 4 * 1024 * 1024;
  size_t large_body_bytes = 64 * 1024;  // a larger one is read on another thread
  // What clients share, by address, as net::Places says: one alone gets at most half. There are
  // fewer streams than sessions, so a client that holds all its streams can still open sessions.
  size_t max_sessions = 4'096;
  size_t max_streams = 2'048;  // of sessions (GET) and of listen requests
  size_t max_running = 4'096;  // requests, listen streams not counted
  std::chrono::milliseconds session_idle{30 * 60'000};
  size_t max_running_per_session = 64;
  size_t max_batch = 100;
  size_t replay_events = 256;  // per session
  size_t replay_bytes = 1024 * 1024;
  std::chrono::milliseconds keep_alive{15'000};
  size_t max_batch_answer_bytes = 16 * 1024 * 1024;
  // Where everything counts that is kept for clients; null: a budget of its own.
  std::shared_ptr<net::ClientMemory> memory = nullptr;
};

// On the loop thread. Outlives the HTTP server that calls it.
class HttpEndpoint {
 public:
  HttpEndpoint(net::Loop& loop, Server& server, HttpEndpointOptions options = {});
  ~HttpEndpoint();
  HttpEndpoint(const HttpEndpoint&) = delete;
  HttpEndpoint& operator=(const HttpEndpoint&) = delete;

  // Answers at this path.
  void add_to(net::HttpRouter& router, const std::string& path = "/mcp");
  // Ends every stream, those of listen requests with their results.
  void shut_down();

  size_t sessions() const { return sessions_.size(); }
  // Sessions, and clients that have none.
  std::vector<ClientUse> clients() const;
  size_t client_count() const { return sessions_.size() + recent_.size(); }

 private:
  using ResponsePtr = std::shared_ptr<net::HttpResponse>;

  // What a request is answered with: one JSON body, or a stream of events that begins with the
  // first message before the answer.
  struct Exchange {
    ResponsePtr response = {};  // null: of a batch
    Accepts accepts = {};
    net::HttpHeaders headers = {};
    bool streams = false;
    uint64_t stream = 0;  // of a session's log; 0: not resumable
    RunningPtr running = {};
    std::function<void()> on_cancelled = {};  // of a batch: instead of ending the stream
  };
  using ExchangePtr = std::shared_ptr<Exchange>;

  struct HttpSession {
    HttpSession(std::string its_id, std::string its_client, SessionPtr its_session,
                const HttpEndpointOptions& options)
        : id(std::move(its_id)),
          client(std::move(its_client)),
          session(std::move(its_session)),
          log(options.replay_events, options.replay_bytes) {}

    const std::string id;
    const std::string client;  // see net::client_of_address
    const SessionPtr session;
    net::Places::Place place;
    net::Places::Place stream_place;  // of the GET stream
    EventLog log;
    net::KeptPtr log_memory;
    bool came_back = false;                      // a request came after `initialize`
    bool connected = false;                      // hears of changes
    ResponsePtr general;                         // the GET stream
    uint64_t streams = 0;                        // numbers of streams; 0 is the general one
    ClientUse use;                               // without what the subscriber knows
    std::map<std::string, ExchangePtr> running;  // by request id
    std::chrono::steady_clock::time_point used;
  };
  using HttpSessionPtr = std::shared_ptr<HttpSession>;

  // Answers of a batch.
  struct Batch {
    std::string text;
    size_t left = 1;
    ResponsePtr response;
    size_t most = 0;  // bytes of the text

    void add(std::string_view id, std::string_view answer);
    void done();
  };
  using BatchPtr = std::shared_ptr<Batch>;

  void post(net::HttpRequest request, const ResponsePtr& response);
  void get(const net::HttpRequest& request, const ResponsePtr& response);
  void remove(const net::HttpRequest& request, const ResponsePtr& response);

  // A large body: on another thread, the loop goes on meanwhile.
  task::Task<void> read_elsewhere(net::HttpRequest request, ResponsePtr response,
                                  net::KeptPtr memory);
  // `memory` is where the request counts.
  void take(const net::HttpRequest& request, std::expected<Incoming, Unreadable> read,
            const ResponsePtr& response, net::KeptPtr memory);
  void stateless(const net::HttpRequest& head, Message message, const ResponsePtr& response,
                 net::KeptPtr memory);
  void handshake(const net::HttpRequest& head, Message message, const ResponsePtr& response,
                 net::KeptPtr memory);
  void batch(const net::HttpRequest& head, std::vector<ReadMessage> all,
             const ResponsePtr& response);
  void initialize(const net::HttpRequest& head, const Message& message,
                  const ResponsePtr& response);
  void notification(const HttpSessionPtr& session, const Message& message);
  std::expected<net::Places::Place, RpcError> place_in(const HttpSession& session,
                                                       const std::string& id);
  void start(const HttpSessionPtr& session, const ExchangePtr& exchange, Request request,
             net::Places::Place place, std::function<void(Finished)> done);
  void request_of_batch(const HttpSessionPtr& session, Message message, std::string caller,
                        const BatchPtr& batch);
  // It ends with an error when others need its memory.
  void may_be_stopped(const HttpSessionPtr& session, const ExchangePtr& exchange,
                      const std::string& id, net::KeptMemory& memory);
  void stop(const HttpSessionPtr& session, const ExchangePtr& exchange, const std::string& id);
  // Null when the request was refused.
  HttpSessionPtr session_of(const net::HttpRequest& head, const ResponsePtr& response);

  void tell(const HttpSessionPtr& session, const ExchangePtr& exchange, std::string message);
  void answer(const HttpSessionPtr& session, const ExchangePtr& exchange, Finished finished);
  void begin_events(const HttpSessionPtr& session, const ExchangePtr& exchange);
  void tell_general(HttpSession& session, const std::string& message);
  // Keeps the message for those who come back; its id.
  static std::string logged(HttpSession& session, uint64_t stream, std::string_view message);
  static void forget_log(HttpSession& session);
  void resume(const HttpSessionPtr& session, const EventId& id, const ResponsePtr& response);
  void open_general(const HttpSessionPtr& session, const ResponsePtr& response);

  net::Places::Place place_for_session(const std::string& client);
  HttpSessionPtr least_useful(const std::string& client) const;
  // What happens to it when others need its memory.
  void limit(const HttpSessionPtr& session, net::KeptMemory& memory);
  void end(const HttpSessionPtr& session);
  void forget(const HttpSessionPtr& session);
  void tick();
  void watch(const ResponsePtr& response) { streams_.insert(response); }

  net::Loop& loop_;
  Server& server_;
  const HttpEndpointOptions options_;
  RandomIds ids_;
  RecentClients recent_;
  std::map<std::string, HttpSessionPtr, std::less<>> sessions_;
  std::set<ResponsePtr> streams_;  // that get keep-alive comments
  const std::shared_ptr<net::ClientMemory> memory_;
  net::Places session_places_;
  net::Places stream_places_;
  net::Places running_places_;
  TimerId timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  task::TaskGroup tasks_;
};

}  // namespace iii::mcp
