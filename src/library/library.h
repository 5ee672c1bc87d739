// The content that functions read: never half of a download, replaceable while they run, and every
// change told.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/log.h"
#include "content/content.h"

namespace iii::directory {

// Keeps readers away while files are being swapped; see sources::ReadGate.
class Gate {
 public:
  virtual ~Gate() = default;
  virtual bool enter() = 0;  // false: come back later
  virtual bool leave() = 0;  // false: what was read meanwhile may be half of something
};

class Library final : public content::Content {
 public:
  // Hears of every generation but the first.
  using Observer = std::function<void(const content::GenerationPtr& before,
                                      const content::GenerationPtr& after)>;

  // `gate` keeps downloads of this and other processes out while the folders are looked at; may be
  // null.
  explicit Library(std::unique_ptr<content::Content> content, std::unique_ptr<Gate> gate = nullptr)
      : content_(std::move(content)), gate_(std::move(gate)) {}

  // Generations handed out before stay valid; their documents are read from the new content, whose
  // numbers start again.
  void replace(std::unique_ptr<content::Content> content, std::unique_ptr<Gate> gate = nullptr);
  void observe(Observer observer) { observer_ = std::move(observer); }

  // While files are being swapped: the generation before.
  content::GenerationPtr fresh() override;
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
  bool may_look();

  std::unique_ptr<content::Content> content_;
  std::unique_ptr<Gate> gate_;
  Observer observer_;
  content::GenerationPtr last_;
  std::optional<std::chrono::steady_clock::time_point> refused_since_;
  LogOnce gate_log_;
};

}  // namespace iii::directory
