// Answers of directory::lock::*, and of what downloads several namespaces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/answers.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct VerifyOutput {
  bool ok = true;
  std::vector<sources::VerifiedNamespace> namespaces;
};
struct OutdatedOutput {
  std::vector<sources::OutdatedRow> namespaces;
};
struct CopyRow {
  std::string path;
  std::string copy_of;
};
struct OutcomesOutput {
  bool ok = true;
  std::vector<sources::NamespaceResult> namespaces;
  std::vector<CopyRow> copies = {};
};

inline constexpr std::string_view kLockNamespaces = "One row per namespace, by name.";

inline auto describe(json::Type<VerifyOutput>) {
  using T = VerifyOutput;
  return json::object<T>("VerifyOutput", "", json::field("ok", &T::ok, "Every namespace is ok."),
                         json::field("namespaces", &T::namespaces, kLockNamespaces));
}
inline auto describe(json::Type<OutdatedOutput>) {
  return json::object<OutdatedOutput>(
      "OutdatedOutput", "",
      json::field("namespaces", &OutdatedOutput::namespaces, kLockNamespaces));
}
inline auto describe(json::Type<CopyRow>) {
  using T = CopyRow;
  return json::object<T>("SkillCopy", "",
                         json::field("path", &T::path, "Its folder in the repository."),
                         json::field("copy_of", &T::copy_of, "Folder with the same files."));
}
inline auto describe(json::Type<OutcomesOutput>) {
  using T = OutcomesOutput;
  return json::object<T>("OutcomesOutput", "", json::field("ok", &T::ok, "Every namespace is ok."),
                         json::field("namespaces", &T::namespaces, kLockNamespaces),
                         json::field("copies", &T::copies,
                                     "Skills of the repository that were left out because another "
                                     "one has the same files.")
                             .optional());
}

}  // namespace iii::directory
