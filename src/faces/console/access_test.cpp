#include "faces/console/access.h"

#include <gmock/gmock.h>

namespace iii::console {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

net::HttpRequest with(net::HttpHeaders headers) { return {.headers = std::move(headers)}; }
int status(const std::optional<net::HttpAnswer>& refusal) { return refusal ? refusal->status : 0; }

net::HttpHeaders good() {
  return {{"Origin", "http://127.0.0.1:3111"},
          {"X-Console", "1"},
          {"Content-Type", "application/json; charset=utf-8"},
          {"Sec-Fetch-Site", "same-origin"}};
}
net::HttpRequest good_but(std::string_view name, const char* value) {
  net::HttpHeaders headers = good();
  std::erase_if(headers, [&](const net::HttpHeader& each) { return each.name == name; });
  if (value != nullptr) headers.push_back({std::string(name), value});
  return with(std::move(headers));
}

TEST(ConsoleAccess, OnlyOwnScriptsAct) {
  EXPECT_EQ(status(check_json_act(with(good()))), 0);
  EXPECT_EQ(status(check_json_act(good_but("Sec-Fetch-Site", nullptr))), 0) << "an older browser";
  EXPECT_EQ(status(check_json_act(good_but("Origin", nullptr))), 403);
  EXPECT_EQ(status(check_json_act(good_but("X-Console", nullptr))), 403);
  EXPECT_EQ(status(check_json_act(good_but("X-Console", "0"))), 403);
  for (const char* site : {"cross-site", "same-site", "none", ""}) {
    EXPECT_EQ(status(check_json_act(good_but("Sec-Fetch-Site", site))), 403) << site;
  }
  // What a form can send.
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", "application/jsonx", ""}) {
    EXPECT_EQ(status(check_json_act(good_but("Content-Type", type))), 415) << type;
  }
  EXPECT_EQ(status(check_json_act(good_but("Content-Type", nullptr))), 415);
  EXPECT_EQ(status(check_act(good_but("Content-Type", nullptr))), 0) << "there is no body";
}

TEST(ConsoleAccess, OtherSitesDoNotRead) {
  EXPECT_EQ(status(check_read(with({}))), 0);
  EXPECT_EQ(status(check_read(with({{"Sec-Fetch-Site", "same-origin"}}))), 0);
  EXPECT_EQ(status(check_read(with({{"Sec-Fetch-Site", "none"}}))), 0) << "typed by a person";
  EXPECT_EQ(status(check_read(with({{"Sec-Fetch-Site", "cross-site"}}))), 403);
  EXPECT_EQ(status(check_read(with({{"Sec-Fetch-Site", "same-site"}}))), 403);
}

TEST(ConsoleAccess, OtherSitesMayLinkToThePage) {
  const net::HttpHeader cross{"Sec-Fetch-Site", "cross-site"};
  const net::HttpHeader navigates{"Sec-Fetch-Mode", "navigate"};
  EXPECT_EQ(status(check_page(with({cross, navigates, {"Sec-Fetch-Dest", "document"}}))), 0);
  EXPECT_EQ(status(check_page(with({cross, navigates, {"Sec-Fetch-Dest", "iframe"}}))), 403);
  EXPECT_EQ(status(check_page(with({cross, {"Sec-Fetch-Mode", "no-cors"}}))), 403);
  EXPECT_EQ(status(check_page(with({cross}))), 403);
}

TEST(ConsoleAccess, RefusalsAreFlat) {
  EXPECT_THAT(check_act(with({}))->body, testing::StartsWith(R"({"code":"origin_required",)"));
}

TEST(ConsoleAccess, Encodings) {
  EXPECT_TRUE(accepts_gzip(with({{"Accept-Encoding", "br, GZIP;q=0.5"}})));
  EXPECT_FALSE(accepts_gzip(with({{"Accept-Encoding", "br, gzip;q=0"}})));
  EXPECT_FALSE(accepts_gzip(with({{"Accept-Encoding", "x-gzipped"}})));
  EXPECT_FALSE(accepts_gzip(with({})));
  EXPECT_TRUE(accepts_html(with({{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}})));
  EXPECT_FALSE(accepts_html(with({{"Accept", "*/*"}})));
}

TEST(ConsoleAccess, Cookies) {
  EXPECT_THAT(cookies(with({{"Cookie", "a=1; iii_console=x=y;iii_console2=z"},
                            {"cookie", " iii_console=w "}}),
                      "iii_console"),
              ElementsAre("x=y", "w"));
  EXPECT_THAT(cookies(with({{"Cookie", "iii_console"}}), "iii_console"), testing::IsEmpty());
}

TEST(ConsoleAccess, ThePolicyLeavesNothingOpen) {
  const net::HttpArea area = console_area();
  EXPECT_TRUE(area.own_pages_only);
  const std::string& policy = area.headers.at(0).value;
  EXPECT_THAT(policy, HasSubstr("default-src 'none'"));
  EXPECT_THAT(policy, HasSubstr("require-trusted-types-for 'script'"));
  EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe")));
}

}  // namespace
}  // namespace iii::console
