#include "app/daemon/bus_watch.h"

#include <utility>

namespace iii::daemon {

namespace {

constexpr size_t kIdsPerStep = 1'000;
constexpr size_t kMostNamed = 100;

// Ids to tell: the first ones by name, all by number.
struct Named {
  std::vector<std::string> ids = {};
  uint64_t count = 0;

  void add(const std::string& id) {
    ++count;
    if (ids.size() < kMostNamed) ids.push_back(id);
  }
};

}  // namespace

struct BusWatch::Look {
  bool first = false;
  uint64_t changes = 0;
  std::string last = {};                // id that was looked at
  size_t position = 0;                  // in what was known
  std::vector<std::string> found = {};  // ascending
  Named added = {};
  Named removed = {};

  void pass(const std::vector<std::string>& known, const std::string* until) {
    while (position < known.size() && (until == nullptr || known[position] < *until)) {
      removed.add(known[position++]);
    }
  }
};

void BusWatch::tell(console::Console* console, const engine::Engine* engine) {
  console_ = console;
  engine_ = engine;
  look_ = nullptr;
}

void BusWatch::look_at_functions(bool first) {
  if (engine_ == nullptr) return;
  const uint64_t changes = engine_->functions().changes();
  if (look_ != nullptr || (!first && changes_ == changes)) return;
  look_ = std::make_shared<Look>(first || !changes_, changes);
  if (look_->first) known_.clear();
  step(look_);
}

void BusWatch::step(std::shared_ptr<Look> look) {
  if (look != look_) return;  // it was given up
  const std::optional<std::string> last = engine_->functions().each_after(
      look->last, kIdsPerStep, [&](const engine::FunctionPtr& function) {
        const std::string& id = function->id;
        if (!function->listed() || function->internal() || function->gone()) return;
        if (!look->found.empty() && look->found.back() == id) return;  // in another namespace
        look->pass(known_, &id);
        if (look->position < known_.size() && known_[look->position] == id) {
          ++look->position;
        } else {
          look->added.add(id);
        }
        look->found.push_back(id);
      });
  if (!last) return finish(*look);
  look->last = *last;
  loop_.post([this, look] { step(look); });
}

void BusWatch::finish(Look& look) {
  look.pass(known_, nullptr);
  known_ = std::move(look.found);
  changes_ = look.changes;
  if (!look.first) {
    const auto say = [this](bool added, const Named& named) {
      if (named.count == 0) return;
      console_->functions_changed(added, named.ids, named.count - named.ids.size());
    };
    say(true, look.added);
    say(false, look.removed);
  }
  look_ = nullptr;
}

void BusWatch::on_worker(std::string_view event, const engine::Worker& worker,
                         bool first_announce) {
  if (console_ == nullptr) return;
  const bool left = event == "worker_disconnected";
  if (!left && !first_announce) return;
  console_->worker_changed(!left, worker.name.value_or(""), worker.id_text);
}

}  // namespace iii::daemon
