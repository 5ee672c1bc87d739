#include "bus/engine/store/store.h"

#include "bus/engine/store/disk_store.h"

namespace iii::engine {

namespace {

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(Post post) : post_(std::move(post)) {}

  Result<void> load(std::string_view, const std::function<void(Record&&)>&) override { return {}; }
  int64_t next_id() override { return ++last_id_; }

  Result<void> write(Write& write) override {
    if (closed_) return fail("data_error", "the store is closed: the engine is stopping");
    waiting_->push_back(std::move(write));
    std::weak_ptr<std::vector<Write>> alive = waiting_;
    post_([alive, this] {
      if (!alive.expired()) drain();
    });
    return {};
  }

  Result<void> backup(std::filesystem::path, BackupDone) override {
    return fail("no_data_folder",
                "state is kept in memory only, so there is nothing to copy. Next: start the engine "
                "with a data folder.");
  }

  void close() override {
    closed_ = true;
    drain();
  }

  StoreCounters counters() const override { return counters_; }

 private:
  void drain() {
    std::vector<Write> writes = std::exchange(*waiting_, {});
    counters_.writes += writes.size();
    for (Write& write : writes) write.done({});
  }

  Post post_;
  std::shared_ptr<std::vector<Write>> waiting_ = std::make_shared<std::vector<Write>>();
  StoreCounters counters_;
  int64_t last_id_ = 0;
  bool closed_ = false;
};

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& directory, Post post,
                                           StoreLimits limits) {
  auto database = Database::open(directory, limits);
  if (!database) return std::unexpected(std::move(database.error()));
  Result<int64_t> last_id = (*database)->max_id();
  if (!last_id) return std::unexpected(std::move(last_id.error()));
  return std::make_unique<DiskStore>(std::move(*database), *last_id, std::move(post), limits);
}

std::unique_ptr<Store> Store::in_memory(Post post) {
  return std::make_unique<MemoryStore>(std::move(post));
}

}  // namespace iii::engine
