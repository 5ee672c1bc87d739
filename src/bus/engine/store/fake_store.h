// A store for tests: nothing is durable until the test says so, and the disk fails on request.
#pragma once

#include <map>
#include <utility>

#include "bus/engine/store/store.h"

namespace iii::engine {

class FakeStore final : public Store {
 public:
  // What is "on disk". A second FakeStore given the same records plays the restarted process.
  using Disk = std::map<int64_t, Record>;

  explicit FakeStore(Disk* disk) : disk_(disk) {
    if (!disk_->empty()) last_id_ = disk_->rbegin()->first;
  }

  Result<void> load(std::string_view space, const std::function<void(Record&&)>& visit) override {
    for (const auto& [id, record] : *disk_) {
      if (record.space == space) visit(Record(record));
    }
    return {};
  }

  int64_t next_id() override { return ++last_id_; }

  Result<void> write(Write& write) override {
    if (refuse_) return fail("data_busy", "too many writes are waiting");
    waiting_.push_back(std::move(write));
    return {};
  }

  Result<void> backup(std::filesystem::path, BackupDone) override {
    return fail("no_data_folder", "there is nothing to copy");
  }
  void close() override { commit(); }

  StoreCounters counters() const override { return {}; }

  // One turn of the loop: everything waiting reaches the disk, unless commits are held. A write is
  // never done inside `write`.
  void turn() {
    if (!held_) commit();
  }

  // Everything waiting reaches the disk.
  void commit() {
    auto writes = std::exchange(waiting_, {});
    for (const Write& write : writes) {
      for (const Change& change : write.changes) {
        if (change.erase) {
          disk_->erase(change.record.id);
        } else {
          disk_->insert_or_assign(change.record.id, change.record);
        }
      }
    }
    for (Write& write : writes) write.done({});
  }

  // Everything waiting is lost.
  void break_disk() {
    auto writes = std::exchange(waiting_, {});
    for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
      if (write->undo) write->undo();
    }
    for (Write& write : writes) write.done(fail("data_error", "disk I/O error"));
  }

  void hold_commits() { held_ = true; }
  void refuse(bool yes) { refuse_ = yes; }
  size_t waiting() const { return waiting_.size(); }

 private:
  Disk* disk_;
  std::vector<Write> waiting_;
  int64_t last_id_ = 0;
  bool held_ = false;
  bool refuse_ = false;
};

}  // namespace iii::engine
