// Documents, functions and files as MCP resources: lists, templates, reading.
#pragma once

#include <string>
#include <string_view>

#include "faces/mcp/callable.h"
#include "faces/mcp/feature.h"
#include "faces/mcp/host.h"
#include "faces/mcp/skills.h"
#include "faces/mcp/uri.h"
#include "foundation/task/task.h"

namespace iii::mcp {

struct ResourceContent {
  std::string uri;  // in our spelling
  std::string mime_type;
  std::string bytes;
  bool is_text = true;  // valid UTF-8
  uint64_t offset = 0;  // where the bytes begin
  uint64_t total = 0;   // size of the whole content
  uint64_t end() const { return offset + bytes.size(); }
};

// Markdown about one function: what it does, what it takes and gives.
std::string function_page(const CallableFunction& function);

class Resources {
 public:
  Resources(const Host& host, Skills& skills, Callables& callables)
      : library_(*host.library),
        functions_(*host.functions),
        skills_(skills),
        callables_(callables) {}

  task::Task<Outcome> list(json::Value params);
  task::Task<Outcome> templates(json::Value params);
  task::Task<Outcome> read(Version version, json::Value params);

  // What stands at an address, or a part of it. The error's message is for whoever asked.
  task::Task<Result<ResourceContent>> content(Uri uri, ReadRange range);

 private:
  task::Task<Result<ResourceContent>> index_page(std::string task, ReadRange range);
  task::Task<Result<ResourceContent>> document(std::string id, ReadRange range);
  task::Task<Result<ResourceContent>> document_in(const directory::View& view,
                                                  const std::string& id, ReadRange range);
  task::Task<Result<ResourceContent>> section(std::string skill, std::string id, ReadRange range);
  task::Task<Result<ResourceContent>> file(std::string path, ReadRange range);
  task::Task<Result<ResourceContent>> function(std::string id, ReadRange range);
  task::Task<Result<ResourceContent>> offered(std::string uri);

  directory::Library& library_;
  const directory::FunctionTable& functions_;
  Skills& skills_;
  Callables& callables_;
};

}  // namespace iii::mcp
