// For tests: a content in memory.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "directory/content/content.h"

namespace iii::directory {

// A content whose generations and one file a test chooses.
class ScriptedContent final : public content::Content {
 public:
  explicit ScriptedContent(content::GenerationPtr first) : now(std::move(first)) {}
  content::GenerationPtr fresh() override {
    ++reads;
    if (on_read) on_read();
    return seen_ = now;
  }
  content::GenerationPtr unchanged() override { return seen_ == now ? now : nullptr; }
  void recheck(const content::FileRef& each) override { rechecked.push_back(each.path); }
  Result<FileBytes> read(const content::Generation&, const content::FileRef&) override {
    readers.insert(std::this_thread::get_id());
    return file;
  }
  Result<void> write(const content::Generation&, const content::FileRef&,
                     std::string_view) override {
    return {};
  }
  content::ContentStatus status() const override { return {}; }
  bool lenient() const override { return true; }
  int notify_fd() const override { return -1; }

  content::GenerationPtr now;
  std::function<void()> on_read;
  Result<FileBytes> file = fail("missing", "nothing here");
  int reads = 0;
  std::vector<std::string> rechecked;
  std::set<std::thread::id> readers;  // of the file; one at a time

 private:
  content::GenerationPtr seen_;
};

}  // namespace iii::directory
