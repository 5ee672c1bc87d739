#!/usr/bin/env bash
# Man pages, completion scripts and the schemas of --json are made from the table of verbs: docs/ has what the program writes now.
# Usage: cli_docs.sh PROGRAM [REPOSITORY]
set -euo pipefail
program=$1
cd "${2:-$(dirname "$0")/../..}"
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
"$program" help --write "$written" 2>/dev/null
for part in man cli completion; do
  if ! diff -r -x README.md "docs/$part" "$written/$part"; then
    echo "Next: iii-directory help --write docs"
    exit 1
  fi
done
