// What workers register at run time (skills 0.1.x), as documents that can be read like files. The
// stored JSON is that of the published worker (skills-legacy §3). Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/change_log.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct PromptArgument {
  std::string name;
  std::optional<std::string> description;
  bool required = false;

  bool operator==(const PromptArgument&) const = default;
};

inline auto describe(json::Type<PromptArgument>) {
  using T = PromptArgument;
  return json::object<T>(
      "PromptArgument", "", json::field("name", &T::name, "Name; unique within the prompt."),
      json::field("description", &T::description, "What to give, for people.")
          .length(json::kAnyLength),
      json::field("required", &T::required, "Must be given. Default false.").optional());
}

struct RegisteredDocument {
  std::string key;  // id of a skill, name of a prompt
  // The markdown of a skill. A prompt has none (a function makes its messages), so this says how to
  // run it.
  std::string text = {};
  std::string registered_at = {};
  // Of a prompt; `text` names them too.
  std::string description = {};
  std::vector<PromptArgument> arguments = {};
  std::string function_id = {};

  int64_t time_ns = 0;      // registered_at; content::kNoTime when it is no time
  size_t record_bytes = 0;  // as stored
  // Id of the worker that registered it, if it did so while this process runs; empty: not known.
  std::string worker = {};
};
using RegisteredPtr = std::shared_ptr<const RegisteredDocument>;
using RegisteredRows = std::vector<RegisteredPtr>;  // by key, keys unique

// At one moment; never changes. A row stays the same object as long as its record is the same.
struct Registrations {
  RegisteredRows skills;
  RegisteredRows prompts;

  bool operator==(const Registrations&) const = default;
  bool empty() const { return skills.empty() && prompts.empty(); }
  RegisteredRows& rows(ChangeKind kind) { return kind == ChangeKind::kSkill ? skills : prompts; }
  const RegisteredRows& rows(ChangeKind kind) const {
    return kind == ChangeKind::kSkill ? skills : prompts;
  }
  // Null when there is none.
  RegisteredPtr find(ChangeKind kind, std::string_view key) const;
};
using RegistrationsPtr = std::shared_ptr<const Registrations>;

// Whether they are the same as stored.
bool same_record(const RegisteredDocument& a, const RegisteredDocument& b);

// Sets the row of `key`; `document` null: removes it.
void set_row(RegisteredRows& rows, std::string_view key, RegisteredPtr document);

// The record to store, as JSON. Fills in what is derived from the record.
std::string store_record(ChangeKind kind, RegisteredDocument& document);
// The error's message is the reason alone.
Result<RegisteredPtr> read_record(ChangeKind kind, std::string_view record);
// The records in an answer of `state::list`; those that cannot be read are left out. Rows that are
// as in `before` are those of `before`.
RegisteredRows read_list(ChangeKind kind, std::string_view answer, const RegisteredRows& before);

// RFC 3339; content::kNoTime when it is something else.
int64_t parse_time(std::string_view text);

}  // namespace iii::directory
