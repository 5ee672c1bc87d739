// What the registry answers: bundles, decoded strictly, with prompts as the files that readers
// expect; lists and details, field by field.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "directory/sources/bundle.h"
#include "foundation/json/value.h"

namespace iii::sources {

// `body` is valid JSON. D320 when it is not a bundle, D312 when it is one that is refused, D314
// when an exact version was asked for and the bundle is another.
Result<Bundle> decode_bundle(const RegistrySource& source, std::string_view body,
                             const BundleLimits& limits);

// Paths and prompts of a bundle, without contents and leniently, for `skills_tree`. Anything that
// is no bundle gives an empty tree.
json::Value skills_tree(std::string_view body);

// The version that a bundle says it is; empty when it does not.
std::string bundle_version(std::string_view body);

// Lists and details are read field by field: one odd field never costs a row (DW18).

// `{workers, pagination}`. `rows_alone`: a bare list of rows is taken too, as the older search
// route answers.
json::Value map_list(const json::Value& body, bool rows_alone = false);

// `{worker, readme?, api_reference, skills_tree}`. `tree` as skills_tree() gives it; nothing when
// the registry has no bundle, and then the older flat form may bring one along.
json::Value map_info(const std::string& name, const json::Value& body,
                     std::optional<json::Value> tree);

// The version that a detail body names; empty when it names none.
std::string detail_version(const json::Value& body);

}  // namespace iii::sources
