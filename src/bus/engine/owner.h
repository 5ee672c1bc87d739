// Who pays for work and memory: a connection, or a namespace for what outlives the connection that
// made it (bindings made by function).
#pragma once

#include <cstdint>

namespace iii::engine {

using OwnerId = uint64_t;
inline constexpr OwnerId kEngineOwner = 0;  // the engine itself

// Stands for an owner where work must be finished even when that owner leaves meanwhile.
inline OwnerId lasting(OwnerId owner) { return owner | OwnerId{1} << 63; }

// Gives every owner a number of its own.
class OwnerIds {
 public:
  OwnerId next() { return ++last_; }

 private:
  OwnerId last_ = kEngineOwner;
};

}  // namespace iii::engine
