#include "directory/legacy/refusals.h"

#include "directory/library/cause.h"
#include "directory/library/registration_feed.h"

namespace iii::directory {

namespace {

Error error(std::string text) { return {"invocation_failed", std::move(text)}; }

std::string_view list_of(ChangeKind kind) {
  return kind == ChangeKind::kSkill ? "skills::list" : "prompts::list";
}

}  // namespace

Error refused_registration(ChangeKind kind, const Error& reason) {
  const bool skills = kind == ChangeKind::kSkill;
  return error(std::string(skills ? "D111" : "D211") + " invalid_input: " + reason.message +
               ". Next: correct it and call again; " + std::string(list_of(kind)) +
               " lists what is registered.");
}

Error refused_resource(const Error& reason) {
  return error("D114 invalid_input: " + reason.message +
               ". Next: call skills::resources-list for the addresses.");
}

Error reserved_function(ChangeKind kind, std::string_view function_id) {
  const bool skills = kind == ChangeKind::kSkill;
  return error(std::string(skills ? "D115" : "D215") + " reserved: `" + std::string(function_id) +
               "` belongs to an internal namespace, so it is never called for a " +
               (skills ? "section of a skill" : "prompt") +
               ". Next: put the text behind a function of your own worker.");
}

Error failed_call(ChangeKind kind, std::string_view function_id, std::string_view cause) {
  const bool skills = kind == ChangeKind::kSkill;
  const std::string function(function_id);
  return error(std::string(skills ? "D116" : "D213") + " call_failed: calling " + function +
               " for this " + (skills ? "section" : "prompt") + " failed: " + std::string(cause) +
               ". Next: call engine::functions::info to check that its worker is connected.");
}

Error unsupported_output(std::string_view prompt, std::string_view function_id,
                         const Error& reason) {
  return error("D214 unsupported_output: prompt `" + std::string(prompt) + "`: " + reason.message +
               ". Next: change what " + std::string(function_id) + " returns.");
}

Error failed_state(ChangeKind kind, const Error& reason) {
  if (reason.code == kUnreadableRecord) {
    return error(std::string(kind == ChangeKind::kSkill ? "D113" : "D212") +
                 " unreadable: " + reason.message + ". Next: register it again.");
  }
  if (reason.code == kScopeFull) {
    return error("D411 registrations_full: " + reason.message + ". Next: call " +
                 (kind == ChangeKind::kSkill ? "skills::unregister" : "prompts::unregister") +
                 " for what is not used any more (" + std::string(list_of(kind)) +
                 " shows it), or register a shorter text.");
  }
  return error("D410 state_unavailable: " + reason.message +
               ". Next: what workers register is kept in state::*; see whether the engine offers "
               "it, then call again.");
}

}  // namespace iii::directory
