#include "directory/discovery/guides.h"
#include "directory/legacy/introspect_functions.h"

namespace iii::directory {

namespace {

constexpr introspect::FamilyIds k041Ids{.functions = "directory::function-list",
                                        .function = "directory::function-info",
                                        .types = "directory::trigger-list",
                                        .type = "directory::trigger-info",
                                        .triggers = "directory::registered-trigger-list",
                                        .trigger = "directory::registered-trigger-info",
                                        .workers = "directory::worker-list",
                                        .worker = "directory::worker-info",
                                        .registry = "registry::worker-list"};

}  // namespace

void add_introspection_041(FunctionTable& table, EngineClient& engine, Guides& guides) {
  introspect::add_lists<Line::k041>(table, engine, guides.pool(), k041Ids);
  introspect::add_infos<Line::k041>(table, engine, k041Ids, guides);
}

}  // namespace iii::directory
