// A worker of the C++ SDK that does what the test tells it: observer_worker ADDRESS NAME
//
// Commands come as calls of NAME::do, so the bus itself carries them. They are those of
// observer_worker.py, as far as the SDKs agree.
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bus/sdk/worker.h"
#include "foundation/json/write.h"

namespace sdk = iii::sdk;
namespace json = iii::json;
using iii::Millis;
using iii::Result;

namespace {

std::string text_of(const json::Value& given, std::string_view key) {
  const json::Value* member = given.find(key);
  return member && member->as_string() ? *member->as_string() : std::string();
}

std::optional<uint64_t> count_of(const json::Value& given, std::string_view key) {
  const json::Value* member = given.find(key);
  if (!member || !member->as_int()) return std::nullopt;
  return static_cast<uint64_t>(*member->as_int());
}

std::optional<json::Raw> raw_of(const json::Value& given, std::string_view key) {
  const json::Value* member = given.find(key);
  if (!member) return std::nullopt;
  return json::Raw{json::to_text(*member)};
}

bool is_true(const json::Value& given, std::string_view key) {
  const json::Value* member = given.find(key);
  return member && member->as_bool() && *member->as_bool();
}

json::Value parsed(const json::Raw& raw) { return json::parse(raw.text).value_or(json::Value()); }

json::Value without_caller(json::Value value) {
  if (json::Object* object = value.as_object()) object->erase("_caller_worker_id");
  return value;
}

class Commands {
 public:
  explicit Commands(sdk::Worker& worker) : worker_(worker) {}

  sdk::Task<Result<json::Value>> run(sdk::Call call, json::Raw in) {
    const json::Value given = parsed(in);
    const std::string op = text_of(given, "op");
    const std::string id = text_of(given, "id");
    if (op == "source") co_return source(given);
    if (op == "target") co_return target(given);
    if (op == "observe") co_return observe(given);
    if (op == "state") co_return state(id);
    if (op == "seen") co_return seen_.at(text_of(given, "function_id"))->seen;
    if (op == "hooks") co_return hooks_;
    if (op == "dispose") co_return dispose(id);
    if (op == "unregister") co_return worker_.unregister_function(text_of(given, "function_id"));
    if (op != "call") co_return iii::fail("", "no command called " + op);
    const json::Raw payload = raw_of(given, "payload").value_or(json::Raw{});
    const sdk::Reply<json::Raw> reply =
        co_await call.trigger(text_of(given, "function_id"), payload);
    if (!reply) co_return std::unexpected(reply.error());
    co_return parsed(*reply);
  }

 private:
  struct Target {
    json::Array seen;
    int running = 0;
  };

  // A function that echoes its input, or fails when it says so. `refuse`: no observer is accepted.
  Result<json::Value> source(const json::Value& given) {
    const std::string id = text_of(given, "function_id");
    auto added = [this, refuse = is_true(given, "refuse")](
                     const sdk::HostedObserver& observer) -> Result<void> {
      hooks_.push_back(json::Array{"added", observer.id, parsed(observer.args)});
      if (refuse) return iii::fail("TOPIC_FORBIDDEN", "no");
      return {};
    };
    auto removed = [this](const sdk::HostedObserver& observer) {
      hooks_.push_back(json::Array{"removed", observer.id});
    };
    worker_.on_observed(id, {.on_added = added, .on_removed = removed});
    auto echo = [](json::Raw in) -> Result<json::Value> {
      json::Value value = parsed(in);
      if (is_true(value, "fail")) return iii::fail("FAILED", "failed as asked");
      return without_caller(std::move(value));
    };
    return registered(worker_.function(id, "Echoes its input.", echo));
  }

  // A function that writes down every activation.
  Result<json::Value> target(const json::Value& given) {
    const std::string id = text_of(given, "function_id");
    auto log = seen_[id] = std::make_shared<Target>();
    const json::Value* takes = given.find("takes_s");
    const Millis ms(takes && takes->as_double() ? static_cast<int64_t>(*takes->as_double() * 1000)
                                                : 0);
    auto handler = [log, ms, calls = text_of(given, "calls")](sdk::Call call, json::Raw data) {
      return note(call, data, log, ms, calls);
    };
    return registered(worker_.function(id, "Writes down what it gets.", handler));
  }

  static sdk::Task<Result<json::Value>> note(sdk::Call call, json::Raw data,
                                             std::shared_ptr<Target> log, Millis takes,
                                             std::string calls) {
    const std::optional<json::Raw> metadata = call.metadata();
    log->seen.push_back(json::Object{{"data", parsed(data)},
                                     {"metadata", metadata ? parsed(*metadata) : json::Value()},
                                     {"depth", call.observe_depth()},
                                     {"running", ++log->running}});
    if (!calls.empty()) co_await call.trigger(calls, json::Raw{R"({"again":true})"});
    if (takes > Millis(0)) co_await call.sleep(takes);
    --log->running;
    co_return json::Value();
  }

  Result<json::Value> observe(const json::Value& given) {
    const json::Value none;
    const json::Value& from = given.find("source") ? *given.find("source") : none;
    const json::Value& options = given.find("options") ? *given.find("options") : none;
    sdk::ObserveSpec spec;
    spec.id = text_of(given, "id");
    spec.function_id = text_of(from, "function_id");
    spec.args = raw_of(from, "args");
    spec.filters = raw_of(from, "filters");
    if (const json::Value* capture = from.find("capture")) {
      spec.capture.emplace();
      for (const json::Value& part : *capture->as_array())
        spec.capture->push_back(*part.as_string());
    }
    spec.on = text_of(from, "on");
    spec.deliver = text_of(from, "deliver");
    spec.target = text_of(given, "target");
    spec.metadata = raw_of(options, "metadata");
    spec.max_fires = count_of(options, "max_fires");
    spec.expires_in_ms = count_of(options, "expires_in_ms");
    spec.max_in_flight = count_of(options, "max_in_flight");
    // The SDK forgets an observer that is over; tests ask for its last state all the same.
    spec.on_state = [this, id = spec.id](const sdk::ObserverStatus& now) { states_[id] = now; };
    states_[spec.id] = {};
    Result<std::string> id = worker_.observe(std::move(spec));
    if (!id) return std::unexpected(id.error());
    return *id;
  }

  // The SDK says no more of an observer that its owner has ended.
  json::Value dispose(const std::string& id) {
    if (!worker_.unobserve(id)) return false;
    states_[id] = {.state = "disposed", .reason = iii::Error{"UNOBSERVED", ""}, .fires = 0};
    return true;
  }

  json::Value state(const std::string& id) const {
    const sdk::ObserverStatus& now = states_.at(id);
    return json::Array{now.state, now.reason ? json::Value(now.reason->code) : json::Value()};
  }

  static Result<json::Value> registered(const Result<void>& done) {
    if (!done) return std::unexpected(done.error());
    return json::Value();
  }

  sdk::Worker& worker_;
  std::map<std::string, std::shared_ptr<Target>> seen_;
  std::map<std::string, sdk::ObserverStatus> states_;
  json::Array hooks_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: observer_worker ADDRESS NAME\n", stderr);
    return 2;
  }
  sdk::WorkerOptions options;
  options.url = argv[1];
  options.name = argv[2];
  sdk::Worker worker(options);
  Commands commands(worker);
  worker.function(std::string(argv[2]) + "::do", "Does what the test says.",
                  [&](sdk::Call call, json::Raw in) { return commands.run(call, std::move(in)); });
  std::puts("ready");
  std::fflush(stdout);
  return worker.run();
}
