#include "directory/discovery/guides.h"
#include "directory/legacy/introspect_functions.h"

namespace iii::directory {

namespace {

constexpr introspect::FamilyIds k051Ids{.functions = "directory::engine::functions::list",
                                        .function = "directory::engine::functions::info",
                                        .types = "directory::engine::triggers::list",
                                        .type = "directory::engine::triggers::info",
                                        .triggers = "directory::engine::registered-triggers::list",
                                        .trigger = "directory::engine::registered-triggers::info",
                                        .workers = "directory::engine::workers::list",
                                        .worker = "directory::engine::workers::info",
                                        .registry = "directory::registry::workers::list"};

}  // namespace

void add_introspection_051(FunctionTable& table, EngineClient& engine, Guides& guides) {
  introspect::add_lists<Line::k051>(table, engine, guides.pool(), k051Ids);
  introspect::add_infos<Line::k051>(table, engine, k051Ids, guides);
}

}  // namespace iii::directory
