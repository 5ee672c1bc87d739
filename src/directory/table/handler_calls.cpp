#include "directory/table/handler_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "directory/library/cause.h"
#include "directory/library/latch.h"
#include "directory/table/bus_hints.h"
#include "directory/table/bus_namespaces.h"

namespace iii::directory {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kRepeatInfoTimeout{2'000};

}  // namespace

struct HandlerCalls::Attempts {
  Context context;
  std::string function_id;
  std::string payload;
  milliseconds timeout{0};
  Clock::time_point begin = Clock::now();
  int under_way = 0;
  enum class Repeat { kNotDue, kNotAllowed, kDone } repeat = Repeat::kNotDue;
  std::optional<sdk::Reply<json::Raw>> reply = {};  // the first that counts
  Latch done = {};
};

// A time-out of one attempt leaves the other its chance.
task::Task<void> HandlerCalls::attempt(AttemptsPtr attempts, milliseconds timeout) {
  ++attempts->under_way;
  sdk::Reply<json::Raw> reply = co_await call_by_id(
      engine_, attempts->context, attempts->function_id, attempts->payload, timeout);
  --attempts->under_way;
  const bool timed_out = !reply && reply.error().code == sdk::kTimeout;
  if (attempts->reply || (timed_out && attempts->under_way > 0)) co_return;
  attempts->reply = std::move(reply);
  attempts->done.open();
}

task::Task<bool> HandlerCalls::may_repeat(AttemptsPtr attempts) {
  const json::Value question = json::Object{{"function_id", attempts->function_id}};
  const sdk::Reply<json::Raw> reply = co_await engine_.call(
      attempts->context, "engine::functions::info", question, kRepeatInfoTimeout);
  const Result<json::Value> row = reply ? json::parse(reply->text) : Result<json::Value>();
  const std::optional<Hints> hints = row ? hints_of_row(*row) : std::nullopt;
  co_return hints && (hints->read_only || hints->idempotent);
}

task::Task<void> HandlerCalls::attempt_again(AttemptsPtr attempts) {
  co_await engine_.sleep(std::min(kAskAgainAfter, attempts->timeout / 4));
  if (attempts->reply) co_return;
  const bool allowed = co_await may_repeat(attempts);
  if (attempts->reply) co_return;
  attempts->repeat = allowed ? Attempts::Repeat::kDone : Attempts::Repeat::kNotAllowed;
  const auto spent = std::chrono::duration_cast<milliseconds>(Clock::now() - attempts->begin);
  if (allowed && spent < attempts->timeout) {
    co_await attempt(attempts, attempts->timeout - spent);
  }
}

task::Task<Result<json::Raw>> HandlerCalls::call(Context context, std::string function_id,
                                                 std::string payload, milliseconds timeout) {
  const auto attempts = std::make_shared<Attempts>(Attempts{.context = std::move(context),
                                                            .function_id = std::move(function_id),
                                                            .payload = std::move(payload),
                                                            .timeout = timeout});
  tasks_.spawn(attempt(attempts, timeout));
  if (!attempts->reply) tasks_.spawn(attempt_again(attempts));
  const Latch done = attempts->done;
  co_await done;
  sdk::Reply<json::Raw>& reply = *attempts->reply;
  if (reply) co_return std::move(*reply);
  std::string why = cause_of(reply.error(), timeout);
  if (reply.error().code == sdk::kTimeout) {
    why += attempts->repeat == Attempts::Repeat::kDone
               ? "; it was called a second time, and did not answer either"
               : "; it was not called a second time, because its metadata does not say that it is "
                 "read-only or idempotent (`mcp.read_only_hint`, `mcp.idempotent_hint`)";
  }
  co_return fail(reply.error().code, std::move(why));
}

}  // namespace iii::directory
