// The console of `serve`: a page for people, below /console.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/client_shares.h"
#include "bus/net/http_router.h"
#include "bus/net/loop.h"
#include "faces/console/assets.h"
#include "faces/console/calls.h"
#include "faces/console/events.h"
#include "faces/console/host.h"
#include "faces/console/page.h"
#include "faces/console/sessions.h"

namespace iii::console {

struct ConsoleOptions {
  std::string token = {};  // empty: nobody needs one
  // The page is read from this folder instead of the program; for those who change it.
  std::filesystem::path folder = {};
  CallLimits calls = {};
  EventLimits events = {};
  SessionLimits sessions = {};
  // Where calls count as long as they run; null: a budget of their own.
  std::shared_ptr<net::ClientMemory> memory = nullptr;
};

// On the loop thread. Outlives the HTTP server that calls it.
class Console {
 public:
  Console(net::Loop& loop, ConsoleOptions options);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void add_to(net::HttpRouter& router);
  // Before this, every request is answered with 503.
  void open(Host host);
  void shut_down();

  // Whether it is worth finding out what happens on the bus.
  bool anybody_listens() const { return events_ && events_->anybody_listens(); }
  void worker_changed(bool connected, std::string_view name, std::string_view id);
  // `more`: how many ids are not named.
  void functions_changed(bool added, const std::vector<std::string>& ids, uint64_t more);

 private:
  using Request = net::HttpRequest;
  using ResponsePtr = std::shared_ptr<net::HttpResponse>;

  void page(const Request& request, const ResponsePtr& response);
  void boot(const Request& request, const ResponsePtr& response);
  void asset(const Request& request, const ResponsePtr& response) const;
  Boot full_boot() const;
  void listen(const Request& request, const ResponsePtr& response);
  void begin_session(const Request& request, const ResponsePtr& response);
  void end_session(const Request& request, const ResponsePtr& response);
  void beat();
  void tell_samples();
  uint64_t count_sessions() const;
  void look_at_functions(bool first);
  std::optional<std::string> session_of(const Request& request) const;
  bool is_let_in(const Request& request) const;
  std::optional<net::HttpAnswer> check_session(const Request& head) const;

  net::Loop& loop_;
  const ConsoleOptions options_;
  const Assets assets_;
  const Page page_;
  const std::chrono::steady_clock::time_point started_;
  const int64_t started_ms_;  // since 1970
  Host host_;
  bool open_ = false;
  Sessions sessions_;
  std::optional<uint64_t> next_second_;  // to tell of
  uint64_t worker_events_ = 0;           // in this second
  uint64_t mcp_sessions_ = 0;            // as told last
  std::optional<Calls> calls_;
  std::optional<Events> events_;
  directory::ChangeHub::Subscription changes_;
};

}  // namespace iii::console
