// The one way to say that something failed: an Error by value, never an exception across rooms.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace iii {

// `code` is the word callers compare (`NOT_FOUND`, `D110`, `invocation_failed`); `message` teaches.
// Neither may carry host names, absolute paths or stack traces: both travel to other machines.
struct Error {
  std::string code;
  std::string message;

  bool operator==(const Error&) const = default;
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string code, std::string message) {
  return std::unexpected(Error{std::move(code), std::move(message)});
}

}  // namespace iii
