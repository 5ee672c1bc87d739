// Requests in short.
#pragma once

#include <algorithm>

#include "directory/sources/downloads.h"

namespace iii::sources {

using Outcomes = Result<std::vector<NamespaceResult>>;

inline Outcomes update(auto&& downloads, const Job& job = {}, std::optional<std::string> name = {},
                       bool force = false) {
  return downloads.run(
      {.action = Request::Action::kUpdate, .name_space = std::move(name), .force = force}, job);
}
inline Outcomes restore(auto&& downloads, const Job& job = {}) {
  return downloads.run({.action = Request::Action::kRestore}, job);
}
inline Result<InstallReport> download(auto&& downloads, const Source& source, const Job& job = {}) {
  NamespaceResult only = downloads.run({.sources = {source}}, job)->front();
  if (only.error) return fail(only.error->substr(0, 4), *only.error);
  return std::move(*only.report);
}
inline Result<std::vector<OutdatedRow>> outdated(auto&& downloads, const Job& job = {}) {
  auto questions = downloads.questions(std::nullopt);
  if (!questions) return std::unexpected(questions.error());
  std::vector<OutdatedRow> rows;
  for (auto& question : *questions) {
    downloads.ask(question, job);
    rows.insert(rows.end(), question.begin(), question.end());
  }
  std::ranges::sort(rows, {}, &OutdatedRow::name_space);
  return rows;
}

}  // namespace iii::sources
