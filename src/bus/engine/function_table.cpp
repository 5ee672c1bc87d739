#include "bus/engine/function_table.h"

#include <algorithm>

#include "bus/protocol/frame.h"
#include "bus/protocol/limits.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"

namespace iii::engine {

std::string first_segment(std::string_view id) { return std::string(id.substr(0, id.find("::"))); }

std::string Function::worker_name() const {
  if (builtin != nullptr) return builtin->owner;
  if (owner != nullptr && owner->name) return *owner->name;
  return first_segment(id);
}

bool Function::internal() const {
  if (id.starts_with("engine::") && !id.starts_with("engine::queue::")) return true;
  if (!metadata || metadata->empty() || metadata->front() != '{') return false;
  const auto flag = json::member(*metadata, "internal");
  return flag && *flag == "true";
}

const FunctionPtr* FunctionTable::find(std::string_view name_space, std::string_view id) const {
  if (name_space == protocol::kDefaultNamespace) return find_default(id);
  const auto functions = by_namespace_.find(name_space);
  if (functions == by_namespace_.end()) return nullptr;
  const auto it = functions->second->find(id);
  return it == functions->second->end() || it->second->gone() ? nullptr : &it->second;
}

const FunctionPtr* FunctionTable::find_default(std::string_view id) const {
  if (default_ == nullptr) return nullptr;
  const auto it = default_->find(id);
  return it == default_->end() || it->second->gone() ? nullptr : &it->second;
}

std::vector<std::string> FunctionTable::namespaces_of(std::string_view id) const {
  const auto found = namespaces_.find(id);
  if (found == namespaces_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::string FunctionTable::namespaces_for_people(std::string_view id) const {
  std::vector<std::string> names = namespaces_of(id);
  for (std::string& name : names) name = utf8_prefix(name, protocol::kMaxWorkerText);
  return join(names, ", ");
}

void FunctionTable::put(FunctionPtr function) {
  auto [space, is_new] = by_namespace_.try_emplace(function->name_space);
  if (is_new) {
    space->second = std::make_unique<Functions>();
    if (function->name_space == protocol::kDefaultNamespace) default_ = space->second.get();
  }
  const bool known = space->second->contains(function->id);
  if (!known) {
    ++changes_;
    namespaces_[function->id].insert(function->name_space);
  }
  const std::string id = function->id;
  space->second->insert_or_assign(id, std::move(function));
}

void FunctionTable::remove(const Function& function) {
  const auto space = by_namespace_.find(function.name_space);
  if (space == by_namespace_.end()) return;
  const auto it = space->second->find(function.id);
  // A successor's registration of the same id is not ours to remove.
  if (it == space->second->end() || it->second.get() != &function) return;
  const auto named = namespaces_.find(function.id);
  named->second.erase(function.name_space);
  if (named->second.empty()) namespaces_.erase(named);
  space->second->erase(it);
  ++changes_;
  if (space->second->empty() && space->second.get() != default_) by_namespace_.erase(space);
}

void FunctionTable::each(const std::function<void(const FunctionPtr&)>& visit) const {
  for (const auto& [name, functions] : by_namespace_) {
    for (const auto& [id, function] : *functions) {
      if (!function->gone()) visit(function);
    }
  }
}

std::optional<std::string> FunctionTable::each_after(
    std::string_view id, size_t most, const std::function<void(const FunctionPtr&)>& visit) const {
  auto it = namespaces_.upper_bound(id);
  std::optional<std::string> last;
  for (; most > 0 && it != namespaces_.end(); --most, ++it) {
    for (const std::string& name_space : it->second) {
      if (const FunctionPtr* function = find(name_space, it->first)) visit(*function);
    }
    last = it->first;
  }
  return it == namespaces_.end() ? std::nullopt : last;
}

}  // namespace iii::engine
