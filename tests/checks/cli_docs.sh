#!/usr/bin/env bash
# Man pages, completion scripts and the schemas of --json are made from the table of verbs, functions.md from the table of functions: docs/ has what the program writes now.
# Usage: cli_docs.sh PROGRAM [REPOSITORY]
set -euo pipefail
program=$1
cd "${2:-$(dirname "$0")/../..}"
written=$(mktemp -d)
trap 'rm -rf "$written"' EXIT
"$program" help --write "$written" 2>/dev/null
for part in man cli completion functions.md; do
  if ! diff -r -x README.md "docs/$part" "$written/$part"; then
    echo "Next: iii-directory help --write docs"
    exit 1
  fi
done
# configuration.md has every option of `serve` and of the worker, and every limit (its table of keys is compared by config_keys_test).
{
  for verb in serve ""; do
    "$program" $verb --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+' | grep -v -e '--help' -e '--version'
  done
  sed -n '/limits() {/,/^}/p' src/daemon/options.cpp | grep -oE '^ +\{"[a-z_]+"' | grep -oE '[a-z_]+'
} | sort -u | while read -r name; do
  grep -qE "\`$name[ \`]" docs/configuration.md || { echo "docs/configuration.md does not describe $name"; exit 1; }
done
