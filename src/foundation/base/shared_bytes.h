// Bytes that several holders read and nobody changes or copies.
#pragma once

#include <memory>
#include <string_view>

namespace iii {

struct SharedBytes {
  std::shared_ptr<const void> owner;  // keeps `bytes` alive
  std::string_view bytes;             // all or a part of what `owner` holds
};

}  // namespace iii
