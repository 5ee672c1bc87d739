// Reports changes to subscribers: the two on-change trigger types, and directory::changes for those
// who were away.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/sdk/worker.h"
#include "directory/library/latch.h"
#include "directory/library/library.h"

namespace iii::directory {

class FunctionTable;

// A download that changed skills or prompts is over.
struct DownloadEvent {
  ChangeKind kind = ChangeKind::kSkill;
  std::string name_space;
  std::string source;
};

// What a download did to one namespace.
struct DownloadEnd {
  std::string name_space;
  bool skills_changed = false;
  bool prompts_changed = false;
};

// On the loop thread. The worker, the library and this object live equally long.
class Changes {
 public:
  Changes(sdk::Worker& worker, Library& library);
  ~Changes();
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // A download of this namespace begins. Its changes are those of the files that it announces to
  // Library::download_marks().
  void begin(const std::string& name_space, std::string_view source);
  // Publishes what was done as one generation for subscribers; before the caller is answered.
  task::Task<void> end(std::vector<DownloadEnd> ends);

  // The last generation that changed this skill, if the log reaches back to it.
  std::optional<uint64_t> last_change_of(std::string_view skill_id) const {
    return log_.last_change(ChangeKind::kSkill, skill_id);
  }

  // Another one means that generations are counted anew.
  const std::string& epoch() const { return epoch_; }

  // For the on-change types of the earlier versions.
  Hub<DownloadEvent>& downloads() { return downloads_hub_; }

  // directory::changes. This object outlives the table.
  void add_to(FunctionTable& table);

 private:
  static constexpr size_t kLogCapacity = 10'000;  // changes kept for directory::changes

  using Type = sdk::TriggerType<json::Raw>;
  struct Download {
    std::string source;
    size_t jobs = 0;
    bool skills = false;  // changes were seen
    bool prompts = false;
  };
  struct Event;

  void observe(const ChangeSet& changes);
  task::Task<void> publish_gathered();
  void end_one(const DownloadEnd& end, std::vector<DownloadEvent>& done);
  task::Task<void> send(std::vector<Event> events);
  void fire(const Event& event);
  void publish(const Event& event);
  bool anybody_listens() const {
    return !skills_.bindings().empty() || !prompts_.bindings().empty();
  }
  // Who observes directory::on-changed is not known, only whether anybody can.
  bool has_listeners() const { return anybody_listens() || worker_.engine_observes(); }
  const Type& type_of(ChangeKind kind) const {
    return kind == ChangeKind::kSkill ? skills_ : prompts_;
  }

  sdk::Worker& worker_;
  Library& library_;
  Type skills_;
  Type prompts_;
  Hub<DownloadEvent> downloads_hub_;
  ChangeLog log_{kLogCapacity};
  const std::string epoch_;
  std::map<std::string, Download, std::less<>> downloads_;  // under way, by namespace
  std::vector<ChangeList> gathered_;                        // not reported yet, oldest first
  std::vector<DownloadEvent> unseen_;  // downloads that changed no document; not reported yet
  std::deque<Event> outbox_;
  std::optional<Latch> sending_;  // opens when the outbox is empty
  TimerId publish_timer_ = 0;
  ChangeHub::Subscription subscription_;
};

}  // namespace iii::directory
