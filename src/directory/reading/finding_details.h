// What can be shown beside a finding: the lines around it, its patch as lines, and which version of
// the file both belong to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/content.h"
#include "directory/content/parse.h"
#include "directory/reading/doctor.h"

namespace iii::directory {

// `code:root:path:line`, with line 0 for whole files: names a finding as long as it stays where it
// is.
std::string finding_key(std::string_view code, std::string_view root, std::string_view path,
                        std::optional<uint32_t> line);

// `sha256:` and hex.
std::string file_digest(std::string_view bytes);

// The rules by which a file is read.
content::ParseOptions parse_options(const content::Content& content, std::string_view path);

// A few lines around `line` (from 1), each as [number, text]; long lines are cut.
std::vector<std::vector<json::Value>> excerpt_of(std::string_view bytes, uint32_t line);
// What a fix does, as [mark, text] with the marks of a unified difference and some lines around it.
std::vector<std::vector<std::string>> patch_of(std::string_view bytes, const content::Fix& fix);

// Gives every finding its key, and those about files that can be read the rest. Reads the files, so
// it is not for the loop thread. A patch is left out when the file is no longer the one that
// `generation` was made of.
void add_details(content::Content& content, const content::Generation& generation,
                 std::vector<DoctorFinding>& findings);

}  // namespace iii::directory
