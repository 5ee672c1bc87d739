// A host, an observing worker and what they say, for tests of observers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/testing.h"

namespace iii::engine {

inline constexpr std::string_view kV1 = R"(,"features":["observe.v1"])";
inline constexpr std::string_view kV2 = R"(,"features":["observe.v1","observe.v2"])";

// A peer that names `features` in its announce.
struct Observing {
  Observing(TestBus& bus, std::string_view name, std::string_view features = kV1) : peer(bus) {
    peer.announce(name, features);
  }
  Peer* operator->() { return &peer; }

  void observe(std::string_view id, std::string_view source, std::string_view target,
               std::string_view in_source = "", std::string_view beside = "") {
    peer.say(R"({"type":"observe","id":")" + std::string(id) + R"(","source":{"function_id":")" +
             std::string(source) + "\"" + std::string(in_source) +
             R"(},"target":{"function_id":")" + std::string(target) + "\"}" + std::string(beside) +
             "}");
  }
  void unobserve(std::string_view id) {
    peer.say(R"({"type":"unobserve","id":")" + std::string(id) + "\"}");
  }
  void ack(std::string_view function, std::string_view id, uint64_t revision,
           std::string_view error = "") {
    peer.say(R"({"type":"observerack","function_id":")" + std::string(function) +
             R"(","namespace":"default","id":")" + std::string(id) + R"(","revision":)" +
             std::to_string(revision) + std::string(error) + "}");
  }
  void serve(std::string_view function, std::string_view extra = "") {
    peer.say(R"({"type":"registerfunction","id":")" + std::string(function) + "\"" +
             std::string(extra) + "}");
  }

  Peer peer;
};

// The frames of a type, of those that have arrived.
inline std::vector<json::Value> of_type(const Frames& frames, std::string_view type) {
  std::vector<json::Value> found;
  for (const std::string& text : frames) {
    json::Value frame = parsed(text);
    if (text_at(frame, "type") == type) found.push_back(std::move(frame));
  }
  return found;
}

// `state` or `state/CODE` of each answer and change, in order.
inline std::vector<std::string> states(const Frames& frames) {
  std::vector<std::string> found;
  for (const std::string& text : frames) {
    const json::Value frame = parsed(text);
    const std::string type = text_at(frame, "type");
    if (type != "observeresult" && type != "observerstatechanged") continue;
    std::string state = text_at(frame, "state");
    for (const std::string_view key : {"error", "reason"}) {
      if (const json::Value* error = frame.find(key)) state += "/" + text_at(*error, "code");
    }
    found.push_back((type == "observeresult" ? "=" : "") + state);
  }
  return found;
}

inline json::Value data_of(const json::Value& frame) {
  const json::Value* data = frame.find("data");
  return data == nullptr ? json::Value{} : *data;
}

// Answers every call that has arrived at `peer`; how many there were.
inline size_t answer_all(Peer& peer, std::string_view outcome = R"("result":{"ok":true})") {
  const auto calls = of_type(peer.take(), "invokefunction");
  for (const json::Value& call : calls) peer.answer(text_at(call, "invocation_id"), outcome);
  return calls.size();
}

}  // namespace iii::engine
