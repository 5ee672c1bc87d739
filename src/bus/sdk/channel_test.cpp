// Row W18, the part without sockets: addresses and references.
#include "bus/sdk/channel.h"

#include <gmock/gmock.h>

namespace iii::sdk {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChannelUrl, EncodesTheKeyAndForgetsPathAndQueryOfTheWorkersAddress) {
  const net::Url engine = net::Url::parse("ws://[::1]:7000/some/path?t=x").value();
  const ChannelRef write{"ch-1", "key/with space", ChannelDirection::kWrite};
  const net::Url url = channel_url(engine, write);
  EXPECT_EQ(url.target, "/ws/channels/ch-1?key=key%2Fwith%20space&dir=write");
  EXPECT_EQ(url.authority(), engine.authority());
  const ChannelRef read{"a/b?c", "k", ChannelDirection::kRead};
  EXPECT_EQ(channel_url(engine, read).target, "/ws/channels/a%2Fb%3Fc?key=k&dir=read");
}

TEST(ChannelRefs, AreFoundAnywhereInAPayload) {
  const auto refs = find_channel_refs(
      R"({"r":{"channel_id":"c1","access_key":"k","direction":"read"},"nested":{"w":{"channel_id":"c2","access_key":"k","direction":"write"}},"list":[1,{"channel_id":"c3","access_key":"k","direction":"read","extra":1}]})");
  EXPECT_THAT(refs, ElementsAre(ChannelRef{"c1", "k", ChannelDirection::kRead},
                                ChannelRef{"c2", "k", ChannelDirection::kWrite},
                                ChannelRef{"c3", "k", ChannelDirection::kRead}));
}

TEST(ChannelRefs, WhatOnlyLooksLikeOneIsNone) {
  for (const char* text : {"null", "\"x\"", "{}", R"({"channel_id":"c","access_key":"k"})",
                           R"({"channel_id":"c","access_key":"k","direction":"READ"})",
                           R"({"channel_id":1,"access_key":"k","direction":"read"})"}) {
    EXPECT_THAT(find_channel_refs(text), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace iii::sdk
