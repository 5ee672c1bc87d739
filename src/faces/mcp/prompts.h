// Prompts of files and of workers, with arguments.
#pragma once

#include <string>
#include <vector>

#include "faces/mcp/callable.h"
#include "faces/mcp/feature.h"
#include "faces/mcp/host.h"
#include "faces/mcp/template.h"
#include "foundation/task/task.h"

namespace iii::mcp {

// The arguments of a prompt, from the bytes of its file.
std::vector<TemplateArgument> file_arguments(std::string_view bytes);

class Prompts {
 public:
  Prompts(const Host& host, Callables& callables)
      : host_(host), library_(*host.library), callables_(callables) {}

  task::Task<Outcome> list(json::Value params);
  task::Task<Outcome> get(Call call, json::Value params);
  // -32602 when there is no such prompt.
  task::Task<std::expected<std::vector<TemplateArgument>, RpcError>> arguments(std::string name);

 private:
  task::Task<RpcError> no_such_prompt(directory::View view, std::string name);
  // Null when there is none, or its function is hidden.
  content::PromptPtr find(const directory::View& view, std::string_view name) const;
  // Whether a client may see it.
  bool shows(const directory::View& view, const content::Prompt& prompt) const;
  // The library's error code when the file has been replaced goes through.
  task::Task<Result<std::vector<TemplateArgument>>> arguments_of(const directory::View& view,
                                                                 content::PromptPtr row);
  task::Task<Result<std::string>> file_messages(const directory::View& view, std::string name,
                                                const ArgumentValues& values);
  task::Task<Outcome> run_registered(Call call, directory::RegisteredDocument prompt,
                                     const ArgumentValues& values, const json::Value& params);

  const Host host_;
  directory::Library& library_;
  Callables& callables_;
};

}  // namespace iii::mcp
