#include "directory/library/installed_workers.h"

#include <algorithm>
#include <utility>

#include "directory/library/engine_rows.h"
#include "directory/library/nearby.h"
#include "foundation/json/value.h"

namespace iii::directory {

namespace {

// R51: entries without a string `name` are left out; any other shape means that nothing is
// installed.
void add_names_in(const std::string& answer, NameSet& names) {
  const json::Value value = parsed_answer(answer);
  for (const json::Value& row : rows_of(value, "workers")) {
    if (auto name = text_in(row, "name")) names.insert(std::move(*name));
  }
}

}  // namespace

bool InstalledWorkers::is_fresh() const { return asked_at_ && now_() - *asked_at_ < options_.ttl; }

bool InstalledWorkers::recently_failed() const {
  const auto pause = std::max(options_.ttl, options_.retry_after);
  return failed_at_ && now_() - *failed_at_ < pause;
}

void InstalledWorkers::set_options(InstalledWorkersOptions options) {
  options_ = options;
  asked_at_.reset();
  failed_at_.reset();
}

task::Task<NamesPtr> InstalledWorkers::for_filter(bool fresh) {
  if (!options_.filter) co_return nullptr;
  co_return co_await names(fresh);
}

task::Task<NamesPtr> InstalledWorkers::for_resolution() {
  NamesPtr known = co_await names(false);
  co_return known != nullptr ? known : std::make_shared<const NameSet>();
}

task::Task<NamesPtr> InstalledWorkers::names(bool fresh) {
  if ((is_fresh() && !fresh) || recently_failed()) co_return known_;
  // A question that was refused at once may be older than whoever could have answered it: those who
  // waited for it ask again, together and once.
  for (bool again = false; asking_.is_under_way(); again = true) {
    const Latch end = asking_.end();
    co_await end;
    if (!refused_ || again) co_return known_;
  }
  const SingleFlight::Flight flight = asking_.begin();
  const sdk::Reply<json::Raw> reply =
      co_await ask_nearby(worker_, "worker::list", json::Raw{"{}"}, options_.timeout);
  // Who has waited in vain once does not wait again.
  std::optional<std::vector<std::string>> containers;
  if (reply || reply.error().code != sdk::kTimeout) {
    containers = co_await compose_containers(worker_, options_.timeout);
  }
  if (reply || containers) {
    auto names = std::make_shared<NameSet>();
    if (options_.own_page) names->insert("iii-directory");
    if (reply) add_names_in(reply->text, *names);
    if (containers) names->insert(containers->begin(), containers->end());
    known_ = std::move(names);
    asked_at_ = now_();
    failed_at_.reset();
    refused_ = false;
  } else {
    // A quick refusal costs nothing, so it may be asked again; a silence must not be waited for
    // twice.
    refused_ = reply.error().code != sdk::kTimeout;
    if (!refused_) failed_at_ = now_();
    if (options_.filter) {
      failure_log_.warn("worker::list is not available ({}), nor compose::status; {}",
                        reply.error().code,
                        known_ != nullptr ? "the last answer is used" : "skills are not filtered");
    }
  }
  co_return known_;
}

}  // namespace iii::directory
