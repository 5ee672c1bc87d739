// The earlier versions beside the present one: which of them are offered, and what they need.
#pragma once

#include <functional>
#include <optional>

#include "directory/legacy/fetch.h"
#include "directory/legacy/on_change.h"
#include "directory/library/change_hub.h"
#include "directory/reading/changes.h"

namespace iii::sdk {
class Worker;
}

namespace iii::directory {

class Downloader;
class EngineClient;
class FunctionTable;
class Guides;
class Library;

struct LegacyVersions {
  bool skills_015 = true;
  bool directory_041 = true;
  bool directory_051 = true;
};

// Everything outlives the table.
struct LegacyHost {
  sdk::Worker& worker;
  FunctionTable& table;
  EngineClient& engine;
  Library& library;  // with registrations for skills 0.1.5
  Changes& changes;
  Downloader& downloader;
  Guides& guides;
  std::function<FetchSettings()> fetch_settings;
};

// Adds their functions to the table and their trigger types to the worker. Lives as long as both.
class Legacy {
 public:
  Legacy(const LegacyHost& host, LegacyVersions versions);
  Legacy(const Legacy&) = delete;
  Legacy& operator=(const Legacy&) = delete;

 private:
  std::optional<OnChange> on_change_;
  Hub<DownloadEvent>::Subscription on_download_;
};

}  // namespace iii::directory
