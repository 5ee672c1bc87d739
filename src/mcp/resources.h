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

  // What stands at an address. The error's message is for whoever asked.
  sdk::Task<Result<ResourceContent>> content(Uri uri);

 private:
  sdk::Task<Result<ResourceContent>> index_page(std::string task);
  sdk::Task<Result<ResourceContent>> document(std::string id);
  sdk::Task<Result<ResourceContent>> document_in(const directory::View& view,
                                                 const std::string& id);
  sdk::Task<Result<ResourceContent>> section(std::string skill, std::string id);
  sdk::Task<Result<ResourceContent>> file(std::string path);
  sdk::Task<Result<ResourceContent>> function(std::string id);
  sdk::Task<Result<ResourceContent>> offered(std::string uri);

  directory::Library& library_;
  const directory::FunctionTable& functions_;
  Skills& skills_;
  Callables& callables_;
};

}  // namespace iii::mcp
