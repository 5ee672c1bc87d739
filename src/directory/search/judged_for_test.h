// The judged set (tests/data/search/judged.json): functions, skills, and queries with right
// answers; and what the search reaches on it. Used by the tests and by the benchmark.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "directory/search/find.h"

namespace iii::search {

struct Reference {
  std::string key;
  double f = 0;
  double g = 0;
  double lexical = 0;
  double cosine = 0;
};

struct JudgedQuery {
  std::string id;
  std::string kind;  // `words`, `typo`, `paraphrase` …
  bool skills = false;
  std::vector<std::string> capabilities;
  std::vector<std::map<std::string, int>> relevant;  // per capability: key → grade (3 is right)
  std::vector<std::string> forbidden;                // must not be among the first three
  std::vector<std::vector<Reference>>
      references;  // per capability; empty where rules for ids answer
};

struct JudgedSet {
  std::vector<Document> functions;
  std::vector<Document> skills;
  std::vector<JudgedQuery> queries;
};

JudgedSet load_judged(const std::string& path);
Index index_of(const Profile& profile, const std::vector<Document>& documents);

struct Quality {
  int queries = 0;  // that something fits
  double top1 = 0;
  double recall5 = 0;
  double recall12 = 0;
  double mrr = 0;
  double ndcg = 0;
  double covered = 0;  // capabilities with a right row, of queries with several
  int several = 0;
  int unfit = 0;           // capabilities that nothing fits
  int answered_unfit = 0;  // and that were answered
  int guarded = 0;         // queries with forbidden documents
  int forbidden = 0;       // that had one among the first three
  int nearest_shown = 0;
  int nearest_right = 0;
  int nearest_unfit = 0;

  void add(const Quality& other);
  void finish();  // sums become means
};

// One query and its answer; sums, not means.
Quality judge(const JudgedQuery& query, const MergedAnswer& answer);

// By kind of query, and `all`.
std::map<std::string, Quality> measure(const JudgedSet& set, const Index& functions,
                                       const Index& skills, const Options& options);

}  // namespace iii::search
