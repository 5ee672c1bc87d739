// A connection of one party of the adversary benchmark. Servers may end connections and may not
// answer here: nothing ends the program, and nothing waits beyond the deadline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iii::bench {

// Frames of the protocol, as text. `extra` continues the outer object, e.g. `,"metadata":1`.
std::string invocation_id(uint64_t high, uint64_t low);
std::string call_text(const std::string& id, std::string_view function, std::string_view data,
                      std::string_view extra = "");
std::string void_text(std::string_view function, std::string_view data);
std::string answer_text(std::string_view id, std::string_view result);
std::string function_text(std::string_view id, std::string_view extra = "");
std::string type_text(std::string_view id);
std::string bind_text(std::string_view id, std::string_view type, std::string_view function,
                      std::string_view config = "{}", std::string_view extra = "");

// A whole message as masked frames (the key is zero) of at most 16 MiB.
std::string message_frames(std::string_view text);
// One frame with this first byte (FIN and opcode).
std::string raw_frame(uint8_t first, std::string_view payload);

// The string value behind `"key":"`; "" when there is none.
std::string text_of(std::string_view json, std::string_view key);

class HostilePeer {
 public:
  // Connects and upgrades. `deadline` is a time of now_ns() that no operation exceeds.
  HostilePeer(uint16_t port, int64_t deadline, const std::string& path = "/");
  // Connects only. A message that arrives is then a whole HTTP response, its head included.
  struct Tcp {};
  HostilePeer(Tcp, uint16_t port, int64_t deadline);
  ~HostilePeer() { leave(); }
  HostilePeer(HostilePeer&& other) noexcept;
  HostilePeer& operator=(HostilePeer&&) = delete;

  bool open() const { return fd_ >= 0; }
  void leave();
  // True when the server has ended the connection or does so within this time; reads meanwhile.
  bool ended_by_server(double seconds);

  // What arrives while we send is read too, unless `reads` is false. False: the connection is over
  // or the deadline has passed.
  bool send_bytes(std::string_view bytes, int64_t until = INT64_MAX);
  bool send(std::string_view text) { return send_bytes(message_frames(text)); }
  bool reads = true;
  // False: HTTP responses are read and counted, not kept.
  bool keeps_bodies = true;

  // Messages go to `hear` when it is set (false: keep the message for `next`), else to `next`.
  std::function<bool(std::string_view)> hear;
  // Reads whatever arrives, for so long.
  void listen(double seconds);
  // The next message that contains `part`; those before it are dropped.
  std::optional<std::string> wait_for(std::string_view part, double seconds = 1e6);

  // Announces a name and waits until that is answered: registrations before it are in force.
  bool announce(std::string_view name);
  // One call; the text of its answer, or "" when none came.
  std::string call(std::string_view function, std::string_view data, double seconds = 1e6);
  // One HTTP request; its response, or "" when none came.
  std::string ask(std::string_view request, double seconds = 1e6);
  size_t received() const { return received_; }  // bytes
  // `count` calls with at most `window` unanswered; how many were answered without an error.
  size_t calls(size_t count, size_t window, std::string_view function,
               const std::function<std::string(size_t)>& data);
  // Number of messages that arrived, also those that nobody asked for.
  size_t heard() const { return heard_; }

 private:
  void connect_tcp(uint16_t port);
  void upgrade(const std::string& path);
  bool pump(int timeout_ms, bool writable);
  bool read_some();
  void take_messages();
  void take_responses();
  void drop_body();
  void deliver(std::string_view text);
  std::string fresh_id();
  int wait_ms(int64_t until) const;

  int fd_ = -1;
  bool upgraded_ = false;
  int64_t deadline_;
  std::string rest_;
  std::string partial_;  // the frames so far of a message of several
  std::deque<std::string> inbox_;
  size_t heard_ = 0;
  size_t received_ = 0;
  size_t left_ = 0;  // bytes of a response that are not kept
  uint64_t number_;
  uint64_t asked_ = 0;
};

}  // namespace iii::bench
