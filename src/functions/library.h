// The content that functions read, which may be replaced while they run (a reload with other
// folders).
#pragma once

#include <memory>
#include <utility>

#include "content/content.h"

namespace iii::functions {

class Library final : public content::Content {
 public:
  explicit Library(std::unique_ptr<content::Content> content) : content_(std::move(content)) {}

  // Generations handed out before stay valid; their documents are read from the new content.
  void replace(std::unique_ptr<content::Content> content) { content_ = std::move(content); }

  content::GenerationPtr fresh() override { return content_->fresh(); }
  Result<FileBytes> read(const content::Generation& generation,
                         const content::FileRef& file) override {
    return content_->read(generation, file);
  }
  Result<void> write(const content::Generation& generation, const content::FileRef& file,
                     std::string_view bytes) override {
    return content_->write(generation, file, bytes);
  }
  content::ContentStatus status() const override { return content_->status(); }
  bool lenient() const override { return content_->lenient(); }
  void save() override { content_->save(); }
  int notify_fd() const override { return content_->notify_fd(); }

 private:
  std::unique_ptr<content::Content> content_;
};

}  // namespace iii::functions
