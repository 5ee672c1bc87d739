// Runs one child program to its end, within bounds, and leaves nothing of it behind.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "directory/sources/progress.h"

namespace iii::sources {

struct Command {
  std::vector<std::string> argv;         // argv[0]: a path, or a name to be found in our own PATH
  std::vector<std::string> environment;  // `NAME=value`; the child has nothing else
  std::string folder;                    // to work in; empty: ours
  std::string input;                     // on its standard input; empty: nothing to read there
  uint64_t max_output = 1'048'576;       // of standard output; more ends it
  uint64_t max_errors = 65'536;          // of standard error; the rest is read and dropped
  uint64_t max_file_bytes = 0;           // of any file it writes (EFBIG beyond); 0: no limit
  uint64_t max_memory_bytes = 0;         // address space of each of its processes; 0: no limit
  std::chrono::milliseconds grace{500};  // between asking it to end and ending it
  // Looked at a few times a second; false ends the child (`kStopped`). May be empty.
  std::function<bool()> go_on;
};

enum class Ending {
  kExited,
  kSignalled,
  kTimedOut,    // the job's deadline
  kCancelled,   // the job was cancelled
  kTooMuch,     // more output than allowed
  kStopped,     // `go_on` said no
  kNotStarted,  // `start_error` says why
};

struct Ran {
  Ending ending = Ending::kNotStarted;
  int exit_code = -1;  // kExited
  int signal = 0;      // kSignalled
  int start_error = 0;
  std::string output;
  std::string errors;

  bool ok() const { return ending == Ending::kExited && exit_code == 0; }
};

// Blocking, from any thread. The child leads a process group of its own. However this ends, the
// whole group has been killed and reaped when it returns; if this process dies first, the child is
// killed by the kernel. Makes this process the one that inherits orphans (PR_SET_CHILD_SUBREAPER),
// because only a parent can reap.
Ran run(const Command& command, const Job& job);

}  // namespace iii::sources
