#include "directory/sources/registry_errors.h"

#include <algorithm>
#include <array>

#include "directory/content/ids.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

constexpr std::string_view kBrowse =
    "call directory::registry::workers::list to browse worker names";
constexpr std::string_view kListAgain = "call directory::registry::workers::list again";

std::string seconds_text(std::chrono::seconds seconds) {
  return std::to_string(seconds.count()) + " s";
}

std::string reason_of_status(const RegistryFailure& failure) {
  std::string status = "the registry answered HTTP " + std::to_string(failure.status);
  if (failure.status == 401 || failure.status == 403) {
    return status + ": it does not let us read this without credentials";
  }
  if (failure.status == 429) {
    return status + ": too many requests" +
           (failure.retry_after ? ", it asks to wait " + seconds_text(*failure.retry_after) : "");
  }
  return status;
}

// What a problem means to the caller.
struct Meaning {
  HttpProblem problem;
  std::string_view reason;
  bool passing = false;
};
constexpr auto kMeanings = std::to_array<Meaning>({
    {HttpProblem::kUnreachable, "the registry could not be reached", true},
    {HttpProblem::kTimedOut, "the registry could not be reached: it did not answer in time", true},
    {HttpProblem::kCut, "the registry's answer could not be decoded", true},
    {HttpProblem::kTooLarge, "the registry's answer is larger than is taken"},
    {HttpProblem::kBadRedirect,
     "the registry redirects to where we do not follow (too often, to another scheme, or into a "
     "network that is not its own)"},
    {HttpProblem::kNotTrusted, "the registry could not be reached: its certificate is not trusted",
     true},
    {HttpProblem::kMisconfigured,
     "the registry cannot be asked: its configured URL or CA file cannot be used"},
    {HttpProblem::kStopped, "the request was cancelled"},
});

const Meaning& meaning_of(const RegistryFailure& failure) {
  return *std::ranges::find(kMeanings, failure.problem, &Meaning::problem);
}

std::string remedy_of(const RegistryFailure& failure) {
  if (failure.status == 401 || failure.status == 403) {
    return "check `registry_url` in the configuration";
  }
  if (failure.retry_after) return "retry in " + seconds_text(*failure.retry_after);
  if (failure.problem == HttpProblem::kNotTrusted ||
      failure.problem == HttpProblem::kMisconfigured) {
    return "check `registry_url` and the CA file in the configuration";
  }
  return "retry shortly";
}

Error failed_request(const RegistryFailure& failure, const std::string& next) {
  const std::string reason =
      failure.status != 0 ? reason_of_status(failure) : std::string(meaning_of(failure).reason);
  return {"D320", "D320 registry_error: " + reason + ". Next: " + next + "."};
}

std::string did_you_mean(const RegistrySource& source, const std::vector<std::string>& known) {
  if (std::ranges::find(known, source.worker) != known.end()) {
    return " The worker is known, so the version may be wrong: ask without one for the latest.";
  }
  const std::string_view near = nearest(source.worker, known);
  return near.empty() ? std::string() : " Did you mean: " + std::string(near) + "?";
}

std::string next_browse() { return " Next: " + std::string(kBrowse) + "."; }

}  // namespace

bool RegistryFailure::is_passing() const {
  if (status == 0) return meaning_of(*this).passing;
  return status == 429 || status == 408 || status >= 500;
}

Error registry_error(const RegistryFailure& failure) {
  return failed_request(failure, remedy_of(failure) + ", or " + std::string(kBrowse));
}

Error registry_list_error(const RegistryFailure& failure) {
  const std::string remedy = remedy_of(failure);
  return failed_request(
      failure, remedy + (remedy.starts_with("retry") ? ": " : ", then ") + std::string(kListAgain));
}

Error no_bundle(const RegistrySource& source, const std::vector<std::string>& known) {
  return {"D310", "D310 not_found: the registry has no skills bundle of worker " +
                      content::quoted(source.worker) + " for version " +
                      content::quoted(source.selector()) + "." + did_you_mean(source, known) +
                      next_browse()};
}

Error no_worker(const RegistrySource& source, const std::vector<std::string>& known) {
  return {"D310", "D310 not_found: registry worker " +
                      content::quoted(source.worker + "@" + source.selector()) + " was not found." +
                      did_you_mean(source, known) + next_browse()};
}

Error other_version(const RegistrySource& source, std::string_view delivered) {
  return {"D314", "D314 version_mismatch: version " + content::quoted(*source.version) +
                      " of worker " + content::quoted(source.worker) +
                      " was asked for, and the registry delivered " +
                      content::quoted(utf8_prefix(delivered, 80)) +
                      ". Nothing was written. Next: check the version, or ask without one for the "
                      "latest."};
}

}  // namespace iii::sources
