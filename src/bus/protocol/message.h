// Writes one message, member by member. Internal to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bus/protocol/frame.h"
#include "foundation/json/write.h"

namespace iii::protocol {

// Writes `{"type":"…"` and then members; done() closes the object.
class Message {
 public:
  Message(std::string& out, std::string_view type) : out_(out) {
    out_ += "{\"type\":\"";
    out_ += type;
    out_ += '"';
  }
  // The rest of a message that was begun elsewhere.
  explicit Message(std::string& out) : out_(out) {}

  Message& text(std::string_view key, Text value) {
    name(key);
    json::append_string(out_, value);
    return *this;
  }
  Message& text(std::string_view key, const std::optional<Text>& value) {
    return value ? text(key, *value) : *this;
  }
  Message& raw(std::string_view key, Json value) {
    name(key);
    out_ += value;
    return *this;
  }
  Message& raw(std::string_view key, const std::optional<Json>& value) {
    return value ? raw(key, *value) : *this;
  }
  Message& uuid(std::string_view key, const Uuid& value) {
    name(key);
    out_ += '"';
    value.append_to(out_);
    out_ += '"';
    return *this;
  }
  Message& number(std::string_view key, uint64_t value) {
    name(key);
    json::append_number(out_, value);
    return *this;
  }
  Message& number(std::string_view key, const std::optional<uint64_t>& value) {
    return value ? number(key, *value) : *this;
  }
  Message& flag(std::string_view key, bool value) {
    return raw(key, Json(value ? "true" : "false"));
  }
  Message& flag(std::string_view key, const std::optional<bool>& value) {
    return value ? flag(key, *value) : *this;
  }
  Message& error(const std::optional<ErrorBody>& body, std::string_view key = "error") {
    if (!body) return *this;
    name(key);
    out_ += "{\"code\":";
    json::append_string(out_, body->code);
    out_ += ",\"message\":";
    json::append_string(out_, body->message);
    if (body->stacktrace) {
      out_ += ",\"stacktrace\":";
      json::append_string(out_, *body->stacktrace);
    }
    out_ += '}';
    return *this;
  }
  std::string& open(std::string_view key) {
    name(key);
    return out_;
  }
  void done() { out_ += '}'; }

 private:
  void name(std::string_view key) {
    out_ += ",\"";
    out_ += key;
    out_ += "\":";
  }

  std::string& out_;
};

}  // namespace iii::protocol
