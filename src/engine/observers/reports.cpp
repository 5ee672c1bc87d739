// Observers: events that hosts report themselves (observers §6.3).
#include <charconv>
#include <utility>

#include "engine/engine.h"
#include "engine/observers/observers.h"
#include "json/slice.h"

namespace iii::engine {

// One item, taken apart: its texts are parts of the report.
struct ReportItem {
  FunctionKey source;
  std::vector<std::string> matched;
  ObservedEventPtr event;
};

namespace {

using filter::Part;

constexpr size_t kInlineBytes = 32 * 1024;
constexpr size_t kItemsAtOnce = 16;
constexpr size_t kMaxInvocationId = 256;

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

struct Reporter {
  std::string id;
  std::optional<std::string> name;
  bool v2 = false;
};

void read_parts(json::Slice item, const SharedBytes& report, bool v2, ObservedEvent& event) {
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const auto value = json::member(item, filter::part_name(static_cast<Part>(i)));
    if (value) event.parts[i] = JsonText(SharedBytes{report.owner, *value});
  }
  if (v2 && json::member(item, "output_is_input") == "true") {
    event.part(Part::kOutput) = event.part(Part::kInput);
  }
  // A caller that is not an object, or null metadata, is as good as none.
  for (const Part part : {Part::kCaller, Part::kMetadata}) {
    if (event.part(part) && event.part(part)->view() == "null") event.part(part).reset();
  }
}

std::optional<ReportItem> read_item(json::Slice text, const SharedBytes& report,
                                    const Reporter& reporter) {
  if (json::kind_of(text) != json::Kind::kObject) return std::nullopt;
  ReportItem item;
  item.source = {text_of(json::member(text, "namespace")),
                 text_of(json::member(text, "function_id"))};
  if (item.source.name_space.empty()) item.source.name_space = protocol::kDefaultNamespace;
  if (const auto ids = json::member(text, "matched");
      ids && json::kind_of(*ids) == json::Kind::kArray) {
    json::Walker walker(*ids);
    json::Slice key;
    json::Slice id;
    while (walker.next(key, id)) item.matched.push_back(text_of(id));
  }
  auto event = std::make_shared<ObservedEvent>();
  event->source = item.source;
  event->invocation_id = text_of(json::member(text, "invocation_id"));
  if (event->invocation_id.size() > kMaxInvocationId) return std::nullopt;
  event->success = text_of(json::member(text, "status")) != "error";
  read_parts(text, report, reporter.v2, *event);
  if (reporter.v2) {
    std::optional<JsonText>& caller = event->part(Part::kCaller);
    const auto stated = caller ? std::optional(caller->view()) : std::nullopt;
    caller = JsonText(stamped_caller(stated, reporter.id, reporter.name));
  }
  event->started_at_ms = number_of<int64_t>(json::member(text, "started_at_ms"));
  event->duration_ms = number_of<double>(json::member(text, "duration_ms"));
  event->depth = number_of<uint64_t>(json::member(text, "observe_depth"));
  event->traceparent = text_of(json::member(text, "traceparent"));
  event->baggage = text_of(json::member(text, "baggage"));
  event->prepare(0);
  item.event = std::move(event);
  return item;
}

std::vector<ReportItem> read_items(const SharedBytes& report, const Reporter& reporter) {
  std::vector<ReportItem> items;
  json::Walker walker(report.bytes);
  json::Slice key;
  json::Slice value;
  while (walker.next(key, value)) {
    if (auto item = read_item(value, report, reporter)) items.push_back(std::move(*item));
  }
  return items;
}

}  // namespace

void Observers::reported(Worker& host, const protocol::InvocationsObserved& frame,
                         const LargeFrame* large) {
  SharedBytes report;
  if (large != nullptr) {
    report = large->part(frame.items);
  } else {
    const auto copy = shared_text(std::string(frame.items));
    report = {copy, *copy};
  }
  Reporter reporter{host.id_text, host.name, host.observes_v2};
  const auto deliver_all = [this, kept = host.shared_from_this()](std::vector<ReportItem> items) {
    const bool paused = items.size() > kItemsAtOnce && kept->link.pause();
    engine_.slices().add(
        kept->owner(), [this, kept, paused, items = std::move(items), next = size_t{0}]() mutable {
          for (size_t left = kItemsAtOnce; left > 0 && next < items.size(); --left) {
            deliver(*kept, items[next++]);
          }
          if (next < items.size()) return true;
          if (paused) kept->link.resume();
          return false;
        });
  };
  if (report.bytes.size() <= kInlineBytes) return deliver_all(read_items(report, reporter));
  const bool paused = host.link.pause();
  engine_.background().compute(
      host.owner(),
      [report, reporter = std::move(reporter)] { return read_items(report, reporter); },
      [deliver_all, paused, kept = host.shared_from_this()](std::vector<ReportItem> items) {
        if (kept->gone) return;
        deliver_all(std::move(items));
        if (paused) kept->link.resume();
      });
}

void Observers::deliver(Worker& host, ReportItem& item) {
  const auto found = sources_.find(item.source);
  if (found == sources_.end() || found->second->host() != &host) return;
  for (const std::string& id : item.matched) {
    const auto named = observers_.find(id);
    if (named == observers_.end() || named->second->source != found->second) continue;
    const ObserverPtr observer = named->second;
    if (observer->state != ObserverState::kActive) {
      observer->drop("INACTIVE");
      continue;
    }
    auto charge = EventCharge::take(observer->ledger, item.event->bytes());
    fire(*observer, item.event, charge);
    drain(observer);
  }
}

}  // namespace iii::engine
