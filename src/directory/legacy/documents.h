// Documents of every origin as the functions of the earlier versions show them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "directory/legacy/on_change.h"
#include "directory/legacy/skill_text.h"
#include "directory/library/library.h"

namespace iii::directory {

class EngineClient;

// Files, and what is registered at this moment.
struct LegacyView {
  View files;
  RegistrationsPtr registrations;     // empty when state failed
  std::optional<Error> problem = {};  // of state
};
// Asks state for the registrations of one kind. `library` may be without registrations.
task::Task<LegacyView> legacy_view(Library& library, ChangeKind kind);

// Gives what `make` makes of it.
task::Task<Result<json::Raw>> legacy_answer(Library& library, ChangeKind kind,
                                            Result<json::Raw> (*make)(const LegacyView& view));

// By id. Where a file that is shown has the id too, the file alone. Title and description of a
// skill that was registered are in its text (skill_text.h), and not filled in.
std::vector<LegacyDocument> skills_in(const LegacyView& view);
std::vector<LegacyDocument> prompts_in(const LegacyView& view);

// What the document that `id` names exactly says: the body of a file, all of a registered one;
// nothing when there is none.
task::Task<Result<std::optional<std::string>>> document_text(Library& library, ViewOptions options,
                                                             std::string id);

// What the functions of skills 0.1.5 need. Everything outlives the table.
struct LegacyParts {
  EngineClient& engine;
  Library& library;  // has registrations()
  OnChange& on_change;

  RegistrationFeed& registered() const { return *library.registrations(); }
};

// Fires the event, and gives the time of the registration.
task::Task<Result<std::string>> register_document(LegacyParts parts, ChangeKind kind,
                                                  RegisteredDocument document);
// Whether there was something.
task::Task<Result<bool>> unregister_document(LegacyParts parts, ChangeKind kind, std::string key);

}  // namespace iii::directory
