#!/usr/bin/env python3
"""Checks that the rooms of src/ are what their READMEs say.

A room is a folder src/<group>/<room>. Rooms of a group use rooms of this group and of groups before it, in the order of GROUPS.
Each src/<group>/<room>/README.md has a line (it may be wrapped) that names the rooms it may include, and another for libraries:

    May include: base, json, net (`channels`, `server` only).
    Tests may also include: json.
    Libraries: fmt, simdjson.

`nothing` stands for an empty list. Names in parentheses are files, without their extension, below the room: only these
(and their tests) may include that room. The second and third line are left out when they would be empty.

A folder inside a room may have a README with such a line, too. Then it also says which parts of its own room the folder
may include: `engine` for all, or `engine/builtin` for the files and the folder of that name. Tests are free.

Usage: rooms_test.py [REPOSITORY]
"""

import pathlib
import re
import sys

GROUPS = ["foundation", "bus", "directory", "faces", "app"]
LIBRARIES = {
    "boost": "iii_boost",
    "cmark": "iii_cmark",
    "fmt": "fmt::fmt",
    "libcrypto": "OpenSSL::Crypto",
    "libcurl": "PkgConfig::CURL",
    "libssl": "OpenSSL::SSL",
    "libstemmer": "iii_stemmer",
    "libyaml": "PkgConfig::YAML",
    "md4c": "PkgConfig::MD4C",
    "re2": "PkgConfig::RE2",
    "simdjson": "simdjson::simdjson",
    "sqlite": "PkgConfig::SQLITE",
    "threads": "Threads::Threads",
    "utf8proc": "PkgConfig::UTF8PROC",
    "zlib": "ZLIB::ZLIB",
}
ITEM = re.compile(r"([A-Za-z0-9]+(?:/\w+)?)(?: \(((?:`[^`]+`(?:, | and )?)+) only\))?")


def is_test(path):
    return re.search(r"(_test|_for_test|testing|fixture|fake_\w+)$", path.stem) is not None


def declared_list(text, label, problem):
    """The items after `label`: {name: None or the set of files that may use it}; None when the line is missing."""
    found = re.search(rf"^{label}: (.*?)\.(?:\s|$)", text, re.MULTILINE | re.DOTALL)
    if not found:
        return None
    line = " ".join(found[1].split())
    if line == "nothing":
        return {}
    items, end = {}, 0
    for item in ITEM.finditer(line):
        if line[end : item.start()] != (", " if end else ""):
            break
        items[item[1]] = set(re.findall(r"`([^`]+)`", item[2])) if item[2] else None
        end = item.end()
    if end != len(line):
        problem(f'"{label}: {line}." does not follow the grammar in tests/rooms_test.py, at "{line[end:]}"')
    return items


class Room:
    def __init__(self, folder, problem):
        self.name, self.folder, self.group = folder.name, folder, folder.parent.name
        self.where = f"src/{self.group}/{self.name}"
        self.may, self.tests_may, self.libraries = {}, {}, {}
        readme = folder / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.exists() else ""
        may = declared_list(text, "May include", problem)
        if may is None:
            problem(f'{self.where}/README.md needs a line "May include: …."')
        self.may = may or {}
        self.tests_may = declared_list(text, "Tests may also include", problem) or {}
        self.libraries = declared_list(text, "Libraries", problem) or {}
        self.includes = {}  # room → [(file, line number)], and the same for tests
        self.test_includes = {}
        for file in sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp")):
            into = self.test_includes if is_test(file) else self.includes
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                found = re.match(r'\s*#\s*include\s+"\w+/(\w+)/', line)
                if found and found[1] != self.name:
                    into.setdefault(found[1], []).append((file, number))
        self.deps, self.test_deps = cmake_deps(self, problem)


def room_of(target, rooms):
    """The room that a library belongs to: iii_json and iii_json_schema are both of json. None: no library of ours."""
    name = target.removeprefix("iii_")
    return next((room for room in (name, name.split("_")[0]) if target != name and room in rooms), None)


def cmake_deps(of, problem):
    """DEPS and TEST_DEPS of the libraries that a CMakeLists.txt makes of a room: iii_room(json …), iii_room(json_schema …)."""
    path, room = of.folder / "CMakeLists.txt", of.name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = re.findall(rf"iii_room\(({room}(?:_\w+)?)\b(.*?)\)", text, re.DOTALL)
    if room not in [name for name, _ in found]:
        problem(f"{of.where}/CMakeLists.txt has no iii_room({room} …)")
    parts = {}
    for _, words in found:
        for word in words.split():
            if re.fullmatch(r"[A-Z_]+", word):
                current = parts.setdefault(word, [])
            else:
                current.append(word)
    return [[d for d in parts.get(key, []) if room_of(d, [room]) is None] for key in ("DEPS", "TEST_DEPS")]


def check_includes(room, rooms, problem):
    for includes, allowed in ((room.includes, [room.may]), (room.test_includes, [room.may, room.tests_may])):
        for target, places in includes.items():
            if target not in rooms:
                continue  # a folder of the room's own
            rules = [rule[target] for rule in allowed if target in rule]
            for file, number in places:
                where = f"{file.relative_to(room.folder.parents[2])}:{number}"
                if not rules:
                    problem(f"{where}: {room.name} may not include {target} ({room.where}/README.md)")
                elif None not in rules:
                    stem = str(file.relative_to(room.folder).with_suffix("")).removesuffix("_test")
                    if not any(stem in rule for rule in rules):
                        problem(f"{where}: only {', '.join(sorted(rules[0]))} of {room.name} may include {target}")


def check_folders(room, problem):
    """The rules of folders inside a room."""
    src = room.folder.parents[1]
    for readme in sorted(room.folder.glob("*/**/README.md")):
        may = declared_list(readme.read_text(encoding="utf-8"), "May include", problem)
        own = str(readme.parent.relative_to(room.folder.parent))
        if may is None:
            continue
        used = set()
        for file in sorted(readme.parent.rglob("*")):
            if file.suffix not in (".h", ".cpp") or is_test(file):
                continue
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                found = re.match(r'\s*#\s*include\s+"\w+/([^"]+/[^"]+)"', line)
                if not found or found[1].startswith(own + "/"):
                    continue
                path = found[1].removesuffix(".h")
                rules = {rule for rule in may if path == rule or path.startswith(rule + "/")}
                used |= rules
                if not rules:
                    problem(f"{file.relative_to(src.parent)}:{number}: {own} may not include {found[1]}")
        for rule in sorted(set(may) - used):
            problem(f"{readme.relative_to(src.parent)}: allows {rule}, which nothing includes")


def linked(names, rooms):
    """Rooms that are linked with these targets, directly or through another room."""
    seen, todo = set(), [room_of(n, rooms) for n in names]
    while todo:
        name = todo.pop()
        if name in rooms and name not in seen:
            seen.add(name)
            todo += [room_of(n, rooms) for n in rooms[name].deps]
    return seen


def check_links(room, rooms, problem):
    where = f"{room.where}/CMakeLists.txt"
    known = {dep: room_of(dep, rooms) for dep in room.deps if room_of(dep, rooms)}
    for dep in room.deps:
        if dep in known and known[dep] not in room.may:
            problem(f"{where}: links {dep}, which {room.where}/README.md does not allow")
    for target in room.includes:
        if target in rooms and target not in linked(room.deps, rooms):
            problem(f"{where}: includes {target} without linking iii_{target}")
    for target in room.test_includes:
        if target in rooms and target not in linked(room.deps + room.test_deps, rooms):
            problem(f"{where}: its tests include {target} without linking iii_{target}")
    for target in room.may:
        if target in rooms and target not in room.includes and target not in room.test_includes:
            problem(f"{room.where}/README.md: allows {target}, which nothing includes")
    external = {dep for dep in room.deps if dep not in known}
    named = {LIBRARIES.get(name.lower(), name) for name in room.libraries}
    for dep in sorted(external - named):
        problem(f"{room.where}/README.md: {dep} is linked, but not named after `Libraries:`")
    for dep in sorted(named - external):
        problem(f"{room.where}/README.md: {dep} is named after `Libraries:`, but not linked")


def check_order(rooms, order, problem):
    """The rooms' rules form no cycle, and src/CMakeLists.txt adds a room after those it may include."""
    state = {}

    def visit(name, path):
        if state.get(name) == "done":
            return
        if name in path:
            problem("the rooms form a cycle: " + " → ".join(path[path.index(name) :] + [name]))
            return
        for target in rooms[name].may:
            if target in rooms:
                visit(target, path + [name])
        state[name] = "done"

    for name in rooms:
        visit(name, [])
    for name in rooms:
        if name not in order:
            problem(f"src/CMakeLists.txt does not add {name}")
        for target in rooms[name].may:
            if name in order and target in order and order.index(target) > order.index(name):
                problem(f"src/CMakeLists.txt adds {name} before {target}, which it may include")


def named_files(readme):
    """File names in a README: code spans that look like one, the first column of a table headed `file`, and what
    begins the item of a list (`- `a`, `b` — …`). Code blocks are left out."""
    text = re.sub(r"```.*?```", "", readme, flags=re.DOTALL)
    for span in re.findall(r"`([^`\s]+)`", text):
        if re.fullmatch(r"[\w./*-]+\.(h|cpp|md|py|mjs)|[\w./-]+/", span):
            yield span
    in_table = False
    for line in text.splitlines():
        if line.startswith("|"):
            first = line.split("|")[1]
            in_table = in_table or first.strip() == "file"
            if in_table:
                yield from re.findall(r"`([^`\s]+)`", first)
        else:
            in_table = False
        item = re.match(r"- ((?:`[^`\s]+`(?:, )?)+) — ", line)
        if item:
            yield from re.findall(r"`([^`\s]+)`", item[1])


def check_files(room, problem):
    root = room.folder.parents[2]
    for readme in sorted(room.folder.rglob("README.md")):
        places = (readme.parent, room.folder, room.folder.parent, root / "src", root)
        for name in dict.fromkeys(named_files(readme.read_text(encoding="utf-8"))):
            patterns = [name, name + ".*"] if "." not in name and not name.endswith("/") else [name]
            if not any(next(place.glob(p.rstrip("/")), None) for place in places for p in patterns):
                problem(f"{readme.relative_to(root)}: there is no file `{name}`")


def problems(root):
    found = []
    folders = sorted(p for p in (root / "src").glob("*/*") if p.is_dir())
    rooms = {p.name: Room(p, found.append) for p in folders}
    for room in rooms.values():
        for target in room.may:
            if target in rooms and GROUPS.index(rooms[target].group) > GROUPS.index(room.group):
                found.append(f"{room.where}/README.md: {room.group} may not include {target} of {rooms[target].group}")
        for target in [*room.may, *room.tests_may]:
            if target not in rooms:
                found.append(f"{room.where}/README.md: there is no room {target}")
        check_includes(room, rooms, found.append)
        check_folders(room, found.append)
        check_links(room, rooms, found.append)
        check_files(room, found.append)
    added = (root / "src" / "CMakeLists.txt").read_text(encoding="utf-8")
    check_order(rooms, re.findall(r"add_subdirectory\(\w+/(\w+)\)", added), found.append)
    return list(dict.fromkeys(found))


if __name__ == "__main__":
    repository = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parent.parent
    wrong = problems(repository)
    print("\n".join(wrong) or "the rooms are as their READMEs say")
    sys.exit(bool(wrong))
