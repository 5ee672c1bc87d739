// Functions and skills with bodies to search in: seeded, so that every run and every machine gets
// the same.
//
// Words are those of the table of word vectors, with frequencies as in English (Zipf); a document
// is about a few topics, each a set of words, and has the stop words that sentences have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace iii::bench {

struct MadeDocument {
  std::string id;
  std::string title;
  std::string description;
  std::string body;  // skills only

  // What a search reads of it.
  size_t bytes() const { return id.size() + title.size() + description.size() + body.size(); }
};

std::vector<MadeDocument> make_skills(size_t count, uint64_t seed);
std::vector<MadeDocument> make_functions(size_t count, uint64_t seed);
// Requests for some of the documents in words of theirs, one in five with a typing error.
std::vector<std::string> make_requests(const std::vector<MadeDocument>& documents, size_t count,
                                       uint64_t seed);

}  // namespace iii::bench
