#include "mcp/subscribers.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "content/ids.h"
#include "functions/paths.h"
#include "mcp/dialect.h"
#include "mcp/rpc.h"
#include "mcp/uri.h"

namespace iii::mcp {

namespace {

void send(const Subscriber& to, std::string_view method, std::string_view uri = {}) {
  std::string params;
  if (!uri.empty()) append_text_member(params, "uri", uri);
  if (!to.subscription_id.empty()) {
    append_member(params, "_meta", "{" + quote(kSubscriptionKey) + ":" + to.subscription_id + "}");
  }
  to.send(notification_text(method, params));
}

// Whether a list shows another row now, as opposed to another text behind the same row.
bool row_differs(const directory::ChangeSet& set, const directory::Change& change) {
  if (change.act != directory::ChangeAct::kChanged) return true;
  const content::Skill* before = nullptr;
  const content::Skill* after = nullptr;
  for (const std::string& id : {change.id, change.id + "/index"}) {
    if (before == nullptr) before = set.before->skill(id);
    if (after == nullptr) after = set.after->skill(id);
  }
  return before == nullptr || after == nullptr || before->title != after->title ||
         before->description != after->description;
}

// The skills whose files it is among.
void add_skills_of(Changed& out, const content::Generation& generation, std::string_view path,
                   bool came_or_went) {
  for (std::string_view folder = folder_of(path); !folder.empty(); folder = folder_of(folder)) {
    const std::string overview = std::string(folder) + "/SKILL.md";
    const std::string id = content::normalise_id(content::path_id(overview));
    if (generation.skill(id) == nullptr) continue;
    out.uris.insert(file_uri(overview));
    out.uris.insert(document_uri(content::display_id(generation, id)));
    out.resources = out.resources || came_or_went;
  }
}

// Documents are among the changes when they really differ; of other files nothing more is known.
void add_touched(Changed& out, const content::Generation& generation,
                 const content::TouchedFile& touched) {
  const std::string& path = touched.file.path;
  out.all_files = out.all_files || path.empty();
  if (path.empty() || directory::is_document_path(path)) return;
  out.uris.insert(file_uri(path));
  out.uris.insert(document_uri(path));
  add_skills_of(out, generation, path, touched.came_or_went);
}

}  // namespace

void add_changes(Changed& out, const directory::ChangeSet& set) {
  out.all_files = out.all_files || set.all_touched;
  for (const content::TouchedFile& touched : set.touched) add_touched(out, *set.after, touched);
  if (set.changes == nullptr) return;
  for (const directory::Change& change : *set.changes) {
    add_skills_of(out, *set.after, change.file.path, false);
    if (change.kind == directory::ChangeKind::kPrompt) {
      out.prompts = true;
      continue;
    }
    if (!out.resources) out.resources = row_differs(set, change);
    out.uris.insert(std::string(kIndexUri));
    out.uris.insert(document_uri(change.id));
    out.uris.insert(file_uri(change.file.path));
  }
}

bool Subscribers::anybody_wants_tools() const {
  return std::ranges::any_of(all_, [](const SubscriberPtr& each) { return each->tools; });
}

void Subscribers::changed(const directory::ChangeSet& set) {
  if (all_.empty()) return;
  add_changes(changed_, set);
  plan();
}

void Subscribers::tools_changed() {
  if (all_.empty()) return;
  changed_.tools = true;
  plan();
}

void Subscribers::plan() {
  if (timer_ != 0 || !changed_.any()) return;
  timer_ = timers_.after(kGather, [this] {
    timer_ = 0;
    tell();
  });
}

void Subscribers::tell() {
  const Changed now = std::exchange(changed_, {});
  // A copy: whoever cannot take a message may leave.
  for (const SubscriberPtr& each : std::vector(all_.begin(), all_.end())) {
    if (now.tools && each->tools) send(*each, "notifications/tools/list_changed");
    if (now.prompts && each->prompts) send(*each, "notifications/prompts/list_changed");
    if (now.resources && each->resources) send(*each, "notifications/resources/list_changed");
    // The smaller set is walked.
    if (now.all_files || each->uris.size() < now.uris.size()) {
      for (const auto& [uri, written] : each->uris) {
        if (now.all_files ? parse_uri(uri).has_value() : now.uris.contains(uri)) {
          send(*each, "notifications/resources/updated", written);
        }
      }
    } else {
      for (const std::string& uri : now.uris) {
        const auto found = each->uris.find(uri);
        if (found != each->uris.end()) {
          send(*each, "notifications/resources/updated", found->second);
        }
      }
    }
  }
}

}  // namespace iii::mcp
