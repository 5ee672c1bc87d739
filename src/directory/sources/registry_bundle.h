// The registry's bundles: strict decoding, and prompts as the files that readers expect.
#pragma once

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

}  // namespace iii::sources
