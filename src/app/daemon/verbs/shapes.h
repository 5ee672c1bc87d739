// What verbs print with --json where it is not the answer of a function of the directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/answers.h"
#include "foundation/json/describe.h"
#include "foundation/json/write.h"

namespace iii::daemon {

struct ServerShape {
  std::string address;
  std::string version;
  std::string status;
};
struct VersionShape {
  std::string version;
  std::string commit;
  std::string target;
  std::optional<ServerShape> server;
};

struct WorkerShape {
  std::string id;
  std::string name;
  std::string status;
  std::string runtime;
  std::string version;
  std::string name_space;
  int64_t functions = 0;
  std::string description;
};
struct WorkersShape {
  std::vector<WorkerShape> workers;
};

struct FunctionShape {
  std::string id;
  std::string worker;
  std::string description;
  std::optional<json::Raw> request_schema;
  std::optional<json::Raw> response_schema;
};
struct FunctionsShape {
  std::vector<FunctionShape> functions;
};

struct TriggerShape {
  std::string id;
  std::string type;
  std::string function_id;
  std::string worker;
  std::string config;
  std::string status;
  std::string description;
};
struct TriggersShape {
  std::vector<TriggerShape> triggers;
};

struct RemoveShape {
  std::vector<sources::RemoveReport> namespaces;
};

struct BackupShape {
  std::string folder;
  uint64_t bytes = 0;
  bool lock = false;
  std::string from;
};

struct NewShape {
  std::string kind;
  std::string id;
  std::string path;
};

inline auto describe(json::Type<ServerShape>) {
  using T = ServerShape;
  return json::object<T>(
      "Server", "", json::field("address", &T::address, "Address of the server."),
      json::field("version", &T::version, "Its version."),
      json::field("status", &T::status, "`ok`, or what directory::health says."));
}
inline auto describe(json::Type<VersionShape>) {
  using T = VersionShape;
  return json::object<T>(
      "Version", "", json::field("version", &T::version, "Version of this program."),
      json::field("commit", &T::commit, "Commit that it was built from; `unknown` without git."),
      json::field("target", &T::target, "Machine that it was built for."),
      json::field("server", &T::server, "The server that runs; absent when there is none."));
}
inline auto describe(json::Type<WorkerShape>) {
  using T = WorkerShape;
  return json::object<T>("Worker", "", json::field("id", &T::id, "Id of the connection."),
                         json::field("name", &T::name, "Name of the worker."),
                         json::field("status", &T::status, "As the engine says it."),
                         json::field("runtime", &T::runtime, "Language, or `engine`."),
                         json::field("version", &T::version, "Version of the worker."),
                         json::field("namespace", &T::name_space, "Namespace of its functions."),
                         json::field("functions", &T::functions, "Number of its functions."),
                         json::field("description", &T::description, "What it does."));
}
inline auto describe(json::Type<WorkersShape>) {
  return json::object<WorkersShape>("Workers", "",
                                    json::field("workers", &WorkersShape::workers, "By name."));
}
inline auto describe(json::Type<FunctionShape>) {
  using T = FunctionShape;
  return json::object<T>("Function", "", json::field("id", &T::id, "Id of the function."),
                         json::field("worker", &T::worker, "Worker that offers it."),
                         json::field("description", &T::description, "What it does."),
                         json::field("request_schema", &T::request_schema,
                                     "JSON Schema of its input; one function only."),
                         json::field("response_schema", &T::response_schema,
                                     "JSON Schema of its output; one function only."));
}
inline auto describe(json::Type<FunctionsShape>) {
  return json::object<FunctionsShape>(
      "Functions", "", json::field("functions", &FunctionsShape::functions, "By id."));
}
inline auto describe(json::Type<TriggerShape>) {
  using T = TriggerShape;
  return json::object<T>(
      "Trigger", "", json::field("id", &T::id, "Id of the binding; with --types, of the type."),
      json::field("type", &T::type, "Trigger type."),
      json::field("function_id", &T::function_id, "Function that is called; empty with --types."),
      json::field("worker", &T::worker, "Worker that made it."),
      json::field("config", &T::config, "Configuration of the binding as JSON text."),
      json::field("status", &T::status,
                  "`live`, or `waiting` while no worker provides the type; empty with --types, and "
                  "where the engine does not say."),
      json::field("description", &T::description, "When the type fires; with --types only."));
}
inline auto describe(json::Type<TriggersShape>) {
  return json::object<TriggersShape>(
      "Triggers", "", json::field("triggers", &TriggersShape::triggers, "Bindings, or types."));
}
inline auto describe(json::Type<RemoveShape>) {
  return json::object<RemoveShape>(
      "Remove", "", json::field("namespaces", &RemoveShape::namespaces, "One for each name."));
}
inline auto describe(json::Type<BackupShape>) {
  using T = BackupShape;
  return json::object<T>(
      "Backup", "The copy that was made.",
      json::field("folder", &T::folder, "Where it is; `serve --data` can start from it."),
      json::field("bytes", &T::bytes, "Size of `state.db` in it."),
      json::field("lock", &T::lock, "Whether `directory.lock` is in it, too."),
      json::field("from", &T::from,
                  "`server`: made by the running server; `folder`: no server was running."));
}
inline auto describe(json::Type<NewShape>) {
  using T = NewShape;
  return json::object<T>("New", "", json::field("kind", &T::kind, "`skill` or `prompt`."),
                         json::field("id", &T::id, "Id of the skill, or name of the prompt."),
                         json::field("path", &T::path, "File that was written."));
}

// Indented, for people who look at it.
template <typename T>
std::string pretty_json(const T& value) {
  const std::string text = json::encode(value);
  const auto parsed = json::parse(text);
  return parsed ? json::to_pretty_text(*parsed) : text;
}

}  // namespace iii::daemon
