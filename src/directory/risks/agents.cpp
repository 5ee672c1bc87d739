// Writes to the memory and settings of agents, and texts that speak to an agent instead of its
// user.
#include <algorithm>
#include <array>

#include "directory/risks/matcher.h"
#include "directory/risks/pipeline.h"

namespace iii::risks {

namespace {

// Ends of paths, in lower case.
constexpr auto kMemoryFiles = std::to_array<std::string_view>({
    "claude.md",
    "claude.local.md",
    "agents.md",
    "gemini.md",
    "memory.md",
    "soul.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    "copilot-instructions.md",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/mcp.json",
    ".mcp.json",
});

constexpr auto kSwitches = std::to_array<std::string_view>({
    "--dangerously-skip-permissions",
    "--allow-dangerously-skip-permissions",
    "--dangerously-bypass-approvals-and-sandbox",
    "--yolo",
    "bypasspermissions",
    "danger-full-access",
    "dangerouslydisablesandbox",
    "--allow-all-tools",
    "--trust-all-tools",
    "--disable-sandbox",
    "--approval-mode=yolo",
});

bool is_memory_file(std::string_view word) {
  return std::ranges::any_of(kMemoryFiles, [&](std::string_view name) {
    if (!word.ends_with(name)) return false;
    if (word.size() == name.size()) return true;
    const char before = word[word.size() - name.size() - 1];
    return before == '/' || before == '\\';
  });
}

// The words of a line, without operators: for sentences.
class Sentence {
 public:
  explicit Sentence(const std::vector<Token>& tokens) {
    for (const Token& token : tokens) {
      if (token.kind == TokenKind::kWord) words_.push_back(&token);
    }
  }
  size_t size() const { return words_.size(); }
  std::string_view word(size_t at) const {
    return at < words_.size() ? words_[at]->text : std::string_view();
  }
  const Token& token(size_t at) const { return *words_[at]; }

 private:
  std::vector<const Token*> words_;
};

class AgentMatcher : LineMatcher {
 public:
  AgentMatcher(const Line& line, Sink& sink) : LineMatcher(line, sink), words_(tokens_) {}

  void run() {
    sink_.count(3 * tokens_.size());
    if (line_.place.where != Where::kComment) memory_writes();
    for (size_t at = 0; at < words_.size(); ++at) {
      instruction_override(at);
      concealment(at);
      approval(at);
      if (line_.place.where == Where::kProse) asked_to_write(at);
    }
  }

 private:
  // Redirections, tee, cp, sed -i, and calls of programs.
  void memory_writes() {
    for (const Segment& segment : line_.segments) {
      const std::string_view name = command(segment);
      const bool copies = is_any(name, {"cp", "mv", "ln", "install"});
      bool writes = is_any(name, {"tee", "add-content", "set-content", "out-file"});
      bool opens = false;
      for (size_t at = segment.begin; at < segment.end; ++at) {
        const Token& token = tokens_[at];
        if (token.kind != TokenKind::kWord) continue;
        const bool call = is_called(at);
        writes = writes || (call && is_writer(token.text)) ||
                 (name == "sed" && token.text.starts_with("-i"));
        opens = opens || (call && token.text == "open");
        if (!is_memory_file(token.text)) continue;
        if (writes || is_redirected(at) || (copies && at + 1 == segment.end) ||
            (opens && is_opened_to_write(at))) {
          return wrote(token, Severity::kMedium);
        }
      }
    }
  }

  // open(…"CLAUDE.md"), "a")
  bool is_opened_to_write(size_t at) const {
    constexpr size_t kReach = 4;
    for (size_t next = at + 1; next < std::min(at + kReach, tokens_.size()); ++next) {
      if (tokens_[next].kind == TokenKind::kWord) return is_write_mode(tokens_[next].text);
    }
    return false;
  }

  static bool is_writer(std::string_view text) {
    return text.ends_with("writefile") || text.ends_with("writefilesync") ||
           text.ends_with("appendfile") || text.ends_with("appendfilesync") ||
           text.ends_with("write_text");
  }
  static bool is_write_mode(std::string_view text) {
    return is_any(text, {"a", "w", "a+", "w+", "at", "wt", "mode=a", "mode=w"});
  }

  // In prose `> CLAUDE.md` may be a quotation; in a code span or a block it is not.
  bool is_redirected(size_t at) const {
    if (at == 0 || tokens_[at - 1].kind != TokenKind::kRedirect) return false;
    const bool code = line_.place.where == Where::kCode || tokens_[at - 1].quoted;
    return at >= 2 && (code || tokens_[at - 1].appends);
  }

  void wrote(const Token& token, Severity severity) {
    found(code::kAgentMemoryWrite, severity, token.at,
          "an agent's memory or settings are written: " + std::string(token.text.substr(0, 60)));
  }

  // "Append this to your CLAUDE.md."
  void asked_to_write(size_t at) {
    if (!is_any(words_.word(at), {"append", "add", "write", "save", "insert", "copy", "paste"}))
      return;
    constexpr size_t kReach = 8;
    for (size_t next = at + 1; next < std::min(at + kReach, words_.size()); ++next) {
      if (!is_memory_file(words_.word(next))) continue;
      const bool into =
          is_any(words_.word(next - 1), {"to", "into", "in", "your", "the", "project"});
      if (into) wrote(words_.token(next), Severity::kLow);
      return;
    }
  }

  // "Ignore all previous instructions": verb, at most three words, which ones, what.
  void instruction_override(size_t at) {
    if (!is_any(words_.word(at), {"ignore", "disregard", "forget", "ignoring"})) return;
    size_t next = at + 1;
    while (next < at + 4 && is_any(words_.word(next), {"all", "any", "the", "your", "of", "these",
                                                       "my", "every", "everything"})) {
      ++next;
    }
    if (!is_any(words_.word(next),
                {"previous", "prior", "earlier", "above", "preceding", "system", "developer"})) {
      return;
    }
    const std::string_view what = words_.word(next + 1);
    const std::string_view more = words_.word(next + 2);
    const auto is_what = [](std::string_view word) {
      return is_any(
          word, {"instructions", "instruction", "prompt", "prompts", "directives", "guidelines"});
    };
    if (!is_what(what) && !is_what(more)) return;
    const Token& verb = words_.token(at);
    sink_.found(code::kInstructionOverride, spoken(verb), verb.at,
                "the reader is told to drop its instructions");
  }

  // "Do not tell the user that …"; "Don't tell the user to run it" is advice, and "never … without
  // telling the user" the opposite.
  void concealment(size_t at) {
    const std::string_view first = words_.word(at);
    size_t verb = kNoToken;
    if (is_any(first, {"don't", "never"})) verb = at + 1;
    if (first == "not" && is_any(words_.word(at - (at > 0 ? 1 : 0)), {"do", "must"})) verb = at + 1;
    const bool without = first == "without";
    if (without) verb = at + 1;
    if (verb == kNoToken || verb >= words_.size()) return;
    const bool fits = without ? is_any(words_.word(verb), {"telling", "informing", "notifying"})
                              : is_any(words_.word(verb), {"tell", "inform", "notify", "alert"});
    const size_t user = words_.word(verb + 1) == "the" ? verb + 2 : verb + 1;
    if (!fits || !is_any(words_.word(user), {"user", "users", "human", "operator"})) return;
    if (without && has_negation_before(at)) return;
    // Only acts of the agent count, not advice or facts about the world.
    const std::string_view next = words_.word(user + 1);
    const bool advice =
        is_any(next, {"to", "how", "the", "a", "when", "where", "which", "until", "it's"});
    if (!without && advice) return;
    // "Do not" is a warning elsewhere; here it is the matter itself.
    const Token& token = words_.token(at);
    const bool example = token.quoted || line_.place.warned || line_.place.where != Where::kProse ||
                         line_.place.syntax == Syntax::kTable;
    sink_.found(code::kConcealment, example ? Severity::kLow : Severity::kMedium, token.at,
                "something is to be kept from the user");
  }

  bool has_negation_before(size_t at) const {
    const size_t from = at > 16 ? at - 16 : 0;
    for (size_t i = from; i < at; ++i) {
      if (is_any(words_.word(i), {"never", "not", "don't", "cannot", "no", "avoid"})) return true;
    }
    return false;
  }

  void approval(size_t at) {
    const std::string_view word = words_.word(at);
    const bool never = is_any(word, {"--ask-for-approval", "approval_policy"}) &&
                       (words_.word(at + 1) == "never" || words_.word(at + 2) == "never");
    const bool turns_off = word == "disable" || (word == "turn" && words_.word(at + 1) == "off");
    const bool guard = turns_off && disables_guard(at + (word == "turn" ? 2 : 1));
    if (!is_one_of(word, kSwitches) && !never && !guard) return;
    const bool code = line_.place.where == Where::kCode;
    found(code::kApprovalOff, code && !guard ? Severity::kMedium : Severity::kLow,
          words_.token(at).at, "approval or a sandbox is switched off");
  }

  bool disables_guard(size_t at) const {
    if (is_any(words_.word(at), {"the", "all", "any"})) ++at;
    const std::string_view what = words_.word(at);
    const std::string_view more = words_.word(at + 1);
    return what == "sandbox" || what == "sandboxing" ||
           (is_any(what, {"safety", "approval", "permission"}) &&
            is_any(more, {"checks", "check", "prompts", "prompt", "filters", "mode"}));
  }

  // A sentence in quotes, in code or in a table is an example. One that stands beside a warning may
  // be; its author may also have written the warning.
  Severity spoken(const Token& token) const {
    if (token.quoted || line_.place.where != Where::kProse) return Severity::kLow;
    if (line_.place.syntax == Syntax::kTable) return Severity::kLow;
    return line_.place.warned || line_.own_warning() ? Severity::kMedium : Severity::kHigh;
  }

  const Sentence words_;
};

}  // namespace

void match_agents(const Line& line, Sink& sink) { AgentMatcher(line, sink).run(); }

}  // namespace iii::risks
