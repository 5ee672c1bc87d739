// What the clients of a server share: memory that handlers keep for them, and places of tables.
// Each client, which is an address, has its share; the one that has most is the first to be
// refused.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "bus/net/memory_budget.h"

namespace iii::net {

// Which addresses count as one client: those of this machine, and those of an IPv6 network (/64),
// which one host can have as many of as it likes.
std::string client_of_address(const std::string& address);

class ClientMemory;

// Something that is kept for a client. On the loop thread only.
class KeptMemory {
 public:
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  // It has so many bytes now. False: the budget has no room for them, this client holds most, and
  // nothing of it is so much larger that it should go instead. Nothing is changed then.
  [[nodiscard]] bool resize(size_t bytes);
  // The same for what cannot be refused.
  void set(size_t bytes);
  size_t bytes() const { return bytes_; }

  // It stays for long: of the budget a quarter is left to what is short-lived, so that a client
  // that is refused more can still be served.
  void make_lasting() { lasting_ = true; }
  // What to do when others need the memory: give it up, now or soon. Without such an action it
  // counts, and stays.
  void on_give_up(std::function<void()> action);

 private:
  friend ClientMemory;
  struct Account;
  explicit KeptMemory(std::shared_ptr<Account> account) : account_(std::move(account)) {}

  const std::shared_ptr<Account> account_;
  size_t bytes_ = 0;
  bool lasting_ = false;
  std::function<void()> give_up_;
};
using KeptPtr = std::shared_ptr<KeptMemory>;

// The memory of a server's clients in its budget: added up for each client, so that many small
// things of one client do not hide behind a larger thing of another. The client that holds most
// gives up its largest thing first. On the loop thread only.
class ClientMemory {
 public:
  explicit ClientMemory(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  // With a budget of its own.
  explicit ClientMemory(size_t limit) : ClientMemory(std::make_shared<MemoryBudget>(limit)) {}

  KeptPtr keep(const std::string& client);
  size_t held_by(const std::string& client) const;
  const MemoryBudget& budget() const { return *budget_; }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
  // Those with nothing left are removed when another one comes: not while one of them gives up.
  std::map<std::string, std::shared_ptr<KeptMemory::Account>> accounts_;
};

// Places of a table that clients share. A client may have as many as are still free, so that one
// alone gets half of them and leaves places for others; a few it gets as long as any is free. On
// the loop thread only.
class Places {
 public:
  explicit Places(size_t most) : state_(std::make_shared<State>(most)) {}

  // Taken as long as it lives.
  using Place = std::shared_ptr<void>;
  // Null: there is none for this client now.
  Place take(const std::string& client);
  // Whose place to take back when take() gives none: its own, or that of the client that has most,
  // when nothing is free and that one has really more.
  std::string from_whom(const std::string& client) const;

  size_t taken() const { return state_->taken; }
  size_t of(const std::string& client) const;

  static constexpr size_t kFew = 8;

 private:
  struct State {
    explicit State(size_t limit) : most(limit) {}
    const size_t most;
    size_t taken = 0;
    std::map<std::string, size_t> clients;
  };
  std::shared_ptr<State> state_;
};

}  // namespace iii::net
