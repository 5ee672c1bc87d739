// `new`: a skill or a prompt from a template.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/daemon/configuration.h"
#include "app/daemon/verbs/shapes.h"
#include "app/daemon/verbs/verbs.h"
#include "app/daemon/verbs/written.h"
#include "directory/content/ids.h"
#include "faces/cli/output.h"

namespace iii::daemon {

namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out;
  json::append_string(out, text);  // a JSON string is a YAML string
  return out;
}

std::string skill_text(const std::string& name, const std::string& title,
                       const std::string& about) {
  return "---\nname: " + name + "\ntitle: " + quoted(title) + "\ndescription: " + quoted(about) +
         "\n---\n# " + title +
         "\n\nWhat this is for, in one paragraph.\n\n"
         "## When to use it\n\n- The user asks for …\n\n"
         "## Steps\n\n1. …\n2. …\n\n"
         "## Example\n\n```\n…\n```\n";
}

std::string prompt_text(const std::string& name, const std::string& about) {
  return "---\nname: " + name + "\ndescription: " + quoted(about) +
         "\narguments:\n  - name: topic\n    description: What it is about.\n    required: true\n"
         "---\nExplain {{topic}} to somebody who is new to it.\n";
}

// Made with its folders; a file that exists is never overwritten.
Result<void> write_new(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) {
    return fail("write", "the folder " + path.parent_path().string() +
                             " cannot be made: " + error.message());
  }
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) {
    return fail("write", errno == EEXIST
                             ? path.string() + " already exists. Next: choose another name."
                             : path.string() + " cannot be written: " + std::strerror(errno));
  }
  const bool whole = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const bool closed = ::close(fd) == 0;
  if (whole && closed) return {};
  const std::string why = std::strerror(errno);
  fs::remove(path, error);
  return fail("write", path.string() + " cannot be written: " + why);
}

}  // namespace

int run_new(const cli::Args& args) {
  const std::string& kind = args.positionals()[0];
  const std::string& name = args.positionals()[1];
  if (kind != "skill" && kind != "prompt") {
    return cli::complain({"usage", "new: '" + kind + "' is not one of skill, prompt." +
                                       cli::did_you_mean(kind, {"skill", "prompt"})});
  }
  const Result<void> id = content::check_id(name);
  if (!id)
    return cli::complain({"usage", "'" + name + "' cannot be a name: " + id.error().message});
  const auto reading = configuration_of(args);
  if (!reading) return cli::complain(reading.error());
  const fs::path root = expand_path(
      args.has("local") ? reading->config.local_skills_folder : reading->config.skills_folder,
      reading->home);
  const size_t slash = name.rfind('/');
  const std::string last = slash == std::string::npos ? name : name.substr(slash + 1);
  const std::string title = args.value("title").value_or(last);
  fs::path path;
  std::string text;
  if (kind == "skill") {
    path = root / name / "SKILL.md";
    text = skill_text(last, title,
                      args.value("description").value_or("What it does, and when to use it."));
  } else {
    path = root / (slash == std::string::npos ? "prompts" : name.substr(0, slash));
    if (slash != std::string::npos) path /= "prompts";
    path /= last + ".md";
    text = prompt_text(last, args.value("description").value_or("What it produces."));
  }
  if (auto written = write_new(path, text); !written) return cli::complain(written.error());
  if (args.has("json")) {
    cli::print_json(pretty_json(NewShape{kind, kind == "skill" ? name : last, path.string()}));
    return 0;
  }
  cli::print("{}\n", path.string());
  cli::note("Next: edit it, then `iii-directory doctor` and `iii-directory {} {}`.\n",
            kind == "skill" ? "show" : "prompt", kind == "skill" ? name : last);
  const std::vector<std::string> skills =
      kind == "skill" ? std::vector{name} : std::vector<std::string>();
  say_written(args, root, skills);
  return 0;
}

}  // namespace iii::daemon
