#include "directory/sources/registry_client.h"

#include <algorithm>
#include <random>
#include <thread>

#include "foundation/base/log.h"
#include "foundation/json/value.h"

namespace iii::sources {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstRetryPause{250};
constexpr milliseconds kLongestRetryPause{5'000};
constexpr double kJitter = 0.3;
constexpr milliseconds kWaitSlice{50};  // how soon a cancelled job is noticed

std::string without_slashes(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

// A time-out has used up the time there was; a complete body that is not JSON will not be JSON
// the next time either.
bool is_worth_retrying(HttpProblem problem) {
  return problem == HttpProblem::kUnreachable || problem == HttpProblem::kCut;
}
bool is_worth_retrying(long status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

constexpr uint64_t kEntryOverhead = 256;  // nodes, pointers, counts

bool is_answer(long status) { return (status >= 200 && status < 300) || status == 404; }

}  // namespace

RegistryClock RegistryClock::real() {
  RegistryClock clock;
  clock.now = [] { return std::chrono::steady_clock::now(); };
  clock.sleep = [](milliseconds pause, const Job& job) {
    const auto end = std::chrono::steady_clock::now() + pause;
    while (!job.should_stop() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::min(pause, kWaitSlice));
    }
  };
  clock.random = [] {
    thread_local std::minstd_rand source{std::random_device{}()};
    return std::uniform_real_distribution<double>(-1.0, 1.0)(source);
  };
  return clock;
}

std::string form_encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '*';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string request_target(std::string path,
                           const std::vector<std::pair<std::string_view, std::string>>& query) {
  char separator = '?';
  for (const auto& [key, value] : query) {
    if (value.empty()) continue;
    path += separator;
    path += key;
    path += '=';
    path += form_encode(value);
    separator = '&';
  }
  return path;
}

uint64_t RegistryCache::cost(const std::pair<std::string, CachedAnswer>& entry) {
  const CachedAnswer& answer = entry.second;
  return kEntryOverhead + 2 * entry.first.size() + answer.etag.size() +
         (answer.body != nullptr ? answer.body->size() : 0);
}

void RegistryCache::erase(Order::iterator entry) {
  bytes_ -= cost(*entry);
  places_.erase(entry->first);
  order_.erase(entry);
}

CachedAnswer* RegistryCache::find(std::string_view key) {
  const auto place = places_.find(key);
  if (place == places_.end()) return nullptr;
  order_.splice(order_.begin(), order_, place->second);
  return &place->second->second;
}

void RegistryCache::put(const std::string& key, CachedAnswer answer) {
  if (const auto place = places_.find(key); place != places_.end()) erase(place->second);
  std::pair<std::string, CachedAnswer> entry(key, std::move(answer));
  const uint64_t size = cost(entry);
  if (size > max_bytes_ || max_entries_ == 0) return;
  while (!order_.empty() && (order_.size() >= max_entries_ || bytes_ + size > max_bytes_)) {
    erase(std::prev(order_.end()));
  }
  order_.push_front(std::move(entry));
  places_.emplace(key, order_.begin());
  bytes_ += size;
}

RegistryClient::RegistryClient(const RegistryOptions& options, RegistryClock clock)
    : options_(options),
      base_(without_slashes(options.url)),
      clock_(std::move(clock)),
      http_({.user_agent = std::string("iii-directory/") + III_VERSION,
             .ca_file = options.ca_file,
             .connect_timeout = options.connect_timeout}),
      cache_(options.cache_entries, options.cache_bytes) {}

bool RegistryClient::is_fresh(const CachedAnswer& answer) const {
  const milliseconds life =
      answer.found ? options_.cache_ttl : std::min(options_.negative_ttl, options_.cache_ttl);
  return clock_.now() - answer.asked_at < life;
}

bool RegistryClient::may_stand_in(const CachedAnswer& answer) const {
  return answer.found && clock_.now() - answer.asked_at < options_.stale_for;
}

// Under the lock.
std::optional<Fetched> RegistryClient::cached(const std::string& target, const FetchOptions& how) {
  const CachedAnswer* answer = how.from_cache ? cache_.find(target) : nullptr;
  if (answer == nullptr) return std::nullopt;
  if (is_fresh(*answer)) return Fetched{.found = answer->found, .body = answer->body};
  // A registry that could not be reached a moment ago is not waited for.
  const bool just_failed =
      answer->failed_at && clock_.now() - *answer->failed_at < options_.negative_ttl;
  if (just_failed && may_stand_in(*answer)) return Fetched{.body = answer->body, .stale = true};
  return std::nullopt;
}

bool RegistryClient::wait_for(Flight& flight, const Job& job, std::unique_lock<std::mutex>& lock) {
  while (!flight.done) {
    if (job.should_stop()) return false;
    landed_.wait_for(lock, std::min(kWaitSlice, job.left()));
  }
  return true;
}

RegistryClient::FetchResult RegistryClient::fetch(const std::string& target,
                                                  const FetchOptions& how, const Job& job) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (auto known = cached(target, how)) return *known;
    const auto other = flights_.find(target);
    if (other == flights_.end()) break;
    const std::shared_ptr<Flight> flight = other->second;
    if (!wait_for(*flight, job, lock)) {
      return std::unexpected(RegistryFailure{.problem = HttpProblem::kStopped});
    }
    // A download never takes an old answer that stood in for the one who asked.
    const bool unfit =
        !how.from_cache && flight->outcome && *flight->outcome && (*flight->outcome)->stale;
    if (!flight->abandoned && !unfit) return *flight->outcome;
  }
  const auto flight = std::make_shared<Flight>();
  flights_.emplace(target, flight);
  std::optional<CachedAnswer> before;
  if (const CachedAnswer* answer = cache_.find(target)) before = *answer;

  lock.unlock();
  std::expected<HttpAnswer, RegistryFailure> answer;
  try {
    answer = ask(target, before && before->found ? before->etag : std::string(), how, job);
  } catch (...) {
    lock.lock();
    flight->abandoned = true;
    land(target, *flight);
    throw;
  }
  lock.lock();
  FetchResult outcome = settle(target, before, std::move(answer), how);
  flight->abandoned = !outcome && job.should_stop();
  flight->outcome = outcome;
  land(target, *flight);
  return outcome;
}

void RegistryClient::land(const std::string& target, Flight& flight) {
  flight.done = true;
  flights_.erase(target);
  landed_.notify_all();
}

RegistryClient::FetchResult RegistryClient::settle(
    const std::string& target, const std::optional<CachedAnswer>& before,
    std::expected<HttpAnswer, RegistryFailure> answer, const FetchOptions& how) {
  if (!answer) {
    if (!before || !answer.error().is_passing()) return std::unexpected(answer.error());
    CachedAnswer old = *before;
    old.failed_at = clock_.now();
    cache_.put(target, old);
    if (!how.from_cache || !may_stand_in(old)) return std::unexpected(answer.error());
    log_warn("the registry cannot be reached; a cached answer is used");
    return Fetched{.body = old.body, .stale = true};
  }
  CachedAnswer fresh{.found = answer->status != 404, .asked_at = clock_.now()};
  if (answer->status == 304) {
    fresh.body = before->body;
    fresh.etag = before->etag;
  } else if (fresh.found) {
    fresh.body = std::make_shared<const std::string>(std::move(answer->body));
    fresh.etag = std::move(answer->etag);
  }
  if (options_.cache_ttl.count() > 0) cache_.put(target, fresh);
  return Fetched{.found = fresh.found, .body = fresh.body};
}

std::optional<milliseconds> RegistryClient::pause_after(const RegistryFailure& failure,
                                                        unsigned attempt) {
  if (attempt >= options_.retries) return std::nullopt;
  if (failure.retry_after) return *failure.retry_after;
  const milliseconds grown = kFirstRetryPause * (int64_t{1} << std::min(attempt, 10U));
  const auto base = static_cast<double>(std::min(grown, kLongestRetryPause).count());
  return milliseconds(static_cast<int64_t>(base + base * kJitter * clock_.random()));
}

std::expected<HttpAnswer, RegistryFailure> RegistryClient::ask(const std::string& target,
                                                               const std::string& etag,
                                                               const FetchOptions& how,
                                                               const Job& job) {
  job.tell({.step = "asking"});
  const auto end = clock_.now() + std::min(options_.timeout, job.left());
  for (unsigned attempt = 0;; ++attempt) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - clock_.now());
    auto answer = http_.get({.url = base_ + target,
                             .if_none_match = etag,
                             .timeout = left,
                             .max_body_bytes = how.max_bytes},
                            job);
    RegistryFailure failure;
    bool again = false;
    if (answer) {
      if (answer->status == 404 || (answer->status == 304 && !etag.empty())) return *answer;
      if (is_answer(answer->status)) {
        if (json::validate(answer->body)) return *answer;
        failure = kUndecodable;
      } else {
        failure = {.status = answer->status, .retry_after = answer->retry_after};
        again = is_worth_retrying(answer->status);
      }
    } else {
      failure = {.problem = answer.error()};
      again = is_worth_retrying(answer.error());
    }
    const auto pause = again ? pause_after(failure, attempt) : std::nullopt;
    if (!pause || *pause >= end - clock_.now()) return std::unexpected(failure);
    clock_.sleep(*pause, job);
    if (job.should_stop()) return std::unexpected(failure);
  }
}

}  // namespace iii::sources
