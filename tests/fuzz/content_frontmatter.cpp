// Fuzz target: documents with any frontmatter are read without harm; the shortcut for plain blocks
// agrees with libyaml; what is read strictly is read the same leniently; fixes do what they
// promise; nothing is granted by a broken block.
//
// Input: one byte of options, then the document.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "directory/content/findings.h"
#include "directory/content/frontmatter_recover.h"
#include "directory/content/frontmatter_yaml.h"
#include "directory/content/parse.h"
#include "foundation/base/check.h"
#include "foundation/base/utf8.h"

namespace {

using namespace iii::content;

void check_same_fields(const ParsedDocument& a, const ParsedDocument& b) {
  III_CHECK(a.title == b.title);
  III_CHECK(a.name == b.name);
  III_CHECK(a.type == b.type);
  III_CHECK(a.function_id == b.function_id);
  III_CHECK(a.description == b.description);
  III_CHECK(a.for_agents == b.for_agents);
}

void check_quote(std::string_view text) {
  const YamlResult back = read_yaml("title: " + yaml_quote(text), interest_in);
  if (!back && back.error().kind == YamlProblem::Kind::kTooLarge) return;
  III_CHECK(back && back->entries.size() == 1 && back->entries[0].text == text);
}

void check_findings(std::string_view bytes, const ParsedDocument& document) {
  for (const Finding& finding : document.findings) {
    III_CHECK(!finding.code.empty() && !finding.message.empty());
    III_CHECK(finding.line.value_or(1) >= 1 && finding.column.value_or(1) >= 1);
    if (!finding.fix) continue;
    III_CHECK(finding.fix->offset <= bytes.size());
    III_CHECK(finding.fix->length <= bytes.size() - finding.fix->offset);
  }
}

void check_fixes(std::string_view bytes, const ParsedDocument& document, ParseOptions options) {
  const std::string mended = apply_fixes(bytes, document.findings);
  if (mended == bytes) return;
  const ParsedDocument again = parse_document(mended, options);
  check_same_fields(again, document);
  III_CHECK(std::string_view(mended).substr(again.body_offset) ==
            bytes.substr(document.body_offset));
  if (std::ranges::any_of(document.findings, [](const Finding& f) { return !f.fix; })) return;
  options.lenient = false;
  const ParsedDocument strict = parse_document(mended, options);
  III_CHECK(strict.findings.empty());
  check_same_fields(strict, document);
}

void check_document(std::string_view bytes, bool prompt) {
  const ParseOptions strict_options{.lenient = false, .prompt = prompt};
  const ParseOptions lenient_options{.lenient = true, .prompt = prompt};
  const ParsedDocument strict = parse_document(bytes, strict_options);
  const ParsedDocument lenient = parse_document(bytes, lenient_options);
  for (const ParsedDocument* document : {&strict, &lenient}) {
    III_CHECK(document->body_offset <= bytes.size());
    check_findings(bytes, *document);
  }
  III_CHECK(body_offset(bytes, strict_options) == strict.body_offset);
  III_CHECK(body_offset(bytes, lenient_options) == lenient.body_offset);
  const bool spotless = std::ranges::all_of(
      strict.findings, [](const Finding& f) { return f.severity == Severity::kInfo; });
  if (strict.has_frontmatter && spotless) {
    check_same_fields(strict, lenient);
    III_CHECK(strict.body_offset == lenient.body_offset);
  }
  check_fixes(bytes, lenient, lenient_options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (!iii::is_utf8(bytes)) return 0;
  check_quote(bytes);
  check_document(bytes, (data[0] & 1) != 0);
  return 0;
}
