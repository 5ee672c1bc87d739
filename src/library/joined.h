// Files and registrations as one library: what workers registered at run time stands in the
// generations beside the documents on disk, so that whoever reads a generation reads both.
//
// A registered skill `mail` is the overview of `mail`: its on-disk id is `mail/index`, as that of
// `mail/SKILL.md` would be. Where there is a file (or a compiled-in page), that is served, and a
// finding says so. Without registrations the generations of the files go through as they are.
#pragma once

#include <map>

#include "library/library.h"
#include "library/registrations.h"

namespace iii::directory {

// Makes generations that show both. A row stays the same object as long as its document is the
// same: that is how changes are told.
class Joiner {
 public:
  content::GenerationPtr join(const content::Generation& files, const Registrations& registrations,
                              uint64_t number, bool lenient);

 private:
  template <typename Row>
  struct Known {
    RegisteredDocument document;
    Row row;
  };
  template <typename Row>
  using Rows = std::map<std::string, Known<Row>, std::less<>>;  // by key
  class Run;

  Rows<content::SkillPtr> skills_;
  Rows<content::PromptPtr> prompts_;
};

// On the loop thread, as the library below it, which outlives it.
class Joined final : public content::Content {
 public:
  explicit Joined(Library& files);
  ~Joined() override;
  Joined(const Joined&) = delete;
  Joined& operator=(const Joined&) = delete;

  // Hears of every generation but the first and that of begin_with().
  void observe(Library::Observer observer) { observer_ = std::move(observer); }
  void use(RegistrationsPtr registrations);
  // The same without telling: it was so before we came.
  void begin_with(RegistrationsPtr registrations);
  // After other folders came in: the difference to those before is no change.
  void start_again() { last_.reset(); }

  content::GenerationPtr fresh() override;
  // What fresh() gave last; it was called before.
  const content::Generation& last() const { return *last_; }
  Result<FileBytes> read(const content::Generation& generation,
                         const content::FileRef& file) override;
  Result<void> write(const content::Generation& generation, const content::FileRef& file,
                     std::string_view bytes) override;
  content::ContentStatus status() const override { return files_.status(); }
  bool lenient() const override { return files_.lenient(); }
  void save() override { files_.save(); }
  int notify_fd() const override { return files_.notify_fd(); }

 private:
  const content::GenerationPtr& publish(const content::GenerationPtr& files);

  Library& files_;
  Library::Observer observer_;
  RegistrationsPtr registrations_ = std::make_shared<const Registrations>();
  uint64_t versions_ = 0;  // of registrations; added to the numbers of the files' generations
  Joiner joiner_;
  content::GenerationPtr below_;  // what last_ was made from
  RegistrationsPtr beside_;       // the same
  content::GenerationPtr last_;   // null before the first
};

}  // namespace iii::directory
