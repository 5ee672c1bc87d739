#include "directory/sources/registry.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "directory/sources/registry_client.h"
#include "directory/sources/registry_decode.h"
#include "directory/sources/registry_errors.h"

namespace iii::sources {

namespace {

// Lists and details are small; only bundles may use what `max_answer_bytes` allows.
constexpr uint64_t kMaxMetadataBytes = 8 * 1024 * 1024;
constexpr size_t kMaxQueryBytes = 1'024;
constexpr size_t kMaxKnownNames = 2'000;

using Fetch = std::expected<Fetched, RegistryFailure>;

std::string detail_target(const RegistrySource& source) {
  return request_target("/w/" + source.worker, {{"version", source.selector()}});
}
std::string bundle_target(const RegistrySource& source) {
  return request_target("/w/" + source.worker + "/skills", {{"version", source.selector()}});
}

}  // namespace

Registry::Registry(RegistryOptions options) : Registry(std::move(options), RegistryClock::real()) {}

Registry::Registry(RegistryOptions options, RegistryClock clock)
    : options_(std::move(options)),
      metadata_bytes_(std::min(kMaxMetadataBytes, options_.max_answer_bytes)),
      client_(std::make_unique<RegistryClient>(options_, std::move(clock))) {}

Registry::~Registry() = default;

void Registry::remember(const std::string& name) {
  if (!check_worker_name(name)) return;
  const std::lock_guard lock(names_mutex_);
  if (names_.size() < kMaxKnownNames) names_.insert(name);
}

std::vector<std::string> Registry::known_names() const {
  const std::lock_guard lock(names_mutex_);
  return {names_.begin(), names_.end()};
}

Result<Bundle> Registry::bundle(const RegistrySource& source, const Job& job) {
  if (auto ok = check_worker_name(source.worker); !ok) return std::unexpected(ok.error());
  const FetchOptions how{.from_cache = false, .max_bytes = options_.max_answer_bytes};
  const Fetch fetched = client_->fetch(bundle_target(source), how, job);
  if (!fetched) return std::unexpected(registry_error(fetched.error()));
  if (!fetched->found) return std::unexpected(no_bundle(source, known_names()));
  remember(source.worker);
  job.tell({.step = "checking"});
  return decode_bundle(source, *fetched->body, options_.limits);
}

Result<Registry::Answer> Registry::list(const std::string& search, const std::string& cursor,
                                        const Job& job) {
  if (search.size() > kMaxQueryBytes || cursor.size() > kMaxQueryBytes) {
    return fail("D311", "D311 invalid_input: `search` and `cursor` may have at most " +
                            std::to_string(kMaxQueryBytes) + " bytes. Next: ask with fewer words.");
  }
  const FetchOptions how{.max_bytes = metadata_bytes_};
  Fetch fetched =
      client_->fetch(request_target("/w", {{"search", search}, {"cursor", cursor}}), how, job);
  bool older = false;
  if (fetched && !fetched->found && !search.empty()) {
    older = true;
    fetched = client_->fetch(request_target("/search", {{"q", search}}), how, job);
  }
  if (!fetched) return std::unexpected(registry_list_error(fetched.error()));
  if (!fetched->found) {
    return std::unexpected(registry_list_error({.status = 404}));
  }
  const Result<json::Value> body = json::parse(*fetched->body);
  if (!body) return std::unexpected(registry_list_error(kUndecodable));
  Answer answer{.value = map_list(*body, older), .stale = fetched->stale};
  for (const json::Value& row : *answer.value.find("workers")->as_array()) {
    remember(*row.find("name")->as_string());
  }
  return answer;
}

Result<Registry::Answer> Registry::info(const RegistrySource& source, const Job& job) {
  if (auto ok = check_worker_name(source.worker); !ok) return std::unexpected(ok.error());
  const Fetch detail = client_->fetch(detail_target(source), {.max_bytes = metadata_bytes_}, job);
  if (!detail) return std::unexpected(registry_error(detail.error()));
  // Asked also for a worker that does not exist, as the published worker does.
  const Fetch skills =
      client_->fetch(bundle_target(source), {.max_bytes = options_.max_answer_bytes}, job);
  if (!detail->found) return std::unexpected(no_worker(source, known_names()));
  if (!skills) return std::unexpected(registry_error(skills.error()));

  const Result<json::Value> body = json::parse(*detail->body);
  if (!body) return std::unexpected(registry_error(kUndecodable));
  remember(source.worker);
  // DW17: a worker without a bundle is a worker all the same.
  std::optional<json::Value> tree;
  if (skills->found) tree = skills_tree(*skills->body);
  return Answer{.value = map_info(source.worker, *body, std::move(tree)),
                .stale = detail->stale || skills->stale};
}

// The details tell the version in a few kilobytes; a bundle is fetched only from a registry whose
// details do not.
Result<std::string> Registry::resolve(const RegistrySource& source, const Job& job) {
  if (auto ok = check_worker_name(source.worker); !ok) return std::unexpected(ok.error());
  const FetchOptions details{.from_cache = false, .max_bytes = metadata_bytes_};
  const Fetch detail = client_->fetch(detail_target(source), details, job);
  if (!detail) return std::unexpected(registry_error(detail.error()));
  if (detail->found) {
    const Result<json::Value> body = json::parse(*detail->body);
    std::string version = body ? detail_version(*body) : std::string();
    if (!version.empty()) return version;
  }
  const FetchOptions how{.from_cache = false, .max_bytes = options_.max_answer_bytes};
  const Fetch fetched = client_->fetch(bundle_target(source), how, job);
  if (!fetched) return std::unexpected(registry_error(fetched.error()));
  if (!fetched->found) return std::unexpected(no_bundle(source, known_names()));
  std::string version = bundle_version(*fetched->body);
  return version.empty() && source.version ? *source.version : version;
}

}  // namespace iii::sources
