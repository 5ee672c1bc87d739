#include "directory/risks/pipeline.h"

#include <algorithm>
#include <array>

namespace iii::risks {

namespace {

constexpr auto kPipedShells = std::to_array<std::string_view>(
    {"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "iex", "invoke-expression"});
// They read a program from their input only when they get no other one.
constexpr auto kInterpreters =
    std::to_array<std::string_view>({"python", "python2", "python3", "node", "deno", "bun", "perl",
                                     "ruby", "php", "pwsh", "powershell", "osascript"});
constexpr auto kDownloaders =
    std::to_array<std::string_view>({"curl", "wget", "wget2", "iwr", "irm", "invoke-webrequest",
                                     "invoke-restmethod", "aria2c", "curl.exe"});
constexpr auto kPrefixes = std::to_array<std::string_view>(
    {"sudo", "doas", "env", "command", "nohup", "time", "then", "do", "if", "!", "$", "%", "&",
     "exec", "else", "run:", "run", "-"});
constexpr auto kSenders = std::to_array<std::string_view>(
    {"nc", "ncat", "netcat", "socat", "requests.post", "requests.put", "httpx.post", "axios.post",
     "urllib.request.urlopen", "urlopen", "fetch", "sendbeacon", "navigator.sendbeacon"});
constexpr auto kBodies = std::to_array<std::string_view>(
    {"-d", "-f", "-t", "--data", "--data-binary", "--data-raw", "--data-urlencode", "--form",
     "--upload-file", "--json", "--post-data", "--post-file", "--body-file", "--body-data", "-body",
     "-infile"});

// `NAME=value` in front of a command.
bool is_assignment(std::string_view word) {
  const size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && !word.starts_with('-') &&
         word.find_first_of("/:.") > equals;
}

// The word in front of `$(…)` or `<(…)` that makes its output a program.
bool runs_what_follows(std::string_view word) {
  const std::string_view name = program(word);
  return name == "-c" || name == "eval" || name == "source" || name == "." ||
         (is_shell(name) && name != "iex");
}

class Splitter {
 public:
  explicit Splitter(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::vector<Segment> run() {
    begin(0);
    for (size_t at = 0; at < tokens_.size(); ++at) {
      switch (tokens_[at].kind) {
        case TokenKind::kPipe:
          next(at, {.starts = false, .piped = true, .run = now_.run && !closed_});
          break;
        case TokenKind::kSeparator:
          next(at, {});
          break;
        case TokenKind::kOpen:
          next(at, {.starts = false,
                    .run = at > 0 && tokens_[at - 1].kind == TokenKind::kWord &&
                           runs_what_follows(tokens_[at - 1].text)});
          break;
        case TokenKind::kClose:
          closed_ = true;
          break;
        case TokenKind::kParen:
        case TokenKind::kRedirect:
        case TokenKind::kWord:
          word(at);
          break;
      }
    }
    end(tokens_.size());
    return std::move(out_);
  }

 private:
  void begin(size_t at, Segment segment = {}) {
    now_ = segment;
    now_.begin = at;
    closed_ = false;
  }
  void end(size_t at) {
    now_.end = at;
    out_.push_back(now_);
  }
  void next(size_t at, Segment segment) {
    end(at);
    begin(at + 1, segment);
  }

  void word(size_t at) {
    if (tokens_[at].kind != TokenKind::kWord) return;
    const std::string_view text = tokens_[at].text;
    if (now_.command != kNoToken) {
      if (now_.argument == kNoToken) now_.argument = at;
      return;
    }
    // Also the options of sudo and the like.
    const bool option = text.starts_with('-') && text.size() > 1;
    if (is_one_of(text, kPrefixes) || is_assignment(text) || option) return;
    now_.command = at;
  }

  const std::vector<Token>& tokens_;
  Segment now_;
  bool closed_ = false;  // the substitution that the segment is part of has ended
  std::vector<Segment> out_;
};

}  // namespace

std::string_view program(std::string_view word) {
  const size_t slash = word.rfind('/');
  if (slash != std::string_view::npos && word.front() == '/') word.remove_prefix(slash + 1);
  if (word.ends_with(".exe")) word.remove_suffix(4);
  return word;
}

bool is_shell(std::string_view program) { return is_one_of(program, kPipedShells); }
bool is_downloader(std::string_view program) { return is_one_of(program, kDownloaders); }

std::vector<Segment> segments_of(const std::vector<Token>& tokens) {
  return Splitter(tokens).run();
}

bool runs_input(const std::vector<Token>& tokens, const Segment& segment) {
  if (segment.command == kNoToken) return false;
  const std::string_view name = program(tokens[segment.command].text);
  const std::string_view next =
      segment.argument == kNoToken ? std::string_view() : tokens[segment.argument].text;
  const bool bare = next.empty() || next == "-" || next == "/dev/stdin";
  if (name == "source" || name == ".") return next == "/dev/stdin";
  if (is_one_of(name, kInterpreters)) return bare;
  if (!is_shell(name)) return false;
  // `bash -s -- x` and `sh -x` read their input; `bash -c …` and `sh file.sh` do not.
  return bare || name == "iex" || name == "invoke-expression" ||
         (next.starts_with('-') && next != "-c") ||
         next.find_first_of("./$~") == std::string_view::npos;
}

bool sends(const std::vector<Token>& tokens, const Segment& segment) {
  bool client = false;
  for (size_t at = segment.begin; at < segment.end; ++at) {
    if (tokens[at].kind != TokenKind::kWord) continue;
    const std::string_view word = tokens[at].text;
    if (word.starts_with("/dev/tcp/")) return true;
    if (is_one_of(word, kSenders)) {
      // `nc` in a sentence is not a command; a call has its parenthesis.
      const bool call = at + 1 < segment.end && tokens[at + 1].kind == TokenKind::kParen;
      if (at == segment.command || call) return true;
    }
    client = client || is_downloader(program(word));
    if (client && is_one_of(word, kBodies)) return true;
    if (client && (word.starts_with("--data") || word.starts_with("-d@") || word.starts_with("@") ||
                   word.starts_with("-f@"))) {
      return true;
    }
  }
  return false;
}

}  // namespace iii::risks
