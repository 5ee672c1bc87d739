// What the search is compared with: substring search, as published, and SQLite's full-text search.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search_corpus.h"

struct sqlite3;
struct sqlite3_stmt;

namespace iii::bench {

// Id, title and description contain the request, letters compared without case.
class Substring {
 public:
  explicit Substring(const std::vector<MadeDocument>& documents);
  std::vector<std::string> find(std::string_view request, size_t limit) const;
  size_t bytes() const;

 private:
  std::vector<std::string> ids_;
  std::vector<std::string> texts_;
};

// FTS5 in memory: porter stemmer, any of the words, bm25 with the weights of our fields.
class FullText {
 public:
  explicit FullText(const std::vector<MadeDocument>& documents);
  ~FullText();
  FullText(const FullText&) = delete;
  FullText& operator=(const FullText&) = delete;

  std::vector<std::string> find(std::string_view request, size_t limit);
  size_t bytes();

 private:
  sqlite3* database_ = nullptr;
  sqlite3_stmt* query_ = nullptr;
};

}  // namespace iii::bench
