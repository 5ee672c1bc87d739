// Fuzz target: any JSON as a filter. What is accepted has a normal form that is accepted too, is
// its own normal form, and gives the same verdict on every document.
//
// Input: a filter, a line feed, a document (an object whose members are the parts of a call).
#include <string_view>

#include "bus/filter/filter.h"
#include "foundation/base/check.h"
#include "foundation/json/write.h"

namespace {

iii::filter::Document document(const iii::json::Value& value) {
  iii::filter::Document made;
  for (size_t i = 0; i < iii::filter::kPartCount; ++i) {
    made.parts[i] = value.find(iii::filter::part_name(static_cast<iii::filter::Part>(i)));
  }
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\n');
  const auto value = iii::json::parse(text.substr(0, end));
  if (!value) return 0;
  const auto filter = iii::filter::Filter::parse(*value);
  if (!filter) {
    III_CHECK(filter.error().code == "INVALID_FILTER" && !filter.error().message.empty());
    return 0;
  }
  III_CHECK(filter->scans() <= iii::filter::kMaxNodes * 2);
  III_CHECK(filter->check_paths(&*value, nullptr).has_value() ||
            filter->check_paths(&*value, nullptr).error().code == "INVALID_FILTER_PATH");
  // The normal form can be longer than the filter, and then beyond the limit of bytes.
  const std::string normal = iii::json::to_text(filter->normal_form());
  const auto again = iii::filter::Filter::parse(filter->normal_form());
  III_CHECK(again.has_value() || normal.size() > iii::filter::kMaxBytes);
  if (!again) return 0;
  III_CHECK(iii::json::to_text(again->normal_form()) == normal);
  if (end == std::string_view::npos) return 0;
  const auto other = iii::json::parse(text.substr(end + 1));
  if (!other) return 0;
  III_CHECK(filter->matches(document(*other)) == again->matches(document(*other)));
  return 0;
}
