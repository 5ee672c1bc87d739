// The trigger types `skills::on-change` and `prompts::on-change` of the earlier versions, for
// registrations (0.1.5) and downloads (0.4.1).
#pragma once

#include <string>
#include <string_view>

#include "bus/sdk/worker.h"
#include "directory/library/change_log.h"

namespace iii::directory {

// What skills 0.1.5 offered. A worker of the published version that is on the same engine keeps all
// of it.
sdk::Family skills_family();

// On the loop thread; lives as long as the worker's use of it.
class OnChange {
 public:
  explicit OnChange(sdk::Worker& worker);
  OnChange(const OnChange&) = delete;
  OnChange& operator=(const OnChange&) = delete;

  // `op` is `register` or `unregister`; `id` of the skill, or name of the prompt.
  void registered(ChangeKind kind, std::string_view op, std::string_view id);
  void downloaded(ChangeKind kind, std::string_view name_space, std::string_view source);

 private:
  using Type = sdk::TriggerType<json::Raw>;
  void fire(ChangeKind kind, const json::Value& payload) const;

  sdk::Worker& worker_;
  Type skills_;
  Type prompts_;
};

}  // namespace iii::directory
