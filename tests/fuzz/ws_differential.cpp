// Fuzz target: our decoder and Boost.Beast make the same of the same bytes.
//
// Input: one byte of choices (bit 0 role, bit 1 a small message limit), one byte unused, then the
// stream (the same form as for ws_decoder, so that the two may share finds).
#include <cstdint>
#include <cstdio>

#include "beast_peer.h"
#include "foundation/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iii::ws;
  if (size < 2) return 0;
  const Role role = (data[0] & 1) == 0 ? Role::kServer : Role::kClient;
  const size_t max_message = (data[0] & 2) == 0 ? 1'000'000 : 1000;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string difference = compare_with_beast(role, max_message, bytes);
  if (!difference.empty()) std::fprintf(stderr, "%s\n", difference.c_str());
  III_CHECK(difference.empty());
  return 0;
}
