#include "faces/mcp/connect.h"

#include <array>

#include "faces/mcp/rpc.h"
#include "foundation/base/text.h"

namespace iii::mcp {

namespace {

enum class Form { kJson, kToml, kCommand };

struct Harness {
  std::string_view name;
  std::string_view place;  // what the user does with the snippet
  Form form = Form::kJson;
  std::string_view key = "mcpServers";  // of JSON
  std::string_view extra = {};          // members of the server's object, before `command`
};

constexpr std::array<Harness, 9> kHarnesses = {{
    {"claude-code", "Run this command:", Form::kCommand},
    {"claude-desktop", "Add to claude_desktop_config.json (Settings, Developer, Edit Config):"},
    {"cursor", "Add to ~/.cursor/mcp.json, or .cursor/mcp.json of a project:"},
    {"vscode", "Add to .vscode/mcp.json of a project, or run MCP: Open User Configuration:",
     Form::kJson, "servers", R"("type": "stdio", )"},
    {"codex", "Add to ~/.codex/config.toml:", Form::kToml},
    {"gemini", "Add to ~/.gemini/settings.json, or .gemini/settings.json of a project:"},
    {"zed", "Add to settings.json of Zed:", Form::kJson, "context_servers",
     R"("source": "custom", )"},
    {"windsurf", "Add to ~/.codeium/windsurf/mcp_config.json:"},
    {"generic", "Most other clients read this form:"},
}};

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += R"('\'')";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// As somebody would type it.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.:@%+=,-";
  const bool plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos;
  return plain ? text : shell_quoted(text);
}

std::string command_line(std::string_view program, const std::vector<std::string>& words) {
  std::string out = shell_quoted(program);
  for (const std::string& word : words) out += " " + shell_word(word);
  return out;
}

// A list of TOML and of JSON.
std::string quoted_list(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(quote(word));
  return "[" + join(quoted, ", ") + "]";
}

std::string body_of(const Harness& harness, std::string_view program,
                    const std::vector<std::string>& words) {
  switch (harness.form) {
    case Form::kCommand:
      return "claude mcp add iii-directory -- " + command_line(program, words) + "\n";
    case Form::kToml:
      return "[mcp_servers.iii-directory]\ncommand = " + quote(program) +
             "\nargs = " + quoted_list(words) + "\n";
    case Form::kJson:
      break;
  }
  return "{\n  \"" + std::string(harness.key) + "\": {\n    \"iii-directory\": { " +
         std::string(harness.extra) + "\"command\": " + quote(program) +
         ", \"args\": " + quoted_list(words) + " }\n  }\n}\n";
}

}  // namespace

std::vector<std::string> harnesses() {
  std::vector<std::string> out;
  for (const Harness& each : kHarnesses) out.emplace_back(each.name);
  return out;
}

Result<std::string> connect_snippet(std::string_view harness, std::string_view program,
                                    const std::vector<std::string>& words) {
  for (const Harness& each : kHarnesses) {
    if (each.name == harness) {
      return "# " + std::string(each.place) + "\n" + body_of(each, program, words);
    }
  }
  const std::vector<std::string> known = harnesses();
  const std::string_view meant = nearest(harness, known);
  return fail("usage", "--print-config: there is no harness '" + std::string(harness) + "'." +
                           (meant.empty() ? "" : " Did you mean " + std::string(meant) + "?") +
                           " Known: " + join(known, ", "));
}

}  // namespace iii::mcp
