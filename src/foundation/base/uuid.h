// UUIDs as 128-bit values: every spelling is read, only the lower-case hyphenated one is written.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/hash.h"

namespace iii {

struct Uuid {
  uint64_t high = 0;
  uint64_t low = 0;

  // Plain, `{braced}`, `urn:uuid:` and 32-digit forms, any letter case, any version.
  static std::optional<Uuid> parse(std::string_view text);

  std::string to_string() const;
  void append_to(std::string& out) const;
  // To `text`, which has room for kTextSize characters.
  static constexpr size_t kTextSize = 36;
  void write_to(char* text) const;

  auto operator<=>(const Uuid&) const = default;
};

// Most ids are random, but a peer chooses its own invocation ids; see base/hash.h.
struct UuidHash {
  using is_avalanching = void;
  size_t operator()(const Uuid& id) const noexcept {
    return static_cast<size_t>(keyed_hash(process_hash_key(), id.high, id.low));
  }
};

// Where identities come from, so that tests can hand out predictable ones.
class IdSource {
 public:
  virtual ~IdSource() = default;
  virtual Uuid next() = 0;  // version 4
};

// Version 4 UUIDs from the kernel's random source, drawn in blocks. Not for use by two threads.
class RandomIds final : public IdSource {
 public:
  Uuid next() override;

 private:
  std::array<uint64_t, 128> block_{};
  size_t used_ = block_.size();
};

}  // namespace iii
