// Durable writes without a bus: the floor that the disk sets, and the engine's store.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "bus/engine/store/store.h"
#include "bus/net/loop.h"
#include "process.h"
#include "roles.h"
#include "wire.h"

namespace iii::bench {
namespace {

// Long enough for files to have got their first blocks.
constexpr double kWarmUp = 0.1;

// Times of writes, those of the warm-up left out.
class Record {
 public:
  explicit Record(double seconds)
      : begin_(now_ns() + static_cast<int64_t>(kWarmUp * 1e9)),
        end_(begin_ + static_cast<int64_t>(seconds * 1e9)) {}

  // False when the time is over.
  bool add(int64_t from, int64_t to) {
    if (from >= begin_ && to < end_) taken_.push_back(to - from);
    return to < end_;
  }
  void merge(const Record& other) {
    taken_.insert(taken_.end(), other.taken_.begin(), other.taken_.end());
  }
  void print() {
    std::sort(taken_.begin(), taken_.end());
    const double seconds = static_cast<double>(end_ - begin_) / 1e9;
    std::printf("%.6g %.6g %.6g\n", static_cast<double>(taken_.size()) / seconds, quantile(0.50),
                quantile(0.99));
    std::fflush(stdout);
  }

 private:
  double quantile(double share) const {
    if (taken_.empty()) return 0;
    const auto at = static_cast<size_t>(share * static_cast<double>(taken_.size() - 1));
    return static_cast<double>(taken_[at]) / 1000.0;
  }

  int64_t begin_;
  int64_t end_;
  std::vector<int64_t> taken_;
};

}  // namespace

int measure_floor(const DiskWork& work) {
  std::filesystem::create_directories(work.folder);
  const std::string path = work.folder + "/floor.log";
  const int fd = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) die("cannot create a file: " + std::string(std::strerror(errno)));
  const std::string payload = json_payload();
  std::vector<Record> records(work.writers, Record(work.seconds));
  std::vector<std::thread> threads;
  for (Record& record : records) {
    threads.emplace_back([&record, &payload, fd] {
      bool more = true;
      while (more) {
        const int64_t from = now_ns();
        if (write(fd, payload.data(), payload.size()) < 0 || fdatasync(fd) != 0) {
          die("cannot write: " + std::string(std::strerror(errno)));
        }
        more = record.add(from, now_ns());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 1; i < records.size(); ++i) records[0].merge(records[i]);
  records[0].print();
  close(fd);
  return 0;
}

int measure_store(const DiskWork& work) {
  net::Loop loop;
  engine::Post post = [&loop](std::move_only_function<void()> action) {
    loop.post(std::move(action));
  };
  auto opened = engine::Store::open(work.folder, std::move(post));
  if (!opened) die(opened.error().message);
  engine::Store& store = **opened;
  const auto value = std::make_shared<const std::string>(json_payload());
  std::vector<int64_t> ids;
  for (size_t i = 0; i < work.writers; ++i) ids.push_back(store.next_id());

  // The first write makes room for the log: that is part of starting, not of writing.
  engine::Write first;
  first.changes.push_back(engine::Change::put({ids[0], "bench", "bench", "key-0", value}));
  first.done = [&loop](const Result<void>&) { loop.stop(); };
  if (auto accepted = store.write(first); !accepted) die(accepted.error().message);
  loop.run();

  Record record(work.seconds);
  size_t running = work.writers;
  // Each writer writes again as soon as its last write is on disk.
  std::function<void(size_t)> put = [&](size_t writer) {
    const int64_t from = now_ns();
    engine::Write write;
    write.changes.push_back(engine::Change::put(
        {ids[writer], "bench", "bench", "key-" + std::to_string(writer), value}));
    write.done = [&, writer, from](const Result<void>& stored) {
      if (!stored) die(stored.error().message);
      if (record.add(from, now_ns())) return put(writer);
      if (--running == 0) loop.stop();
    };
    if (auto accepted = store.write(write); !accepted) die(accepted.error().message);
  };
  for (size_t i = 0; i < work.writers; ++i) put(i);
  loop.run();
  record.print();
  store.close();
  return 0;
}

}  // namespace iii::bench
