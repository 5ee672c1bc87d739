// Fuzz target: any query is answered or refused with an error of its own, the same every time; rows
// are in order, within the limit, and only documents that are accepted.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/find.h"
#include "directory/search/function_document.h"
#include "foundation/base/check.h"

namespace {

const iii::search::Index& catalogue() {
  static const iii::search::Index index = [] {
    using namespace iii::search;
    Changes all;
    for (const auto& [id, text] : std::vector<std::pair<std::string_view, std::string_view>>{
             {"mail::send", "Send an e-mail with attachments."},
             {"vault::secret::rotate", "Rotate a secret and revoke the old one."},
             {"darkroom::thumbnail", "Make a small preview of an image."},
             {"bulletin::post-zh", "发布公告到公司内部公告栏，并通知所有部门。"},
             {"meteo::prevision", "Donne la prévision météo d'une ville."}}) {
      all.put.push_back(function_document({.id = id, .description = text}));
    }
    return Index(function_profile()).apply(all);
  }();
  return index;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iii::search;
  if (size == 0) return 0;
  const uint8_t flags = data[0];
  const std::string_view query(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Options options{.limit = size_t{1} + (flags >> 5U),
                        .accept = [](std::string_view key) { return key != "mail::send"; },
                        .floor = (flags & 1U) != 0,
                        .cut = (flags & 2U) != 0};
  const auto answer = find(catalogue(), query, options);
  const auto again = find(catalogue(), query, options);
  III_CHECK(answer.has_value() == again.has_value());
  if (!answer) {
    III_CHECK(!answer.error().code.empty() && answer.error() == again.error());
    return 0;
  }
  III_CHECK(answer->hits.size() <= options.limit && answer->nearest.size() <= kNearest);
  III_CHECK(answer->hits.empty() || answer->nearest.empty());
  III_CHECK(answer->hits.size() == again->hits.size());
  for (size_t i = 0; i < answer->hits.size(); ++i) {
    const Hit& hit = answer->hits[i];
    III_CHECK(hit.key == again->hits[i].key && hit.key != "mail::send");
    III_CHECK(hit.f > 0 && hit.f <= 1.01F && hit.lexical >= 0 && hit.lexical <= 1.01F);
    III_CHECK(i == 0 || hit.f <= answer->hits[i - 1].f);
    III_CHECK(hit.matches.size() <= kMaxQueryUnits);
  }
  return 0;
}
