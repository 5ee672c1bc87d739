#include "directory/table/state_events.h"

#include "directory/table/function_table.h"

namespace iii::directory {

void add_state_events(FunctionTable& table, RegistrationFeed& feed) {
  table.add<json::Raw, json::Raw>(
      {.id = kOnStateChange,
       .title = "State changed",
       .description = "Internal: called by the engine when stored registrations have changed; "
                      "reads them again.",
       .hints = {.idempotent = true, .internal = true},
       .max_input_bytes = kAnyInputBytes},
      [&feed](const json::Raw& event) {
        feed.state_changed(event.text);
        return json::Raw{"null"};
      });
}

}  // namespace iii::directory
