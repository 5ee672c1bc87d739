#include "faces/mcp/subscribers.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/library/document_paths.h"
#include "faces/mcp/dialect.h"
#include "faces/mcp/rpc.h"
#include "faces/mcp/uri.h"

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

void add_change(Changed& out, const directory::ChangeSet& set, const directory::Change& change) {
  add_skills_of(out, *set.after, change.file.path, false);
  if (change.kind == directory::ChangeKind::kPrompt) {
    out.prompts = true;
    return;
  }
  if (!out.resources) out.resources = row_differs(set, change);
  out.uris.insert(std::string(kIndexUri));
  out.uris.insert(document_uri(change.id));
  out.uris.insert(file_uri(change.file.path));
}

// What the set says, in the terms of MCP, one part of it. False: there is no such part.
bool add_part(Changed& out, const directory::ChangeSet& set, size_t part) {
  if (part == 0) {
    out.all_files = out.all_files || set.all_touched;
    return true;
  }
  --part;
  if (part < set.touched.size()) {
    add_touched(out, *set.after, set.touched[part]);
    return true;
  }
  part -= set.touched.size();
  if (set.changes == nullptr || part >= set.changes->size()) return false;
  add_change(out, set, (*set.changes)[part]);
  return true;
}

// What the subscription counts as.
size_t bytes_of(const std::string& address, const std::string& written) {
  return Subscribers::kSubscriptionBytes + address.size() + written.size();
}

}  // namespace

std::optional<RpcError> check_uri_length(std::string_view uri) {
  if (uri.size() <= kMaxUriBytes) return std::nullopt;
  return invalid_params("The address has " + std::to_string(uri.size()) + " bytes, and at most " +
                        std::to_string(kMaxUriBytes) +
                        " are accepted. Next: subscribe to an address of `resources/list`.");
}

RpcError no_memory() {
  return {.code = kInternalError,
          .message =
              "The server has no memory left for what it keeps for clients, and this client "
              "has most of it. Next: end sessions and subscriptions that are not needed, or "
              "try again later.",
          .http_status = 503};
}

Subscribers::~Subscribers() {
  timers_.cancel(timer_);
  timers_.cancel(cleaning_);
}

void Subscribers::number(Subscriber& subscriber) {
  if (subscriber.number_ == 0) subscriber.number_ = ++numbers_;
}

void Subscribers::add(const SubscriberPtr& subscriber) {
  if (subscriber->left_) return;
  number(*subscriber);
  subscriber->hears_ = true;
  all_.emplace(subscriber->number_, subscriber);
}

void Subscribers::remove(const SubscriberPtr& subscriber) {
  all_.erase(subscriber->number_);
  subscriber->hears_ = false;
  if (std::exchange(subscriber->left_, true) || subscriber->addresses_.empty()) return;
  leaving_.push_back(subscriber);
  if (cleaning_ == 0) plan_cleaning();
}

void Subscribers::clean() {
  cleaning_ = 0;
  for (size_t i = 0; i < kSlice && !leaving_.empty(); ++i) {
    const SubscriberPtr subscriber = leaving_.front();
    drop(*subscriber, subscriber->addresses_.back());
    subscriber->addresses_.pop_back();
    if (subscriber->addresses_.empty()) leaving_.pop_front();
  }
  if (!leaving_.empty()) plan_cleaning();
}

void Subscribers::plan_cleaning() {
  cleaning_ = timers_.after(std::chrono::microseconds(0), [this] { clean(); });
}

void Subscribers::drop(const Subscriber& subscriber, AddressIndex::iterator address) {
  address->second.erase(subscriber.number_);
  if (address->second.empty()) index_.erase(address);
}

bool Subscribers::anybody_wants_tools() const {
  return std::ranges::any_of(all_, [](const auto& each) { return each.second->tools; });
}

std::optional<RpcError> Subscribers::subscribe(const SubscriberPtr& subscriber,
                                               std::string_view uri) {
  if (auto error = check_uri_length(uri)) return error;
  if (subscriber->left_) return std::nullopt;  // nobody hears of it any more
  std::string canonical = canonical_uri(uri);
  std::string written = canonical == uri ? std::string() : std::string(uri);
  number(*subscriber);
  const auto known = index_.find(canonical);
  const bool again = known != index_.end() && known->second.contains(subscriber->number_);
  if (again) {
    // The newer spelling counts; the limits were kept when it was first subscribed to.
    unsubscribe(subscriber, uri);
  } else if (subscriber->addresses_.size() >= max_subscriptions_) {
    return RpcError{.code = kInternalError,
                    .message = "There are " + std::to_string(max_subscriptions_) +
                               " subscriptions already, which is the limit. Next: unsubscribe from "
                               "addresses that are not needed."};
  }
  const net::KeptPtr& memory = subscriber->memory;
  if (memory && !memory->resize(memory->bytes() + bytes_of(canonical, written))) {
    return no_memory();
  }
  canonical.shrink_to_fit();
  const auto address = index_.try_emplace(std::move(canonical)).first;
  address->second.emplace(subscriber->number_, Subscription{subscriber, std::move(written)});
  subscriber->addresses_.push_back(address);
  return std::nullopt;
}

void Subscribers::unsubscribe(const SubscriberPtr& subscriber, std::string_view uri) {
  const auto address = index_.find(canonical_uri(uri));
  if (address == index_.end() || subscriber->left_) return;
  const auto found = address->second.find(subscriber->number_);
  if (found == address->second.end()) return;
  const net::KeptPtr& memory = subscriber->memory;
  const size_t bytes = bytes_of(address->first, found->second.written);
  if (memory) memory->set(memory->bytes() - std::min(memory->bytes(), bytes));
  auto& own = subscriber->addresses_;
  const auto at = std::ranges::find(own, address);
  *at = own.back();
  own.pop_back();
  drop(*subscriber, address);
}

void Subscribers::changed(const directory::ChangeSet& set) {
  if (all_.empty()) return;
  unread_.push_back({set});
  plan();
}

void Subscribers::tools_changed() {
  if (all_.empty()) return;
  changed_.tools = true;
  plan();
}

void Subscribers::plan() {
  if (timer_ == 0) timer_ = timers_.after(kGather, [this] { work(); });
}

// Everything is read before a round begins: a list that two changes concern is told of once.
void Subscribers::work() {
  timer_ = 0;
  for (size_t i = 0; i < kSlice; ++i) {
    if (!read_next() && !tell_next()) return;
  }
  timer_ = timers_.after(std::chrono::microseconds(0), [this] { work(); });
}

bool Subscribers::read_next() {
  if (unread_.empty()) return false;
  Reading& first = unread_.front();
  if (!add_part(changed_, first.set, first.next++)) unread_.pop_front();
  return true;
}

bool Subscribers::tell_next() {
  if (!round_) {
    if (!changed_.any()) return false;
    round_.emplace(std::exchange(changed_, {}));
  }
  if (!tell_list() && !tell_address()) round_.reset();
  return true;
}

bool Subscribers::tell_list() {
  const Changed& what = round_->what;
  if (!what.any_list()) return false;
  const auto next = all_.upper_bound(round_->listed);
  if (next == all_.end()) return false;
  round_->listed = next->first;
  const SubscriberPtr to = next->second;  // whoever cannot take a message may leave
  if (what.tools && to->tools) send(*to, "notifications/tools/list_changed");
  if (what.prompts && to->prompts) send(*to, "notifications/prompts/list_changed");
  if (what.resources && to->resources) send(*to, "notifications/resources/list_changed");
  return true;
}

bool Subscribers::tell_address() {
  const auto at = index_.find(round_->address);
  if (at == index_.end()) return next_address();
  const auto next = at->second.upper_bound(round_->told);
  if (next == at->second.end()) return next_address();
  round_->told = next->first;
  const SubscriberPtr to = next->second.who;
  if (!to->hears_) return true;
  send(*to, "notifications/resources/updated",
       next->second.written.empty() ? at->first : next->second.written);
  return true;
}

bool Subscribers::next_address() {
  Round& round = *round_;
  round.told = 0;
  if (!round.what.all_files) {
    if (round.what.uris.empty()) return false;
    round.address = std::move(round.what.uris.extract(round.what.uris.begin()).value());
    return true;
  }
  const auto next = index_.upper_bound(round.address);
  if (next == index_.end()) return false;
  round.address = next->first;
  // Of others nothing is known: their subscribers count as told.
  if (!parse_uri(round.address)) round.told = UINT64_MAX;
  return true;
}

}  // namespace iii::mcp
