#!/usr/bin/env bash
# Everything that is shown on a terminal goes through cli/output or base/log, which escape it: no other file writes to
# stdout or stderr.
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"
found=$(grep -rnE '\bf?printf\(|\bf?puts\(|\bfwrite\(|\bfmt::print|std::(cout|cerr|clog)\b' src --include='*.cpp' --include='*.h' |
  grep -vE '^src/faces/cli/(output|progress_line)\.cpp:|_test\.cpp:|^src/[a-z]+/testing\.h:|^src/foundation/base/check\.cpp:' || true)
[ -z "$found" ] && exit 0
echo "$found"
echo "Next: use cli::print, cli::note or a log line instead (src/faces/cli/output.h)."
exit 1
