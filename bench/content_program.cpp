#include "content_program.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string_view>
#include <thread>

#include "hostile_pair.h"
#include "hostile_peer.h"
#include "process.h"

namespace iii::bench {
namespace {

constexpr double kPatience = 10;          // seconds
constexpr useconds_t kBetweenGets = 500;  // microseconds

// Another client, which reads one document again and again.
class Getter {
 public:
  Getter(uint16_t port, std::string_view id)
      : peer_(port, now_ns() + int64_t(120e9)),
        data_(fmt::format(R"({{"id":"{}"}})", id)),
        thread_([this] { run(); }) {}
  ~Getter() {
    stop_ = true;
    thread_.join();
  }
  Getter(const Getter&) = delete;
  Getter& operator=(const Getter&) = delete;

  // The slowest since the last look.
  double look() { return double(worst_ns_.exchange(0)) / 1e6; }
  int64_t slowest() const { return slowest_ns_; }
  bool right() const { return right_; }

 private:
  void run() {
    while (!stop_) {
      const int64_t begin = now_ns();
      const std::string answer = peer_.call("directory::skills::get", data_, kPatience);
      const int64_t end = now_ns();
      if (answer.find("\"body\"") == std::string::npos) right_ = false;
      if (end - begin > worst_ns_) {
        worst_ns_ = end - begin;
        slowest_ns_ = end;
      }
      usleep(kBetweenGets);
    }
  }

  HostilePeer peer_;
  const std::string data_;
  std::atomic<int64_t> worst_ns_ = 0;
  std::atomic<int64_t> slowest_ns_ = 0;
  std::atomic<bool> right_ = true;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace

ProgramWaits wait_beside_lists(const std::string& program, const std::string& tree,
                               const std::string& folder, size_t lists) {
  namespace fs = std::filesystem;
  fs::create_directories(folder);
  fs::permissions(folder, fs::perms::owner_all);
  ProgramWaits out;
  {
    ServerProcess server({program, "serve", "--port", "0", "--http-port", "0", "--data",
                          folder + "/data", "--skills", tree, "--log-level", "error"},
                         kAnyCore);
    if (server.port() == 0) die("the program does not start");
    HostilePeer lister(server.port(), now_ns() + int64_t(120e9));
    Pair pair(server.port());
    const std::string all = lister.call("directory::skills::list", "{}", kPatience);
    Getter getter(server.port(), text_of(all, "id"));
    usleep(300'000);
    pair.look(kPatience);
    getter.look();
    usleep(1'000'000);
    out.call_alone_ms = pair.look(kPatience).worst_ms;
    out.get_alone_ms = getter.look();
    out.right = true;
    std::thread([&] {
      setpriority(PRIO_PROCESS, 0, 10);  // this thread only: it is not what is measured
      const int64_t begin = now_ns();
      for (size_t i = 0; i < lists; ++i) {
        const std::string answer = lister.call("directory::skills::list", "{}", kPatience);
        out.right = out.right && answer.size() == all.size() && !answer.empty();
      }
      out.list_ms = double(now_ns() - begin) / 1e6 / double(lists);
    }).join();
    out.list_mb = double(all.size()) / 1e6;
    out.call_listing_ms = pair.look(kPatience).worst_ms;
    out.get_listing_ms = getter.look();
    out.slowest_get_ns = getter.slowest();
    const Pair::Books books = pair.finish(kPatience);
    out.right = out.right && getter.right() && books.lost == 0 && books.wrong == 0;
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return out;
}

}  // namespace iii::bench
