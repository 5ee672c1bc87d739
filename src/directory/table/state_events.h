// What the engine calls when registered skills or prompts change in `state::*`.
#pragma once

#include "directory/library/registration_feed.h"

namespace iii::directory {

class FunctionTable;

// `feed` outlives the table.
void add_state_events(FunctionTable& table, RegistrationFeed& feed);

}  // namespace iii::directory
