#include "directory/sources/http.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <utility>
#include <vector>

#include "directory/sources/http_address.h"
#include "foundation/base/check.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

constexpr int kPollMs = 50;  // how soon a cancelled job is noticed
constexpr size_t kMaxEtagBytes = 1'024;
constexpr unsigned kMaxRedirects = 5;
constexpr size_t kMaxIdleHandles = 4;  // each keeps its connections
// A longer wait counts as this long: nobody waits for it, and sums of times cannot overflow.
constexpr std::chrono::seconds kMaxRetryAfter{86'400};

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

Url parse_url(const std::string& text) {
  Url url(curl_url());
  if (url && curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
  return url;
}

std::string part(const Url& url, CURLUPart which, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), which, &text, flags) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

bool same_origin(const Url& a, const Url& b) {
  return part(a, CURLUPART_SCHEME) == part(b, CURLUPART_SCHEME) &&
         iequals(part(a, CURLUPART_HOST), part(b, CURLUPART_HOST)) &&
         part(a, CURLUPART_PORT, CURLU_DEFAULT_PORT) == part(b, CURLUPART_PORT, CURLU_DEFAULT_PORT);
}

// One server to ask, and the way to it.
struct Hop {
  std::string url;
  std::string proxy;                   // empty: none
  std::optional<AddressKind> by_name;  // what the host says by itself

  explicit Hop(std::string to) : url(std::move(to)) {
    const Url parsed = parse_url(url);
    if (!parsed) return;
    std::string host = part(parsed, CURLUPART_HOST);
    by_name = kind_of_host_name(host);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    proxy = proxy_for(part(parsed, CURLUPART_SCHEME), host, process_environment());
  }
};

// Where a redirect leads, or nothing when it may not be followed. What the URL of the first server
// holds besides (a user's name and password) stays with that server.
std::optional<std::string> follow(const std::string& from, const char* to) {
  const Url old_url = parse_url(from);
  const Url new_url = to == nullptr ? nullptr : parse_url(to);
  if (!old_url || !new_url) return std::nullopt;
  const std::string scheme = part(new_url, CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  if (part(old_url, CURLUPART_SCHEME) == "https" && scheme != "https") return std::nullopt;
  if (!same_origin(old_url, new_url)) {
    curl_url_set(new_url.get(), CURLUPART_USER, nullptr, 0);
    curl_url_set(new_url.get(), CURLUPART_PASSWORD, nullptr, 0);
  }
  return part(new_url, CURLUPART_URL);
}

bool is_redirect(long status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// One exchange: what curl's callbacks work on.
struct Exchange {
  std::string body;
  uint64_t max_body_bytes = 0;
  bool too_large = false;
  // Set for every hop but the first: the only kind besides public ones that may be connected to.
  std::optional<AddressKind> allowed;
  // The socket's address is that of a proxy, which the operator chose; the name was judged instead.
  bool proxied = false;
  bool refused_address = false;
  const Job* job = nullptr;
  CURL* easy = nullptr;

  bool may_connect_socket(AddressKind kind) { return proxied || may_connect(kind); }
  bool may_connect(AddressKind kind) {
    const bool ok = !allowed || kind == AddressKind::kPublic ||
                    (kind == *allowed && kind != AddressKind::kSpecial);
    if (!ok) refused_address = true;
    return ok;
  }
};

size_t on_body(char* bytes, size_t one, size_t count, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  const size_t size = one * count;
  if (size > exchange.max_body_bytes - exchange.body.size()) {
    exchange.too_large = true;
    return 0;
  }
  exchange.body.append(bytes, size);
  curl_off_t announced = 0;
  curl_easy_getinfo(exchange.easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
  const uint64_t done = exchange.body.size();
  // What is announced of a packed body says nothing about the bytes unpacked.
  const bool known = announced > 0 && static_cast<uint64_t>(announced) >= done;
  exchange.job->tell(
      {.step = "fetching", .done = done, .total = known ? static_cast<uint64_t>(announced) : 0});
  return size;
}

curl_socket_t on_open_socket(void* context, curlsocktype, curl_sockaddr* to) {
  auto& exchange = *static_cast<Exchange*>(context);
  if (!exchange.may_connect_socket(kind_of_address(&to->addr, to->addrlen))) return CURL_SOCKET_BAD;
  return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

// Also asked for connections that are used again, where no socket is opened.
int on_request(void* context, char* remote, char* /*local*/, int, int) {
  auto& exchange = *static_cast<Exchange*>(context);
  return exchange.may_connect_socket(kind_of_address(remote)) ? CURL_PREREQFUNC_OK
                                                              : CURL_PREREQFUNC_ABORT;
}

// The header itself is read, because curl takes a number that does not fit for none.
std::optional<std::chrono::seconds> retry_after_of(CURL* easy) {
  curl_header* header = nullptr;
  if (curl_easy_header(easy, "Retry-After", 0, CURLH_HEADER, -1, &header) != CURLHE_OK) {
    return std::nullopt;
  }
  const std::string_view text = trim(header->value);
  int64_t wait = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), wait);
  if (error == std::errc::result_out_of_range && !text.starts_with('-')) {
    wait = kMaxRetryAfter.count();
  } else if (error != std::errc{} || end != text.data() + text.size()) {
    curl_off_t until = 0;  // a date
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &until);
    wait = until;
  }
  if (wait <= 0) return std::nullopt;
  return std::chrono::seconds(std::min<int64_t>(wait, kMaxRetryAfter.count()));
}

HttpProblem problem_of(CURLcode code, long status, const Exchange& exchange) {
  if (exchange.too_large) return HttpProblem::kTooLarge;
  if (exchange.refused_address) return HttpProblem::kBadRedirect;
  switch (code) {
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_SSL_CACERT_BADFILE:
      return HttpProblem::kMisconfigured;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_ISSUER_ERROR:
      return HttpProblem::kNotTrusted;
    case CURLE_FILESIZE_EXCEEDED:
      return HttpProblem::kTooLarge;
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_PARTIAL_FILE:
      return HttpProblem::kCut;
    case CURLE_OPERATION_TIMEDOUT:
      return status != 0 ? HttpProblem::kCut : HttpProblem::kTimedOut;
    default:
      return status != 0 ? HttpProblem::kCut : HttpProblem::kUnreachable;
  }
}

// A transfer of its own and the connections that it has kept. Used by one thread at a time.
class Handle {
 public:
  Handle() : multi_(curl_multi_init()), easy_(curl_easy_init()) {
    III_CHECK(multi_ != nullptr && easy_ != nullptr);
  }
  ~Handle() {
    curl_easy_cleanup(easy_);
    curl_multi_cleanup(multi_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  CURL* easy() const { return easy_; }

  // Nothing: stopped from outside.
  template <typename Stop>
  std::optional<CURLcode> perform(const Stop& stop) {
    curl_multi_add_handle(multi_, easy_);
    std::optional<CURLcode> result;
    int running = 1;
    while (!result && !stop()) {
      if (curl_multi_perform(multi_, &running) != CURLM_OK) {
        result = CURLE_FAILED_INIT;
        break;
      }
      int queued = 0;
      while (const CURLMsg* message = curl_multi_info_read(multi_, &queued)) {
        if (message->msg == CURLMSG_DONE) result = message->data.result;
      }
      if (!result && running > 0) curl_multi_poll(multi_, nullptr, 0, kPollMs, nullptr);
    }
    curl_multi_remove_handle(multi_, easy_);
    return result;
  }

 private:
  CURLM* multi_;
  CURL* easy_;
};

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using HeaderList = std::unique_ptr<curl_slist, ListDeleter>;

template <typename T>
void set(CURL* easy, CURLoption option, T value) {
  curl_easy_setopt(easy, option, value);
}

}  // namespace

struct Http::Impl {
  HttpOptions options;
  std::mutex mutex;
  std::vector<std::unique_ptr<Handle>> idle;  // under mutex

  std::unique_ptr<Handle> take() {
    const std::lock_guard lock(mutex);
    if (idle.empty()) return std::make_unique<Handle>();
    auto handle = std::move(idle.back());
    idle.pop_back();
    return handle;
  }
  void give_back(std::unique_ptr<Handle> handle) {
    const std::lock_guard lock(mutex);
    if (idle.size() < kMaxIdleHandles) idle.push_back(std::move(handle));
  }

  HeaderList prepare(CURL* easy, const HttpRequest& request, const Hop& to,
                     std::chrono::milliseconds left, Exchange& exchange) const;
  std::expected<HttpAnswer, HttpProblem> ask(Handle& handle, const HttpRequest& request,
                                             const Hop& to, std::chrono::milliseconds left,
                                             Exchange& exchange);
};

HeaderList Http::Impl::prepare(CURL* easy, const HttpRequest& request, const Hop& to,
                               std::chrono::milliseconds left, Exchange& exchange) const {
  curl_easy_reset(easy);  // keeps the connections
  set(easy, CURLOPT_URL, to.url.c_str());
  // Both are set, so that curl does not look at the environment itself.
  set(easy, CURLOPT_PROXY, to.proxy.c_str());
  set(easy, CURLOPT_NOPROXY, "");
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  set(easy, CURLOPT_NOSIGNAL, 1L);
  set(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
  set(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
  set(easy, CURLOPT_HTTP_CONTENT_DECODING, 1L);
  // A timeout of 0 would mean none at all.
  const auto total = std::max<long>(1, static_cast<long>(left.count()));
  set(easy, CURLOPT_TIMEOUT_MS, total);
  set(easy, CURLOPT_CONNECTTIMEOUT_MS,
      std::clamp<long>(static_cast<long>(options.connect_timeout.count()), 1, total));
  set(easy, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(request.max_body_bytes));
  if (!options.ca_file.empty()) set(easy, CURLOPT_CAINFO, options.ca_file.c_str());
  set(easy, CURLOPT_WRITEFUNCTION, &on_body);
  set(easy, CURLOPT_WRITEDATA, &exchange);
  set(easy, CURLOPT_OPENSOCKETFUNCTION, &on_open_socket);
  set(easy, CURLOPT_OPENSOCKETDATA, &exchange);
  set(easy, CURLOPT_PREREQFUNCTION, &on_request);
  set(easy, CURLOPT_PREREQDATA, &exchange);
  if (request.if_none_match.empty()) return nullptr;
  HeaderList headers(
      curl_slist_append(nullptr, ("If-None-Match: " + request.if_none_match).c_str()));
  set(easy, CURLOPT_HTTPHEADER, headers.get());
  return headers;
}

std::expected<HttpAnswer, HttpProblem> Http::Impl::ask(Handle& handle, const HttpRequest& request,
                                                       const Hop& to,
                                                       std::chrono::milliseconds left,
                                                       Exchange& exchange) {
  CURL* easy = handle.easy();
  exchange.easy = easy;
  const HeaderList headers = prepare(easy, request, to, left, exchange);
  const std::optional<CURLcode> code =
      handle.perform([&exchange] { return exchange.job->should_stop(); });
  HttpAnswer answer;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
  if (!code && exchange.job->is_cancelled()) return std::unexpected(HttpProblem::kStopped);
  if (!code) return std::unexpected(problem_of(CURLE_OPERATION_TIMEDOUT, answer.status, exchange));
  if (*code != CURLE_OK) return std::unexpected(problem_of(*code, answer.status, exchange));
  answer.retry_after = retry_after_of(easy);
  curl_header* etag = nullptr;
  if (curl_easy_header(easy, "ETag", 0, CURLH_HEADER, -1, &etag) == CURLHE_OK &&
      std::string_view(etag->value).size() <= kMaxEtagBytes) {
    answer.etag = etag->value;
  }
  answer.body = std::move(exchange.body);
  return answer;
}

Http::Http(HttpOptions options) : impl_(std::make_unique<Impl>()) {
  static std::once_flag once;
  std::call_once(once, [] { III_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK); });
  impl_->options = std::move(options);
}

Http::~Http() = default;

std::expected<HttpAnswer, HttpProblem> Http::get(const HttpRequest& request, const Job& job) {
  const auto end = std::chrono::steady_clock::now() + request.timeout;
  std::unique_ptr<Handle> handle = impl_->take();
  Hop hop(request.url);
  std::optional<AddressKind> allowed;
  std::expected<HttpAnswer, HttpProblem> answer;
  for (unsigned redirects = 0;; ++redirects) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    Exchange exchange{.max_body_bytes = request.max_body_bytes,
                      .allowed = allowed,
                      .proxied = !hop.proxy.empty(),
                      .job = &job};
    // Behind a proxy the name is all there is to judge; names of others are the proxy's to resolve.
    const AddressKind named = hop.by_name.value_or(AddressKind::kPublic);
    if (exchange.proxied && !exchange.may_connect(named)) {
      answer = std::unexpected(HttpProblem::kBadRedirect);
      break;
    }
    answer = impl_->ask(*handle, request, hop, std::min(left, job.left()), exchange);
    if (!answer || !is_redirect(answer->status)) break;
    char* address = nullptr;
    char* location = nullptr;
    curl_easy_getinfo(handle->easy(), CURLINFO_PRIMARY_IP, &address);
    curl_easy_getinfo(handle->easy(), CURLINFO_REDIRECT_URL, &location);
    if (!allowed) allowed = exchange.proxied ? named : kind_of_address(address);
    const std::optional<std::string> next = follow(hop.url, location);
    if (!next || redirects >= kMaxRedirects) {
      answer = std::unexpected(HttpProblem::kBadRedirect);
      break;
    }
    hop = Hop(*next);
  }
  // A transfer that went wrong half-way leaves nothing behind but a closed connection.
  impl_->give_back(std::move(handle));
  return answer;
}

}  // namespace iii::sources
