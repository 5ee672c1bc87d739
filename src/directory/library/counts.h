// How many documents there are, by what they are: the only place that counts them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "directory/content/types.h"

namespace iii::directory {

class View;

struct Counts {
  uint64_t skills = 0;
  uint64_t references = 0;
  uint64_t readmes = 0;
  uint64_t prompts = 0;
  uint64_t supporting = 0;  // files beside documents
  uint64_t unserved = 0;
  uint64_t hidden = 0;  // of skills, references and readmes: a filter hides them

  uint64_t documents() const { return skills + references + readmes; }
  uint64_t shown() const { return documents() - hidden; }
  uint64_t files() const { return documents() + prompts + supporting + unserved; }
  Counts& operator+=(const Counts& other);
};

// Of each root, in the order of the generation's. Looks at every document.
std::vector<Counts> count_documents(const View& view);

// Keeps the counts of the last view that was asked about. From any thread.
class CountsCache {
 public:
  std::vector<Counts> of(const View& view);

 private:
  std::mutex mutex_;
  content::GenerationPtr generation_;
  std::shared_ptr<const void> installed_;
  std::vector<Counts> counts_;
};

}  // namespace iii::directory
