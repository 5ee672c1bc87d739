// What the `*-list`/`*-info` families of iii-directory 0.4.1 and 0.5.1 take and give. The later
// line dropped the `name` columns and slimmed the guides; everything else is shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "directory/discovery/function_parts.h"
#include "foundation/json/describe.h"

namespace iii::directory {

enum class Line { k041, k051 };

struct FunctionFilter {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> worker;
};
struct TypeFilter {
  std::optional<std::string> search;
  std::optional<std::string> prefix;
  std::optional<std::string> worker;
};
struct TriggerFilter {
  std::optional<std::string> search;
  std::optional<std::string> trigger_type;
  std::optional<std::string> function_id;
  std::optional<std::string> worker;
};
struct WorkerFilter {
  std::optional<std::string> search;
  std::optional<std::string> runtime;
  std::optional<std::string> status;
};
struct OneFunction {
  std::string function_id;
  std::optional<std::string> name_space;
};
struct OneType {
  std::string id;
};
struct OneTrigger {
  std::string id;
};
struct OneWorker {
  std::string name;
};

template <Line L>
struct FunctionEntry {
  std::string function_id;
  std::string name;  // 0.4.1
  std::optional<std::string> worker_name;
  std::optional<std::string> name_space;
  std::optional<std::string> description;
};
template <Line L>
struct FunctionEntries {
  std::vector<FunctionEntry<L>> functions;
};

struct HowGuide041 {
  explicit HowGuide041(HowGuide guide = {})
      : skill_id(std::move(guide.skill_id)),
        abs_path(std::move(guide.abs_path)),
        frontmatter(std::move(guide.frontmatter)),
        body(std::move(guide.body)) {}

  std::string skill_id;
  std::string abs_path;
  GuideFrontmatter frontmatter;
  std::string body;
};
template <Line L>
using ShownGuide = std::conditional_t<L == Line::k041, HowGuide041, HowGuide>;
template <Line L>
struct FunctionDetail {
  std::string function_id;
  std::string name;  // 0.4.1
  std::optional<std::string> worker_name;
  std::optional<std::string> name_space;
  std::optional<std::string> description;
  std::optional<json::Value> request_schema;
  std::optional<json::Value> response_schema;
  std::optional<json::Value> metadata;
  std::vector<TriggerSummary> registered_triggers;
  std::optional<ShownGuide<L>> how_guide;
  std::vector<RelatedSkill> related_skills;  // 0.5.1
};

template <Line L>
struct TypeEntry {
  std::string id;
  std::string name;  // 0.4.1
  std::optional<std::string> worker_name;
  std::string description;
};
template <Line L>
struct TypeEntries {
  std::vector<TypeEntry<L>> triggers;
};
template <Line L>
struct TypeDetail {
  std::string id;
  std::string name;  // 0.4.1
  std::optional<std::string> worker_name;
  std::string description;
  std::optional<json::Value> configuration_schema;
  std::optional<json::Value> return_schema;
  uint64_t instance_count = 0;
};

struct TriggerEntry {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  std::optional<std::string> worker_name;
  std::string config_summary;
};
struct TriggerEntries {
  std::vector<TriggerEntry> registered_triggers;
};
template <Line L>
struct TriggerDetail {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  std::optional<std::string> worker_name;
  json::Value config;
  std::optional<json::Value> metadata;
  std::optional<TypeDetail<L>> trigger;
  std::optional<FunctionDetail<L>> function;
};

struct WorkerEntry {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> version;
  std::string id;
  std::optional<std::string> runtime;
  std::optional<std::string> os;
  std::string status;
  uint64_t function_count = 0;
  uint64_t connected_at_ms = 0;
  uint64_t active_invocations = 0;
  std::optional<std::string> isolation;
  std::optional<std::string> ip_address;
};
struct WorkerEntries {
  std::vector<WorkerEntry> workers;
};
template <Line L>
struct WorkerFunction {
  std::string function_id;
  std::string name;  // 0.4.1
  std::optional<std::string> description;
};
template <Line L>
struct WorkerType {
  std::string id;
  std::string name;  // 0.4.1
  std::string description;
};
struct WorkerTrigger {
  std::string id;
  std::string trigger_type;
  std::string function_id;
};
template <Line L>
struct WorkerDetail {
  WorkerEntry worker;
  std::vector<WorkerFunction<L>> functions;
  std::vector<WorkerType<L>> trigger_types;
  std::vector<WorkerTrigger> registered_triggers;
};

}  // namespace iii::directory
