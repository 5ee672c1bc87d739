// SHA-256, as 64 lower-case hex digits.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace iii {

std::string sha256_hex(std::string_view bytes);
// Whether a text has the form of one.
bool is_sha256_hex(std::string_view text);

// The same for content that comes in parts.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::string_view bytes);
  std::string hex();  // once, at the end

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace iii
