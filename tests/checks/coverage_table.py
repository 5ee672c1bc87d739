#!/usr/bin/env python3
"""tests/README.md names a test for every row of the wire protocol's checklist, and every test it names exists."""

import fnmatch
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
table = (root / "tests/README.md").read_text(encoding="utf-8")
wrong = []

rows = {m[1]: m[2] for m in re.finditer(r"^\| ([WE]\d\d) \|.*\| ([^|]*) \|$", table, re.M)}
for row in [f"W{n:02}" for n in range(1, 20)] + [f"E{n:02}" for n in range(1, 26)]:
    if "`" not in rows.get(row, ""):
        wrong.append(f"{row}: no test is named")

sources = "".join(p.read_text(encoding="utf-8") for p in (root / "src").rglob("*_test.cpp"))
cpp = [".".join(m) for m in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", sources, re.M)]
scenarios = "".join(p.read_text(encoding="utf-8") for p in (root / "tests/conformance/scenarios").glob("*.mjs"))
for row, cell in rows.items():
    for name in re.findall(r"`([^`]+)`", cell):
        kind, _, rest = name.partition(":")
        if kind == "probe":
            known = f"scenario('{rest}'" in scenarios
        elif kind == "e2e":
            known = (root / f"tests/e2e/{rest}.test.mjs").exists()
        else:
            known = name == "conformance" or fnmatch.filter(cpp, name)
        if not known:
            wrong.append(f"{row}: there is no test called {name}")

print("\n".join(wrong) or f"{len(rows)} rows, every named test exists")
sys.exit(bool(wrong))
