#include "faces/console/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "directory/content/types.h"
#include "directory/library/library.h"
#include "foundation/base/hash.h"
#include "foundation/json/write.h"

namespace iii::console {

namespace {

constexpr std::string_view kBoot = "{{boot}}";

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Folders that do not exist are roots, too: they are noticed when somebody makes them.
json::Array roots_of(const Host& host) {
  const directory::Snapshot& now = *host.library->latest();
  const bool watching = host.library->status().watching;
  const std::vector<content::RootInfo>& infos = now.generation->roots;
  json::Array out;
  for (const RootFolder& each : host.roots()) {
    const auto info = std::ranges::find(infos, each.root, &content::RootInfo::label);
    const bool on_disk = info != infos.end() && directory::is_on_disk(info->kind);
    const auto place = static_cast<uint16_t>(info - infos.begin());
    const bool exists = on_disk && now.folders->content->folder_of({.root = place}) != nullptr;
    out.emplace_back(json::Object{{"root", each.root},
                                  {"folder", each.folder},
                                  {"on_disk", on_disk},
                                  {"exists", exists},
                                  {"watching", watching && exists}});
  }
  return out;
}

json::Object counts_of(const Host& host, const directory::View& now) {
  uint64_t findings = 0;
  for (const content::FindingsPtr& each : now.generation().findings) findings += each->size();
  const directory::Counts counts = now.total();
  const BusCounts bus = host.bus ? host.bus() : BusCounts{};
  return {{"skills", counts.shown()},
          {"prompts", counts.prompts},
          {"findings", findings},
          {"functions", bus.functions},
          {"workers", bus.workers}};
}

Boot finished(json::Object fields, std::string time_fields) {
  std::string text = json::to_text(json::Value(std::move(fields)));
  std::string tag = fmt::format("{:016x}", checksum(text));
  if (!time_fields.empty()) {
    text.pop_back();
    text += "," + time_fields + "}";
  }
  return {.text = std::move(text), .tag = std::move(tag)};
}

}  // namespace

Boot boot_of(const Host& host, bool token_required, Uptime uptime) {
  const directory::View now = host.library->latest_view();
  json::Object out{{"version", host.facts.version},
                   {"commit", host.facts.commit},
                   {"mode", "serve"},
                   {"address", host.facts.address},
                   {"ws", host.facts.ws},
                   {"token_required", token_required},
                   {"session", true},
                   {"generation", now.generation().number},
                   {"epoch", host.facts.epoch},
                   {"home_folder_label", "~"},
                   {"roots", roots_of(host)},
                   {"counts", counts_of(host, now)},
                   {"read_only", false}};
  return finished(std::move(out),
                  fmt::format(R"("uptime_s":{},"started_at":"{}")", uptime.up.count(),
                              content::format_time(uptime.started_ms * 1'000'000)));
}

Boot boot_without_session(const Facts& facts) {
  return finished({{"token_required", true}, {"session", false}, {"version", facts.version}}, {});
}

std::string for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = json.substr(i);
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      out += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

Page::Page(const Assets& assets)
    : Page(replaced(assets.text("index.html"), "{{assets}}",
                    "/console/assets/" + assets.digest())) {}

Page::Page(std::string whole)
    : before_(whole.substr(0, whole.find(kBoot))),
      after_(before_.size() == whole.size() ? "" : whole.substr(before_.size() + kBoot.size())),
      frame_(before_, after_) {}

std::string Page::text(std::string_view boot) const { return before_ + for_script(boot) + after_; }

std::string Page::gzipped(std::string_view boot) const { return frame_.around(for_script(boot)); }

}  // namespace iii::console
