#!/usr/bin/env bash
# No file in the repository may name a package registry or carry a download address: every machine installs from
# whatever registry it is set up for, and the lock file's hashes say whether it got the right thing.
set -euo pipefail
cd "$(dirname "$0")/../.."
hosts='registry[.](npmjs|yarnpkg|npmmirror)[.]|(^|[^a-z])(artifactory|nexus|verdaccio)[./:]|npm[.]pkg[.]github'
lock=tests/e2e/package-lock.json
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  found=$(git grep -nIE "$hosts" -- . || true)
else
  found=$(grep -rnIE "$hosts" --exclude-dir=node_modules --exclude-dir=build . || true)
fi
found+=$(grep -nE '"resolved"' "$lock" | sed "s|^|$lock:|" || true)
if [ -n "$found" ]; then
  printf '%s\n' "$found"
  echo "registry names and download addresses do not belong into the repository (see tests/e2e/.npmrc)"
  exit 1
fi
grep -q '"integrity"' "$lock" || { echo "$lock has lost its integrity hashes"; exit 1; }
# Debian's npm 9.2 ends `npm ci` with EUSAGE ("Invalid comparator") when an override is not a plain version.
package=tests/e2e/package.json
if sed -n '/"overrides"/,/}/p' "$package" | grep -nE '": "[^0-9]'; then
  echo "$package: an override must be a plain version, for npm 9"
  exit 1
fi
echo "no registry is named"
