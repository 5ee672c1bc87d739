// For tests of handlers without sockets: keeps what it is given.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/net/http_message.h"
#include "foundation/base/text.h"

namespace iii::net {

class FakeHttpResponse final : public HttpResponse {
 public:
  void send(int its_status, HttpHeaders its_headers, std::string its_body) override {
    if (!open) return;
    status = its_status;
    headers = std::move(its_headers);
    body = std::move(its_body);
    finish();
  }
  void send(int its_status, HttpHeaders its_headers, SharedBytes its_body) override {
    send(its_status, std::move(its_headers), std::string(its_body.bytes));
  }
  void begin_stream(int its_status, HttpHeaders its_headers) override {
    if (!open) return;
    status = its_status;
    headers = std::move(its_headers);
    streams = true;
  }
  void write(std::string_view text) override {
    if (open) body += text;
  }
  void write(SharedBytes bytes) override { write(bytes.bytes); }
  void end() override { finish(); }
  size_t queued_bytes() const override { return queued; }
  bool is_open() const override { return open; }
  void on_drained(std::move_only_function<void()>) override {}
  void on_closed(std::move_only_function<void()> action) override { closed = std::move(action); }

  void leave() {
    if (!std::exchange(open, false)) return;
    if (auto action = std::exchange(closed, {})) action();
  }
  std::string header(std::string_view name) const {
    for (const HttpHeader& each : headers) {
      if (iequals(each.name, name)) return each.value;
    }
    return "";
  }
  // The `data:` of each event.
  std::vector<std::string> events() const {
    std::vector<std::string> out;
    for (const std::string_view line : split(body, '\n')) {
      if (line.starts_with("data: ")) out.emplace_back(line.substr(6));
    }
    return out;
  }
  std::string last_id() const {
    std::string out;
    for (const std::string_view line : split(body, '\n')) {
      if (line.starts_with("id: ")) out = line.substr(4);
    }
    return out;
  }

  int status = 0;
  HttpHeaders headers;
  std::string body;
  bool open = true;
  bool streams = false;
  size_t queued = 0;  // what queued_bytes() says

 private:
  void finish() {
    open = false;
    closed = {};
  }
  std::move_only_function<void()> closed;
};

}  // namespace iii::net
