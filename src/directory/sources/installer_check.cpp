// What is refused before anything is compared with the folder.
#include <algorithm>
#include <set>

#include "directory/sources/installer_plan.h"
#include "foundation/base/check.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

std::string advice_for(const std::string& code) {
  if (code == "full") return "make room on the disk, then try again";
  if (code == "denied") return "allow this program to write to the skills folder";
  if (code == "link" || code == "outside") {
    return "replace the link by a folder of its own, or remove it, then download again";
  }
  if (code == "exists") return "move it aside, then download again";
  return "check the disk, then download again";
}

std::unexpected<Error> not_as_locked(const std::string& reason) {
  return fail("D332",
              "D332 lock_mismatch: what the source delivers is not what `directory.lock` "
              "says: " +
                  reason +
                  ". Nothing was written. Next: call directory::lock::update "
                  "if the change is wanted.");
}

}  // namespace

Error write_failed(const Error& error, std::string_view name_space, bool undone) {
  const std::string after =
      undone ? "Namespace `" + std::string(name_space) + "` is as it was."
             : "It could not be undone either; it will be finished or undone before anything is "
               "read or written here.";
  return {"D330", "D330 write_failed: " + error.message + ". " + after +
                      " Next: " + advice_for(error.code) + "."};
}

Result<void> check_bundle(const Package& package) {
  const Bundle& bundle = *package.bundle;
  const std::string& name = namespace_of(bundle.source);
  const BundleLimits any{.max_depth = 64, .max_path_bytes = 4'096};
  const Result<std::string> clean_name = clean_path(name, any);
  if (!clean_name || *clean_name != name || name.find('/') != std::string::npos) {
    return fail("D311", "D311 invalid_input: " + printable(name) + " is not a name of a namespace");
  }
  if (auto fits = check_paths(bundle, any); !fits) return fits;
  const auto is_hashed = [](const BundleFile& file) { return !file.sha256.empty(); };
  III_CHECK(std::ranges::all_of(bundle.files, is_hashed));
  const std::optional<LockedNamespace>& exactly = package.options->exactly;
  if (!exactly) return {};
  std::set<std::string_view> missing;
  for (const auto& [path, file] : exactly->files) missing.insert(path);
  for (const BundleFile& file : bundle.files) {
    const LockedFile* const locked = exactly->find(file.path);
    if (locked == nullptr) return not_as_locked("`" + file.path + "` is new");
    if (locked->sha256 != file.sha256 || locked->size != file.bytes.size()) {
      return not_as_locked("`" + file.path + "` has other content");
    }
    missing.erase(file.path);
  }
  if (!missing.empty()) return not_as_locked("`" + std::string(*missing.begin()) + "` is missing");
  return {};
}

}  // namespace iii::sources
