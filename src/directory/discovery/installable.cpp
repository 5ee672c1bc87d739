#include "directory/discovery/installable.h"

#include <algorithm>
#include <map>
#include <utility>

#include "directory/discovery/function_index.h"
#include "directory/search/find.h"
#include "directory/search/sentences.h"

namespace iii::directory {

namespace {

using json::Value;
using sources::Registry;

constexpr size_t kWorkersPerList = 3;

// Anybody can publish; what nobody vouches for is not suggested to an agent.
bool is_verified(const Value& row) {
  const Value* author = row.find("author");
  const Value* verified = author != nullptr ? author->find("verified") : nullptr;
  return verified != nullptr && *verified == Value(true);
}

// Names of workers that the registry finds, in its order.
std::vector<std::string> names_in(const Value& list, const std::set<std::string>& installed) {
  std::vector<std::string> out;
  const Value* rows = list.find("workers");
  if (rows == nullptr || rows->as_array() == nullptr) return out;
  for (const Value& row : *rows->as_array()) {
    if (out.size() >= kWorkersPerList) break;
    std::string name = json::string_at(row, "name");
    if (!name.empty() && is_verified(row) && !installed.contains(name)) {
      out.push_back(std::move(name));
    }
  }
  return out;
}

std::vector<KnownFunction> functions_in(const Value& info) {
  std::vector<KnownFunction> out;
  const Value* reference = info.find("api_reference");
  const Value* rows = reference != nullptr ? reference->find("functions") : nullptr;
  if (rows == nullptr || rows->as_array() == nullptr) return out;
  for (const Value& row : *rows->as_array()) {
    KnownFunction known{.id = json::string_at(row, "name"),
                        .description = json::string_at(row, "description")};
    if (const Value* schema = row.find("request_schema")) known.parameters = parameters_of(*schema);
    if (!known.id.empty()) out.push_back(std::move(known));
  }
  return out;
}

// What the registry has for some capabilities.
class Candidates {
 public:
  Candidates(sources::Downloads& downloads, sources::Job job)
      : registry_(downloads.registry()), job_(std::move(job)) {}

  bool reachable() const { return reachable_; }

  void look(const std::string& capability, const std::set<std::string>& installed) {
    const Result<Registry::Answer> list = registry_.list(capability, "", job_);
    reachable_ = reachable_ && list.has_value();
    if (!list) return;
    for (const std::string& name : names_in(list->value, installed)) {
      if (workers_.contains(name) || workers_.size() >= kMaxRegistryInfos) continue;
      const sources::RegistrySource source{.worker = name, .version = {}, .tag = "latest"};
      const Result<Registry::Answer> info = registry_.info(source, job_);
      if (!info) continue;
      const Value* row = info->value.find("worker");
      workers_[name] = {.name = name,
                        .version = row != nullptr ? json::string_at(*row, "version") : "",
                        .description = row != nullptr ? json::string_at(*row, "description") : "",
                        .functions = {},
                        .install = install_call(name)};
      for (KnownFunction& each : functions_in(info->value)) {
        each.worker = name;
        functions_.push_back(std::move(each));
      }
    }
  }

  // The workers whose functions fit, with those functions.
  std::vector<InstallableWorker> best(const std::vector<std::string>& capabilities) {
    const FunctionIndex index(std::move(functions_));
    const Result<search::MergedAnswer> found = search::find_all(index.index(), capabilities);
    std::vector<InstallableWorker> out;
    if (!found) return out;
    for (const search::MergedHit& hit : found->rows) {
      const KnownFunction* function = index.find(hit.key);
      if (function == nullptr) continue;
      auto at = std::ranges::find(out, function->worker, &InstallableWorker::name);
      if (at == out.end()) at = out.insert(out.end(), workers_[function->worker]);
      at->functions.push_back(
          {function->id, std::string(search::split_sentences(function->description).first)});
    }
    return out;
  }

 private:
  Registry& registry_;
  const sources::Job job_;
  bool reachable_ = true;
  std::map<std::string, InstallableWorker> workers_;
  std::vector<KnownFunction> functions_;
};

}  // namespace

InstallCall install_call(std::string_view worker) {
  return {.function = "worker::add",
          .payload = json::Object{
              {"source", json::Object{{"kind", "registry"}, {"name", std::string(worker)}}},
              {"wait", false}}};
}

Installable find_installable(sources::Downloads& downloads,
                             const std::vector<std::string>& capabilities,
                             const std::set<std::string>& installed,
                             std::chrono::steady_clock::time_point deadline) {
  sources::Job job = downloads.job();
  job.deadline = std::min(job.deadline, deadline);
  Candidates candidates(downloads, job);
  for (size_t i = 0; i < std::min(capabilities.size(), kMaxRegistryLists); ++i) {
    if (!candidates.reachable()) break;
    candidates.look(capabilities[i], installed);
  }
  if (!candidates.reachable()) return {.workers = {}, .reachable = false};
  return {.workers = candidates.best(capabilities), .reachable = true};
}

}  // namespace iii::directory
