// Downloads and encoded text that reach an interpreter; archives with a password.
#include <algorithm>
#include <array>

#include "directory/risks/hosts.h"
#include "directory/risks/matcher.h"
#include "directory/risks/pipeline.h"

namespace iii::risks {

namespace {

constexpr size_t kLiteral = 24;  // characters of base64 or hex that are more than a name

// A long run of base64 or hexadecimal digits: the encoded text itself.
bool is_literal(std::string_view word) {
  if (word.size() < kLiteral || word.find_first_of("/.~$") == 0) return false;
  if (word.contains("\\x")) return true;
  const auto encoded = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '/' || c == '=';
  };
  return std::ranges::all_of(word, encoded);
}

// Something that can be fetched: not the word `curl` alone.
bool is_target(std::string_view word) {
  return word.contains("://") || word.starts_with('$') || word.find_first_of(".{") != word.npos;
}

Severity severity_of(const Url& url) {
  if (url.scheme.empty()) return Severity::kMedium;
  const HostKind kind = host_kind(url);
  if (kind == HostKind::kLocal || kind == HostKind::kPlaceholder) return Severity::kLow;
  if (kind != HostKind::kNamed && kind != HostKind::kChatWebhook) return Severity::kHigh;
  // Without TLS anybody on the way decides what runs.
  return url.scheme == "http" ? Severity::kHigh : Severity::kMedium;
}

class CommandMatcher : LineMatcher {
 public:
  CommandMatcher(const Line& line, Sink& sink) : LineMatcher(line, sink) {}

  void run() {
    for (const Segment& segment : line_.segments) {
      if (segment.starts) fed_ = {};
      sink_.count(segment.end - segment.begin);
      saved_file(segment);
      if (segment.piped && runs_input(tokens_, segment)) runs(segment, fed_);
      const Content content = content_of(segment);
      fed_.add(content);
      if (segment.run) runs(segment, fed_);
      if (content.expression) runs(segment, content);
      powershell(segment);
      archive(segment);
    }
    calls();
  }

 private:
  // What a segment writes.
  struct Content {
    size_t download = kNoToken;
    size_t target = kNoToken;
    size_t decode = kNoToken;
    bool literal = false;
    bool expression = false;  // iex (…): run where it stands

    void add(const Content& other) {
      if (other.target != kNoToken) {
        download = other.download;
        target = other.target;
      }
      if (other.decode != kNoToken) decode = other.decode;
      literal = literal || other.literal;
    }
  };

  Content content_of(const Segment& segment) {
    Content out;
    bool decoder = false;
    for (size_t at = segment.begin; at < segment.end; ++at) {
      const std::string_view text = word(at);
      if (text.empty()) continue;
      const std::string_view name = program(text);
      if (is_downloader(name) || text.ends_with(".downloadstring")) {
        out.download = at;
      } else if (out.download != kNoToken && out.target == kNoToken && !text.starts_with('-') &&
                 is_target(text)) {
        out.target = at;
      }
      if (is_any(name, {"base64", "base32", "xxd", "openssl", "certutil"})) decoder = true;
      if (decoder && is_any(text, {"-d", "--decode", "-di", "-r", "-rp", "-decode"})) {
        out.decode = at;
      }
      out.literal = out.literal || is_literal(text);
      out.expression = out.expression || is_any(text, {"iex", "invoke-expression"});
    }
    out.expression = out.expression && !segment.piped && out.target != kNoToken;
    return out;
  }

  void runs(const Segment& segment, const Content& content) {
    const size_t at = segment.command != kNoToken ? tokens_[segment.command].at : 0;
    if (content.decode != kNoToken) {
      const bool visible = content.literal || content.target != kNoToken;
      found(code::kEncodedRun, visible ? Severity::kHigh : Severity::kMedium, at,
            "decoded text is passed to an interpreter");
    } else if (content.target != kNoToken) {
      download(content.target, "a download is passed to an interpreter");
    }
  }

  void download(size_t target, const char* message) {
    found(code::kDownloadRun, severity_of(url_in(tokens_[target].text)), tokens_[target].at,
          message);
  }

  // `curl -o x.sh URL && bash x.sh`: remembered for the rest of the line.
  void saved_file(const Segment& segment) {
    if (segment.command == kNoToken) return;
    const std::string_view name = command(segment);
    if (!saved_.empty()) {
      const bool interpreter =
          is_shell(name) || is_any(name, {"python", "python3", "node", "source", "."});
      const std::string_view started = interpreter ? word(segment.argument) : name;
      if (!started.empty() && base_name(started) == saved_) {
        download(saved_from_, "a file is downloaded and run");
        saved_ = {};
        return;
      }
    }
    if (!is_downloader(name)) return;
    std::string_view file;
    size_t target = kNoToken;
    for (size_t at = segment.command + 1; at < segment.end; ++at) {
      const std::string_view text = word(at);
      const bool to = tokens_[at].kind == TokenKind::kRedirect ||
                      is_any(text, {"-o", "--output", "-outfile", "--output-document"}) ||
                      (text.starts_with('-') && !text.starts_with("--") && text.ends_with('o'));
      if (to && at + 1 < segment.end && !word(at + 1).contains("://")) {
        file = word(at + 1);
        ++at;
      } else if (text.contains("://")) {
        target = at;
      }
    }
    if (target == kNoToken) return;
    saved_ = base_name(file.empty() ? word(target) : file);
    saved_from_ = target;
  }

  static std::string_view base_name(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
  }

  // powershell -EncodedCommand BASE64
  void powershell(const Segment& segment) {
    if (!is_any(command(segment), {"powershell", "pwsh"})) return;
    for (size_t at = segment.command + 1; at + 1 < segment.end; ++at) {
      if (is_any(word(at), {"-e", "-ec", "-enc", "-encodedcommand"}) && is_literal(word(at + 1))) {
        found(code::kEncodedRun, Severity::kHigh, tokens_[at].at,
              "PowerShell gets an encoded command");
      }
    }
  }

  void archive(const Segment& segment) {
    const std::string_view name = command(segment);
    const bool zip = name == "unzip";
    const bool seven = is_any(name, {"7z", "7za", "7zz", "unrar", "rar"});
    if (!zip && !seven && name != "bsdtar") return;
    bool extracts = zip;
    for (size_t at = segment.command + 1; at < segment.end; ++at) {
      const std::string_view text = word(at);
      if (text.empty()) continue;
      const std::string_view written = line_.tokens.original(tokens_[at]);
      extracts = extracts || text == "x" || text == "e" || text.starts_with("-x");
      const bool password = (zip && written.starts_with("-P")) || text == "--passphrase" ||
                            (seven && extracts && written.starts_with("-p") && text.size() > 2);
      if (!password) continue;
      return found(code::kArchivePassword, Severity::kMedium, tokens_[at].at,
                   "an archive is opened with a password");
    }
  }

  // exec(urlopen(…)), eval(atob(…)) and the like, anywhere in the line.
  void calls() {
    size_t call = kNoToken;
    bool base64 = false;
    sink_.count(tokens_.size());
    for (size_t at = 0; at < tokens_.size(); ++at) {
      const std::string_view text = word(at);
      if (text.empty()) continue;
      const bool opens = is_called(at);
      if (opens && is_any(text, {"exec", "eval", "window.eval", "globalthis.eval"})) call = at;
      base64 = base64 || text == "base64";
      if (call == kNoToken || call == at) continue;
      if (opens && is_decoder(text, base64)) {
        return found(code::kEncodedRun, Severity::kHigh, tokens_[call].at,
                     "decoded text is passed to an interpreter");
      }
      if (opens && is_fetch(text)) {
        return found(code::kDownloadRun, Severity::kMedium, tokens_[call].at,
                     "a download is passed to an interpreter");
      }
    }
  }

  static bool is_decoder(std::string_view text, bool base64) {
    return text.ends_with("b64decode") || text == "atob" || text.ends_with("bytes.fromhex") ||
           text.ends_with("unhexlify") || text.ends_with("codecs.decode") ||
           text.ends_with("marshal.loads") || text.ends_with("zlib.decompress") ||
           text == "base64_decode" || (base64 && text.ends_with("decode"));
  }
  static bool is_fetch(std::string_view text) {
    return text.ends_with("urlopen") || text.ends_with("requests.get") || text == "fetch" ||
           text.ends_with("httpx.get") || text.ends_with("urllib.request");
  }

  Content fed_;
  std::string_view saved_;
  size_t saved_from_ = kNoToken;
};

}  // namespace

void match_commands(const Line& line, Sink& sink) { CommandMatcher(line, sink).run(); }

}  // namespace iii::risks
