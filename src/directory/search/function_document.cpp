#include "directory/search/function_document.h"

#include "directory/search/sentences.h"

namespace iii::search {

namespace {

// Segments of an id are separated by `::`, `/` or `.`.
size_t separator(std::string_view id, size_t& length) {
  for (size_t i = 0; i < id.size(); ++i) {
    if (id[i] == '/' || id[i] == '.') {
      length = 1;
      return i;
    }
    if (id.substr(i).starts_with("::")) {
      length = 2;
      return i;
    }
  }
  return std::string_view::npos;
}

void append(std::string& to, std::string_view text) {
  if (text.empty()) return;
  if (!to.empty()) to += ' ';
  to += text;
}

}  // namespace

Document function_document(const FunctionText& function) {
  Document document{.key = std::string(function.id)};
  auto& fields = document.fields;
  size_t length = 0;
  const size_t end = separator(function.id, length);
  if (end == std::string_view::npos) {
    fields[function_field::kName] = function.id;
  } else {
    fields[function_field::kNamespace] = function.id.substr(0, end);
    fields[function_field::kName] = function.id.substr(end + length);
  }
  const Sentences sentences = split_sentences(function.description);
  fields[function_field::kSentence] = sentences.first;
  fields[function_field::kRest] = sentences.rest;
  for (const FunctionText::Parameter& parameter : function.parameters) {
    append(fields[function_field::kParameters], parameter.name);
    append(fields[function_field::kParameterTexts], parameter.description);
  }
  return document;
}

bool is_searchable_function(std::string_view id) {
  return !id.starts_with("engine::") && id != "state::claim-namespace" &&
         !id.ends_with("::on-config-change") && id != "directory::search_functions" &&
         id != "directory::skills::search";
}

}  // namespace iii::search
