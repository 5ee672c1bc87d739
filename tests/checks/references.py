#!/usr/bin/env python3
"""Checks that every reference to a section or a rule can be followed.

A section is cited as `wire §6.1`, `engine-functions §2.7–2.8, §6` or `RFC 6455 §5.2`: the name of a document in
docs/protocol (without `.md`), or an RFC, and one or more sections. In a document of docs/protocol, `§6.1` alone is a
section of that document. A rule is cited by its identifier (E20, W04, R12, DW14) and is a row of a table in
docs/protocol. Looked at are comments of the source, and Markdown files.

Usage: references.py [REPOSITORY]
"""

import pathlib
import re
import sys

FOLDERS = ("src", "tests", "bench", "examples", "scripts", "cmake", "docs")
SUFFIXES = (".h", ".cpp", ".md", ".py", ".mjs", ".cmake", ".sh", ".txt", "")
SKIPPED = ("node_modules", "build", "golden", "expected", "__pycache__")
SECTION = re.compile(r"§\s*(\d+(?:\.\d+)*)(?:\s*[–-]\s*(\d+(?:\.\d+)*))?")
SEPARATOR = re.compile(r"\s*(?:,|;|and|or|to|, and)\s+")
RULE = re.compile(r"(?<![\w.-])(?:DW\d{1,2}|[EW]\d\d|R\d{1,2})(?![\w-])")
COMMENT = re.compile(r"\n[ \t]*(?://|#|\*)[ \t]*")
# The checks name references that do not exist, as examples. The trigger table is being rewritten.
LEFT_OUT = ("tests/checks/",)


def documents(root):
    """Sections and rules of each document in docs/protocol."""
    sections, rules = {}, set()
    for path in sorted((root / "docs" / "protocol").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if path.stem != "README":
            sections[path.stem] = set(re.findall(r"^#{2,4} (\d+(?:\.\d+)*)\.? ", text, re.MULTILINE))
        rules |= set(re.findall(r"^\| ((?:DW|[EWR])\d+) \|", text, re.MULTILINE))
    return sections, rules


def files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            relative = path.relative_to(root)
            if path.suffix in SUFFIXES and path.is_file() and not set(relative.parts) & set(SKIPPED):
                if not str(relative).startswith(LEFT_OUT):
                    yield path
    yield from sorted(root.glob("*.md"))


def section_problems(text, own, sections):
    """`own` is the document that a section without a name belongs to, or None."""
    joined = COMMENT.sub(lambda m: "\n" + " " * (len(m[0]) - 1), text)  # positions stay the same
    names = "|".join(map(re.escape, sections))
    named = re.compile(rf"(?:^|[^\w./-])((?:{names})|RFC \d+)\s+$")
    for match in re.finditer("§§", joined):
        yield match.start(), "write § before each section"
    document, end = None, None
    for match in SECTION.finditer(joined):
        before = named.search(joined, 0, match.start())
        if before:
            document = before[1]
        elif end is None or not SEPARATOR.fullmatch(joined, end, match.start()):
            document = own
        end = match.end()
        if document is None:
            yield match.start(), f"{match[0]} does not say of which document (docs/protocol/README.md)"
        elif not document.startswith("RFC"):
            for number in filter(None, match.groups()):
                if number not in sections[document]:
                    yield match.start(), f"docs/protocol/{document}.md has no section {number}"


def rule_problems(path, text, rules):
    if path.suffix == ".md":
        text = re.sub(r"`[^`\n]*`", lambda m: " " * len(m[0]), text)
        spans = [(0, text)]
    elif path.suffix in (".h", ".cpp"):
        spans = [(m.start(), m[0]) for m in re.finditer(r"(?<!:)//.*", text)]
    else:
        spans = []
    for start, span in spans:
        for match in RULE.finditer(span):
            if match[0] not in rules:
                yield start + match.start(), f"{match[0]} is no rule of docs/protocol"


def problems(root):
    sections, rules = documents(root)
    found = []
    for path in files(root):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        own = path.stem if path.parent == root / "docs" / "protocol" and path.stem in sections else None
        wrong = [*section_problems(text, own, sections), *rule_problems(path, text, rules)]
        for position, what in sorted(wrong):
            found.append(f"{path.relative_to(root)}:{text.count(chr(10), 0, position) + 1}: {what}")
    return found


if __name__ == "__main__":
    repository = pathlib.Path(sys.argv[1]) if sys.argv[1:] else pathlib.Path(__file__).resolve().parents[2]
    wrong = problems(repository)
    print("\n".join(wrong) or "every reference can be followed")
    sys.exit(bool(wrong))
