// The table of verbs: everything that the command line offers.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "faces/cli/verb.h"

namespace iii::cli {

// In the order in which help shows them.
std::span<const Verb> verbs();
// By name or alias; null: there is none.
const Verb* find_verb(std::string_view name);
// Options of the program without a verb: the worker.
const Verb& worker_verb();
// What `iii-directory help` shows: every verb with its summary.
std::string overview(size_t width);
// Why there is no such verb, with what may have been meant.
std::string unknown_verb(std::string_view word);
// What to say when these words are no options of the worker: a verb among them is not the first
// word. Empty: there is none.
std::string misplaced_verb(std::span<const std::string> words);

// The parts of the table, by the room that they fill.
namespace table {
std::vector<Verb> running();
std::vector<Verb> reading();
std::vector<Verb> bus();
std::vector<Verb> writing();
std::vector<Verb> setup();

inline constexpr Option kHelp{"help", "", "This text.", 'h'};
inline constexpr Option kJson{"json", "", "Print the result as JSON."};
inline constexpr Option kColor{"color", "WHEN", "Use colours: always, never or auto (auto).", 0,
                               "auto always never"};
inline constexpr Option kConfig{"config", "FILE",
                                "Configuration file (./iii-directory.yaml, else ./config.yaml)."};
inline constexpr Option kSkills{"skills", "DIR", "Use this folder instead of `skills_folder`."};
inline constexpr Option kUrl{"url", "URL",
                             "Ask this server (III_URL, else ws://127.0.0.1:49134 if one runs)."};
inline constexpr Option kToken{"token", "TOKEN", "Bearer token of the server (III_TOKEN)."};
inline constexpr Option kLogLevel{"log-level", "LEVEL", "debug, info, warn, error or off (info).",
                                  0, "debug info warn error off"};
inline constexpr Option kLogFormat{"log-format", "FORMAT",
                                   "text, or json: one object per line (text).", 0, "text json"};
}  // namespace table

}  // namespace iii::cli
