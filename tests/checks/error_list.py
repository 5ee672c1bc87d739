#!/usr/bin/env python3
"""Prints docs/errors.md, made from the source: every error with its code, its text, the next step it names and who gets it.

An error is made by `fail(code, text)`, by `Error{code, text}` (also `return {code, text}` in a function that returns Error), or by
a helper of the same room that does so with its parameters. Texts are read from the C++ tokens: literals and string constants as
they are, everything else as `…`, alternatives as `a | b`.

scripts/docs writes and compares the page. Usage: error_list.py [REPOSITORY]
"""

import pathlib
import re
import sys

# Rooms in the order of the page, and who gets their errors. Reasons are parts of other messages.
ROOMS = {
    "table": "caller on the bus",
    "reading": "caller on the bus",
    "installing": "caller on the bus",
    "discovery": "caller on the bus",
    "legacy": "caller on the bus",
    "library": "caller on the bus",
    "sources": "caller on the bus, command line",
    "search": "reason in other messages",
    "content": "reason in other messages",
    "engine": "caller on the bus, worker",
    "sdk": "program that uses the SDK",
    "protocol": "connection",
    "ws": "connection",
    "net": "connection, log",
    "json": "reason in other messages",
    "base": "reason in other messages",
    "cli": "command line",
    "daemon": "command line",
    "mcp": "MCP client, or reason in other messages",
}
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|R"(?P<tag>[^(\s]*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d[\w.']*|::|->|&&|\|\||[-+*/%=!<>]=|\S",
    re.DOTALL | re.MULTILINE,
)
OPEN, CLOSE = "([{", ")]}"


class Literal(str):
    """A string literal, as opposed to a word of the language."""


def unescape(text):
    simple = {"n": " ", "t": " ", '"': '"', "\\": "\\", "'": "'", "r": ""}
    return re.sub(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|.)", lambda m: simple.get(m[1], "…"), text)


def tokens(text):
    """Adjacent literals are joined, comments and preprocessor lines dropped."""
    out = []
    for match in TOKEN.finditer(text):
        word = match[0]
        if word.startswith(("//", "/*")) or word.lstrip().startswith("#"):
            continue
        if match["text"] is not None or match["raw"] is not None:
            value = match["raw"] if match["raw"] is not None else unescape(match["text"])
            if out and isinstance(out[-1], Literal):
                value = out.pop() + value
            out.append(Literal(value))
        else:
            out.append(word)
    return out


def closing(words, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for place in range(at, len(words)):
        if isinstance(words[place], Literal):
            continue
        depth += words[place] in OPEN
        depth -= words[place] in CLOSE
        if depth == 0:
            return place
    return len(words) - 1


def split(words, separator):
    """At the outermost level; `<...>` of templates counts as words, since no text is in there."""
    parts, depth = [[]], 0
    for word in words:
        literal = isinstance(word, Literal)
        depth += not literal and word in OPEN
        depth -= not literal and word in CLOSE
        if depth == 0 and not literal and word == separator:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


class File:
    def __init__(self, words, constants):
        self.words = words
        self.constants = {**constants, **string_constants(words)}
        self.makers = {"fail": (["code", "text"], None, None)}
        self.bodies = {}
        self.find_helpers()

    def render(self, words, values=None):
        """The text of an expression. `values` are those of a helper's parameters."""
        values = values or {}
        alternatives = split(words, "?")
        if len(alternatives) == 2:
            branches = [self.render(branch, values) for branch in split(alternatives[1], ":")]
            said = [branch for branch in branches if branch]
            return (" | ".join(said) if len(said) == len(branches) else "[" + said[0] + "]") if said else "…"
        out = ""
        for part in split(words, "+"):
            out += self.render_part(part, values)
        return re.sub("…( ?…)+", "…", out)

    def render_part(self, part, values):
        if len(part) == 1:
            word = part[0]
            if isinstance(word, Literal):
                return str(word)
            return values.get(word, self.constants.get(word, "…"))
        if part and part[0] == "(" and closing(part, 0) == len(part) - 1:
            return self.render(part[1:-1], values)
        # std::string(x), std::move(x)
        for wrapper in (["std", "::", "string", "("], ["std", "::", "move", "("], ["std", "::", "string", "{"]):
            if part[: len(wrapper)] == wrapper and closing(part, len(wrapper) - 1) == len(part) - 1:
                return self.render(part[len(wrapper) : -1], values)
        return "…"

    def find_helpers(self):
        """Functions that return an error made from their parameters: name -> (parameters, code, text)."""
        for place, word in enumerate(self.words[:-1]):
            if word in ("fail", "if", "while", "for", "switch") or self.words[place + 1] != "(" or not re.match(r"[A-Za-z_]\w*$", word):
                continue
            end = closing(self.words, place + 1)
            if self.words[end + 1 : end + 2] != ["{"] or not self.returns_error(place):
                continue
            body = self.words[end + 2 : closing(self.words, end + 1)]
            parameters = [split(parameter, "=")[0] for parameter in split(self.words[place + 2 : end], ",")]
            names = [parameter[-1] for parameter in parameters if parameter]
            if body[:1] == ["return"] and ";" not in body[:-1]:
                made = self.made_by(body[1:-1])
                if made and any(name in made[1] or name in made[0] for name in names):
                    self.makers[word] = (names, *made)
                    self.bodies[word] = (end, closing(self.words, end + 1))

    def returns_error(self, place):
        before = self.words[max(0, place - 6) : place]
        return before[-1:] == ["Error"] or before[-3:] == ["<", "Error", ">"]

    def made_by(self, words):
        """(code, text) as expressions, for `fail(a, b)`, `{a, b}`, `Error{a, b}`."""
        if words[:2] == ["fail", "("]:
            parts = split(words[2 : closing(words, 1)], ",")
        elif words[:1] == ["{"]:
            parts = split(words[1 : closing(words, 0)], ",")
        elif words[:2] == ["Error", "{"]:
            parts = split(words[2 : closing(words, 1)], ",")
        else:
            return None
        parts = [part[3:] if part[:1] == ["."] and part[2:3] == ["="] else part for part in parts if part]
        return tuple(parts) if len(parts) == 2 else None

    def errors(self):
        # What a helper makes is shown where it is called; one that only other files call is shown itself.
        called = {word for place, word in enumerate(self.words[:-1]) if word in self.bodies and self.words[place + 1] == "(" and not self.is_definition(place)}
        hidden = [self.bodies[word] for word in called]
        for place, word in enumerate(self.words[:-1]):
            if isinstance(word, Literal) or any(begin < place < end for begin, end in hidden):
                continue
            if word in self.makers and self.words[place + 1] == "(" and not self.is_definition(place):
                arguments = split(self.words[place + 2 : closing(self.words, place + 1)], ",")
                names, code, text = self.makers[word]
                if word == "fail":
                    if len(arguments) == 2:
                        local = self.variables_before(place)
                        yield self.render(arguments[0], local), self.render(arguments[1], local)
                else:
                    values = {name: self.render(argument) for name, argument in zip(names, arguments)}
                    yield self.render(code, values), self.render(text, values)
            elif (word == "Error" and self.words[place + 1] == "{") or (word == "return" and self.words[place + 1] == "{"):
                made = self.made_by(self.words[place + (1 if word == "return" else 0) :])
                if made and self.is_error_code(made[0]):
                    yield self.render(made[0]), self.render(made[1])

    def variables_before(self, place):
        """Texts of the `std::string name = ...` that precede, in this function as far as it matters: later ones win."""
        found = {}
        for at in range(max(0, place - 200), place):
            words = self.words[at : at + 5]
            if words[:3] == ["std", "::", "string"] and words[4:5] == ["="]:
                end = at + 5
                while end < place and (self.words[end] != ";" or isinstance(self.words[end], Literal)):
                    end += 1
                found[words[3]] = self.render(self.words[at + 5 : end])
        return found

    def is_definition(self, place):
        return self.words[closing(self.words, place + 1) + 1 : closing(self.words, place + 1) + 2] == ["{"] or self.words[place - 1] in ("Error", ">")

    @staticmethod
    def is_error_code(words):
        return len(words) == 1 and isinstance(words[0], Literal) and bool(re.fullmatch(r"D\d{3}|invocation_failed|[a-z_]+_failed", words[0]))


def string_constants(words):
    """constexpr std::string_view kName = "..."; and const char* kName = "...";"""
    found = {}
    for place, word in enumerate(words):
        if re.match(r"k[A-Z]\w*$", word) and words[place + 1 : place + 2] == ["="] and isinstance(words[place + 2], Literal) and words[place + 3 : place + 4] == [";"]:
            found[str(word)] = str(words[place + 2])
    return found


def rows(root):
    """(code, text, next, who) of every error in the source, without repetitions."""
    found = {}
    for room, who in ROOMS.items():
        texts = {}
        for path in sorted(p for folder in (root / "src").glob(f"*/{room}") for p in folder.rglob("*")):
            if path.suffix in (".h", ".cpp") and not re.search(r"_test\.cpp$|testing\.h$|for_test\.", path.name):
                texts[path] = tokens(path.read_text(encoding="utf-8"))
        shared = {}
        for path, words in texts.items():
            if path.suffix == ".h":
                shared.update(string_constants(words))
        files = [File(words, shared) for words in texts.values()]
        helpers = {name: maker for file in files for name, maker in file.makers.items()}
        for file in files:
            file.makers = {**helpers, **file.makers}
        for file in files:
            for code, text in file.errors():
                text = re.sub(r"\s+", " ", text).strip()
                if not re.search(r"[a-z]{3}", text):
                    continue  # built from parts that the tokens do not show
                inner = re.match(r"(D\d{3}) ", text)
                text, _, step = text.partition(" Next: ")
                step = step or (re.match(r"Next: (.*)", text) or ["", ""])[1]
                found.setdefault((inner[1] if inner else code, text, step.rstrip(". ")), who)
    return found


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def page(root):
    out = [
        "# Errors",
        "",
        "Generated from the source by `scripts/docs`; do not edit.",
        "",
        "`…` is filled in at run time. On the bus, errors of the directory have the code `invocation_failed`, and their text begins",
        "with the code shown here. A reason is a part of another message. An error whose next step is empty names none.",
    ]
    groups = {"Codes of the directory": [], "Other codes": []}
    for (code, text, step), who in sorted(rows(root).items()):
        groups["Codes of the directory" if re.match(r"D\d", code) else "Other codes"].append((code, text, step, who))
    for title, lines in groups.items():
        out += ["", f"## {title}", "", "| code | text | next step | who gets it |", "|---|---|---|---|"]
        out += [f"| {' | '.join(map(cell, line))} |" for line in lines]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.stdout.write(page(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()))
