#!/usr/bin/env python3
"""tests/coverage.md names a test for every row of the wire protocol's checklist, for every rule of the directory's read
side, for every row about its write side and for every row of the MCP checklist; and every test that it names exists."""

import fnmatch
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
table = (root / "tests/coverage.md").read_text(encoding="utf-8")
wrong = []

rows = {m[1]: m[2] for m in re.finditer(r"^\| ((?:[WERVBNO]|DW|S-[A-G])\d+) \|.*\| ([^|]*) \|$", table, re.M)}
no_rule = {34, 48, 49, 58, 59, *range(65, 70)}
wanted = [f"W{n:02}" for n in range(1, 20)] + [f"E{n:02}" for n in range(1, 26)]
wanted += [f"R{n}" for n in range(1, 74) if n not in no_rule] + [f"V{n:02}" for n in range(1, 17)]
wanted += [f"DW{n}" for n in range(1, 25)]
not_ours = {53}  # of MCP: see tests/coverage.md
wanted += [f"O{n:02}" for n in range(1, 46) if n not in range(33, 40)]
wanted += [f"N{n:02}" for n in range(1, 82) if n not in not_ours]
runs = {"A": 36, "B": 12, "C": 14, "D": 11, "E": 6, "F": 5, "G": 4}  # of the suite of skills 0.1.5
wanted += [f"S-{letter}{n}" for letter, count in runs.items() for n in range(1, count + 1)]
for row in wanted:
    if "`" not in rows.get(row, ""):
        wrong.append(f"{row}: no test is named")

sources = "".join(p.read_text(encoding="utf-8") for p in (root / "src").rglob("*_test.cpp"))
cpp = [".".join(m) for m in re.findall(r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", sources, re.M)]
scenarios = "".join(p.read_text(encoding="utf-8") for p in (root / "tests/conformance/scenarios").glob("*.mjs"))
for row, cell in rows.items():
    named = []
    for name in re.findall(r"`([^`]+)`", cell):
        kind, _, rest = name.partition(":")
        if kind == "probe":
            known = f"scenario('{rest}'" in scenarios
        elif kind == "replay":
            known = (root / f"tests/data/directory-0.8.0/{rest}.jsonl").exists()
        elif kind == "e2e":
            file = root / f"tests/e2e/{rest}.test.mjs"
            known = file.exists()
            if known and row.startswith("S-") and not re.search(rf"'{row[2:]}\b", file.read_text(encoding="utf-8")):
                wrong.append(f"{row}: {rest} has no test of that name")
        else:
            found = fnmatch.filter(cpp, name)
            named += found
            known = name == "conformance" or found
        if not known:
            wrong.append(f"{row}: there is no test called {name}")
    if row.startswith("R") and not any(re.search(row + r"(?!\d)", name) for name in named):
        wrong.append(f"{row}: no test carries the number of the rule in its name")

print("\n".join(wrong) or f"{len(rows)} rows, every named test exists")
sys.exit(bool(wrong))
