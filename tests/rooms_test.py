#!/usr/bin/env python3
"""Keeps the rooms of src/ in order: a room may include only what stands before it (docs/architecture.md)."""

import pathlib
import re
import sys

BASE = {"base"}
JSON = BASE | {"json"}
PROTOCOL = JSON | {"protocol"}
WS = PROTOCOL | {"ws"}
NET = WS | {"net"}
MAY_INCLUDE = {
    "base": set(),
    "json": BASE,
    "protocol": JSON,
    "ws": PROTOCOL,
    "content": PROTOCOL,  # files, never sockets
    "net": WS,
    "engine": NET,
    "sdk": NET,  # a worker knows the wire, never the engine
    "sources": NET | {"content"},
    "functions": PROTOCOL | {"sdk", "content", "sources"},  # an engine gets them as registered handlers
    "mcp": NET | {"sdk", "content", "sources", "functions"},
    "cli": NET | {"sdk", "content", "sources", "functions", "mcp", "engine"},
    "daemon": NET | {"sdk", "content", "sources", "functions", "mcp", "engine", "cli"},
}

root = pathlib.Path(__file__).resolve().parent.parent / "src"
wrong = []
for file in sorted(root.rglob("*")):
    if file.suffix not in (".h", ".cpp"):
        continue
    room = file.relative_to(root).parts[0]
    if room not in MAY_INCLUDE:
        wrong.append(f"src/{room}: a new room needs a row in tests/rooms_test.py")
        continue
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        found = re.match(r'\s*#\s*include\s+"([^"/]+)/', line)
        if found and found[1] != room and found[1] not in MAY_INCLUDE[room]:
            wrong.append(f"{file.relative_to(root.parent)}:{number}: {room} must not include {found[1]}")

print("\n".join(dict.fromkeys(wrong)) or "every include points to an earlier room")
sys.exit(bool(wrong))
