// What the engine keeps of a registration, and how long the names in a frame may be.
#pragma once

#include <cstddef>
#include <memory>

#include "bus/engine/builtin.h"
#include "bus/engine/function_table.h"
#include "bus/engine/trigger_table.h"
#include "bus/protocol/frame.h"

namespace iii::engine {

// Ids, namespaces, queue names and trace context are copied freely, into keys, answers and messages
// for people, so they must be short. Payloads, schemas and descriptions may be as long as a
// message.
inline constexpr size_t kMaxNameBytes = 64 * 1024;
bool has_long_name(const protocol::Frame& frame);

// The texts of a registration in memory of their own; the rest is filled in by whoever registers
// it. On any thread: for a large frame they are made where it is parsed.
std::shared_ptr<Function> copy_texts(const protocol::RegisterFunction& frame);
std::shared_ptr<Binding> copy_texts(const protocol::RegisterTrigger& frame);
std::shared_ptr<const TypeTexts> copy_texts(const protocol::RegisterTriggerType& frame);

}  // namespace iii::engine
