// Immutable JSON text: a string of its own, or a part of something that others hold too. What is
// shared is sent without being copied.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/discard.h"
#include "foundation/base/shared_bytes.h"

namespace iii::engine {

class JsonText {
 public:
  JsonText(std::string text = {}) : own_(std::move(text)) {}
  JsonText(const char* text) : own_(text) {}
  JsonText(std::shared_ptr<const std::string> text) {
    const std::string_view bytes = *text;
    shared_ = {std::move(text), bytes};
  }
  JsonText(SharedBytes text) : shared_(std::move(text)) {}

  std::string_view view() const { return shared_.owner ? shared_.bytes : std::string_view(own_); }
  size_t size() const { return view().size(); }
  // From now on copies of this text share its bytes.
  const SharedBytes& share() {
    if (!shared_.owner) *this = JsonText(shared_text(std::move(own_)));
    return shared_;
  }

  friend bool operator==(const JsonText& text, std::string_view other) {
    return text.view() == other;
  }

 private:
  std::string own_;  // used while shared_ has no owner
  SharedBytes shared_;
};

}  // namespace iii::engine
