#include "faces/mcp/http_endpoint.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "foundation/base/log.h"
#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr size_t kOwnMemory = size_t{256} * 1024 * 1024;

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

RpcError too_many_streams() {
  return {.code = kInternalError,
          .message = "Too many streams are open. Next: close one, or try again later.",
          .http_status = 503};
}

size_t bytes_of(const net::HttpHeaders& headers) {
  size_t out = headers.size() * sizeof(net::HttpHeader);
  for (const net::HttpHeader& each : headers) out += each.name.size() + each.value.size();
  return out;
}

}  // namespace

HttpEndpoint::HttpEndpoint(net::Loop& loop, Server& server, HttpEndpointOptions options)
    : loop_(loop),
      server_(server),
      options_(std::move(options)),
      recent_(loop),
      memory_(options_.memory ? options_.memory : std::make_shared<net::ClientMemory>(kOwnMemory)),
      session_places_(options_.max_sessions),
      stream_places_(options_.max_streams),
      running_places_(options_.max_running) {
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
  net::KeptPtr memory = memory_->keep(net::client_of_address(request.peer));
  if (!memory->resize(request.body.size())) return refuse(*response, 503, no_memory());
  if (request.body.size() > options_.large_body_bytes) {
    return tasks_.spawn(read_elsewhere(std::move(request), response, std::move(memory)));
  }
  std::expected<Incoming, Unreadable> read = read_text(request.body, options_.max_batch);
  request.body.clear();
  take(request, std::move(read), response, std::move(memory));
}

task::Task<void> HttpEndpoint::read_elsewhere(net::HttpRequest request, ResponsePtr response,
                                              net::KeptPtr memory) {
  std::expected<Incoming, Unreadable> read =
      co_await server_.pool().run([body = std::exchange(request.body, {}),
                                   most = options_.max_batch] { return read_text(body, most); });
  take(request, std::move(read), response, std::move(memory));
}

void HttpEndpoint::take(const net::HttpRequest& request, std::expected<Incoming, Unreadable> read,
                        const ResponsePtr& response, net::KeptPtr memory) {
  if (!read) return refuse(*response, 400, read.error().error);
  size_t held = bytes_of(request.headers);
  for (const ReadMessage& each : read->messages) held += each ? each->held_bytes : 0;
  if (!memory->resize(held)) return refuse(*response, 503, no_memory());
  if (read->is_batch) return batch(request, std::move(read->messages), response);
  ReadMessage& message = read->messages.front();
  if (!message) return refuse(*response, 400, message.error().error, message.error().id);
  const bool newer = names_stateless(header_value(request, kVersionHeader));
  if (message->kind == Message::Kind::kRequest) {
    const bool claims = claims_version(message->params);
    if (claims || (newer && message->method != "initialize")) {
      return stateless(request, std::move(*message), response, std::move(memory));
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
  handshake(request, std::move(*message), response, std::move(memory));
}

void HttpEndpoint::stateless(const net::HttpRequest& head, Message message,
                             const ResponsePtr& response, net::KeptPtr memory) {
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
  net::Places::Place place =
      (listens ? stream_places_ : running_places_).take(net::client_of_address(head.peer));
  if (!place) {
    return refuse(*response, 200, listens ? too_many_streams() : too_many(), message.id);
  }
  const std::shared_ptr<ClientUse> client =
      recent_.seen(client_of(message.params), head.peer, envelope->version_name);
  if (is_read(message.method)) ++client->reads;
  if (listens) {
    // Counted until the request is over, however it ends.
    ++client->subscribed;
    place = {place.get(), [place, client](void*) { --client->subscribed; }};
  }
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .level = envelope->level,
                  .arguments = std::move(message.arguments),
                  .caller = "mcp:" + head.peer,
                  .memory = memory};
  const std::string id = request.id;
  request.notify = [this, exchange](std::string text) { tell(nullptr, exchange, std::move(text)); };
  request.check_header = [headers = head.headers](const std::string& name,
                                                  const json::Value* value) {
    return check_parameter_header(headers, name, value);
  };
  exchange->running = server_.start(std::move(request), [this, exchange, place](Finished finished) {
    answer(nullptr, exchange, std::move(finished));
  });
  if (exchange->running->is_over()) return;
  may_be_stopped(nullptr, exchange, id, *memory);
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
  found->second->came_back = true;
  return found->second;
}

void HttpEndpoint::handshake(const net::HttpRequest& head, Message message,
                             const ResponsePtr& response, net::KeptPtr memory) {
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
  std::expected<net::Places::Place, RpcError> place = place_in(*session, message.id);
  if (!place) return refuse(*response, place.error().http_status, place.error(), message.id);
  if (is_read(message.method)) ++session->use.reads;
  auto exchange = std::make_shared<Exchange>(response, accepted_by(head));
  exchange->stream = ++session->streams;
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .session = session->session,
                  .arguments = std::move(message.arguments),
                  .caller = "mcp:" + head.peer,
                  .memory = std::move(memory)};
  request.notify = [this, session, exchange](std::string text) {
    tell(session, exchange, std::move(text));
  };
  start(session, exchange, std::move(request), std::move(*place),
        [this, session, exchange](Finished finished) {
          answer(session, exchange, std::move(finished));
        });
  if (exchange->running->is_over()) return;
  // A lost connection is not a cancellation in this dialect: the client may come back for the rest.
  response->on_closed([this, weak = std::weak_ptr(response)] { streams_.erase(weak.lock()); });
}

// Where a request of a session runs, or why it cannot run now.
std::expected<net::Places::Place, RpcError> HttpEndpoint::place_in(const HttpSession& session,
                                                                   const std::string& id) {
  if (session.running.contains(id)) {
    return std::unexpected(
        bad_request(kInvalidRequest, "A request with this id is running already."));
  }
  net::Places::Place place;
  if (session.running.size() < options_.max_running_per_session) {
    place = running_places_.take(session.client);
  }
  if (!place) return std::unexpected(too_many());
  return place;
}

void HttpEndpoint::start(const HttpSessionPtr& session, const ExchangePtr& exchange,
                         Request request, net::Places::Place place,
                         std::function<void(Finished)> done) {
  const std::string id = request.id;
  const net::KeptPtr memory = request.memory;
  exchange->running = server_.start(
      std::move(request),
      [session, id, place = std::move(place), done = std::move(done)](Finished finished) {
        session->running.erase(id);
        done(std::move(finished));
      });
  if (exchange->running->is_over()) return;
  session->running.emplace(id, exchange);
  may_be_stopped(session, exchange, id, *memory);
}

void HttpEndpoint::may_be_stopped(const HttpSessionPtr& session, const ExchangePtr& exchange,
                                  const std::string& id, net::KeptMemory& memory) {
  // Later: the memory may be needed in the middle of anything.
  memory.on_give_up(
      [this, alive = std::weak_ptr(alive_), session, id, weak = std::weak_ptr(exchange)] {
        if (alive.expired()) return;
        loop_.post([this, alive, session, id, weak] {
          const ExchangePtr still = weak.lock();
          if (!alive.expired() && still) stop(session, still, id);
        });
      });
}

void HttpEndpoint::stop(const HttpSessionPtr& session, const ExchangePtr& exchange,
                        const std::string& id) {
  if (exchange->running->is_over()) return;
  log_warn("mcp: a request is ended: others need the memory, and its client holds most");
  if (session) session->running.erase(id);
  exchange->running->cancel();
  if (exchange->on_cancelled) return exchange->on_cancelled();
  answer(session, exchange, {error_text(id, no_memory()), 503});
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
  const std::string client = net::client_of_address(head.peer);
  net::KeptPtr memory = memory_->keep(client);
  std::expected<Server::Opened, RpcError> opened = server_.initialize(message, memory);
  if (!opened) return refuse(*response, opened.error().http_status, opened.error(), message.id);
  net::Places::Place place = place_for_session(client);
  if (!place) {
    return refuse(*response, 503,
                  {.code = kInternalError,
                   .message = "Too many sessions are in use. Next: end one, or try again later."},
                  message.id);
  }
  auto session =
      std::make_shared<HttpSession>(ids_.next().to_string(), client, opened->session, options_);
  session->place = std::move(place);
  limit(session, *memory);
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
  answers->most = options_.max_batch_answer_bytes;
  for (ReadMessage& message : all) {
    if (message && message->kind == Message::Kind::kNotification) {
      notification(session, *message);
    } else if (message && message->kind == Message::Kind::kResponse) {
      server_.deliver(*message);
    } else {
      ++answers->left;
      message ? request_of_batch(session, std::move(*message), "mcp:" + head.peer, answers)
              : answers->add("", error_text(message.error().id, message.error().error));
    }
  }
  answers->done();
}

void HttpEndpoint::Batch::add(std::string_view id, std::string_view answer) {
  std::string instead;
  if (text.size() + answer.size() > most) {
    instead =
        error_text(id, {.code = kInternalError,
                        .message = "The answers of the batch have more than " +
                                   std::to_string(most) + " bytes. Next: send the request alone."});
    answer = instead;
  }
  if (!text.empty()) text += ',';
  text += answer;
  done();
}

// One answer more, or one that does not come.
void HttpEndpoint::Batch::done() {
  if (--left > 0) return;
  if (text.empty()) return response->send(202, {}, std::string());
  response->send(200, json_headers(), "[" + text + "]");
}

void HttpEndpoint::request_of_batch(const HttpSessionPtr& session, Message message,
                                    std::string caller, const BatchPtr& batch) {
  std::expected<net::Places::Place, RpcError> place = place_in(*session, message.id);
  if (!place) return batch->add(message.id, error_text(message.id, place.error()));
  net::KeptPtr memory = memory_->keep(session->client);
  if (!memory->resize(message.held_bytes)) {
    return batch->add(message.id, error_text(message.id, no_memory()));
  }
  auto exchange = std::make_shared<Exchange>();
  exchange->on_cancelled = [batch] { batch->done(); };
  const std::string id = message.id;
  Request request{.id = std::move(message.id),
                  .method = std::move(message.method),
                  .params = std::move(message.params),
                  .session = session->session,
                  .arguments = std::move(message.arguments),
                  .caller = std::move(caller),
                  .memory = std::move(memory)};
  // Messages about a request of a batch go to the session's own stream.
  request.notify = [this, session](const std::string& text) { tell_general(*session, text); };
  start(session, exchange, std::move(request), std::move(*place),
        [batch, id](const Finished& finished) { batch->add(id, finished.text); });
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
  const std::string id = session ? logged(*session, exchange->stream, message) : std::string();
  exchange->response->write(event_text(message, id));
}

void HttpEndpoint::forget_log(HttpSession& session) {
  session.log.clear();
  session.log_memory->set(0);
}

std::string HttpEndpoint::logged(HttpSession& session, uint64_t stream, std::string_view message) {
  const std::string id = session.log.add(stream, message).text();
  if (!session.log_memory->resize(session.log.bytes())) forget_log(session);
  return id;
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
      session ? logged(*session, exchange->stream, finished.text) : std::string();
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
  if (!session->stream_place) session->stream_place = stream_places_.take(session->client);
  if (!session->stream_place) return refuse(*response, 503, too_many_streams());
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
    if (session->general != closed) return;
    session->general = nullptr;
    session->stream_place = nullptr;
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
  const std::string id = logged(session, 0, message);
  if (session.general && session.general->is_open()) {
    session.general->write(event_text(message, id));
  }
}

void HttpEndpoint::remove(const net::HttpRequest& request, const ResponsePtr& response) {
  if (!header_value(request, kSessionHeader)) return refuse_method(*response);
  const HttpSessionPtr session = session_of(request, response);
  if (session == nullptr) return;
  end(session);
  response->send(200, {}, std::string());
}

// --- sessions

std::vector<ClientUse> HttpEndpoint::clients() const {
  std::vector<ClientUse> out = recent_.rows();
  for (const auto& [id, session] : sessions_) {
    out.push_back(session->use);
    out.back().subscribed = session->session->subscriber->subscriptions();
  }
  return out;
}

void HttpEndpoint::end(const HttpSessionPtr& session) {
  sessions_.erase(session->id);
  forget(session);
}

void HttpEndpoint::forget(const HttpSessionPtr& session) {
  session->place = nullptr;
  session->stream_place = nullptr;
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

// What others need first is the log for those who come back; then the session itself ends.
void HttpEndpoint::limit(const HttpSessionPtr& session, net::KeptMemory& memory) {
  const std::weak_ptr<HttpSession> weak = session;
  session->log_memory = memory_->keep(session->client);
  session->log_memory->on_give_up([weak] {
    if (const HttpSessionPtr it = weak.lock()) forget_log(*it);
  });
  memory.on_give_up([this, alive = std::weak_ptr(alive_), weak] {
    if (alive.expired()) return;
    loop_.post([this, alive, weak] {
      const HttpSessionPtr it = weak.lock();
      if (alive.expired() || !it || !sessions_.contains(it->id)) return;
      log_warn("mcp: a session of {} is ended: others need the memory, and it holds most",
               it->client);
      end(it);
    });
  });
}

// A client that has its share gets a place that it has already; when there is none left for
// anybody, the one that has most gives one up. An idle session is never ended for a client with
// more.
net::Places::Place HttpEndpoint::place_for_session(const std::string& client) {
  net::Places::Place place = session_places_.take(client);
  if (place) return place;
  const HttpSessionPtr gone = least_useful(session_places_.from_whom(client));
  if (!gone) return nullptr;
  end(gone);
  return session_places_.take(client);
}

// Of a client's sessions: one that nobody came back to, then one that runs nothing, then one of the
// program that has most of them (all programs of this machine are one client), then the one that
// was not used for longest. Never one with an open stream.
HttpEndpoint::HttpSessionPtr HttpEndpoint::least_useful(const std::string& client) const {
  std::map<ClientName, size_t> counts;
  for (const auto& [id, session] : sessions_) {
    if (session->client == client) ++counts[session->use.client];
  }
  using Rank = std::tuple<bool, bool, size_t, std::chrono::steady_clock::time_point>;
  std::optional<Rank> best;
  HttpSessionPtr out;
  for (const auto& [id, session] : sessions_) {
    if (session->client != client || session->general) continue;
    const Rank rank{session->came_back, !session->running.empty(),
                    sessions_.size() - counts[session->use.client], session->used};
    if (best && *best <= rank) continue;
    best = rank;
    out = session;
  }
  return out;
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
  for (const HttpSessionPtr& session : idle) end(session);
}

}  // namespace iii::mcp
