// What workers registered, as documents that can be read like files. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/registration_store.h"

namespace iii::directory {

struct RegisteredDocument {
  std::string key;          // id of a skill, name of a prompt
  std::string description;  // of a prompt
  // The markdown of a skill. A prompt has none (a function makes its messages), so this says how to
  // run it.
  std::shared_ptr<const std::string> text;
  int64_t time_ns = 0;
  std::string registered_at = {};  // as stored
  // Of a prompt; `text` names them too.
  std::string function_id = {};
  std::vector<PromptArgument> arguments = {};

  bool operator==(const RegisteredDocument& other) const;
};

// At one moment; never changes.
struct Registrations {
  std::vector<RegisteredDocument> skills;   // by key, keys unique
  std::vector<RegisteredDocument> prompts;  // the same

  bool operator==(const Registrations&) const = default;
  bool empty() const { return skills.empty() && prompts.empty(); }
};
using RegistrationsPtr = std::shared_ptr<const Registrations>;

// Both sorted. Texts that are as in `before` are shared with it; `before` itself comes back when
// everything is.
RegistrationsPtr make_registrations(std::vector<RegisteredSkill> skills,
                                    const std::vector<RegisteredPrompt>& prompts,
                                    const RegistrationsPtr& before);

// RFC 3339; content::kNoTime when it is something else.
int64_t parse_time(std::string_view text);
// The text of a prompt that a function makes.
std::string how_to_run(const RegisteredPrompt& prompt);

}  // namespace iii::directory
