#include "faces/console/console.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "directory/content/types.h"
#include "directory/library/library.h"
#include "faces/console/access.h"
#include "foundation/base/bearer.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::console {

namespace {

constexpr std::string_view kRoot = "/console";
constexpr std::string_view kAssets = "/console/assets/";
constexpr size_t kSmallBody = 64 * 1024;
constexpr std::string_view kCookie = "iii_console";
constexpr std::string_view kSessionClient = "session:";  // of streams, before the session's id
constexpr uint64_t kWorkerEventsPerBeat = 50;
constexpr int64_t kNanosPerMilli = 1'000'000;

using Check = std::function<std::optional<net::HttpAnswer>(const net::HttpRequest&)>;

Assets assets_of(const std::filesystem::path& folder) {
  return folder.empty() ? Assets() : Assets(folder);
}

bool has_tag(const net::HttpRequest& request, std::string_view tag) {
  const std::string* known = request.header("If-None-Match");
  return known != nullptr && known->find(tag) != std::string::npos;
}

net::HttpAnswer nothing_there() {
  return net::http_error(404, "not_found",
                         "There is nothing at this path. Next: open /console/ in a browser, or "
                         "connect MCP clients to /mcp.");
}

// Of other schemes are those that a proxy in front of this server asks for.
bool sends_token(const net::HttpRequest& request) {
  const std::string* authorization = request.header("Authorization");
  return authorization != nullptr && names_bearer(*authorization);
}

// Over TLS, which a proxy speaks, the page's origin says so.
std::string cookie_text(const net::HttpRequest& request, std::string_view value,
                        std::chrono::seconds life) {
  const std::string* origin = request.header("Origin");
  const bool secure = origin != nullptr && origin->starts_with("https://");
  return fmt::format("{}={}; HttpOnly; SameSite=Strict; Path={}; Max-Age={}{}", kCookie, value,
                     kRoot, life.count(), secure ? "; Secure" : "");
}

json::Value optional_number(const std::optional<double>& number) {
  return number ? json::Value(*number) : json::Value();
}

std::string text_of(const Sample& sample) {
  return json::to_text(json::Object{{"at", content::format_time(sample.at * kNanosPerMilli)},
                                    {"calls", sample.calls},
                                    {"errors", sample.errors},
                                    {"p50_ms", optional_number(sample.p50_ms)},
                                    {"p99_ms", optional_number(sample.p99_ms)},
                                    {"in_flight", sample.in_flight},
                                    {"connections", sample.connections}});
}

std::string text_of(const JobProgress& now) {
  json::Object out{{"job", now.job},
                   {"step", now.step},
                   {"done", now.done},
                   {"total", now.total},
                   {"state", now.state}};
  if (!now.code.empty())
    out.emplace("error", json::Object{{"code", now.code}, {"message", now.message}});
  return json::to_text(std::move(out));
}

}  // namespace

Console::Console(net::Loop& loop, ConsoleOptions options)
    : loop_(loop),
      options_(std::move(options)),
      assets_(assets_of(options_.folder)),
      page_(assets_),
      started_(loop.now()),
      started_ms_(loop.wall_ms()),
      sessions_(loop, options_.token, options_.sessions) {}

void Console::open(Host host) {
  host_ = std::move(host);
  calls_.emplace(
      loop_, host_, [this](const JobProgress& now) { events_->tell("progress", text_of(now)); },
      options_.calls, options_.memory);
  const Position now{.epoch = host_.facts.epoch,
                     .generation = host_.library->latest()->generation->number};
  events_.emplace(loop_, now,
                  Events::Source{.beat = [this] { beat(); },
                                 .begin =
                                     [this] {
                                       next_second_.reset();
                                       look_at_functions(true);
                                     },
                                 .may_stay =
                                     [this](const std::string& client) {
                                       return !client.starts_with(kSessionClient) ||
                                              sessions_.is_valid(std::string_view(client).substr(
                                                  kSessionClient.size()));
                                     }},
                  options_.events);
  changes_ = host_.library->changes().subscribe(
      [this](const directory::ChangeSet& set) { events_->changed(set); },
      [this] { return events_->anybody_listens(); });
  open_ = true;
}

void Console::shut_down() {
  if (!open_) return;
  calls_->shut_down();
  events_->shut_down();
}

void Console::add_to(net::HttpRouter& router) {
  router.area(std::string(kRoot), console_area());
  // The token is asked for here, because a session stands for it.
  const auto options = [this](Check check, bool with_session, size_t max_body = 0) {
    return net::HttpRouteOptions{
        .max_body_bytes = max_body,
        .needs_token = false,
        .check = [this, check = std::move(check),
                  with_session](const Request& head) -> std::optional<net::HttpAnswer> {
          if (auto refusal = check(head)) return refusal;
          if (!open_) return net::flat_error(503, "starting", "The server is starting.");
          // Nobody learns from another answer than this one whether a token is right.
          return with_session || sends_token(head) ? check_session(head) : std::nullopt;
        }};
  };
  const auto show_page = [this](const Request& request, const ResponsePtr& response) {
    page(request, response);
  };
  // Whoever types the address of the server into a browser looks for the page.
  router.get("/",
             [](const Request& request, const ResponsePtr& response) {
               if (!accepts_html(request)) return response->send(nothing_there());
               response->send(302, {{"Location", std::string(kRoot) + "/"}}, std::string());
             },
             {.max_body_bytes = 0, .needs_token = false});
  router.get(std::string(kRoot), show_page, options(check_page, false));
  router.below("GET", std::string(kRoot) + "/", show_page, options(check_page, false));
  router.below(
      "GET", std::string(kAssets),
      [this](const Request& request, const ResponsePtr& response) { asset(request, response); },
      options(check_read, false));
  router.get(
      "/console/boot",
      [this](const Request& request, const ResponsePtr& response) { boot(request, response); },
      options(check_read, true));
  router.post(
      "/console/call",
      [this](Request request, ResponsePtr response) {
        calls_->call(std::move(request), std::move(response));
      },
      options(check_json_act, true, options_.calls.max_body_bytes));
  router.post(
      "/console/cancel",
      [this](const Request& request, const ResponsePtr& response) {
        calls_->cancel(request, response);
      },
      options(check_json_act, true, kSmallBody));
  router.get(
      "/console/events",
      [this](const Request& request, const ResponsePtr& response) { listen(request, response); },
      options(check_read, true));
  router.post(
      "/console/session",
      [this](const Request& request, const ResponsePtr& response) {
        begin_session(request, response);
      },
      options(check_json_act, false, kSmallBody));
  router.on(
      "DELETE", "/console/session",
      [this](const Request& request, const ResponsePtr& response) {
        end_session(request, response);
      },
      options(check_act, false));
}

// --- who is let in

// The session that the request belongs to, if it is a valid one.
std::optional<std::string> Console::session_of(const Request& request) const {
  for (const std::string_view id : cookies(request, kCookie)) {
    if (sessions_.is_valid(id)) return std::string(id);
  }
  return std::nullopt;
}

bool Console::is_let_in(const Request& request) const {
  if (!sessions_.needed() || session_of(request)) return true;
  const std::string* authorization = request.header("Authorization");
  return authorization != nullptr && is_bearer(*authorization, options_.token);
}

std::optional<net::HttpAnswer> Console::check_session(const Request& head) const {
  if (is_let_in(head)) return std::nullopt;
  net::HttpAnswer answer = net::flat_error(
      401, "token_required",
      "This server requires its token. Next: send it once to POST /console/session.");
  answer.headers.push_back({"WWW-Authenticate", "Bearer"});
  answer.wrong_token = sends_token(head);
  return answer;
}

Boot Console::full_boot() const {
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(loop_.now() - started_);
  return boot_of(host_, sessions_.needed(), {.started_ms = started_ms_, .up = up});
}

void Console::begin_session(const Request& request, const ResponsePtr& response) {
  if (!sessions_.needed()) {
    return response->send(net::flat_error(400, "no_token", "This server needs no token."));
  }
  const Result<json::Value> body = json::parse(request.body);
  const json::Value* token = body ? body->find("token") : nullptr;
  if (token == nullptr || token->as_string() == nullptr) {
    return response->send(
        net::flat_error(400, "invalid_body", "The body must be {\"token\": \"…\"}."));
  }
  const std::optional<std::string> id = sessions_.begin(*token->as_string(), request.peer);
  if (!id) {
    net::HttpAnswer answer = net::flat_error(401, "wrong_token", "This is not the token.");
    answer.wrong_token = true;
    return response->send(std::move(answer));
  }
  log_info("console: a session of {} begins", request.peer);
  response->send(204, {{"Set-Cookie", cookie_text(request, *id, sessions_.life())}}, std::string());
}

void Console::end_session(const Request& request, const ResponsePtr& response) {
  if (const std::optional<std::string> id = session_of(request)) {
    sessions_.end(*id);
    events_->drop(std::string(kSessionClient) + *id);
  }
  response->send(204, {{"Set-Cookie", cookie_text(request, "", std::chrono::seconds(0))}},
                 std::string());
}

// --- what the page reads

void Console::page(const Request& request, const ResponsePtr& response) {
  const Boot boot = is_let_in(request) ? full_boot() : boot_without_session(host_.facts);
  const std::string tag = assets_.digest() + "-" + boot.tag;
  net::HttpHeaders headers{{"Content-Type", "text/html; charset=utf-8"},
                           {"Cache-Control", "private, no-cache"},
                           {"Vary", "Accept-Encoding, Cookie, Authorization"}};
  if (!assets_.immutable()) {
    return response->send(200, std::move(headers), Page(assets_).text(boot.text));
  }
  headers.push_back({"ETag", "W/\"" + tag + "\""});
  if (has_tag(request, tag)) return response->send(304, std::move(headers), std::string());
  if (!accepts_gzip(request)) {
    return response->send(200, std::move(headers), page_.text(boot.text));
  }
  headers.push_back({"Content-Encoding", "gzip"});
  response->send(200, std::move(headers), page_.gzipped(boot.text));
}

void Console::boot(const Request& /*request*/, const ResponsePtr& response) {
  net::HttpAnswer answer = net::http_json(200, full_boot().text);
  answer.headers.push_back({"Cache-Control", "no-store"});
  response->send(std::move(answer));
}

void Console::asset(const Request& request, const ResponsePtr& response) const {
  std::string_view name = std::string_view(request.path).substr(kAssets.size());
  const size_t slash = name.find('/');
  const bool known = slash != std::string_view::npos && name.substr(0, slash) == assets_.digest();
  if (known) name.remove_prefix(slash + 1);
  const std::optional<Asset> found =
      known ? assets_.find(name, accepts_gzip(request)) : std::nullopt;
  if (!found || name.ends_with(".html")) {
    return response->send(net::flat_error(
        404, "not_found", "There is no such file. Next: load the page again; it names its files."));
  }
  net::HttpHeaders headers{{"Content-Type", found->content_type}, {"Vary", "Accept-Encoding"}};
  if (!assets_.immutable()) {
    headers.push_back({"Cache-Control", "no-store"});
    return response->send(200, std::move(headers), found->bytes);
  }
  const std::string tag = assets_.digest() + (found->gzipped ? "-gzip" : "");
  headers.push_back({"Cache-Control", "public, max-age=31536000, immutable"});
  headers.push_back({"ETag", "\"" + tag + "\""});
  if (has_tag(request, "\"" + tag + "\"")) {
    return response->send(304, std::move(headers), std::string());
  }
  if (found->gzipped) headers.push_back({"Content-Encoding", "gzip"});
  response->send(200, std::move(headers), found->bytes);
}

// --- events

void Console::listen(const Request& request, const ResponsePtr& response) {
  const std::optional<std::string> session = session_of(request);
  // A page that was loaded again finds what it had started.
  std::vector<std::string> jobs;
  for (const JobProgress& each : calls_->jobs()) jobs.push_back(text_of(each));
  events_->open(request, response,
                session ? std::string(kSessionClient) + *session : "address:" + request.peer,
                fmt::format(R"("sessions":{},"jobs":[{}])", count_sessions(), join(jobs, ",")));
}

uint64_t Console::count_sessions() const { return host_.mcp_sessions ? host_.mcp_sessions() : 0; }

void Console::look_at_functions(bool first) {
  if (host_.look_at_functions) host_.look_at_functions(first);
}

// A beat that comes late tells of all seconds since the one before.
void Console::tell_samples() {
  if (!host_.samples) return;
  for (const Sample& sample : host_.samples(next_second_)) {
    next_second_ = sample.second + 1;
    events_->tell("sample", text_of(sample));
  }
}

void Console::beat() {
  tell_samples();
  look_at_functions(false);
  if (const uint64_t now = count_sessions(); now != mcp_sessions_) {
    mcp_sessions_ = now;
    events_->tell("session", "{\"sessions\":" + std::to_string(now) + "}");
  }
  const uint64_t workers = std::exchange(worker_events_, 0);
  if (workers <= kWorkerEventsPerBeat) return;
  events_->tell("worker", "{\"change\":\"many\",\"count\":" +
                              std::to_string(workers - kWorkerEventsPerBeat) + "}");
}

void Console::worker_changed(bool connected, std::string_view name, std::string_view id) {
  // When thousands come or go together, they are counted.
  if (!anybody_listens() || ++worker_events_ > kWorkerEventsPerBeat) return;
  events_->tell("worker",
                json::to_text(json::Object{
                    {"change", connected ? "connected" : "left"}, {"name", name}, {"id", id}}));
}

void Console::functions_changed(bool added, const std::vector<std::string>& ids, uint64_t more) {
  json::Array names(ids.begin(), ids.end());
  events_->tell("function", json::to_text(json::Object{{"change", added ? "added" : "removed"},
                                                       {"ids", std::move(names)},
                                                       {"more", more}}));
}

}  // namespace iii::console
