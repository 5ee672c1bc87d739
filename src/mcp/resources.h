// Documents, functions and files as MCP resources: lists, templates, reading.
#pragma once

#include <string>
#include <string_view>

#include "mcp/callable.h"
#include "mcp/feature.h"
#include "mcp/host.h"
#include "mcp/skills.h"
#include "mcp/uri.h"
#include "sdk/task.h"

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

  sdk::Task<Outcome> list(json::Value params);
  sdk::Task<Outcome> templates(json::Value params);
  sdk::Task<Outcome> read(Version version, json::Value params);

  // What stands at an address, or a part of it. The error's message is for whoever asked.
  sdk::Task<Result<ResourceContent>> content(Uri uri, ReadRange range);

 private:
  sdk::Task<Result<ResourceContent>> index_page(std::string task, ReadRange range);
  sdk::Task<Result<ResourceContent>> document(std::string id, ReadRange range);
  sdk::Task<Result<ResourceContent>> document_in(const directory::View& view, const std::string& id,
                                                 ReadRange range);
  sdk::Task<Result<ResourceContent>> section(std::string skill, std::string id, ReadRange range);
  sdk::Task<Result<ResourceContent>> file(std::string path, ReadRange range);
  sdk::Task<Result<ResourceContent>> function(std::string id, ReadRange range);
  sdk::Task<Result<ResourceContent>> offered(std::string uri);

  directory::Library& library_;
  const directory::FunctionTable& functions_;
  Skills& skills_;
  Callables& callables_;
};

}  // namespace iii::mcp
