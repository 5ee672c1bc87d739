#include "directory/discovery/installable.h"

#include <algorithm>
#include <map>
#include <utility>

#include "directory/discovery/function_index.h"
#include "directory/library/engine_rows.h"
#include "directory/search/find.h"
#include "directory/search/sentences.h"

namespace iii::directory {

namespace {

using json::Value;
using sources::Registry;

// What one search may ask the registry.
constexpr size_t kMostLists = 4;
constexpr size_t kMostInfos = 6;
constexpr size_t kWorkersPerList = 3;

// Everybody can publish; only workers of verified authors are suggested to an agent.
bool is_verified(const Value& row) {
  return member_of(member_of(row, "author"), "verified") == Value(true);
}

// Names of workers that the registry finds, in its order.
std::vector<std::string> names_in(const Value& list, const std::set<std::string>& installed) {
  std::vector<std::string> out;
  for (const Value& row : rows_of(list, "workers")) {
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
  for (const Value& row : rows_of(member_of(info, "api_reference"), "functions")) {
    KnownFunction known{.id = json::string_at(row, "name"),
                        .description = json::string_at(row, "description"),
                        .parameters = parameters_of(member_of(row, "request_schema"))};
    if (!known.id.empty()) out.push_back(std::move(known));
  }
  return out;
}

InstallCall install_call(std::string_view worker) {
  return {.function = "worker::add",
          .payload = json::Object{
              {"source", json::Object{{"kind", "registry"}, {"name", std::string(worker)}}},
              {"wait", false}}};
}

// What the registry has for some capabilities.
class Candidates {
 public:
  Candidates(sources::Downloads& downloads, sources::Job job)
      : registry_(downloads.registry()), job_(std::move(job)) {}

  // False: the registry does not answer.
  bool ask(const std::string& capability, const std::set<std::string>& installed) {
    const Result<Registry::Answer> list = registry_.list(capability, "", job_);
    if (!list) return false;
    for (const std::string& name : names_in(list->value, installed)) {
      if (workers_.contains(name) || workers_.size() >= kMostInfos) continue;
      const sources::RegistrySource source{.worker = name, .version = {}, .tag = "latest"};
      const Result<Registry::Answer> info = registry_.info(source, job_);
      if (!info) continue;
      const Value& row = member_of(info->value, "worker");
      workers_[name] = {.name = name,
                        .version = json::string_at(row, "version"),
                        .description = json::string_at(row, "description"),
                        .functions = {},
                        .install = install_call(name)};
      for (KnownFunction& each : functions_in(info->value)) {
        each.worker = name;
        functions_.push_back(std::move(each));
      }
    }
    return true;
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
  std::map<std::string, InstallableWorker> workers_;
  std::vector<KnownFunction> functions_;
};

}  // namespace

std::optional<std::vector<InstallableWorker>> find_installable(
    sources::Downloads& downloads, const std::vector<std::string>& capabilities,
    const std::set<std::string>& installed, std::chrono::steady_clock::time_point deadline) {
  sources::Job job = downloads.job();
  job.deadline = std::min(job.deadline, deadline);
  Candidates candidates(downloads, job);
  for (size_t i = 0; i < std::min(capabilities.size(), kMostLists); ++i) {
    if (!candidates.ask(capabilities[i], installed)) return std::nullopt;
  }
  return candidates.best(capabilities);
}

}  // namespace iii::directory
