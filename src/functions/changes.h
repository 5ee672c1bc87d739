// Tells subscribers what changed: the two on-change trigger types, and directory::changes for those
// who were away.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "library/change_log.h"
#include "library/joined.h"
#include "sdk/worker.h"

namespace iii::directory {

class RegisteredView;

struct ChangesOptions {
  std::chrono::milliseconds gather{50};  // how long edits on disk are gathered before telling
  std::chrono::milliseconds poll{
      1'000};                    // where the kernel does not tell us (and if anybody cares)
  size_t max_ids = 100;          // named in one event
  size_t log_capacity = 10'000;  // changes kept for directory::changes
};

// On the loop thread. The worker, the content and this object live equally long.
class Changes {
 public:
  Changes(sdk::Worker& worker, Joined& content, ChangesOptions options);
  ~Changes();
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  // Between begin() and end() whatever changes in a namespace is our own doing.
  void begin(const std::string& name_space, std::string_view source);
  // Publishes what was done as one generation and tells subscribers; before the caller is answered.
  void end(const std::string& name_space, bool skills_changed, bool prompts_changed);

  // Hears of downloads too: the on-change types of the earlier generations.
  using OnDownload = std::function<void(ChangeKind kind, const std::string& name_space,
                                        const std::string& source)>;
  void tell_downloads(OnDownload on_download) { on_download_ = std::move(on_download); }

  // Brought up to date before directory::changes answers.
  void catch_up_with(RegisteredView* registered) { registered_ = registered; }

  // Other folders, other numbers: what was told before means nothing any more.
  void start_again();

 private:
  using Type = sdk::TriggerType<json::Raw>;
  struct Own {
    std::string source;
    size_t jobs = 0;
    std::vector<Change> changes;  // seen since begin(), not told yet
  };
  struct Gathered {
    std::vector<Change> skills;
    std::vector<Change> prompts;
  };

  void observe(const content::GenerationPtr& before, const content::GenerationPtr& after);
  void wait_for_kernel();
  void plan_look(std::chrono::milliseconds delay);
  void look();
  void plan_poll(std::chrono::microseconds delay);
  void tell_gathered();
  void tell(const Type& type, std::string_view op, const std::string& name_space,
            std::string_view source, const std::vector<Change>& changes);
  bool anybody_listens() const;

  sdk::Worker& worker_;
  Joined& content_;
  const ChangesOptions options_;
  Type skills_;
  Type prompts_;
  OnDownload on_download_;
  ChangeLog log_;
  std::string epoch_;
  std::map<std::string, Own> own_;
  // What was not our own doing, by namespace, op and source.
  std::map<std::tuple<std::string, std::string, std::string>, Gathered> gathered_;
  RegisteredView* registered_ = nullptr;
  std::shared_ptr<void> kernel_;
  TimerId look_timer_ = 0;
  TimerId tell_timer_ = 0;
  TimerId poll_timer_ = 0;
};

}  // namespace iii::directory
