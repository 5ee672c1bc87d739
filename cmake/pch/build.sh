#!/bin/sh
# build.sh OUTPUT HEADER... -- COMPILER FLAG...: precompiles the headers, joined. See cmake/pch.cmake for the folder and the standard input.
set -eu
output=$1
shift
text=
while [ "$1" != -- ]; do
  text="$text$(cat "$1")
"
  shift
done
shift
cd /
printf '%s' "$text" | "$@" -fpch-instantiate-templates -Wno-pragma-once-outside-header -x c++-header - -o "$output" -MD -MT "$output" -MF "$output.d"
