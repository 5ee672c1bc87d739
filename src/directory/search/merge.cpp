#include <algorithm>
#include <limits>

#include "directory/search/index.h"
#include "directory/search/segment_writer.h"

namespace iii::search {

namespace {

constexpr uint32_t kGone = std::numeric_limits<uint32_t>::max();

// A part that is being read: its documents have new numbers, and so have its terms.
struct Source {
  const Segment* segment;
  std::vector<DocumentNumber> documents;
  std::vector<TermNumber> terms;
  TermNumber next_term = 0;
  uint32_t next_word = 0;
};

void read_postings(const Source& source, TermNumber term, std::vector<Posting>& out) {
  const PostingLists lists = source.segment->postings(term);
  for (const PostingList& list : {lists.main, lists.bulk}) {
    for_each_block(list, [&](std::span<const DocumentNumber> documents,
                             std::span<const uint8_t> impacts, const uint8_t* masks) {
      for (size_t i = 0; i < documents.size(); ++i) {
        const DocumentNumber document = source.documents[documents[i]];
        if (document == kGone) continue;
        out.push_back({.document = document,
                       .impact = impacts[i],
                       .fields = masks == nullptr ? list.fields : masks[i]});
      }
    });
  }
}

void write_documents(std::vector<Source>& sources, const MergePlan& plan, SegmentWriter& writer) {
  DocumentNumber next = 0;
  for (size_t s = 0; s < sources.size(); ++s) {
    const Segment& segment = *sources[s].segment;
    for (DocumentNumber d = 0; d < segment.documents(); ++d) {
      const bool deleted = (*plan.parts[s].deleted)[d];
      sources[s].documents.push_back(deleted ? kGone : next++);
      if (deleted) continue;
      writer.add_document(
          segment.key(d), segment.copy_of(d), segment.quality_byte(d),
          std::span<const int8_t, kDims>(segment.vectors() + size_t{d} * kDims, kDims),
          segment.scales()[d]);
    }
  }
}

// The sources that have the text which comes first, and that text; empty at the end.
template <typename HasNext, typename NextText>
std::vector<Source*> first_of(std::vector<Source>& sources, HasNext&& has_next,
                              NextText&& next_text, std::string_view& text) {
  std::vector<Source*> first;
  for (Source& source : sources) {
    if (!has_next(source)) continue;
    const std::string_view mine = next_text(source);
    if (first.empty() || mine < text) {
      first.clear();
      text = mine;
    }
    if (mine == text) first.push_back(&source);
  }
  return first;
}

void write_terms(std::vector<Source>& sources, SegmentWriter& writer) {
  std::vector<Posting> postings;
  const auto has_next = [](const Source& s) { return s.next_term < s.segment->terms(); };
  const auto text_of = [](const Source& s) { return s.segment->term(s.next_term); };
  for (std::string_view text;;) {
    const std::vector<Source*> first = first_of(sources, has_next, text_of, text);
    if (first.empty()) return;
    postings.clear();
    for (const Source* source : first) read_postings(*source, source->next_term, postings);
    std::ranges::sort(postings, {}, &Posting::document);
    const TermNumber number = postings.empty() ? kGone : writer.add_term(text, postings);
    for (Source* source : first) {
      source->terms.push_back(number);
      ++source->next_term;
    }
  }
}

void write_surface(std::vector<Source>& sources, SegmentWriter& writer) {
  const auto has_next = [](const Source& s) { return s.next_word < s.segment->surface_words(); };
  const auto text_of = [](const Source& s) { return s.segment->surface_word(s.next_word); };
  for (std::string_view text;;) {
    const std::vector<Source*> first = first_of(sources, has_next, text_of, text);
    if (first.empty()) return;
    // The same word has the same stem everywhere.
    const Source& one = *first.front();
    const TermNumber term = one.terms[one.segment->surface_term(one.next_word)];
    if (term != kGone) writer.add_surface_word(text, term);
    for (Source* source : first) ++source->next_word;
  }
}

}  // namespace

SegmentPointer merge(const MergePlan& plan) {
  const Segment& base = *plan.parts.front().segment;
  SegmentWriter writer(base.profile(), base.means(), base.measured());
  std::vector<Source> sources;
  for (const MergePlan::Part& part : plan.parts) sources.push_back({.segment = part.segment.get()});
  write_documents(sources, plan, writer);
  write_terms(sources, writer);
  write_surface(sources, writer);
  return writer.finish();
}

}  // namespace iii::search
