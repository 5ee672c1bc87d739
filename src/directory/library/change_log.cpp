#include "directory/library/change_log.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace iii::directory {

namespace {

using content::Generation;

std::string first_segment(std::string_view path) {
  return std::string(path.substr(0, path.find('/')));
}

const std::string& key_of(const content::Skill& skill) { return skill.id; }
const std::string& key_of(const content::Prompt& prompt) { return prompt.name; }

// Rows are shared as long as nothing about the file changes. A new row of the same content means
// that the file has only been touched (permissions, links), or that other folders were opened. What
// has no file is told apart by its version alone.
template <typename Row>
bool same_file(const Row& a, const Row& b) {
  return a.file.path == b.file.path && a.bytes == b.bytes && a.mtime_ns == b.mtime_ns &&
         a.description == b.description && (a.version.inode != 0 || a.version == b.version);
}
bool same(const content::SkillPtr& a, const content::SkillPtr& b) {
  // The kind may change because of a neighbour; the document is the same.
  return a == b || (same_file(*a, *b) && a->name == b->name && a->title == b->title &&
                    a->type == b->type && a->function_id == b->function_id &&
                    a->for_agents == b->for_agents && a->readable == b->readable);
}
bool same(const content::PromptPtr& a, const content::PromptPtr& b) {
  return a == b || same_file(*a, *b);
}

Change change_of(const Generation& shown, const content::Skill& skill) {
  Change change;
  change.kind = ChangeKind::kSkill;
  change.id = content::display_id(shown, skill.id);
  change.name_space = first_segment(skill.id);
  change.file = skill.file;
  return change;
}

Change change_of(const Generation& shown, const content::Prompt& prompt) {
  Change change;
  change.kind = ChangeKind::kPrompt;
  change.id = prompt.name;
  // A registration does not say whose it is.
  const bool registered = content::is_registered(shown, prompt.file);
  change.name_space = registered ? prompt.name : first_segment(prompt.file.path);
  change.file = prompt.file;
  return change;
}

// Walks two sorted lists side by side.
template <typename Row>
void compare(const Generation& before, const content::Rows<Row>& old_rows, const Generation& after,
             const content::Rows<Row>& new_rows, std::vector<Change>& out) {
  const auto add = [&](const Generation& shown, const auto& row, ChangeAct act, bool registered) {
    Change change = change_of(shown, row);
    change.act = act;
    change.generation = after.number;
    if (registered) {
      change.op = act == ChangeAct::kRemoved ? ChangeOp::kUnregister : ChangeOp::kRegister;
      change.source = "registered";
    }
    out.push_back(std::move(change));
  };
  auto old_row = old_rows.begin();
  auto new_row = new_rows.begin();
  while (old_row != old_rows.end() || new_row != new_rows.end()) {
    // Most rows are shared; their keys need not be looked at.
    if (old_row != old_rows.end() && new_row != new_rows.end() && *old_row == *new_row) {
      ++old_row;
      ++new_row;
      continue;
    }
    const int order = old_row == old_rows.end()   ? 1
                      : new_row == new_rows.end() ? -1
                                                  : key_of(**old_row).compare(key_of(**new_row));
    if (order < 0) {
      add(before, **old_row, ChangeAct::kRemoved, is_registered(before, (*old_row)->file));
      ++old_row;
    } else if (order > 0) {
      add(after, **new_row, ChangeAct::kAdded, is_registered(after, (*new_row)->file));
      ++new_row;
    } else {
      if (!same(*old_row, *new_row)) {
        // A file that comes before a registration, or goes from there, happened on disk.
        const bool registered =
            is_registered(before, (*old_row)->file) && is_registered(after, (*new_row)->file);
        add(after, **new_row, ChangeAct::kChanged, registered);
      }
      ++old_row;
      ++new_row;
    }
  }
}

}  // namespace

std::string_view word(ChangeAct act) {
  switch (act) {
    case ChangeAct::kAdded:
      return "added";
    case ChangeAct::kRemoved:
      return "removed";
    case ChangeAct::kChanged:
      break;
  }
  return "changed";
}

std::string_view word(ChangeOp op) {
  switch (op) {
    case ChangeOp::kDownload:
      return "download";
    case ChangeOp::kRegister:
      return "register";
    case ChangeOp::kUnregister:
      return "unregister";
    case ChangeOp::kExternal:
      break;
  }
  return "external";
}

std::vector<Change> differences(const Generation& before, const Generation& after) {
  std::vector<Change> out;
  compare(before, before.skills, after, after.skills, out);
  compare(before, before.prompts, after, after.prompts, out);
  return out;
}

void ChangeLog::add(ChangeList changes, int64_t at_ns) {
  if (changes->empty()) return;
  size_ += changes->size();
  lists_.push_back({.changes = std::move(changes), .at_ns = at_ns});
  // A generation of which changes were dropped cannot be answered.
  for (; size_ > capacity_; lists_.pop_front()) {
    size_ -= lists_.front().changes->size();
    forgotten_ = lists_.front().changes->front().generation;
  }
}

ChangeLog::Answer ChangeLog::since(uint64_t generation, uint64_t now, size_t limit,
                                   From from) const {
  Answer answer;
  answer.up_to = now;
  answer.truncated = generation < forgotten_ || generation > now;
  if (generation > now) return answer;
  size_t size = 0;
  const auto take = [&](const Entry& entry) {
    if (entry.changes->front().generation <= generation) return;
    size += entry.changes->size();
    answer.more = answer.more || (size > limit && !answer.entries.empty());
    if (!answer.more) answer.entries.push_back(entry);
  };
  if (from == From::kNewest) {
    std::ranges::for_each(std::views::reverse(lists_), take);
    std::ranges::reverse(answer.entries);
  } else {
    std::ranges::for_each(lists_, take);
    if (answer.more) answer.up_to = answer.entries.back().changes->front().generation;
  }
  return answer;
}

std::optional<uint64_t> ChangeLog::last_change(ChangeKind kind, std::string_view id) const {
  const auto is_it = [&](const Change& change) { return change.kind == kind && change.id == id; };
  for (const Entry& entry : std::views::reverse(lists_)) {
    if (std::ranges::any_of(*entry.changes, is_it)) return entry.changes->front().generation;
  }
  return std::nullopt;
}

}  // namespace iii::directory
