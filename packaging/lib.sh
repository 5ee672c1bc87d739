# Sourced by scripts/package and the scripts beside this file; the working directory is that of the repository.

say() { printf '\n== %s\n' "$*"; }

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

packages='*.deb *.tar.gz *.tar.gz.sha256'

# pack FOLDER: makes all packages of a build folder; the dates in them are those of the last commit. cpack gives folders, and the parts
# of a Debian package, the permissions that the umask leaves.
pack() {
  (
    umask 022
    cd "$1"
    rm -f $packages
    SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)} cpack >package/cpack.log || { cat package/cpack.log >&2; exit 1; }
  )
}

checksums() { (cd "$1" && sha256sum iii-directory package/iii-directory $packages); }

# symbols_have_lines FOLDER: the separate symbols lead to lines of the source, and name no folder of this machine.
symbols_have_lines() {
  local symbols address
  symbols=$(find "$1/package/debug" -name '*.debug')
  address=$(nm "$symbols" | sed -n 's/ T main$//p')
  addr2line --exe "$symbols" "$address" | grep -qE '^\./(.*/)?src/.*main\.cpp:[0-9]+' || fail "the debug symbols have no line tables"
}

sizes() { (cd "$1" && stat -c '%s %n' iii-directory package/iii-directory $packages); }

# ready FILE PID: waits until the server says that it is ready, and prints where it listens.
ready() {
  timeout "${ready_seconds:-20}" sh -c "until grep -q ^ready '$1'; do kill -0 $2 && sleep 0.1; done" >&2 || return 1
  sed -n 's/^ready ws=\([^ ]*\).*/\1/p' "$1"
}
