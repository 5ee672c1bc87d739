#!/usr/bin/env bash
# Every C++ file under version control is formatted as .clang-format says.
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files '*.h' '*.cpp' | xargs -r clang-format-19 --dry-run -Werror
echo "formatted"
