#include "app/daemon/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace iii::daemon {
namespace {

TEST(Descriptors, TheSoftLimitBecomesTheHardOne) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{kLeastDescriptors, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(raise_descriptor_limit().value_or(0), before.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(Descriptors, ConnectionsLeaveRoomForTheRest) {
  EXPECT_EQ(connections_that_fit(kLeastDescriptors, 20'000), kLeastDescriptors - kOwnDescriptors);
  EXPECT_EQ(connections_that_fit(20'000 + kOwnDescriptors, 20'000), 20'000U);
  EXPECT_EQ(connections_that_fit(20'000 + kOwnDescriptors - 1, 20'000), 19'999U);
  EXPECT_EQ(connections_that_fit(10, 20'000), 1U);
}

}  // namespace
}  // namespace iii::daemon
