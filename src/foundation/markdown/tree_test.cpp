#include "foundation/markdown/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <set>

#include "foundation/json/value.h"

namespace iii::markdown {
namespace {

using testing::HasSubstr;
using testing::Not;

std::optional<std::string> no_skill(std::string_view) { return std::nullopt; }

std::string repeated(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

// What anybody who builds the tree relies on.
class Checked {
 public:
  explicit Checked(const Tree& tree) : cut(tree.cut), text(tree.nodes) {
    const Result<json::Value> value = json::parse(tree.nodes);
    if (!value || value->as_array() == nullptr) {
      ADD_FAILURE() << "not a JSON array: " << tree.nodes.substr(0, 200);
      return;
    }
    for (const json::Value& node : *value->as_array()) look_at(node, 1);
    EXPECT_LE(nodes, 20'000U);
    EXPECT_LE(depth, 40U);
  }

  bool cut;
  std::string text;
  size_t nodes = 0;
  size_t depth = 0;
  size_t widest = 0;

 private:
  void look_at(const json::Value& node, size_t level) {
    static const std::set<std::string> kNames = {
        "h1", "h2", "h3",     "h4",   "h5",  "h6",         "p",     "ul", "ol",
        "li", "em", "strong", "code", "pre", "blockquote", "table", "tr", "th",
        "td", "hr", "br",     "del",  "a",   "img",        "html"};
    ++nodes;
    if (node.as_string() != nullptr) return;
    depth = std::max(depth, level);
    ASSERT_NE(node.as_array(), nullptr);
    const auto& parts = *node.as_array();
    ASSERT_GE(parts.size(), 2U);
    const std::string& name = *parts[0].as_string();
    EXPECT_TRUE(kNames.contains(name)) << name;
    if (name == "tr") widest = std::max(widest, parts.size() - 2);
    if (name == "a") {
      const std::string& href = *parts[1].find("href")->as_string();
      const std::string& kind = *parts[1].find("kind")->as_string();
      if (kind == "web") {
        EXPECT_TRUE(href.starts_with("http://") || href.starts_with("https://")) << href;
      }
      if (kind == "skill") EXPECT_FALSE(href.contains("script:")) << href;
    }
    for (size_t i = 2; i < parts.size(); ++i) look_at(parts[i], level + 1);
  }
};

std::string tree(std::string_view text, const ResolveLink& resolve = no_skill) {
  const Checked out(parse_tree(text, resolve));
  EXPECT_FALSE(out.cut);
  return out.text;
}

TEST(Tree, BlocksAndSpans) {
  EXPECT_EQ(tree(""), "[]");
  EXPECT_EQ(
      tree("# A *b*\n\nText `c` **d** ~~e~~\nmore  \nlast\n\n---\n"),
      R"([["h1",null,"A ",["em",null,"b"]],["p",null,"Text ",["code",null,"c"]," ",)"
      R"(["strong",null,"d"]," ",["del",null,"e"],"\nmore",["br",null],"last"],["hr",null]])");
  EXPECT_EQ(tree("- a\n- b\n\n3. c\n\n> d\n"),
            R"([["ul",null,["li",null,"a"],["li",null,"b"]],["ol",{"start":3},["li",null,"c"]],)"
            R"(["blockquote",null,["p",null,"d"]]])");
  EXPECT_EQ(tree("```sh\necho \"1\" <b>\n```\n"), R"([["pre",{"lang":"sh"},"echo \"1\" <b>\n"]])");
  EXPECT_EQ(tree("|a|b|\n|---|---|\n|1|2|\n"),
            R"([["table",null,["tr",null,["th",null,"a"],["th",null,"b"]],)"
            R"(["tr",null,["td",null,"1"],["td",null,"2"]]]])");
  EXPECT_EQ(tree("A &lt; B &hellip; &#x43;"), "[[\"p\",null,\"A < B … C\"]]");
}

TEST(Tree, LinksSayWhatTheyAre) {
  const auto resolve = [](std::string_view href) -> std::optional<std::string> {
    return href == "explain.md" ? std::optional<std::string>("database/explain") : std::nullopt;
  };
  EXPECT_EQ(
      tree("[a](explain.md) [b](no.py) [c](#d) <https://e.f>", resolve),
      R"([["p",null,["a",{"href":"explain.md","kind":"skill","id":"database/explain"},"a"]," ",)"
      R"(["a",{"href":"no.py","kind":"skill"},"b"]," ",["a",{"href":"#d","kind":"anchor"},"c"],)"
      R"(" ",["a",{"href":"https://e.f","kind":"web"},"https://e.f"]]])");
  EXPECT_THAT(tree("See https://a.b/c now"), HasSubstr(R"({"href":"https://a.b/c","kind":"web"})"));
  EXPECT_EQ(tree("![a *b* \"c\"](x.png \"title\")"),
            R"([["p",null,["img",{"alt":"a b \"c\"","src":"x.png"}]]])");
}

TEST(Tree, NothingInATextBecomesMarkup) {
  EXPECT_EQ(tree("<script>alert(1)</script>\n"),
            R"([["html",null,"<script>alert(1)</script>\n"]])");
  EXPECT_EQ(tree("a <img src=x onerror=alert(1)> b"),
            R"([["p",null,"a ",["html",null,"<img src=x onerror=alert(1)>"]," b"]])");
  EXPECT_THAT(tree("<svg onload=alert(1)><a href=\"javascript:x\">y</a></svg>\n"),
              HasSubstr(R"(["html",null,"<svg onload=alert(1)>"])"));
  EXPECT_THAT(tree("<!-- <script> -->\n"), HasSubstr(R"(["html",null,)"));
  for (const std::string_view link :
       {"[a](javascript:alert(1))", "[a](JAVASCRIPT:x)", "[a](<java script:x>)",
        "[a](javascript&colon;x)", "[a](&#106;avascript:x)", "[a](java&Tab;script:x)",
        "[a](<\x01javascript:x>)", "<javascript:alert(1)>", "[a]: javascript:x\n\n[a]",
        "[a](vbscript:x)", "[a](data:text/html;base64,PHNjcmlwdD4=)", "[a](dAtA:x)",
        "[[b](javascript:x)](https://c)"}) {
    const std::string nodes = tree(link);
    EXPECT_THAT(nodes, Not(HasSubstr(R"("kind":"skill","id")"))) << link;
    EXPECT_THAT(nodes, testing::AnyOf(HasSubstr(R"("kind":"refused")"), HasSubstr("&#x6A")))
        << link;
  }
  // Links do not stand in links.
  EXPECT_THAT(tree("[a [b](https://c) d](e.md)"), Not(HasSubstr(R"("href":"e.md")")));
  // An image in a link, and a name in an image, are text.
  EXPECT_THAT(tree("[![a](data:x)](https://b)"),
              HasSubstr(R"(["img",{"alt":"a","src":"data:x"}])"));
}

TEST(Tree, OddNamesAndCharactersAreText) {
  EXPECT_THAT(tree("[__proto__](__proto__) [x](../x) [y](constructor)"),
              HasSubstr(R"({"href":"../x","kind":"skill"})"));
  EXPECT_EQ(tree("a\xe2\x80\xae"
                 "b\xf3\xa0\x81\x81 \x1b[31m"),
            "[[\"p\",null,\"a\xe2\x80\xae"
            "b\xf3\xa0\x81\x81 \\u001b[31m\"]]");
  EXPECT_THAT(tree("```__proto__ onclick=\"x\"\na\n```\n"), HasSubstr(R"({"lang":"__proto__"})"));
  EXPECT_EQ(tree(std::string_view("a\0b", 3)),
            "[[\"p\",null,\"a\xef\xbf\xbd"
            "b\"]]");
}

TEST(Tree, LimitsAreKeptAndSaid) {
  const auto cut = [](const std::string& text) {
    const Checked out(parse_tree(text, no_skill));
    EXPECT_TRUE(out.cut) << text.substr(0, 40);
    return out;
  };
  cut("# a\n\n" + repeated("word *more* ", 20'000));  // nodes
  cut(repeated("> ", 100) + "deep\n");                // depth
  EXPECT_THAT(cut(repeated("> ", 100) + "deep\n").text, HasSubstr("deep"));
  cut(repeated("- ", 5'000) + "a\n");  // levels of lists
  std::string indented;
  for (size_t i = 0; i < 300; ++i) indented += std::string(i * 2, ' ') + "- a\n";
  cut(indented);
  const std::string wide =
      repeated("a|", 100) + "\n" + repeated("---|", 100) + "\n" + repeated("b|", 100) + "\n";
  EXPECT_EQ(cut(wide).widest, 64U);
  cut(std::string(1024UL * 1024, 'a'));                                       // one long line
  cut("[a]: " + std::string(1'000, 'x') + "\n\n" + repeated("[a] ", 2'000));  // addresses
  // Not a table for the parser, so text; in any case an answer.
  const std::string columns = repeated("a|", 10'000) + "\n" + repeated("---|", 10'000) + "\n";
  Checked(parse_tree(columns, no_skill));
}

TEST(Tree, WhatPeopleWriteIsNotCut) {
  EXPECT_THAT(tree(std::string(600, '-') + "\n\n" + std::string(600, '*') + "\n"),
              HasSubstr(R"(["hr",null])"));
  EXPECT_THAT(tree("```\n" + std::string(400, ' ') + "x\n```\n"), HasSubstr("x\\n"));
  std::string list;
  for (size_t i = 0; i < 15; ++i) list += std::string(i * 2, ' ') + "- a\n";
  tree(list);
}

// md4c 0.4.8 reads invalid memory for texts like these.
TEST(Tree, MarksInAddressesAreNotEmphasis) {
  EXPECT_EQ(tree("*[a](*)"), R"([["p",null,"*",["a",{"href":"*","kind":"skill"},"a"]]])");
  EXPECT_THAT(tree("[__a__](___)\n_b__)\n\nnext\n"), HasSubstr(R"(["p",null,"next"])"));
  EXPECT_THAT(tree("\xe2\x80\xae \x1b[31m\x01 [__proto__](__"), HasSubstr("](__"));
}

long most_memory_kb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

TEST(Tree, HostileTextsTakeLittleTimeAndMemory) {
  const long memory = most_memory_kb();
  const auto begin = std::chrono::steady_clock::now();
  const std::string half(128UL * 1024, '\n');
  Checked(parse_tree(repeated("- ", 64UL * 1024) + "a\n" + half, no_skill));
  Checked(parse_tree(repeated("> - ", 32UL * 1024) + "a\n" + half, no_skill));
  Checked(parse_tree(
      "[a]: " + std::string(128UL * 1024, 'x') + "&amp;\n\n" + repeated("[a] ", 32UL * 1024),
      no_skill));
  Checked(parse_tree(repeated("[", 128UL * 1024) + repeated("]", 128UL * 1024), no_skill));
  constexpr size_t all = 256UL * 1024;
  const auto filled = [](std::string_view text) { return repeated(text, all / text.size()); };
  for (const std::string_view text :
       {"![l", "*a_ ", "a**b*c ", "[a](", "[a](<b", "`a``b", "<a ", "~~a ", "a@b.c ", "http://",
        "|a\n", "|a|\n|-|\n", "a|\n-\n", "[a]: b\n", "[a][", "a]"}) {
    Checked(parse_tree(filled(text), no_skill));
  }
  Checked(parse_tree("http://a.b/" + filled(")"), no_skill));
  const std::string head = repeated("|a", 30'000) + "\n" + repeated("|-", 30'000) + "\n";
  EXPECT_TRUE(Checked(parse_tree(head + filled("a\n"), no_skill)).cut);
  EXPECT_TRUE(Checked(parse_tree("|a|b\n|-|-\n" + filled("a\n"), no_skill)).cut);
  EXPECT_TRUE(Checked(parse_tree("> |a|b\n> |-|-\n" + filled("> a\r"), no_skill)).cut);
  std::string nested;
  for (size_t i = 0; i < 200; ++i) nested += std::string(i * 2, ' ') + "- a\n";
  Checked(parse_tree(nested + filled("\n"), no_skill));
  // Minutes and gigabytes without the limits; the bounds are for slow machines under sanitizers.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_LT(most_memory_kb() - memory, 1024L * 1024);
}

}  // namespace
}  // namespace iii::markdown
