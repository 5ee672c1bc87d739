#include "faces/mcp/stdio.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "foundation/base/log.h"

namespace iii::mcp {

namespace {

constexpr size_t kBlock = 64 * 1024;
constexpr size_t kMostUndelivered = 16 * 1024 * 1024;

}  // namespace

Stdio::Stdio(net::Loop& loop, Server& server, int in, int out, std::function<void()> on_end,
             StdioOptions options)
    : loop_(loop),
      in_(in),
      out_(out),
      options_(options),
      on_end_(std::move(on_end)),
      duplex_(
          server, [this](std::string line) { send(std::move(line)); }, options.duplex),
      wake_(::eventfd(0, EFD_CLOEXEC)),
      reader_([this] { read(); }),
      writer_([this] { write(); }) {}

Stdio::~Stdio() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  wake_threads();
  reader_.join();
  writer_.join();
  ::close(wake_);
}

// For good: both threads end.
void Stdio::wake_threads() const {
  const uint64_t one = 1;
  static_cast<void>(::write(wake_, &one, sizeof one));
}

// --- the reading thread

void Stdio::read() {
  std::array<char, kBlock> block{};
  while (wait_for_input()) {
    const ssize_t count = ::read(in_, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      // A last line without its newline counts.
      if (!line_.empty() && !discards_) deliver(std::exchange(line_, {}), false);
      return ended();
    }
    if (!take({block.data(), static_cast<size_t>(count)})) return;
  }
}

// Until there is something to read, and the client has read enough of what it was sent.
bool Stdio::wait_for_input() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      return stopping_ || broken_ ||
             (queued_ <= options_.high_water && undelivered_ <= kMostUndelivered);
    });
    if (stopping_ || broken_) return false;
  }
  std::array<pollfd, 2> wanted = {{{in_, POLLIN, 0}, {wake_, POLLIN, 0}}};
  while (::poll(wanted.data(), wanted.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  return wanted[1].revents == 0;
}

// False when nobody is there to take lines any more.
bool Stdio::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > options_.duplex.max_line_bytes) {
      discards_ = true;
      line_.clear();
    }
    if (!discards_) line_ += part;
    if (end == std::string_view::npos) break;
    deliver(std::exchange(line_, {}), std::exchange(discards_, false));
    bytes.remove_prefix(end + 1);
  }
  const std::scoped_lock lock(mutex_);
  return !stopping_;
}

void Stdio::deliver(std::string line, bool too_long) {
  const size_t size = line.size();
  {
    const std::scoped_lock lock(mutex_);
    undelivered_ += size;
  }
  loop_.post([this, alive = std::weak_ptr(alive_), line = std::move(line), too_long, size] {
    if (alive.expired()) return;
    {
      const std::scoped_lock lock(mutex_);
      undelivered_ -= size;
    }
    changed_.notify_all();
    too_long ? duplex_.refuse_long_line() : duplex_.receive(line);
  });
}

void Stdio::ended() {
  loop_.post([this, alive = std::weak_ptr(alive_)] {
    if (alive.expired()) return;
    if (auto action = std::exchange(on_end_, {})) action();
  });
}

// --- the loop

void Stdio::send(std::string line) {
  line += '\n';
  {
    const std::scoped_lock lock(mutex_);
    if (broken_) return;
    queued_ += line.size();
    output_.push_back(std::move(line));
    broken_ = queued_ > options_.max_queued;
    if (broken_) {
      log_warn("mcp: the client does not read what it is sent; giving up");
      wake_threads();  // the writer waits for the client to read
    }
  }
  changed_.notify_all();
}

void Stdio::flush(std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return queued_ == 0 || broken_; });
}

// --- the writing thread

// False when it cannot be written, or is not to be waited for any more. Never waits where the
// destructor could not end it: a pipe that can take anything takes PIPE_BUF bytes at once, and a
// socket is asked not to wait.
bool Stdio::write_out(std::string_view text) const {
  bool is_socket = true;
  while (!text.empty()) {
    std::array<pollfd, 2> wanted = {{{out_, POLLOUT, 0}, {wake_, POLLIN, 0}}};
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return false;
    if (wanted[0].revents == 0) {
      if (wanted[1].revents != 0) return false;
      continue;
    }
    ssize_t count = -1;
    if (is_socket) {
      count = ::send(out_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      is_socket = count >= 0 || errno != ENOTSOCK;
    }
    if (!is_socket) count = ::write(out_, text.data(), std::min<size_t>(text.size(), PIPE_BUF));
    if (count > 0) text.remove_prefix(static_cast<size_t>(count));
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
  }
  return true;
}

void Stdio::write() {
  for (;;) {
    std::string text;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || broken_ || !output_.empty(); });
      if (broken_) break;
      if (stopping_) return;  // see flush()
      // Many short lines leave together.
      while (!output_.empty() && text.size() < kBlock) {
        text += output_.front();
        output_.pop_front();
      }
    }
    const bool written = write_out(text);
    {
      const std::scoped_lock lock(mutex_);
      queued_ -= text.size();
      broken_ = broken_ || !written;
    }
    changed_.notify_all();
  }
  ended();
}

}  // namespace iii::mcp
