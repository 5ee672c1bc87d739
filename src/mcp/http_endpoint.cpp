#include "mcp/http_endpoint.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "json/write.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";

net::HttpHeaders json_headers() { return {{"Content-Type", "application/json"}}; }

void refuse(net::HttpResponse& response, int status, const RpcError& error,
            std::string_view id = {}) {
  response.send(status, json_headers(), error_text(id, error));
}

void refuse_method(net::HttpResponse& response) {
  response.send(405, {{"Allow", "POST"}}, std::string());
}

// As a request of the stateless dialect names it.
ClientName client_of(const json::Value& params) {
  const json::Value* meta = object_of(params, "_meta");
  return client_name(meta != nullptr ? object_of(*meta, kClientKey) : nullptr);
}

RpcError too_many() {
  return {.code = kInternalError,
          .message = "Too many requests are running. Next: wait for answers, or try again later."};
}

}  // namespace

HttpEndpoint::HttpEndpoint(net::Loop& loop, Server& server, HttpEndpointOptions options)
    : loop_(loop), server_(server), options_(options), recent_(loop) {
  timer_ = loop_.after(options_.keep_alive, [this] { tick(); });
}

HttpEndpoint::~HttpEndpoint() {
  loop_.cancel(timer_);
  for (auto& [id, session] : std::exchange(sessions_, {})) forget(session);
}

void HttpEndpoint::add_to(net::HttpRouter& router, const std::string& path) {
  router.post(path,
              [this](net::HttpRequest request, std::shared_ptr<net::HttpResponse> response) {
                post(std::move(request), response);
              },
              {.max_body_bytes = options_.max_body_bytes});
  router.get(
      path, [this](const net::HttpRequest& request,
                   const std::shared_ptr<net::HttpResponse>& response) { get(request, response); });
  router.on(
      "DELETE", path,
      [this](const net::HttpRequest& request, const std::shared_ptr<net::HttpResponse>& response) {
        remove(request, response);
      });
}

void HttpEndpoint::shut_down() {
  server_.shut_down();
  for (const auto& [id, session] : sessions_) {
    if (session->general) std::exchange(session->general, nullptr)->end();
  }
}

// --- POST

void HttpEndpoint::post(net::HttpRequest request, const ResponsePtr& response) {
  if (!has_json_body(request)) {
    return refuse(*response, 415,
                  bad_request(kInvalidRequest, "Content-Type must be application/json."));
  }
  const Accepts accepts = accepted_by(request);
  if (!accepts.json && !accepts.events) {
    return refuse(
        *response, 406,
        bad_request(kInvalidRequest, "Accept must allow application/json or text/event-stream."));
  }
  if (request.body.size() > options_.large_body_bytes) {
    return tasks_.spawn(read_elsewhere(std::move(request), response));
  }
  std::expected<Incoming, Unreadable> read = read_text(request.body, options_.max_batch);
  request.body.clear();
  take(request, std::move(read), response);
}

sdk::Task<void> HttpEndpoint::read_elsewhere(net::HttpRequest request, ResponsePtr response) {
  std::expected<Incoming, Unreadable> read =
      co_await server_.pool().run([body = std::exchange(request.body, {}),
                                   most = options_.max_batch] { return read_text(body, most); });
  take(request, std::move(read), response);
}

void HttpEndpoint::take(const net::HttpRequest& request, std::expected<Incoming, Unreadable> read,
                        const ResponsePtr& response) {
  if (!read) return refuse(*response, 400, read.error().error);
  if (read->is_batch) return batch(request, std::move(read->messages), response);
  ReadMessage& message = read->messages.front();
  if (!message) return refuse(*response, 400, message.error().error, message.error().id);
  const bool newer = names_stateless(header_value(request, kVersionHeader));
  if (message->kind == Message::Kind::kRequest) {
    const bool claims = claims_version(message->params);
    if (claims || (newer && message->method != "initialize")) {
      return stateless(request, std::move(*message), response);
    }
    if (newer) {
      return refuse(*response, 400,
                    bad_request(kHeaderMismatch,
                                "initialize does not exist in the version that the header names."),
                    message->id);
    }
  } else if (newer || claims_version(message->params)) {
    return response->send(202, {}, std::string());  // there is nothing to do for any of them
  }
  handshake(request, std::move(*message), response);
}

void HttpEndpoint::stateless(const net::HttpRequest& head, Message message,
                             const ResponsePtr& response) {
  const std::expected<Envelope, RpcError> envelope = read_envelope(message.params);
  std::optional<RpcError> error;
  if (!envelope) error = envelope.error();
  if (!error) error = check_version_header(head, envelope->version_name);
  if (!error) error = check_version(envelope->version_name);
  if (!error) error = check_method_headers(head, message.method, message.params);
  if (error) return refuse(*response, error->http_status, *error, message.id);
  const bool listens = message.method == "subscriptions/listen";
  auto exchange = std::make_shared<Exchange>(response, accepted_by(head));
  if (listens && !exchange->accepts.events) {
    return refuse(*response, 406,
                  bad_request(kInvalidRequest, "Accept must allow text/event-stream."), message.id);
  }
  if (!listens && running_ >= options_.max_running) {
    return refuse(*response, 200, too_many(), message.id);
  }
  const std::shared_ptr<ClientUse> client =
      recent_.seen(client_of(message.params), head.peer, envelope->version_name);
  if (is_read(message.method)) ++client->reads;
  running_ += listens ? 0 : 1;
  client->subscribed += listens ? 1 : 0;
  // Given back when the request is over, however it ends.
  std::shared_ptr<void> place(nullptr,
                              [this, listens, client, alive = std::weak_ptr(alive_)](void*) {
                                if (listens) --client->subscribed;
                                if (!alive.expired() && !listens) --running_;
                              });
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .level = envelope->level,
                  .arguments = std::move(message.arguments),
                  .caller = "mcp:" + head.peer};
  request.notify = [this, exchange](std::string text) { tell(nullptr, exchange, std::move(text)); };
  request.check_header = [headers = head.headers](const std::string& name,
                                                  const json::Value* value) {
    return check_parameter_header(headers, name, value);
  };
  exchange->running = server_.start(std::move(request), [this, exchange, place](Finished finished) {
    answer(nullptr, exchange, std::move(finished));
  });
  if (exchange->running->is_over()) return;
  // The client closing the stream is how it cancels.
  response->on_closed([this, exchange] {
    streams_.erase(exchange->response);
    exchange->running->cancel();
  });
}

HttpEndpoint::HttpSessionPtr HttpEndpoint::session_of(const net::HttpRequest& head,
                                                      const ResponsePtr& response) {
  const std::optional<std::string> id = header_value(head, kSessionHeader);
  if (!id) {
    refuse(*response, 400,
           bad_request(kServerError,
                       "Mcp-Session-Id is missing. Next: send `initialize` first, and its session "
                       "id with every request after it."));
    return nullptr;
  }
  const auto found = sessions_.find(*id);
  if (found == sessions_.end()) {
    refuse(*response, 404,
           bad_request(kSessionNotFound,
                       "There is no such session (any more). Next: send `initialize` again."));
    return nullptr;
  }
  const std::optional<std::string> version = header_value(head, kVersionHeader);
  if (version && (!version_of(*version) || is_stateless(*version_of(*version)))) {
    refuse(*response, 400,
           bad_request(kServerError, "MCP-Protocol-Version is not a version of this session."));
    return nullptr;
  }
  found->second->used = loop_.now();
  return found->second;
}

void HttpEndpoint::handshake(const net::HttpRequest& head, Message message,
                             const ResponsePtr& response) {
  if (message.method == "initialize" && message.kind == Message::Kind::kRequest) {
    return initialize(head, message, response);
  }
  const HttpSessionPtr session = session_of(head, response);
  if (session == nullptr) return;
  if (message.kind != Message::Kind::kRequest) {
    if (message.kind == Message::Kind::kNotification) notification(session, message);
    if (message.kind == Message::Kind::kResponse) server_.deliver(message);
    return response->send(202, {}, std::string());
  }
  if (const std::optional<RpcError> error = busy(*session, message.id)) {
    return refuse(*response, error->http_status, *error, message.id);
  }
  if (is_read(message.method)) ++session->use.reads;
  auto exchange = std::make_shared<Exchange>(response, accepted_by(head));
  exchange->stream = ++session->streams;
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .session = session->session,
                  .arguments = std::move(message.arguments),
                  .caller = "mcp:" + head.peer};
  request.notify = [this, session, exchange](std::string text) {
    tell(session, exchange, std::move(text));
  };
  start(session, exchange, std::move(request), [this, session, exchange](Finished finished) {
    answer(session, exchange, std::move(finished));
  });
  if (exchange->running->is_over()) return;
  // A lost connection is not a cancellation in this dialect: the client may come back for the rest.
  response->on_closed([this, weak = std::weak_ptr(response)] { streams_.erase(weak.lock()); });
}

// Why a request of a session cannot run now.
std::optional<RpcError> HttpEndpoint::busy(const HttpSession& session,
                                           const std::string& id) const {
  if (session.running.contains(id)) {
    return bad_request(kInvalidRequest, "A request with this id is running already.");
  }
  if (session.running.size() >= options_.max_running_per_session ||
      running_ >= options_.max_running) {
    return too_many();
  }
  return std::nullopt;
}

void HttpEndpoint::start(const HttpSessionPtr& session, const ExchangePtr& exchange,
                         Request request, std::function<void(Finished)> done) {
  const std::string id = request.id;
  ++running_;
  std::shared_ptr<void> place(nullptr, [this, alive = std::weak_ptr(alive_)](void*) {
    if (!alive.expired()) --running_;
  });
  exchange->running = server_.start(
      std::move(request), [session, id, place, done = std::move(done)](Finished finished) {
        session->running.erase(id);
        done(std::move(finished));
      });
  if (!exchange->running->is_over()) session->running.emplace(id, exchange);
}

void HttpEndpoint::notification(const HttpSessionPtr& session, const Message& message) {
  if (message.method == "notifications/initialized" && !session->connected) {
    session->connected = true;
    server_.connect(session->session);
  }
  if (message.method != "notifications/cancelled") return;
  const json::Value* id = message.params.find("requestId");
  const auto found =
      id != nullptr ? session->running.find(json::to_text(*id)) : session->running.end();
  if (found == session->running.end()) return;
  const ExchangePtr exchange = found->second;
  session->running.erase(found);
  exchange->running->cancel();
  if (exchange->on_cancelled) return exchange->on_cancelled();
  // Its stream ends without an answer.
  streams_.erase(exchange->response);
  if (exchange->streams) return exchange->response->end();
  exchange->response->send(200, net::event_stream_headers(), std::string(": cancelled\n\n"));
}

void HttpEndpoint::initialize(const net::HttpRequest& head, const Message& message,
                              const ResponsePtr& response) {
  std::expected<Server::Opened, RpcError> opened = server_.initialize(message.params);
  if (!opened) return refuse(*response, 200, opened.error(), message.id);
  if (!make_room()) {
    return refuse(*response, 503,
                  {.code = kInternalError, .message = "Too many sessions. Next: try again later."},
                  message.id);
  }
  auto session = std::make_shared<HttpSession>(ids_.next().to_string(), opened->session, options_);
  session->used = loop_.now();
  session->use = {.client = client_name(object_of(message.params, "clientInfo")),
                  .dialect = std::string(name_of(session->session->version)),
                  .since_ms = loop_.wall_ms()};
  std::weak_ptr<HttpSession> weak = session;
  session->session->subscriber->send = [this, weak](std::string text) {
    if (const HttpSessionPtr alive = weak.lock()) tell_general(*alive, text);
  };
  sessions_.emplace(session->id, session);
  auto exchange = std::make_shared<Exchange>(response, accepted_by(head));
  exchange->headers = {{std::string(kSessionHeader), session->id}};
  answer(nullptr, exchange, {result_text(message.id, opened->result), 200});
}

void HttpEndpoint::batch(const net::HttpRequest& head, std::vector<ReadMessage> all,
                         const ResponsePtr& response) {
  const auto claims = [](const ReadMessage& each) { return each && claims_version(each->params); };
  const RpcError wrong = bad_request(
      kInvalidRequest, "Batches are part of 2025-03-26 only, and have 1 to 100 messages.");
  if (all.empty() || std::ranges::any_of(all, claims) ||
      names_stateless(header_value(head, kVersionHeader))) {
    return refuse(*response, 400, wrong);
  }
  const HttpSessionPtr session = session_of(head, response);
  if (session == nullptr) return;
  if (session->session->version != Version::k2025_03_26) return refuse(*response, 400, wrong);
  auto answers = std::make_shared<Batch>();
  answers->response = response;
  const auto add = [answers](const std::string& text) {
    if (!answers->text.empty() && !text.empty()) answers->text += ',';
    answers->text += text;
    if (--answers->left > 0) return;
    if (answers->text.empty()) return answers->response->send(202, {}, std::string());
    answers->response->send(200, json_headers(), "[" + answers->text + "]");
  };
  for (ReadMessage& message : all) {
    if (message && message->kind == Message::Kind::kNotification) {
      notification(session, *message);
    } else if (message && message->kind == Message::Kind::kResponse) {
      server_.deliver(*message);
    } else {
      ++answers->left;
      message ? request_of_batch(session, std::move(*message), "mcp:" + head.peer, add)
              : add(error_text(message.error().id, message.error().error));
    }
  }
  add("");
}

void HttpEndpoint::request_of_batch(const HttpSessionPtr& session, Message message,
                                    std::string caller,
                                    const std::function<void(const std::string&)>& add) {
  if (const std::optional<RpcError> error = busy(*session, message.id)) {
    return add(error_text(message.id, *error));
  }
  auto exchange = std::make_shared<Exchange>();
  exchange->on_cancelled = [add] { add(""); };
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .session = session->session,
                  .arguments = std::move(message.arguments),
                  .caller = std::move(caller)};
  // Messages about a request of a batch go to the session's own stream.
  request.notify = [this, session](const std::string& text) { tell_general(*session, text); };
  start(session, exchange, std::move(request),
        [add](const Finished& finished) { add(finished.text); });
}

// --- answers

void HttpEndpoint::begin_events(const HttpSessionPtr& session, const ExchangePtr& exchange) {
  if (exchange->streams) return;
  exchange->streams = true;
  net::HttpHeaders headers = net::event_stream_headers();
  headers.insert(headers.end(), exchange->headers.begin(), exchange->headers.end());
  exchange->response->begin_stream(200, std::move(headers));
  if (session && session->session->version >= Version::k2025_11_25) {
    exchange->response->write(priming_event(session->log.next(exchange->stream).text()));
  }
  watch(exchange->response);
}

void HttpEndpoint::tell(const HttpSessionPtr& session, const ExchangePtr& exchange,
                        std::string message) {
  if (!exchange->accepts.events) return;
  begin_events(session, exchange);
  const std::string id =
      session ? session->log.add(exchange->stream, message).text() : std::string();
  exchange->response->write(event_text(message, id));
}

void HttpEndpoint::answer(const HttpSessionPtr& session, const ExchangePtr& exchange,
                          Finished finished) {
  net::HttpResponse& response = *exchange->response;
  if (!exchange->streams && exchange->accepts.json) {
    net::HttpHeaders headers = json_headers();
    headers.insert(headers.end(), exchange->headers.begin(), exchange->headers.end());
    return response.send(finished.http_status, std::move(headers), std::move(finished.text));
  }
  begin_events(session, exchange);
  const std::string id =
      session ? session->log.add(exchange->stream, finished.text).text() : std::string();
  response.write(event_text(finished.text, id));
  streams_.erase(exchange->response);
  response.end();
}

// --- GET and DELETE

void HttpEndpoint::get(const net::HttpRequest& request, const ResponsePtr& response) {
  if (!header_value(request, kSessionHeader)) return refuse_method(*response);
  const HttpSessionPtr session = session_of(request, response);
  if (session == nullptr) return;
  if (!accepted_by(request).events) {
    return refuse(*response, 406,
                  bad_request(kInvalidRequest, "Accept must allow text/event-stream."));
  }
  const std::optional<std::string> last = header_value(request, "Last-Event-ID");
  if (last) {
    if (const std::optional<EventId> id = EventId::parse(*last)) {
      return resume(session, *id, response);
    }
    return refuse(*response, 400, bad_request(kServerError, "Last-Event-ID is not one of ours."));
  }
  if (session->general && session->general->is_open()) {
    return refuse(*response, 409,
                  bad_request(kServerError, "This session has an open stream already."));
  }
  open_general(session, response);
}

void HttpEndpoint::open_general(const HttpSessionPtr& session, const ResponsePtr& response) {
  response->begin_stream(200, net::event_stream_headers());
  // Something has to be sent at once, so that the client knows that the stream is there.
  if (session->session->version >= Version::k2025_11_25) {
    response->write(priming_event(session->log.next(0).text()));
  } else {
    response->write(net::kStreamComment);
  }
  session->general = response;
  watch(response);
  response->on_closed([this, session, weak = std::weak_ptr(response)] {
    const ResponsePtr closed = weak.lock();
    streams_.erase(closed);
    if (session->general == closed) session->general = nullptr;
  });
}

void HttpEndpoint::resume(const HttpSessionPtr& session, const EventId& id,
                          const ResponsePtr& response) {
  const std::optional<std::vector<std::string>> missed = session->log.after(id);
  if (!missed) {
    return refuse(*response, 400,
                  bad_request(kServerError, "The events after Last-Event-ID are forgotten."));
  }
  const auto still = std::ranges::find_if(
      session->running, [&](const auto& each) { return each.second->stream == id.stream; });
  if (id.stream == 0) {
    if (session->general) {
      streams_.erase(session->general);
      std::exchange(session->general, nullptr)->end();
    }
    open_general(session, response);
  } else {
    response->begin_stream(200, net::event_stream_headers());
  }
  for (const std::string& event : *missed) response->write(event);
  if (id.stream == 0) return;
  if (still == session->running.end()) return response->end();
  // The rest of that request's messages comes here.
  const ExchangePtr exchange = still->second;
  streams_.erase(exchange->response);
  if (exchange->streams) exchange->response->end();
  exchange->response = response;
  exchange->streams = true;
  watch(response);
  response->on_closed([this, weak = std::weak_ptr(response)] { streams_.erase(weak.lock()); });
}

void HttpEndpoint::tell_general(HttpSession& session, const std::string& message) {
  const EventId id = session.log.add(0, message);
  if (session.general && session.general->is_open()) {
    session.general->write(event_text(message, id.text()));
  }
}

void HttpEndpoint::remove(const net::HttpRequest& request, const ResponsePtr& response) {
  if (!header_value(request, kSessionHeader)) return refuse_method(*response);
  const HttpSessionPtr session = session_of(request, response);
  if (session == nullptr) return;
  sessions_.erase(session->id);
  forget(session);
  response->send(200, {}, std::string());
}

// --- sessions

std::vector<ClientUse> HttpEndpoint::clients() const {
  std::vector<ClientUse> out = recent_.rows();
  for (const auto& [id, session] : sessions_) {
    out.push_back(session->use);
    out.back().subscribed = session->session->subscriber->uris.size();
  }
  return out;
}

void HttpEndpoint::forget(const HttpSessionPtr& session) {
  server_.disconnect(session->session);
  for (auto& [id, exchange] : std::exchange(session->running, {})) {
    exchange->running->cancel();
    streams_.erase(exchange->response);
    if (exchange->streams) exchange->response->end();
  }
  if (session->general) {
    streams_.erase(session->general);
    std::exchange(session->general, nullptr)->end();
  }
}

// The session that was not used for longest gives way, unless somebody is connected to it.
bool HttpEndpoint::make_room() {
  if (sessions_.size() < options_.max_sessions) return true;
  HttpSessionPtr oldest;
  for (const auto& [id, session] : sessions_) {
    if (session->general || !session->running.empty()) continue;
    if (!oldest || session->used < oldest->used) oldest = session;
  }
  if (!oldest) return false;
  sessions_.erase(oldest->id);
  forget(oldest);
  return true;
}

void HttpEndpoint::tick() {
  timer_ = loop_.after(options_.keep_alive, [this] { tick(); });
  for (const ResponsePtr& each : std::vector(streams_.begin(), streams_.end())) {
    if (each->is_open()) {
      each->write(net::kStreamComment);
    } else {
      streams_.erase(each);
    }
  }
  const auto now = loop_.now();
  std::vector<HttpSessionPtr> idle;
  for (const auto& [id, session] : sessions_) {
    const bool used = session->general || !session->running.empty();
    if (!used && now - session->used > options_.session_idle) idle.push_back(session);
  }
  for (const HttpSessionPtr& session : idle) {
    sessions_.erase(session->id);
    forget(session);
  }
}

}  // namespace iii::mcp
