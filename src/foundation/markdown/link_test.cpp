#include "foundation/markdown/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace iii::markdown {
namespace {

std::string said(std::string_view address) {
  const Link link = classify_link(address);
  const std::string scheme = link.scheme.empty() ? "" : " " + link.scheme;
  return std::string(kind_word(link.kind)) + scheme;
}

TEST(Link, WhatStaysInsideAndWhatLeaves) {
  EXPECT_EQ(said("explain.md"), "skill");
  EXPECT_EQ(said("../x/SKILL.md#part"), "skill");
  EXPECT_EQ(said("a/b:c.md"), "skill");
  EXPECT_EQ(said("iii://database/query"), "skill");
  EXPECT_EQ(said("III://database"), "skill");
  EXPECT_EQ(said("/rooted"), "skill");
  EXPECT_EQ(said("?q=a:b"), "skill");
  EXPECT_EQ(said("#part"), "anchor");
  EXPECT_EQ(said(""), "anchor");
  EXPECT_EQ(said("https://example.com/a?b#c"), "web");
  EXPECT_EQ(classify_link(" HTTPS://example.com ").href, "https://example.com");
}

TEST(Link, EveryOtherSchemeIsRefusedHoweverItIsWritten) {
  for (const std::string_view address :
       {"javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:x", "java\tscript:x",
        "java\nscript:x", "\x01javascript:x", "javascript :x", "java\r\n script:x"}) {
    EXPECT_EQ(said(address), "refused javascript") << address;
  }
  EXPECT_EQ(said("data:text/html,<script>"), "refused data");
  EXPECT_EQ(said("VBScript:x"), "refused vbscript");
  EXPECT_EQ(said("file:///etc/passwd"), "refused file");
  EXPECT_EQ(said("mailto:a@b"), "refused mailto");
  EXPECT_EQ(said("blob:https://a"), "refused blob");
  EXPECT_EQ(said("C:\\a"), "refused c");
  EXPECT_EQ(said("://x"), "refused");
  EXPECT_EQ(said("https:example.com"), "refused https");
  EXPECT_EQ(said("https:///example.com"), "refused https");
  EXPECT_EQ(said("https:\\\\example.com"), "refused https");
  EXPECT_EQ(said("https://a b"), "refused https");
  EXPECT_EQ(said("iii:x"), "refused iii");
}

TEST(Link, AHostWithoutASchemeIsRefused) {
  for (const std::string_view address :
       {"//host/x", "\\\\host", "/\\host", "\\/host", "/\t/host"}) {
    EXPECT_EQ(said(address), "refused //") << address;
  }
}

TEST(Link, AddressesAreShort) {
  const Link link = classify_link("https://a/" + std::string(kMaxAddress, 'x'));
  EXPECT_EQ(link.kind, LinkKind::kRefused);
  EXPECT_LT(link.href.size(), 300U);
  EXPECT_EQ(classify_link(std::string(40, 'x') + ":").scheme.size(), 32U);
}

TEST(Link, AddressesInAText) {
  EXPECT_EQ(bare_address("see https://a.b/c?d=e&f. Then"), "https://a.b/c?d=e&f");
  EXPECT_EQ(bare_address("(http://a.b/c(d))"), "http://a.b/c(d)");
  EXPECT_EQ(bare_address("https://a.b/*_~'\"x"), "https://a.b/");
  EXPECT_EQ(bare_address("xhttp://a.b http:// https://c"), "https://c");
  EXPECT_EQ(bare_address("http://<b>"), "");
  EXPECT_EQ(bare_address("https://a.b/" + std::string(100'000, ')')), "https://a.b/");
}

}  // namespace
}  // namespace iii::markdown
