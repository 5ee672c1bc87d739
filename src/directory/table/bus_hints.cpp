#include "directory/table/bus_hints.h"

#include <string_view>

namespace iii::directory {

std::optional<Hints> hints_of_row(const json::Value& row) {
  const json::Value* metadata = row.find("metadata");
  const json::Value* mcp = metadata != nullptr ? metadata->find("mcp") : nullptr;
  if (mcp == nullptr) return std::nullopt;
  bool any = false;
  const auto flag = [&](std::string_view key, bool otherwise) {
    const json::Value* value = mcp->find(key);
    if (value == nullptr || value->as_bool() == nullptr) return otherwise;
    any = true;
    return *value->as_bool();
  };
  const Hints out{.read_only = flag("read_only_hint", false),
                  .destructive = flag("destructive_hint", true),
                  .idempotent = flag("idempotent_hint", false),
                  .network = flag("open_world_hint", true),
                  .operators_only = flag("operators_only", false)};
  return any ? std::optional(out) : std::nullopt;
}

}  // namespace iii::directory
