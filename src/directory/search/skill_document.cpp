#include "directory/search/skill_document.h"

#include <algorithm>

#include "directory/search/sentences.h"
#include "foundation/base/text.h"

namespace iii::search {

namespace {

// Shorter descriptions have no information.
constexpr size_t kLeastDescription = 20;
constexpr size_t kParagraphCharacters = 400;

// `>-` and the like, left over where YAML was read as plain text.
std::string_view without_block_mark(std::string_view text) {
  text = trim(text);
  if (text.empty() || (text[0] != '>' && text[0] != '|')) return text;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return trim(text);
}

// What registries put where the author wrote nothing.
std::string_view without_boilerplate(std::string_view text) {
  for (const std::string_view phrase : {"No description provided", "No description available",
                                        "No description", "TODO", "Description"}) {
    if (text.size() >= phrase.size() && iequals(text.substr(0, phrase.size()), phrase) &&
        trim(text.substr(phrase.size())).find_first_not_of(".:!") == std::string_view::npos) {
      return {};
    }
  }
  return text;
}

bool has_letters(std::string_view line) {
  return std::ranges::any_of(line, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<signed char>(c) < 0;
  });
}

// Headings, lists, tables, quotes, HTML, rules and images are no text.
bool is_prose(std::string_view line) {
  return has_letters(line) && !std::string_view("#|<>!-*+=[").contains(line.front());
}

std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string first_paragraph(std::string_view body) {
  std::string paragraph;
  bool code = false;
  while (!body.empty()) {
    const std::string_view line = next_line(body);
    if (line.starts_with("```") || line.starts_with("~~~")) {
      if (!paragraph.empty()) break;
      code = !code;
      continue;
    }
    if (code) continue;
    if (line.empty() || !is_prose(line)) {
      if (!paragraph.empty()) break;
      continue;
    }
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += line;
  }
  return std::string(utf8_prefix(paragraph, kParagraphCharacters));
}

std::string_view last_segment(std::string_view id) {
  const size_t slash = id.rfind('/');
  const size_t dashes = id.rfind("--");
  size_t from = slash == std::string_view::npos ? 0 : slash + 1;
  if (dashes != std::string_view::npos) from = std::max(from, dashes + 2);
  return id.substr(from);
}

// FNV-1a with 64 bits. It recognises copies; a forged one does no harm.
uint64_t fingerprint(std::string_view title, std::string_view description) {
  uint64_t hash = 14'695'981'039'346'656'037ULL;
  const auto mix = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211ULL;
    hash = (hash ^ 0xFFU) * 1'099'511'628'211ULL;
  };
  mix(title);
  mix(description);
  return hash == 0 ? 1 : hash;
}

}  // namespace

std::string skill_description(std::string_view description, std::string_view body) {
  const std::string_view own = without_boilerplate(without_block_mark(description));
  if (utf8_length(own) >= kLeastDescription) return std::string(own);
  std::string paragraph = first_paragraph(body);
  return paragraph.empty() ? std::string(own) : paragraph;
}

Document skill_document(const SkillText& skill) {
  Document document{.key = std::string(skill.id)};
  auto& fields = document.fields;
  fields[skill_field::kName] = last_segment(skill.id);
  fields[skill_field::kTitle] = is_blank(skill.title) ? skill.id : skill.title;
  const std::string description = skill_description(skill.description, skill.body);
  const Sentences sentences = split_sentences(description);
  fields[skill_field::kSentence] = sentences.first;
  fields[skill_field::kRest] = sentences.rest;
  fields[skill_field::kBody] = utf8_prefix(skill.body, kBodyCharacters);
  document.copy_of = fingerprint(fields[skill_field::kTitle], description);
  return document;
}

}  // namespace iii::search
