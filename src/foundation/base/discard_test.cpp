#include "foundation/base/discard.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace iii {
namespace {

// Notes on which thread it is destroyed.
struct Probe {
  explicit Probe(std::vector<std::thread::id>& ends) : ends_(&ends) {}
  Probe(Probe&& other) noexcept : ends_(std::exchange(other.ends_, nullptr)) {}
  ~Probe() {
    if (ends_ != nullptr) ends_->push_back(std::this_thread::get_id());
  }

 private:
  std::vector<std::thread::id>* ends_;
};

TEST(Discard, DestroysOnceOnAnotherThread) {
  std::vector<std::thread::id> ends;
  discard(Probe(ends));
  {
    const Discarded<Probe> owned(new Probe(ends));
  }
  wait_for_discards();
  ASSERT_EQ(ends.size(), 2U);
  for (const std::thread::id& end : ends) EXPECT_NE(end, std::this_thread::get_id());
}

TEST(Discard, ASharedTextOfAnySizeIsTheText) {
  for (const size_t size : {size_t{0}, size_t{10}, kDiscardBytes, 8 * kDiscardBytes}) {
    const std::string text(size, 'x');
    std::shared_ptr<const std::string> shared = shared_text(text);
    const std::weak_ptr<const std::string> watch = shared;
    EXPECT_EQ(*shared, text);
    shared.reset();
    EXPECT_TRUE(watch.expired());
  }
  wait_for_discards();
}

}  // namespace
}  // namespace iii
