#include "bus/sdk/bindings.h"

#include <utility>
#include <vector>

namespace iii::sdk {

void Bindings::bind(BindingRequest request, uint64_t connection) {
  if (closed_) return;
  Entry& entry = entries_[request.id];
  entry.connection = connection;
  if (entry.judged) {
    entry.waiting = std::move(request);
  } else {
    judge(entry, std::move(request));
  }
}

void Bindings::judge(Entry& entry, BindingRequest request) {
  entry.judged = std::make_shared<bool>(true);
  entry.unwanted = false;
  request.bound = entry.judged;
  auto verdict = [self = shared_from_this(), request,
                  connection = entry.connection](const Result<void>& accepted) {
    self->decided(request, connection, accepted);
  };
  spec_->bind(std::move(request), std::move(verdict));
}

void Bindings::decided(const BindingRequest& request, uint64_t connection,
                       const Result<void>& verdict) {
  const auto found = entries_.find(request.id);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  const std::shared_ptr<bool> judged = std::exchange(entry.judged, nullptr);
  const bool wanted = !entry.unwanted && !entry.waiting;
  const uint64_t latest = entry.connection;
  std::optional<BindingRequest> next = std::exchange(entry.waiting, std::nullopt);
  if (verdict) {
    if (entry.accepted) *entry.accepted = false;  // replaced
    entry.accepted = judged;
  } else {
    *judged = false;
  }
  // What is refused replaces nothing, and yet the engine has dropped what was there before.
  const bool over = entry.unwanted || (!verdict && !next);
  if (over) end(found);
  if (next) bind(std::move(*next), latest);
  if (wanted) answer_(request, connection, verdict);
}

// The provider is told last: it may do anything to us.
void Bindings::end(Entries::iterator ended) {
  const Entries::node_type node = entries_.extract(ended);
  if (!node.mapped().accepted) return;
  *node.mapped().accepted = false;
  spec_->unbind(node.key());
}

void Bindings::unbind(std::string_view id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (entry.judged) {
    entry.waiting.reset();
    entry.unwanted = true;
    *entry.judged = false;
    if (entry.accepted) *entry.accepted = false;
    return;
  }
  end(found);
}

void Bindings::end_all_but(uint64_t connection) {
  std::vector<std::string> gone;
  for (const auto& [id, entry] : entries_) {
    if (entry.connection != connection) gone.push_back(id);
  }
  for (const std::string& id : gone) unbind(id);
}

void Bindings::close() {
  closed_ = true;
  end_all_but(0);
}

}  // namespace iii::sdk
