#include "directory/legacy/resource.h"

#include <array>
#include <charconv>
#include <cmath>

#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

constexpr std::string_view kScheme = "iii://";
constexpr std::array<std::string_view, 9> kReserved = {
    "engine::", "state::", "stream::", "iii.", "iii::", "mcp::", "a2a::", "skills::", "prompts::"};

std::unexpected<Error> refuse(std::string_view uri, std::string reason) {
  return fail("invocation_failed", std::move(reason) + ": `" + std::string(uri) + "`");
}

// Shortest digits, plain between 1e-5 and 1e16, else `d.ddde+XX`.
void append_double(std::string& out, double number) {
  const double size = std::abs(number);
  const bool plain = size == 0 || (size >= 1e-5 && size < 1e16);
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string written(text, end);
  if (plain && written.find('.') == std::string::npos) written += ".0";
  // Two digits at least are written of an exponent.
  const size_t exponent = plain ? std::string::npos : written.find("e-0");
  if (exponent != std::string::npos) written.erase(exponent + 2, 1);
  out += written;
}

void append_pretty(std::string& out, const json::Value& value, size_t level) {
  const auto line = [&out](size_t depth) { out += '\n' + std::string(2 * depth, ' '); };
  if (const double* number = value.as_double()) {
    append_double(out, *number);
  } else if (const json::Array* array = value.as_array(); array != nullptr && !array->empty()) {
    out += '[';
    for (const json::Value& element : *array) {
      if (&element != &array->front()) out += ',';
      line(level + 1);
      append_pretty(out, element, level + 1);
    }
    line(level);
    out += ']';
  } else if (const json::Object* object = value.as_object();
             object != nullptr && !object->empty()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ',';
      first = false;
      line(level + 1);
      json::append_string(out, key);
      out += ": ";
      append_pretty(out, member, level + 1);
    }
    line(level);
    out += '}';
  } else {
    json::append(out, value);
  }
}

}  // namespace

Result<ResourceUri> parse_resource_uri(std::string_view uri) {
  if (!uri.starts_with(kScheme)) return refuse(uri, "a resource URI must begin with iii://");
  const std::string_view rest = uri.substr(kScheme.size());
  if (rest.empty()) return refuse(uri, "the id after iii:// is missing");
  if (rest == "skills") return ResourceUri{};
  const size_t slash = rest.find('/');
  if (slash == std::string_view::npos) {
    return ResourceUri{ResourceUri::Kind::kSkill, std::string(rest), ""};
  }
  const std::string_view skill = rest.substr(0, slash);
  const std::string_view function = rest.substr(slash + 1);
  if (skill.empty()) return refuse(uri, "the id of the skill is missing");
  if (function.empty()) return refuse(uri, "the id of the function is missing");
  if (function.find('/') != std::string_view::npos) {
    return refuse(uri, "there is more than one path segment after the id of the skill");
  }
  return ResourceUri{ResourceUri::Kind::kSection, std::string(skill), std::string(function)};
}

bool is_reserved_function(std::string_view function_id) {
  for (const std::string_view prefix : kReserved) {
    if (function_id.starts_with(prefix)) return true;
  }
  return false;
}

SectionText section_text(const json::Value& output) {
  if (const std::string* text = output.as_string()) return {"text/markdown", *text};
  if (const json::Value* content = output.find("content")) {
    if (content->as_string() != nullptr) return {"text/markdown", *content->as_string()};
  }
  return {"application/json", pretty_json(output)};
}

std::string pretty_json(const json::Value& value) {
  std::string out;
  append_pretty(out, value, 0);
  return out;
}

json::Raw user_message(std::string_view text) {
  std::string out = R"({"role":"user","content":{"type":"text","text":)";
  json::append_string(out, text);
  return json::Raw{out + "}}"};
}

Result<std::vector<json::Raw>> prompt_messages(std::string_view output) {
  const json::Slice value = json::trimmed(output);
  std::vector<json::Raw> out;
  if (json::kind_of(value) == json::Kind::kString) {
    out.push_back(user_message(json::string_of(value)));
    return out;
  }
  if (json::kind_of(value) == json::Kind::kObject) {
    const auto messages = json::member(value, "messages");
    if (messages && json::kind_of(*messages) == json::Kind::kArray) {
      json::Walker walker(*messages);
      json::Slice key;
      json::Slice message;
      while (walker.next(key, message)) out.push_back(json::Raw{std::string(message)});
      return out;
    }
    const auto content = json::member(value, "content");
    if (content && json::kind_of(*content) == json::Kind::kString) {
      out.push_back(user_message(json::string_of(*content)));
      return out;
    }
  }
  return fail("invocation_failed",
              "its handler returned an unsupported shape; accepted are a string, {\"content\": "
              "string} and {\"messages\": [...]}");
}

}  // namespace iii::directory
