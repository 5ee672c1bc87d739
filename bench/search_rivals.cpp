#include "search_rivals.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "foundation/base/text.h"
#include "process.h"

namespace iii::bench {

namespace {

void must(int code, sqlite3* database) {
  if (code != SQLITE_OK) die(fmt::format("sqlite: {}", sqlite3_errmsg(database)));
}

void bind_text(sqlite3_stmt* statement, int column, std::string_view text) {
  sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()),
                    SQLITE_TRANSIENT);
}

// "word" OR "word" …: quoted, so that nothing in it is an operator.
std::string any_word(std::string_view request) {
  std::string match;
  std::string word;
  const auto flush = [&] {
    if (word.empty()) return;
    match += fmt::format("{}\"{}\"", match.empty() ? "" : " OR ", word);
    word.clear();
  };
  for (const char c : request) {
    const bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z') || static_cast<signed char>(c) < 0;
    if (letter) {
      word += c;
    } else {
      flush();
    }
  }
  flush();
  return match;
}

}  // namespace

Substring::Substring(const std::vector<MadeDocument>& documents) {
  for (const MadeDocument& document : documents) {
    ids_.push_back(document.id);
    texts_.push_back(fold_case(document.id + "\n" + document.title + "\n" + document.description));
  }
}

std::vector<std::string> Substring::find(std::string_view request, size_t limit) const {
  const std::string wanted = fold_case(trim(request));
  std::vector<std::string> found;
  for (size_t i = 0; i < texts_.size() && found.size() < limit; ++i) {
    if (texts_[i].contains(wanted)) found.push_back(ids_[i]);
  }
  return found;
}

size_t Substring::bytes() const {
  size_t sum = 0;
  for (const std::string& text : texts_) sum += text.size();
  return sum;
}

FullText::FullText(const std::vector<MadeDocument>& documents) {
  must(sqlite3_open(":memory:", &database_), database_);
  must(sqlite3_exec(database_,
                    "CREATE VIRTUAL TABLE t USING fts5(id, title, description, body, "
                    "tokenize='porter unicode61 remove_diacritics 2'); BEGIN",
                    nullptr, nullptr, nullptr),
       database_);
  sqlite3_stmt* insert = nullptr;
  must(sqlite3_prepare_v2(database_, "INSERT INTO t VALUES (?, ?, ?, ?)", -1, &insert, nullptr),
       database_);
  for (const MadeDocument& document : documents) {
    bind_text(insert, 1, document.id);
    bind_text(insert, 2, document.title);
    bind_text(insert, 3, document.description);
    bind_text(insert, 4, std::string_view(document.body).substr(0, 2'000));
    if (sqlite3_step(insert) != SQLITE_DONE) die("sqlite: an insert failed");
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  must(sqlite3_exec(database_, "COMMIT", nullptr, nullptr, nullptr), database_);
  must(sqlite3_prepare_v2(database_,
                          "SELECT id FROM t WHERE t MATCH ? ORDER BY bm25(t, 1, 2, 1, 0.2) LIMIT ?",
                          -1, &query_, nullptr),
       database_);
}

FullText::~FullText() {
  sqlite3_finalize(query_);
  sqlite3_close(database_);
}

std::vector<std::string> FullText::find(std::string_view request, size_t limit) {
  std::vector<std::string> found;
  const std::string match = any_word(request);
  if (match.empty()) return found;
  bind_text(query_, 1, match);
  sqlite3_bind_int64(query_, 2, static_cast<sqlite3_int64>(limit));
  int code = sqlite3_step(query_);
  for (; code == SQLITE_ROW; code = sqlite3_step(query_)) {
    found.emplace_back(reinterpret_cast<const char*>(sqlite3_column_text(query_, 0)));
  }
  if (code != SQLITE_DONE) die(fmt::format("sqlite: {}", sqlite3_errmsg(database_)));
  sqlite3_reset(query_);
  return found;
}

// Without the table that holds a copy of the text.
size_t FullText::bytes() {
  sqlite3_stmt* sum = nullptr;
  must(sqlite3_prepare_v2(database_, "SELECT sum(length(block)) FROM t_data", -1, &sum, nullptr),
       database_);
  const bool row = sqlite3_step(sum) == SQLITE_ROW;
  const auto bytes = row ? static_cast<size_t>(sqlite3_column_int64(sum, 0)) : 0;
  sqlite3_finalize(sum);
  return bytes;
}

}  // namespace iii::bench
