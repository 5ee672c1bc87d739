// Who wants to hear of changes, and what each is told. Pure but for the timer that gathers changes.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/timers.h"
#include "library/change_hub.h"

namespace iii::mcp {

struct Subscriber {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  // Addresses in our spelling → as the client wrote them.
  std::map<std::string, std::string, std::less<>> uris = {};
  std::string subscription_id = {};  // JSON text; empty in the handshake dialect
  std::function<void(std::string message)> send = {};
};
using SubscriberPtr = std::shared_ptr<Subscriber>;

// What changed since the last notices.
struct Changed {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string> uris = {};
  bool all_files = false;  // any address of a document or file

  bool any() const { return tools || prompts || resources || all_files || !uris.empty(); }
};

// What one snapshot changed, in the terms of MCP.
void add_changes(Changed& out, const directory::ChangeSet& set);

// On the loop thread.
class Subscribers {
 public:
  explicit Subscribers(Timers& timers) : timers_(timers) {}
  ~Subscribers() { timers_.cancel(timer_); }
  Subscribers(const Subscribers&) = delete;
  Subscribers& operator=(const Subscribers&) = delete;

  void add(SubscriberPtr subscriber) { all_.insert(std::move(subscriber)); }
  void remove(const SubscriberPtr& subscriber) { all_.erase(subscriber); }
  bool empty() const { return all_.empty(); }
  bool anybody_wants_tools() const;

  // Told a moment later, together with what else happens until then.
  void changed(const directory::ChangeSet& set);
  void tools_changed();

  static constexpr std::chrono::milliseconds kGather{30};

 private:
  void plan();
  void tell();

  Timers& timers_;
  std::set<SubscriberPtr> all_;
  Changed changed_;
  TimerId timer_ = 0;
};

}  // namespace iii::mcp
