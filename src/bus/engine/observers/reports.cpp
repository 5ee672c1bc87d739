// Observers: events that hosts report themselves (observers §6.3).
#include <charconv>
#include <utility>

#include "bus/engine/engine.h"
#include "bus/engine/observers/observers.h"
#include "foundation/json/slice.h"

namespace iii::engine {

// One item, taken apart: its texts are copies, so that it does not keep the report.
struct ReportItem {
  FunctionKey source;
  std::vector<std::string> matched;
  size_t next = 0;  // of those
  ObservedEventPtr event;
};

// A report that is read item by item, so that what is in memory at a time is bounded.
struct ObservedReport {
  SharedBytes text;
  json::Walker items;
  std::string worker_id;
  std::optional<std::string> worker_name;
  bool v2 = false;
  bool small = false;  // enough to be read on the loop
  std::shared_ptr<Worker> host;
  bool paused = false;  // its connection, so that what follows comes after all items
};

namespace {

using filter::Part;

constexpr size_t kItemsAtOnce = 256;       // taken apart before they are delivered
constexpr size_t kActivationsAtOnce = 32;  // before others get their turn
constexpr size_t kMaxInvocationId = 256;
constexpr size_t kMaxTraceContext = 8 * 1024;

std::string text_of(const std::optional<json::Slice>& value) {
  return value && json::kind_of(*value) == json::Kind::kString ? json::string_of(*value)
                                                               : std::string();
}

template <typename Number>
Number number_of(const std::optional<json::Slice>& value) {
  Number number{};
  if (value) std::from_chars(value->data(), value->data() + value->size(), number);
  return number;
}

// Left out when it is longer than any trace context.
std::string trace_of(const std::optional<json::Slice>& value) {
  return value && value->size() <= kMaxTraceContext ? text_of(value) : std::string();
}

void read_parts(json::Slice item, bool v2, ObservedEvent& event) {
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const auto value = json::member(item, filter::part_name(static_cast<Part>(i)));
    if (value) event.parts[i] = JsonText(std::string(*value));
  }
  if (v2 && json::member(item, "output_is_input") == "true") {
    event.part(Part::kOutput) = event.part(Part::kInput);
  }
  std::optional<JsonText>& caller = event.part(Part::kCaller);
  if (caller && !caller->view().starts_with('{')) caller.reset();
  std::optional<JsonText>& metadata = event.part(Part::kMetadata);
  if (metadata && metadata->view() == "null") metadata.reset();
}

std::optional<ReportItem> read_item(json::Slice text, const ObservedReport& report) {
  if (json::kind_of(text) != json::Kind::kObject) return std::nullopt;
  ReportItem item;
  item.source = {text_of(json::member(text, "namespace")),
                 text_of(json::member(text, "function_id"))};
  const auto matched = json::member(text, "matched");
  if (item.source.id.empty() || !matched || json::kind_of(*matched) != json::Kind::kArray) {
    return std::nullopt;
  }
  if (item.source.name_space.empty()) item.source.name_space = protocol::kDefaultNamespace;
  const ObserverIds ids = read_ids(*matched);
  item.matched.assign(ids.begin(), ids.end());
  auto event = std::make_shared<ObservedEvent>();
  event->source = item.source;
  event->invocation_id = text_of(json::member(text, "invocation_id"));
  if (item.matched.empty() || event->invocation_id.size() > kMaxInvocationId) return std::nullopt;
  event->success = text_of(json::member(text, "status")) != "error";
  read_parts(text, report.v2, *event);
  if (report.v2) {
    std::optional<JsonText>& caller = event->part(Part::kCaller);
    const auto stated = caller ? std::optional(caller->view()) : std::nullopt;
    caller = JsonText(stamped_caller(stated, report.worker_id, report.worker_name));
  }
  event->started_at_ms = number_of<int64_t>(json::member(text, "started_at_ms"));
  event->duration_ms = number_of<double>(json::member(text, "duration_ms"));
  event->depth = number_of<uint64_t>(json::member(text, "observe_depth"));
  event->traceparent = trace_of(json::member(text, "traceparent"));
  event->baggage = trace_of(json::member(text, "baggage"));
  event->clean();
  for (std::optional<JsonText>& part : event->parts) {
    if (part) part->share();
  }
  item.event = std::move(event);
  return item;
}

// The next items; none when the report is at its end.
std::vector<ReportItem> read_items(ObservedReport& report) {
  std::vector<ReportItem> items;
  json::Slice key;
  json::Slice value;
  size_t bytes = 0;
  while (items.size() < kItemsAtOnce && bytes < kInlineBytes && report.items.next(key, value)) {
    auto item = read_item(value, report);
    if (!item) continue;
    bytes += value.size();
    items.push_back(std::move(*item));
  }
  return items;
}

}  // namespace

void Observers::reported(Worker& host, const protocol::InvocationsObserved& frame,
                         const LargeFrame* large) {
  const SharedBytes text = kept_text(frame.items, large).share();
  auto report =
      std::make_shared<ObservedReport>(ObservedReport{.text = text,
                                                      .items = json::Walker(text.bytes),
                                                      .worker_id = host.id_text,
                                                      .worker_name = host.name,
                                                      .v2 = host.observes_v2,
                                                      .small = text.bytes.size() <= kInlineBytes,
                                                      .host = host.shared_from_this()});
  read_on(report);
}

void Observers::read_on(const std::shared_ptr<ObservedReport>& report) {
  if (report->small) return deliver(report, read_items(*report));
  if (!report->paused) report->paused = report->host->link.pause();
  engine_.background().compute(
      report->host->owner(), [report] { return read_items(*report); },
      [this, report](std::vector<ReportItem> items) {
        if (!report->host->gone) deliver(report, std::move(items));
      });
}

// In steps; then the next items of the report.
void Observers::deliver(const std::shared_ptr<ObservedReport>& report,
                        std::vector<ReportItem> items) {
  if (items.empty()) {
    if (report->paused) report->host->link.resume();
    return;
  }
  if (!report->paused && items.size() == kItemsAtOnce) {
    report->paused = report->host->link.pause();
  }
  engine_.slices().add(report->host->owner(),
                       [this, report, items = std::move(items), next = size_t{0}]() mutable {
                         size_t left = kActivationsAtOnce;
                         while (left > 0 && next < items.size()) {
                           if (!deliver(*report->host, items[next], left)) ++next;
                         }
                         if (next < items.size()) return true;
                         read_on(report);
                         return false;
                       });
}

// At most `left` activations, which are taken off it. True when the item has more.
bool Observers::deliver(const Worker& host, ReportItem& item, size_t& left) {
  const auto found = sources_.find(item.source);
  --left;
  if (found == sources_.end() || found->second->host() != &host) return false;
  if (item.next == 0) {  // whoever is told of these calls must not be able to answer them
    if (const auto id = Uuid::parse(item.event->invocation_id)) engine_.guard(*id);
    if (const auto& caller = item.event->part(Part::kCaller)) engine_.guard_named(caller->view());
  }
  for (; item.next < item.matched.size(); --left) {
    if (left == 0) return true;
    const auto named = observers_.find(item.matched[item.next++]);
    if (named == observers_.end() || named->second->source != found->second) continue;
    const ObserverPtr observer = named->second;
    if (observer->state != ObserverState::kActive) {
      observer->drop("INACTIVE");
      continue;
    }
    fire(*observer, item.event, EventCharge::take(observer->ledger, item.event->bytes()));
    drain(observer);
  }
  return false;
}

}  // namespace iii::engine
