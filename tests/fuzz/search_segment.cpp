// Fuzz target: bytes that claim to be a stored index are refused, or can be searched without
// leaving them.
//
// Input: changes to a good segment, four bytes each: where (three bytes, modulo its size) and a
// byte to put there. The checksum is made right again, because an attacker could do so, too.
#include <cstdint>
#include <cstring>
#include <vector>

#include "directory/search/find.h"
#include "directory/search/index_state.h"
#include "directory/search/segment_format.h"
#include "directory/search/skill_document.h"
#include "foundation/base/check.h"

namespace {

const iii::search::SegmentPointer& good() {
  static const iii::search::SegmentPointer segment = [] {
    using namespace iii::search;
    SegmentBuilder builder(skill_profile());
    for (int i = 0; i < 200; ++i) {
      const std::string number = std::to_string(i);
      builder.add(skill_document({.id = "pack/skill-" + number,
                                  .title = "Deploy service " + number,
                                  .description = "Explains how to deploy service " + number + ".",
                                  .body = "Rotate certificates, restart services."}));
    }
    return builder.finish();
  }();
  return segment;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iii::search;
  const std::string_view bytes = good()->bytes();
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  char* const copy = reinterpret_cast<char*>(words.data());
  std::memcpy(copy, bytes.data(), bytes.size());
  for (size_t i = 0; i + 4 <= size && i < 256; i += 4) {
    // Half of the changes hit the header.
    const size_t limit = (data[i] & 1U) != 0 ? sizeof(SegmentHeader) : bytes.size();
    const size_t at = (size_t{data[i]} << 16U | size_t{data[i + 1]} << 8U | data[i + 2]) % limit;
    copy[at] = static_cast<char>(data[i + 3]);
  }
  auto& header = *reinterpret_cast<SegmentHeader*>(copy);
  const std::string_view changed(copy, bytes.size());
  header.checksum = segment_checksum(changed.substr(sizeof header));
  const auto segment = Segment::open({.owner = nullptr, .bytes = changed}, skill_profile());
  if (!segment) {
    III_CHECK(segment.error().code == "segment_damaged");
    return 0;
  }
  const Index index(skill_profile(), *segment);
  for (const std::string_view query : {"deploy a service", "certifcates rotated", "depl"}) {
    const auto answer = find(index, query, {.limit = 50, .floor = false, .cut = false});
    III_CHECK(answer.has_value() && answer->hits.size() <= 50);
  }
  const IndexPart& part = index.state().parts[0];
  const MergePlan plan{.parts = {{.segment = part.segment, .deleted = part.deleted}}};
  III_CHECK(merge(plan)->documents() == (*segment)->documents());
  return 0;
}
