#include "foundation/base/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "foundation/base/check.h"

namespace iii {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace

struct Sha256::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  State() { III_CHECK(context != nullptr && EVP_DigestInit_ex(context, EVP_sha256(), nullptr)); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;

void Sha256::add(std::string_view bytes) {
  III_CHECK(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  III_CHECK(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  std::string out;
  out.reserve(64);
  for (const unsigned char byte : digest) {
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 15U];
  }
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

}  // namespace iii
