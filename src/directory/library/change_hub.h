// Observers of changes: any number, called in the order in which they subscribed.
#pragma once

#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "directory/content/touched.h"
#include "directory/library/change_log.h"
#include "foundation/base/log.h"

namespace iii::directory {

// What one snapshot changed. `changes` may be empty: then only findings or counts differ, or, when
// `before` and `after` are the same, files that are not documents.
struct ChangeSet {
  content::GenerationPtr before;
  content::GenerationPtr after;
  ChangeList changes;  // each has the number of `after`
  // Files that were written, made or removed, documents or not, as the kernel reported them.
  std::vector<content::TouchedFile> touched = {};
  bool all_touched = false;  // it may have been any file
};

// On the loop thread.
template <typename Event>
class Hub {
  struct Entry {
    std::function<void(const Event&)> observer;
    std::function<bool()> is_listening;
    bool left = false;
  };
  using Entries = std::list<std::shared_ptr<Entry>>;

 public:
  using Observer = std::function<void(const Event&)>;

  // Ends the subscription when it is destroyed; may outlive the hub.
  class [[nodiscard]] Subscription {
   public:
    Subscription() = default;
    Subscription(std::shared_ptr<Entries> entries, std::shared_ptr<Entry> entry)
        : entries_(std::move(entries)), entry_(std::move(entry)) {}
    Subscription(Subscription&&) = default;
    Subscription& operator=(Subscription&& other) noexcept {
      std::swap(entries_, other.entries_);
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Subscription() {
      if (!entries_) return;
      entry_->left = true;
      entries_->remove(entry_);
    }

   private:
    std::shared_ptr<Entries> entries_;
    std::shared_ptr<Entry> entry_;
  };

  // `is_listening`: whether the observer passes changes on to anybody at the moment. Where the
  // kernel does not report changes, folders are polled only while somebody listens.
  Subscription subscribe(Observer observer, std::function<bool()> is_listening = {}) {
    auto entry = std::make_shared<Entry>(std::move(observer), std::move(is_listening));
    entries_->push_back(entry);
    return {entries_, std::move(entry)};
  }

  // An observer may subscribe or leave meanwhile, and one that throws keeps nobody else from
  // hearing.
  void publish(const Event& event) const {
    for (const auto& entry : Entries(*entries_)) {
      if (entry->left) continue;
      try {
        entry->observer(event);
      } catch (const std::exception& e) {
        log_error("an observer of changes failed: {}", e.what());
      }
    }
  }
  bool anybody_listens() const {
    for (const auto& entry : *entries_) {
      if (entry->is_listening && entry->is_listening()) return true;
    }
    return false;
  }

 private:
  std::shared_ptr<Entries> entries_ = std::make_shared<Entries>();
};

using ChangeHub = Hub<ChangeSet>;

}  // namespace iii::directory
