#include "app/daemon/verbs/function_examples.h"

#include <algorithm>
#include <array>

namespace iii::daemon {

namespace {

// The ids are those of tests/e2e/function_examples.test.mjs, which runs them.
constexpr auto kExamples = std::to_array<FunctionExample>({
    {"directory::changes", "since=0"},
    {"directory::doctor", "severity=error"},
    {"directory::doctor::apply", "code=unquoted_colon"},
    {"directory::engine::functions::info", "function_id=directory::skills::get"},
    {"directory::lock::diff", "namespace=pdf"},
    {"directory::lock::list", "check=true"},
    {"directory::lock::outdated", "namespace=pdf"},
    {"directory::lock::restore", "namespace=pdf"},
    {"directory::lock::update", "namespace=pdf"},
    {"directory::lock::verify", "namespace=pdf"},
    {"directory::prompts::get", "name=explain"},
    {"directory::prompts::list", "limit=20"},
    {"directory::registry::workers::info", "name=resend"},
    {"directory::registry::workers::list", "search=mail"},
    {"directory::repo::download", R"(repo=anthropics/skills 'skills=["skills/pdf"]')"},
    {"directory::repo::skills", "repo=anthropics/skills"},
    {"directory::search_functions", R"('capabilities=["read a skill"]')"},
    {"directory::skills::browse", "q=database limit=20"},
    {"directory::skills::download", "repo=anthropics/skills skill=pdf"},
    {"directory::skills::download_from_registry", "worker=resend"},
    {"directory::skills::download_from_repo", "repo=anthropics/skills skill=pdf"},
    {"directory::skills::explain", "id=database"},
    {"directory::skills::file", "id=database path=schema.sql"},
    {"directory::skills::get", "id=database"},
    {"directory::skills::index", "task='ask a table a question' budget_tokens=500"},
    {"directory::skills::inspect", "id=database"},
    {"directory::skills::list", "prefix=database limit=20"},
    {"directory::skills::remove", "namespace=pdf"},
    {"directory::skills::search", "query='ask a table a question'"},
    {"prompts::register",
     "name=compose description='Write a mail.' function_id=mail::compose "
     R"('arguments=[{"name":"to","required":true}]')"},
    {"skills::register", "id=mail skill='# Mail'"},
});

}  // namespace

std::span<const FunctionExample> function_examples() { return kExamples; }

std::string_view example_of(std::string_view id) {
  const auto* found = std::ranges::find(kExamples, id, &FunctionExample::id);
  return found == kExamples.end() ? "" : found->words;
}

}  // namespace iii::daemon
