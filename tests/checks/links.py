#!/usr/bin/env python3
"""Checks that every link between documents leads somewhere: the file exists, and so does the heading that it names. Pictures exist, too,
and those of docs/images are shown by a page.

Looked at are README.md, CONTRIBUTING.md, docs, and the READMEs of src, tests and examples. Usage: links.py [REPOSITORY]
"""

import pathlib
import re
import sys

SKIPPED = ("node_modules", "build", "data")
LINK = re.compile(r"\[[^\]\[]*(?:\[[^\]]*\][^\]\[]*)*\]\(([^)\s]+)\)")
PICTURE = re.compile(r'(?:src|srcset)="([^"\s]+)"')
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def pages(root):
    yield from sorted(root.glob("*.md"))
    for folder in ("docs", "src", "tests", "examples", "bench", "packaging"):
        for path in sorted((root / folder).rglob("*.md")):
            if not set(path.relative_to(root).parts) & set(SKIPPED):
                yield path


def anchors(path):
    """The names that a page gives its headings, as GitHub makes them."""
    out, seen = set(), {}
    for line in FENCE.sub("", path.read_text(encoding="utf-8")).splitlines():
        heading = re.match(r"#{1,6} +(.*)", line)
        if not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        out.add(name if count == 0 else f"{name}-{count}")
    return out


def problems(root):
    targets = set()
    for page in pages(root):
        text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), page.read_text(encoding="utf-8"))
        text = re.sub(r"`[^`\n]*\]\([^`\n]*`", "", text)  # a link that is shown as code
        for match in [*LINK.finditer(text), *PICTURE.finditer(text)]:
            target, _, anchor = match[1].partition("#")
            if re.match(r"[a-z]+:", match[1]):
                continue
            line = text.count("\n", 0, match.start()) + 1
            where = f"{page.relative_to(root)}:{line}: {match[1]}"
            path = (page.parent / target).resolve() if target else page
            targets.add(path)
            if not path.exists():
                yield f"{where}: there is no such file"
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                yield f"{where}: there is no such heading"
    for picture in sorted((root / "docs/images").glob("*")):
        if picture.resolve() not in targets:
            yield f"{picture.relative_to(root)}: no page shows this picture"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    found = list(problems(root))
    print("\n".join(found) if found else "every link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
