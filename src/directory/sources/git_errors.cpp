#include "directory/sources/git_errors.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxSummaryBytes = 200;

Error git_error(std::string_view what) {
  return {.code = "D321", .message = "D321 git_error: " + std::string(what)};
}

struct Known {
  std::string_view sign;  // in git's words, with LC_ALL=C
  std::string_view code;
  std::string_view message;
};

constexpr std::string_view kNoRepository =
    "D310 not_found: there is no such repository, or it is not public. Next: check the repo URL; "
    "for a private repository use its ssh URL, or set `git_credential_helper` in the configuration";
constexpr std::string_view kNoAccess =
    "the server refuses access. Next: for a private repository use its ssh URL with a key that ssh "
    "finds by itself, or set `git_credential_helper` in the configuration";
constexpr std::string_view kUnreachable =
    "the server cannot be reached. Next: check the repo URL and the network, or retry shortly";

// The first that fits counts.
constexpr std::array kKnown = {
    Known{"returned error: 404", "D310", kNoRepository},
    Known{"' not found", "D310", kNoRepository},
    Known{"Repository not found", "D310", kNoRepository},
    Known{"does not appear to be a git repository", "D310", kNoRepository},
    Known{"terminal prompts disabled", "D321",
          "the server asks for a user name and a password. Next: check the URL; for a private "
          "repository use its ssh URL with a key that ssh finds by itself, or set "
          "`git_credential_helper` in the configuration"},
    Known{"Authentication failed", "D321", kNoAccess},
    Known{"returned error: 403", "D321", kNoAccess},
    Known{"Permission denied (", "D321",
          "the server took none of our ssh keys. Next: add a key to ssh-agent, or name one in the "
          "ssh configuration, and see that it may read this repository"},
    Known{"Host key verification failed", "D321",
          "ssh does not know this server. Next: connect once by hand, check its key, and try "
          "again"},
    Known{"REMOTE HOST IDENTIFICATION HAS CHANGED", "D321",
          "the server shows another ssh key than before. Next: find out why before you trust it"},
    Known{"certificate", "D321",
          "the server's certificate is not trusted. Next: for a server of your own, name its "
          "certificate authority in the configuration (`ca_file`)"},
    // One text for all: whether a name exists or a port is open is nobody's business.
    Known{"Could not resolve host", "D321", kUnreachable},
    Known{"Failed to connect", "D321", kUnreachable},
    Known{"Connection refused", "D321", kUnreachable},
    Known{"Connection timed out", "D321", kUnreachable},
    Known{"No route to host", "D321", kUnreachable},
    Known{"Network is unreachable", "D321", kUnreachable},
    Known{"Operation too slow", "D321",
          "the server stopped sending and the connection timed out. Next: retry shortly"},
    Known{"not our ref", "D310",
          "D310 not_found: the repository has no such commit. Next: check the commit, or ask for a "
          "branch or a tag"},
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  if (what.empty()) return;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

// The host of `https://host:1/…`, `ssh://u@host/…`, `git@host:…`.
std::string host_of(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme != std::string_view::npos) url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find('/'));
  if (const size_t at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  return std::string(url.substr(0, url.find(':')));
}

bool is_url_end(char c) { return c == ' ' || c == '\'' || c == '"' || c == '<' || c == '>'; }

// Words that are addresses or absolute paths.
std::string without_places(std::string_view line) {
  std::string clean;
  for (size_t at = 0; at < line.size();) {
    const size_t end =
        static_cast<size_t>(std::ranges::find_if(line.substr(at), is_url_end) - line.begin());
    const std::string_view word = line.substr(at, end - at);
    const bool place = has(word, "://") || has(word, "@") || word.starts_with('/');
    clean += place ? std::string_view("…") : word;
    at = end;
    if (at < line.size()) clean += line[at++];
  }
  return clean;
}

// `error: RPC failed; HTTP 500 …` or `The requested URL returned error: 500`.
std::string status_of(std::string_view errors) {
  for (const std::string_view sign : {"returned error: ", "; HTTP "}) {
    const size_t at = errors.find(sign);
    if (at == std::string_view::npos) continue;
    const std::string_view digits = errors.substr(at + sign.size(), 3);
    const bool number = digits.size() == 3 &&
                        std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    if (number) return std::string(digits);
  }
  return {};
}

bool is_too_large(const Ran& ran) {
  return ran.ending == Ending::kStopped ||
         (ran.ending == Ending::kSignalled && ran.signal == SIGXFSZ) ||
         has(ran.errors, "died of signal 25") || has(ran.errors, "File too large");
}

Error not_started(int why) {
  if (why == ENOENT) {
    return git_error("the program git was not found. Next: install git, or put it into PATH");
  }
  return git_error("the program git could not be started. Next: see that git runs here at all");
}

Error failed(const Ran& ran, const GitFailure& about) {
  for (const Known& known : kKnown) {
    if (!has(ran.errors, known.sign)) continue;
    if (known.code == "D321") return git_error(known.message);
    return {std::string(known.code), std::string(known.message)};
  }
  if (is_redirect(ran.errors)) {
    return git_error(
        "the server sends us to another address, which is not followed. Next: give the address "
        "that it leads to");
  }
  if (const std::string status = status_of(ran.errors); !status.empty()) {
    return git_error("the server answered with status " + status + ". Next: retry shortly");
  }
  const std::string words = summary_of(ran.errors, about);
  return git_error("git failed" + (words.empty() ? "" : ": " + words) +
                   ". Next: check the repo URL, or retry shortly");
}

}  // namespace

bool is_redirect(std::string_view errors) {
  return has(errors, "returned error: 301") || has(errors, "returned error: 302") ||
         has(errors, "returned error: 303") || has(errors, "returned error: 307") ||
         has(errors, "returned error: 308") || has(errors, "unable to update url base from");
}

bool is_unadvertised(std::string_view errors) {
  return has(errors, "unadvertised object") || has(errors, "not our ref");
}

std::string summary_of(std::string_view errors, const GitFailure& about) {
  std::string_view best;
  for (const std::string_view raw : split(errors, '\n')) {
    const std::string_view line = trim(raw);
    const bool plain = line.starts_with("fatal: ") || line.starts_with("error: ");
    if (plain) {
      best = line.substr(line.find(' ') + 1);
      break;
    }
    const bool noise = line.empty() || line.starts_with("warning:") || line.starts_with("hint:") ||
                       line.starts_with("remote:");
    if (best.empty() && !noise) best = line;
  }
  std::string text = printable(best);
  replace_all(text, about.url, "…");
  replace_all(text, about.scratch, "…");
  text = without_places(text);
  if (const std::string host = host_of(about.url); host.size() > 1) replace_all(text, host, "…");
  while (text.ends_with('.')) text.pop_back();
  if (text.size() > kMaxSummaryBytes) {
    size_t end = kMaxSummaryBytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    text = text.substr(0, end) + "…";
  }
  return text;
}

Error explain_git(const Ran& ran, const GitFailure& about) {
  if (is_too_large(ran)) {
    return {.code = "D312",
            .message = "D312 invalid_bundle: the repository needs more than " +
                       std::to_string(about.max_clone_bytes) +
                       " bytes on the disk while it is fetched. Next: raise `max_clone_bytes`, or "
                       "use a smaller repository"};
  }
  switch (ran.ending) {
    case Ending::kTimedOut:
      return git_error("git timed out after " + std::to_string(about.allowed.count()) +
                       " ms. Next: retry, or raise `download_timeout_ms`");
    case Ending::kCancelled:
      return git_error("the download was cancelled");
    case Ending::kTooMuch:
      return {.code = "D312",
              .message =
                  "D312 invalid_bundle: the repository lists more branches or files than we "
                  "take in. Next: use a smaller repository"};
    case Ending::kNotStarted:
      return not_started(ran.start_error);
    case Ending::kSignalled:
      return git_error("git was ended by signal " + std::to_string(ran.signal) +
                       ". Next: retry shortly");
    case Ending::kExited:
    case Ending::kStopped:
      break;
  }
  return failed(ran, about);
}

}  // namespace iii::sources
