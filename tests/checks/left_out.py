#!/usr/bin/env python3
"""Which tests were left out, and why: left_out.py LOG (ctest's LastTest.log). Prints one line for each reason and file.

ctest shows neither the reasons, nor the tests that are left out inside a file of Node tests.
"""

import collections
import pathlib
import re
import sys

NODE = re.compile(r"^ *﹣ .*? \([\d.]+ms\)(?: # (.*))?$")
GTEST = re.compile(r"^\S+:\d+: Skipped$")


def left_out(log):
    """Counts by (name of the ctest, reason)."""
    found = collections.Counter()
    name = ""
    lines = log.splitlines()
    for i, line in enumerate(lines):
        if start := re.match(r"\d+/\d+ Test: (\S+)$", line):
            name = start[1]
        if node := NODE.match(line):
            found[name, (node[1] or "no reason is given").removeprefix("left out: ")] += 1
        if GTEST.match(line):
            found[name, lines[i + 1] or "no reason is given"] += 1
    return found


if __name__ == "__main__":
    counts = left_out(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8", errors="replace"))
    for (test, reason), count in sorted(counts.items()):
        print(f"{count:5} in {test}: {reason}")
