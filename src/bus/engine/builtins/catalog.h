// What is on the bus, for the introspection functions. Read-only.
//
// A short call may ask about a great deal, so no answer is made in one go on the loop thread: the
// parts that it is about are collected in turns, as immutable objects that other threads may read,
// and the answer is written on another thread when it is large.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/engine/builtins/rows.h"
#include "bus/engine/engine.h"
#include "bus/engine/turns.h"

namespace iii::engine {

using task::Task;

// A function as other threads may see it.
struct ListedFunction {
  FunctionPtr function;  // its `owner` belongs to the loop thread
  std::string worker_name;
};

struct ListedType {
  TypeKey key;
  std::shared_ptr<const TypeTexts> texts;
  std::string worker_name;
};

struct ListedBinding {
  BindingPtr binding;
  std::string worker_name;  // of the function that it calls, or the first segment of its id
  bool live = true;
  std::string owner;
};

// What `info` functions tell about one function and one trigger type.
struct FunctionParts {
  ListedFunction listed;
  std::vector<BindingPtr> bindings;  // live ones that call it
};

struct TypeParts {
  ListedType listed;
  uint64_t instances = 0;
};

// These run on any thread.
FunctionRow row_of(const ListedFunction& listed);
TriggerTypeRow row_of(const ListedType& listed);
BindingRow row_of(const ListedBinding& listed);
FunctionDetail detail_of(const FunctionParts& parts);
TriggerTypeDetail detail_of(const TypeParts& parts);

// How much there is to write, in rows: a large one counts as several.
inline constexpr size_t kRowBytes = 1024;
size_t rows_of(const ListedFunction& listed);  // without schemas
size_t rows_of(const ListedType& listed);
size_t rows_of(const Binding& binding);
size_t rows_of(const FunctionParts& parts);
template <typename T>
size_t rows_of(const std::vector<T>& list) {
  size_t rows = 0;
  for (const T& one : list) rows += rows_of(one);
  return rows;
}
inline size_t rows_of(const BindingPtr& binding) { return rows_of(*binding); }
inline size_t rows_of(const ListedBinding& listed) { return rows_of(*listed.binding); }

class Catalog {
 public:
  // Rows that are made without giving others a turn.
  static constexpr size_t kRowsAtOnce = 128;

  Catalog(Engine& engine, std::string version)
      : engine_(engine), version_(std::move(version)), started_ms_(0) {}

  void set_started(int64_t wall_ms) { started_ms_ = wall_ms; }

  template <typename T>
  using Filter = std::function<bool(const T&)>;

  // All that pass the filter (none: all that are listed). Functions are sorted by id and namespace,
  // types by namespace and id, bindings by id. Parked bindings come too; those whose maker has left
  // do not.
  Task<std::vector<ListedFunction>> functions(Turns& turns, Filter<Function> filter = {}) const;
  Task<std::vector<ListedType>> types(Turns& turns, Filter<TriggerType> filter = {}) const;
  Task<std::vector<ListedBinding>> bindings(Turns& turns, Filter<PlacedBinding> filter) const;
  Task<std::vector<WorkerDetail>> workers(Turns& turns, Filter<Worker> filter = {}) const;
  Task<FunctionParts> parts_of(Turns& turns, FunctionPtr function) const;
  Task<TypeParts> parts_of(Turns& turns, TriggerTypePtr type) const;

  ListedBinding listed(const PlacedBinding& placed) const;

  // What `make` writes about so many rows; on another thread when they are many. The second one is
  // for answers that leave nothing out: one that would be too large to be sent is not written.
  using Make = std::move_only_function<Outcome()>;
  static Task<Outcome> written(Turns& turns, size_t rows, Make make);
  Task<Outcome> written_whole(Turns& turns, size_t rows, Make make) const;

  std::vector<WorkerDetail> in_process_workers() const;

  Engine& engine() const { return engine_; }
  const std::string& version() const { return version_; }

 private:
  Engine& engine_;
  std::string version_;
  int64_t started_ms_;
};

}  // namespace iii::engine
