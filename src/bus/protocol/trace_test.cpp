#include "bus/protocol/trace.h"

#include <gtest/gtest.h>

namespace iii::protocol {
namespace {

TEST(Trace, OnlyWellFormedTraceparentsPass) {
  EXPECT_TRUE(valid_traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"));
  EXPECT_FALSE(valid_traceparent("zzz"));
  EXPECT_FALSE(valid_traceparent(""));
  EXPECT_FALSE(valid_traceparent("00-00000000000000000000000000000000-b7ad6b7169203331-01"));
  EXPECT_FALSE(valid_traceparent("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01"));
}

TEST(Trace, BaggageLosesPropertiesAndBrokenEntriesAndGainsTheFunction) {
  EXPECT_EQ(forwarded_baggage("k=v%20w;p=1, z = 2 ,broken", "a::b"),
            "k=v%20w,z=2,iii.function.id=a::b");
  EXPECT_EQ(forwarded_baggage("", "a b,c"), "iii.function.id=a%20b%2Cc");
}

TEST(Trace, EntriesAreDecoded) {
  const auto entries = baggage_entries("a=1,b=x%20y,broken");
  EXPECT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries.at("b"), "x y");
}

}  // namespace
}  // namespace iii::protocol
