#include "directory/sources/source_json.h"

#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::sources {

json::Raw source_json(const Source& source, const std::string& branch) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    json::Object out{{"kind", "registry"}, {"worker", registry->worker}};
    if (registry->version) out.emplace("version", *registry->version);
    if (registry->tag) out.emplace("tag", *registry->tag);
    return json::Raw{json::to_text(out)};
  }
  const auto& repo = std::get<RepoSource>(source);
  // Where on this machine is nobody's business on the bus.
  if (is_local(source)) {
    return json::Raw{json::to_text(json::Object{{"kind", "folder"}, {"skill", repo.skill}})};
  }
  const std::string used = !branch.empty() ? branch : repo.ref.value_or("main");
  json::Object out{{"kind", "repo"}, {"repo", repo.repo}, {"skill", repo.skill}, {"branch", used}};
  if (repo.path) out.emplace("path", *repo.path);
  return json::Raw{json::to_text(out)};
}

}  // namespace iii::sources
