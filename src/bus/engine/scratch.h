// Memory for the message that is being written: kept for the next one, unless it has become large.
#pragma once

#include <cstddef>
#include <string>

namespace iii::engine {

class Scratch {
 public:
  static constexpr size_t kMostKept = 64 * 1024;

  // Empty. Valid until the next call.
  std::string& fresh() {
    text_.clear();
    return text_;
  }
  const std::string& text() const { return text_; }
  // The text has been sent.
  void done() {
    if (text_.capacity() > kMostKept) std::string().swap(text_);
  }
  size_t capacity() const { return text_.capacity(); }

 private:
  std::string text_;
};

}  // namespace iii::engine
