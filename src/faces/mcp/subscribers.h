// Who wants to hear of changes, and what each is told. Pure but for the timers: one gathers
// changes, then everything is done in slices, so that no number of changes or subscriptions holds
// up the loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/client_shares.h"
#include "directory/library/change_hub.h"
#include "faces/mcp/rpc.h"
#include "foundation/base/timers.h"

namespace iii::mcp {

// Of an address that somebody subscribes to.
inline constexpr size_t kMaxUriBytes = 1'024;
// -32602 when it is longer.
std::optional<RpcError> check_uri_length(std::string_view uri);

// That the memory for clients is used up, and this one has most of it.
RpcError no_memory();

struct Subscriber;
using SubscriberPtr = std::shared_ptr<Subscriber>;

// One index for all subscribers: an address in our spelling → who is subscribed to it.
struct Subscription {
  SubscriberPtr who;
  std::string written;  // as the client wrote the address; empty: in our spelling
};
using Audience = std::map<uint64_t, Subscription>;  // by number of the subscriber
using AddressIndex = std::map<std::string, Audience, std::less<>>;

struct Subscriber {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::string subscription_id = {};  // JSON text; empty in the handshake dialect
  std::function<void(std::string message)> send = {};
  net::KeptPtr memory = {};  // where its subscriptions count; null: nowhere

  size_t subscriptions() const { return addresses_.size(); }

 private:
  friend class Subscribers;
  uint64_t number_ = 0;
  bool hears_ = false;
  bool left_ = false;
  std::vector<AddressIndex::iterator> addresses_ = {};
};

// What changed since the last notices.
struct Changed {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  std::set<std::string> uris = {};
  bool all_files = false;  // any address of a document or file

  bool any_list() const { return tools || prompts || resources; }
  bool any() const { return any_list() || all_files || !uris.empty(); }
};

// On the loop thread.
class Subscribers {
 public:
  Subscribers(Timers& timers, size_t max_subscriptions)
      : timers_(timers), max_subscriptions_(max_subscriptions) {}
  ~Subscribers();
  Subscribers(const Subscribers&) = delete;
  Subscribers& operator=(const Subscribers&) = delete;

  // It hears of changes from now on, until remove().
  void add(const SubscriberPtr& subscriber);
  // To be called for each that was added or has subscribed. Its subscriptions go in slices.
  void remove(const SubscriberPtr& subscriber);
  bool empty() const { return all_.empty(); }
  bool anybody_wants_tools() const;

  // Why it cannot be subscribed: the address is too long, it has too many, or there is no memory.
  std::optional<RpcError> subscribe(const SubscriberPtr& subscriber, std::string_view uri);
  void unsubscribe(const SubscriberPtr& subscriber, std::string_view uri);
  // Addresses that anybody is subscribed to.
  size_t addresses() const { return index_.size(); }

  // Told a moment later, together with what else happens until then.
  void changed(const directory::ChangeSet& set);
  void tools_changed();

  static constexpr std::chrono::milliseconds kGather{30};
  // Steps per turn of the loop: a change that is read, a notice that is sent, a subscription that
  // is forgotten.
  static constexpr size_t kSlice = 256;
  // What a subscription takes besides its texts.
  static constexpr size_t kSubscriptionBytes = 320;

 private:
  // Changes that are not read yet.
  struct Reading {
    directory::ChangeSet set;
    size_t next = 0;
  };
  // Notices that are being sent: of lists to every subscriber, then of one address after the other.
  // Subscribers may come and go meanwhile, so it keeps numbers and texts, not positions.
  struct Round {
    Changed what;
    uint64_t listed = 0;         // the last subscriber that was told of lists
    std::string address = {};    // that is being told of
    uint64_t told = UINT64_MAX;  // the last subscriber that was told of it
  };

  void number(Subscriber& subscriber);
  void drop(const Subscriber& subscriber, AddressIndex::iterator address);
  void clean();
  void plan_cleaning();
  void plan();
  void work();
  bool read_next();
  bool tell_next();
  bool tell_list();
  bool tell_address();
  bool next_address();

  Timers& timers_;
  const size_t max_subscriptions_;
  AddressIndex index_;
  std::map<uint64_t, SubscriberPtr> all_;
  uint64_t numbers_ = 0;
  std::deque<SubscriberPtr> leaving_;
  std::deque<Reading> unread_;
  Changed changed_;
  std::optional<Round> round_;
  TimerId timer_ = 0;
  TimerId cleaning_ = 0;
};

}  // namespace iii::mcp
