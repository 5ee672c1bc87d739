// The messages of observers as text.
#include "bus/protocol/message.h"
#include "bus/protocol/writer.h"

namespace iii::protocol {

void append(std::string& out, const Observe& f) {
  Message(out, "observe")
      .text("id", f.id)
      .raw("source", f.source)
      .raw("target", f.target)
      .raw("metadata", f.metadata)
      .number("max_fires", f.max_fires)
      .number("expires_in_ms", f.expires_in_ms)
      .number("max_in_flight", f.max_in_flight)
      .done();
}

void append(std::string& out, const Unobserve& f) {
  Message(out, "unobserve").text("id", f.id).done();
}

void append(std::string& out, const ObserveResult& f) {
  Message(out, "observeresult")
      .text("id", f.id)
      .text("state", f.state)
      .error(f.error)
      .raw("warnings", f.warnings)
      .done();
}

void append(std::string& out, const ObserverStateChanged& f) {
  Message(out, "observerstatechanged")
      .text("id", f.id)
      .text("state", f.state)
      .error(f.reason, "reason")
      .number("fires", f.fires)
      .done();
}

void append(std::string& out, const FunctionRegistered& f) {
  Message(out, "functionregistered")
      .text("id", f.id)
      .text("namespace", f.name_space)
      .number("revision", f.revision)
      .flag("local_dispatch", f.local_dispatch)
      .raw("observers", f.observers)
      .done();
}

void append(std::string& out, const ObserverAdded& f) {
  Message(out, "observeradded")
      .text("function_id", f.function_id)
      .text("namespace", f.name_space)
      .number("revision", f.revision)
      .raw("observer", f.observer)
      .done();
}

void append(std::string& out, const ObserverRemoved& f) {
  Message(out, "observerremoved")
      .text("function_id", f.function_id)
      .text("namespace", f.name_space)
      .number("revision", f.revision)
      .text("id", f.id)
      .done();
}

void append(std::string& out, const ObserverAck& f) {
  Message(out, "observerack")
      .text("function_id", f.function_id)
      .text("namespace", f.name_space)
      .text("id", f.id)
      .number("revision", f.revision)
      .error(f.error)
      .done();
}

void append(std::string& out, const InvocationsObserved& f) {
  Message(out, "invocationsobserved").raw("items", f.items).done();
}

void append(std::string& out, LocalInvocationStats) { Message(out, "localinvocationstats").done(); }

}  // namespace iii::protocol
