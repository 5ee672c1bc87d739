// Frontmatter that YAML refuses, read line by line: every `key: value` by itself.
#pragma once

#include <string_view>
#include <vector>

#include "directory/content/findings.h"
#include "directory/content/frontmatter.h"
#include "directory/content/frontmatter_split.h"
#include "directory/content/frontmatter_yaml.h"

namespace iii::content {

// Keys this program reads as texts.
bool is_known_key(std::string_view key);
// Keys that grant or deny something: never guessed at.
bool is_permission_key(std::string_view key);
// `disable-model-invocation`, also with underscores.
bool is_invocation_key(std::string_view key);
// `requires`, `functions`.
bool is_list_key(std::string_view key);
// For read_yaml: the four above with values, known keys in another case by presence.
YamlInterest interest_in(std::string_view key);

// At a byte of the file, with the severity of its code.
Finding finding_at(std::string_view bytes, size_t offset, const findings::Code& code,
                   std::string message);

struct Recovery {
  FrontmatterFields fields;
  std::vector<Finding> findings;
  bool any_known = false;
};

// `block` is a range of `bytes`; `problem` is what YAML said about it.
Recovery recover_lines(std::string_view bytes, Range block, const YamlProblem& problem);

// What a value of `disable-model-invocation` says; nothing when it is neither yes nor no.
std::optional<bool> is_yes(const YamlEntry& entry);
// The document is kept from agents then: the author wanted to forbid something.
std::string invocation_message(std::string_view key);

// A list where a text belongs: its only item, or for sentences all of them; else nothing.
std::optional<std::string> text_of_list(std::string_view key,
                                        const std::vector<std::string>& items);
std::string structure_message(std::string_view key, bool list, bool used);

}  // namespace iii::content
