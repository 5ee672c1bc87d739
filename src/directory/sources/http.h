// GET over HTTP(S) with libcurl: bounded in time, size and redirects; connections are kept.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>

#include "directory/sources/progress.h"

namespace iii::sources {

struct HttpOptions {
  std::string user_agent;
  std::string ca_file;  // empty: the system's
  std::chrono::milliseconds connect_timeout{10'000};
  unsigned max_redirects = 5;
  size_t idle_handles = 4;  // each keeps its connections
};

struct HttpRequest {
  std::string url;
  std::string if_none_match;  // empty: not sent
  std::chrono::milliseconds timeout{60'000};
  uint64_t max_body_bytes = 1024 * 1024;  // unpacked
};

struct HttpAnswer {
  long status = 0;
  std::string body;
  std::string etag;
  std::optional<std::chrono::seconds> retry_after;
};

// Why there is no whole answer. None of these names a host.
enum class HttpProblem {
  kUnreachable,  // no connection, or lost before the answer began
  kTimedOut,     // no answer in time
  kCut,          // the answer began and did not end properly (also: in time)
  kTooLarge,
  kBadRedirect,    // too many, another scheme, or into a network that is not the server's own
  kNotTrusted,     // TLS
  kMisconfigured,  // the URL or the CA file cannot be used
  kStopped,        // cancelled
};

// From any thread; calls at the same time use handles of their own. Redirects are followed only to
// http(s), never from https to http, and never to an address of another kind than the first
// server's unless it is public: a public registry cannot point us into the user's network. The
// address looked at is the one really connected to. Behind a proxy of the environment it is what
// the host's name says by itself: addresses and names of this machine are refused there.
class Http {
 public:
  explicit Http(HttpOptions options);
  ~Http();
  Http(const Http&) = delete;
  Http& operator=(const Http&) = delete;

  std::expected<HttpAnswer, HttpProblem> get(const HttpRequest& request, const Job& job);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace iii::sources
