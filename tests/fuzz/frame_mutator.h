// Frames for the engine, made from recorded ones: the same sequence for the same seed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/json/value.h"

namespace iii::fuzz {

// The frames of all recordings (`*.jsonl`) in a folder, both directions, in the order of the files.
std::vector<json::Value> recorded_frames(const std::filesystem::path& folder);

class FrameMutator {
 public:
  // `functions` and `types` are ids that the engine implements itself.
  FrameMutator(std::vector<json::Value> frames, std::vector<std::string> functions,
               std::vector<std::string> types, uint64_t seed);

  // The next frame: a recorded one, a call or a binding of a built-in, mostly changed.
  std::string next();
  // An answer to this call, mostly a right one.
  std::string answer(std::string_view invocation_id);
  // An id that the engine has spoken of; later frames may use it.
  void learn(std::string_view id);

  size_t below(size_t limit) { return limit == 0 ? 0 : static_cast<size_t>(random_() % limit); }
  bool one_in(size_t n) { return below(n) == 0; }

 private:
  json::Value base();
  json::Value call_of_builtin();
  json::Value call_of_worker();
  json::Value registration();
  json::Value binding();
  json::Value about_observer();
  json::Value input(std::string_view function);
  json::Value update_op();
  json::Value schema(size_t depth);
  json::Value small_value(size_t depth);

  void change(json::Value& value);
  json::Value& some_node(json::Value& root);
  void change_object(json::Object& object);
  std::string text(std::string_view key);
  std::string id();
  std::string huge_text();
  json::Value number();

  void write(std::string& out, const json::Value& value);
  void damage(std::string& frame);

  std::mt19937_64 random_;
  std::vector<json::Value> frames_;
  std::vector<std::string> functions_;
  std::vector<std::string> types_;
  std::vector<std::string> ids_;
  size_t position_ = 0;  // in the recording that is being played
  std::string last_;
};

}  // namespace iii::fuzz
