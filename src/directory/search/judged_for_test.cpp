#include "directory/search/judged_for_test.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "directory/search/function_document.h"
#include "directory/search/skill_document.h"
#include "foundation/base/check.h"
#include "foundation/json/value.h"

namespace iii::search {

namespace {

const json::Value& member(const json::Value& value, std::string_view key) {
  const json::Value* found = value.find(key);
  III_CHECK(found != nullptr);
  return *found;
}

std::string_view text(const json::Value& value, std::string_view key) {
  return *member(value, key).as_string();
}

double number(const json::Value& value, std::string_view key) {
  const json::Value& found = member(value, key);
  return found.as_int() != nullptr ? static_cast<double>(*found.as_int()) : *found.as_double();
}

Document function_of(const json::Value& value) {
  FunctionText function{.id = text(value, "id"), .description = text(value, "description")};
  for (const auto& [name, description] : *member(value, "parameters").as_object()) {
    function.parameters.push_back({.name = name, .description = *description.as_string()});
  }
  return function_document(function);
}

Document skill_of(const json::Value& value) {
  return skill_document({.id = text(value, "id"),
                         .title = text(value, "title"),
                         .description = text(value, "description"),
                         .body = text(value, "body")});
}

JudgedQuery query_of(const json::Value& value) {
  JudgedQuery query{.id = std::string(text(value, "id")),
                    .kind = std::string(text(value, "class")),
                    .skills = text(value, "lane") == "skills"};
  for (const json::Value& one : *member(value, "capabilities").as_array()) {
    query.capabilities.push_back(*one.as_string());
  }
  for (const json::Value& one : *member(value, "relevant").as_array()) {
    auto& grades = query.relevant.emplace_back();
    for (const auto& [key, grade] : *one.as_object()) {
      grades[key] = static_cast<int>(*grade.as_int());
    }
  }
  if (const json::Value* forbidden = value.find("forbidden_top3")) {
    for (const json::Value& one : *forbidden->as_array()) {
      query.forbidden.push_back(*one.as_string());
    }
  }
  for (const json::Value& list : *member(value, "reference").as_array()) {
    auto& references = query.references.emplace_back();
    if (list.is_null()) continue;
    for (const json::Value& one : *list.as_array()) {
      references.push_back({.key = std::string(text(one, "id")),
                            .f = number(one, "f"),
                            .g = number(one, "g"),
                            .lexical = number(one, "L"),
                            .cosine = number(one, "cos")});
    }
  }
  return query;
}

double gain(const std::map<std::string, int>& grades, const std::string& key) {
  const auto found = grades.find(key);
  return found == grades.end() ? 0 : std::exp2(found->second) - 1;
}

double ndcg(const std::map<std::string, int>& grades, const std::vector<std::string>& rows) {
  double reached = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    reached += gain(grades, rows[i]) / std::log2(static_cast<double>(i) + 2);
  }
  std::vector<double> best;
  for (const auto& [key, grade] : grades) best.push_back(std::exp2(grade) - 1);
  std::ranges::sort(best, std::greater{});
  double most = 0;
  for (size_t i = 0; i < best.size() && i < kBestLimit; ++i) {
    most += best[i] / std::log2(static_cast<double>(i) + 2);
  }
  return reached / most;
}

double recall(const std::map<std::string, int>& grades, const std::vector<std::string>& rows,
              size_t most) {
  size_t found = 0;
  for (size_t i = 0; i < rows.size() && i < most; ++i) found += grades.contains(rows[i]) ? 1 : 0;
  return static_cast<double>(found) / static_cast<double>(grades.size());
}

void judge_fit(const JudgedQuery& query, const std::map<std::string, int>& grades,
               const std::vector<std::string>& rows, Quality& quality) {
  quality.queries = 1;
  quality.top1 = !rows.empty() && grades.contains(rows[0]) ? 1 : 0;
  quality.recall5 = recall(grades, rows, 5);
  quality.recall12 = recall(grades, rows, 12);
  quality.ndcg = ndcg(grades, rows);
  for (size_t i = 0; i < rows.size() && quality.mrr == 0; ++i) {
    if (grades.contains(rows[i])) quality.mrr = 1 / (static_cast<double>(i) + 1);
  }
  if (query.capabilities.size() < 2) return;
  quality.several = 1;
  quality.covered =
      std::ranges::all_of(query.relevant,
                          [&](const std::map<std::string, int>& one) {
                            return one.empty() || std::ranges::any_of(rows, [&](const auto& row) {
                                     return one.contains(row);
                                   });
                          })
          ? 1
          : 0;
}

}  // namespace

Quality judge(const JudgedQuery& query, const MergedAnswer& answer) {
  std::map<std::string, int> grades;
  for (const auto& one : query.relevant) {
    for (const auto& [key, grade] : one) grades[key] = std::max(grades[key], grade);
  }
  std::vector<std::string> rows;
  for (const MergedHit& hit : answer.rows) rows.push_back(hit.key);
  Quality quality;
  if (!grades.empty()) judge_fit(query, grades, rows, quality);
  for (size_t c = 0; c < query.relevant.size(); ++c) {
    if (!query.relevant[c].empty()) continue;
    ++quality.unfit;
    quality.answered_unfit += answer.answers[c].hits.empty() ? 0 : 1;
  }
  if (!query.forbidden.empty()) {
    quality.guarded = 1;
    const std::span top(rows.data(), std::min<size_t>(3, rows.size()));
    quality.forbidden = std::ranges::find_first_of(top, query.forbidden) == top.end() ? 0 : 1;
  }
  if (query.skills || answer.answers.size() != 1 ||
      answer.answers[0].kind != Answer::Kind::kBelow) {
    return quality;
  }
  quality.nearest_shown = 1;
  if (grades.empty()) {
    quality.nearest_unfit = 1;
  } else if (std::ranges::any_of(answer.answers[0].nearest,
                                 [&](const std::string& key) { return grades.contains(key); })) {
    quality.nearest_right = 1;
  }
  return quality;
}

JudgedSet load_judged(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  const Result<json::Value> parsed = json::parse(content.str());
  III_CHECK(parsed.has_value());
  JudgedSet set;
  for (const json::Value& one : *member(*parsed, "functions").as_array()) {
    set.functions.push_back(function_of(one));
  }
  for (const json::Value& one : *member(*parsed, "skills").as_array()) {
    set.skills.push_back(skill_of(one));
  }
  for (const json::Value& one : *member(*parsed, "queries").as_array()) {
    set.queries.push_back(query_of(one));
  }
  return set;
}

Index index_of(const Profile& profile, const std::vector<Document>& documents) {
  return Index(profile).apply({.put = documents});
}

void Quality::add(const Quality& other) {
  queries += other.queries;
  top1 += other.top1;
  recall5 += other.recall5;
  recall12 += other.recall12;
  mrr += other.mrr;
  ndcg += other.ndcg;
  covered += other.covered;
  several += other.several;
  unfit += other.unfit;
  answered_unfit += other.answered_unfit;
  guarded += other.guarded;
  forbidden += other.forbidden;
  nearest_shown += other.nearest_shown;
  nearest_right += other.nearest_right;
  nearest_unfit += other.nearest_unfit;
}

void Quality::finish() {
  for (double* value : {&top1, &recall5, &recall12, &mrr, &ndcg}) {
    if (queries > 0) *value /= queries;
  }
  if (several > 0) covered /= several;
}

std::map<std::string, Quality> measure(const JudgedSet& set, const Index& functions,
                                       const Index& skills, const Options& options) {
  std::map<std::string, Quality> all;
  for (const JudgedQuery& query : set.queries) {
    const Result<MergedAnswer> answer =
        find_all(query.skills ? skills : functions, query.capabilities, options);
    III_CHECK(answer.has_value());
    const Quality quality = judge(query, *answer);
    all[query.kind].add(quality);
    all["all"].add(quality);
  }
  for (auto& [kind, quality] : all) quality.finish();
  return all;
}

}  // namespace iii::search
