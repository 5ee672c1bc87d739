// Helpers of the store's tests: a folder that goes away, and a loop thread played by the test.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "bus/engine/store/store.h"
#include "foundation/base/check.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::engine {

// Runs `body` in a child process; true when it returned true there.
template <typename Body>
bool in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A store with a queue of posted callbacks that run when the test asks for them.
class StoreRunner {
 public:
  explicit StoreRunner(const std::filesystem::path& folder, StoreLimits limits = {}) {
    auto opened = Store::open(folder, [this](auto callback) { post(std::move(callback)); }, limits);
    III_CHECK(opened.has_value());
    store_ = std::move(*opened);
  }

  Store& store() { return *store_; }
  void destroy_store() { store_.reset(); }
  int64_t next_id() { return store_->next_id(); }

  // Writes get numbers from 0; `finished` and `failed` list those that were answered.
  Result<void> write(std::vector<Change> changes) {
    const int number = writes_++;
    ++waiting_;
    Write write;
    write.changes = std::move(changes);
    write.undo = [this, number] { undone_.push_back(number); };
    write.done = [this, number](Result<void> stored) {
      --waiting_;
      (stored ? finished_ : failed_).push_back(number);
      if (!stored) reason_ = stored.error();
    };
    Result<void> accepted = store_->write(write);
    if (!accepted) --waiting_;
    return accepted;
  }
  Result<void> put(int64_t id, std::string key, std::string value) {
    return write({Change::put(Record{id, "test", "scope", std::move(key),
                                     std::make_shared<const std::string>(std::move(value))})});
  }
  Result<void> erase(int64_t id) { return write({Change::erase_id(id)}); }

  void wait_posted() {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !queue_.empty(); });
  }
  void run_posted() {
    for (;;) {
      std::unique_lock lock(mutex_);
      if (queue_.empty()) return;
      auto callback = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      callback();
    }
  }
  void wait_all() {
    while (waiting_ > 0) {
      wait_posted();
      run_posted();
    }
  }

  std::vector<Record> load() {
    std::vector<Record> records;
    auto loaded =
        store_->load("test", [&records](Record&& record) { records.push_back(std::move(record)); });
    III_CHECK(loaded.has_value());
    return records;
  }
  std::vector<std::string> load_keys() {
    std::vector<std::string> keys;
    for (Record& record : load()) keys.push_back(std::move(record.key));
    return keys;
  }

  const std::vector<int>& finished() const { return finished_; }
  const std::vector<int>& failed() const { return failed_; }
  const std::vector<int>& undone() const { return undone_; }
  const Error& reason() const { return reason_; }

 private:
  void post(std::move_only_function<void()> callback) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(callback));
    }
    posted_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<std::move_only_function<void()>> queue_;  // guarded by mutex_
  std::unique_ptr<Store> store_;
  int writes_ = 0;
  int waiting_ = 0;
  std::vector<int> finished_;
  std::vector<int> failed_;
  std::vector<int> undone_;
  Error reason_;
};

}  // namespace iii::engine
