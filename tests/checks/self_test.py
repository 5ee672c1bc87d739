#!/usr/bin/env python3
"""Shows that the checks of the source tree find what they are for: each runs on a small tree with one thing wrong."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
sys.dont_write_bytecode = True

import error_list  # noqa: E402
import left_out  # noqa: E402
import links  # noqa: E402
import references  # noqa: E402
import rooms_test  # noqa: E402


class TreeTest(unittest.TestCase):
    tree = {}

    def problems_with(self, changes):
        """What the check says about `tree` with these files changed."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**self.tree, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return self.check(root)

    def assert_one(self, found, *words):
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])


class Rooms(TreeTest):
    check = staticmethod(rooms_test.problems)
    tree = {
        "src/CMakeLists.txt": "add_subdirectory(bus/low)\nadd_subdirectory(bus/mid)\nadd_subdirectory(faces/top)\n",
        "src/bus/low/README.md": "# low\n\nMay include: nothing.\nLibraries: fmt.\n",
        "src/bus/low/CMakeLists.txt": "iii_room(low\n  SOURCES low.cpp\n  DEPS fmt::fmt)\n",
        "src/bus/low/low.h": "",
        "src/bus/mid/README.md": "# mid\n\n| file | what |\n|---|---|\n| `mid` | all |\n\nMay include: low.\n",
        "src/bus/mid/CMakeLists.txt": "iii_room(mid SOURCES mid.cpp DEPS iii_low)\n",
        "src/bus/mid/mid.h": '#include "bus/low/low.h"\n',
        "src/faces/top/README.md": "# top\n\nMay include: low (`door` only), mid.\n",
        "src/faces/top/CMakeLists.txt": "iii_room(top SOURCES door.cpp DEPS iii_mid)\n",
        "src/faces/top/door.cpp": '#include "bus/low/low.h"\n#include "bus/mid/mid.h"\n',
    }

    def test_a_good_tree_passes(self):
        self.assertEqual(self.problems_with({}), [])

    def test_an_include_that_is_not_allowed(self):
        found = self.problems_with({"src/bus/low/low.h": '#include "bus/mid/mid.h"\n'})
        self.assertTrue(any("src/bus/low/low.h:1: low may not include mid" in line for line in found), found)

    def test_an_include_from_another_file_than_the_exception_names(self):
        found = self.problems_with({"src/faces/top/wall.cpp": '#include "bus/low/low.h"\n'})
        self.assert_one(found, "src/faces/top/wall.cpp:1", "only door")

    def test_a_test_of_the_excepted_file_may_include_it_too(self):
        self.assertEqual(self.problems_with({"src/faces/top/door_test.cpp": '#include "bus/low/low.h"\n'}), [])

    def test_a_room_without_the_line(self):
        found = self.problems_with({"src/bus/low/README.md": "# low\n\nLibraries: fmt.\n"})
        self.assert_one(found, "src/bus/low/README.md", "May include")

    def test_a_line_that_does_not_follow_the_grammar(self):
        found = self.problems_with({"src/bus/mid/README.md": "May include: low and others.\n"})
        self.assert_one(found, "grammar", "and others")

    def test_a_room_that_does_not_exist(self):
        found = self.problems_with({"src/bus/mid/README.md": "May include: low, cellar.\n"})
        self.assert_one(found, "no room cellar")

    def test_a_folder_inside_a_room(self):
        tree = {
            "src/bus/mid/in/README.md": "May include: low, mid/mid.\n",
            "src/bus/mid/in/a.cpp": '#include "bus/low/low.h"\n#include "bus/mid/in/a.h"\n#include "bus/mid/mid.h"\n',
        }
        self.assertEqual(self.problems_with(tree), [])
        found = self.problems_with({**tree, "src/bus/mid/in/b.cpp": '#include "bus/mid/other.h"\n'})
        self.assert_one(found, "src/bus/mid/in/b.cpp:1", "mid/in may not include mid/other.h")
        self.assert_one(self.problems_with({**tree, "src/bus/mid/in/a.cpp": '#include "bus/mid/mid.h"\n'}), "allows low")

    def test_a_permission_that_nobody_uses(self):
        found = self.problems_with({"src/bus/mid/mid.h": ""})
        self.assert_one(found, "allows low, which nothing includes")

    def test_a_link_that_is_not_allowed(self):
        found = self.problems_with({"src/bus/low/CMakeLists.txt": "iii_room(low SOURCES l.cpp DEPS fmt::fmt iii_mid)\n"})
        self.assert_one(found, "links iii_mid")

    def test_an_include_without_a_link(self):
        found = self.problems_with({"src/bus/mid/CMakeLists.txt": "iii_room(mid SOURCES mid.cpp)\n"})
        self.assertIn("src/bus/mid/CMakeLists.txt: includes low without linking iii_low", found)

    def test_a_library_that_is_not_named_and_one_that_is_not_linked(self):
        found = self.problems_with({"src/bus/low/README.md": "May include: nothing.\nLibraries: simdjson.\n"})
        self.assertEqual(len(found), 2, found)

    def test_a_cycle(self):
        found = self.problems_with(
            {
                "src/bus/low/README.md": "May include: top.\nLibraries: fmt.\n",
                "src/bus/low/low.h": '#include "faces/top/door.h"\n',
                "src/bus/low/CMakeLists.txt": "iii_room(low SOURCES low.cpp DEPS fmt::fmt iii_top)\n",
            }
        )
        self.assertTrue(any("cycle: low → top → low" in line for line in found), found)

    def test_a_room_of_a_later_group(self):
        found = self.problems_with(
            {
                "src/bus/mid/README.md": "May include: low, last.\n",
                "src/bus/mid/CMakeLists.txt": "iii_room(mid SOURCES mid.cpp DEPS iii_low iii_last)\n",
                "src/bus/mid/mid.h": '#include "bus/low/low.h"\n#include "app/last/last.h"\n',
                "src/app/last/README.md": "May include: nothing.\n",
                "src/app/last/CMakeLists.txt": "iii_room(last SOURCES last.cpp)\n",
                "src/CMakeLists.txt": "add_subdirectory(app/last)\n" + self.tree["src/CMakeLists.txt"],
            }
        )
        self.assert_one(found, "bus may not include last of app")

    def test_a_room_that_is_added_too_early(self):
        order = "add_subdirectory(bus/mid)\nadd_subdirectory(bus/low)\nadd_subdirectory(faces/top)\n"
        self.assert_one(self.problems_with({"src/CMakeLists.txt": order}), "adds mid before low")

    def test_a_file_that_does_not_exist(self):
        for text in ("| file | what |\n|---|---|\n| `gone` | x |\n", "See `gone.h`.\n", "- `mid`, `gone` — both.\n"):
            found = self.problems_with({"src/bus/mid/README.md": text + "\nMay include: low.\n"})
            self.assert_one(found, "there is no file `gone")


class ErrorList(TreeTest):
    @staticmethod
    def check(root):
        return [list(row) + [who] for row, who in sorted(error_list.rows(root).items())]

    def assert_rows(self, source, *expected):
        self.assertEqual(self.problems_with({"src/directory/reading/a.cpp": source}), [[*row, "caller on the bus"] for row in expected])

    def test_a_literal_with_its_next_step(self):
        self.assert_rows('f() { return fail("D1", "bad " "id. Next: call a::b."); }', ("D1", "bad id.", "call a::b"))

    def test_values_and_alternatives(self):
        self.assert_rows('return fail("c", "the " + std::to_string(n) + (n ? " files" : " folders"));', ("c", "the … files | folders", ""))

    def test_a_helper_and_a_constant(self):
        source = """
constexpr std::string_view kNext = " Next: retry.";
std::unexpected<Error> refuse(std::string reason) { return fail("D311", "D311 bad: " + std::move(reason) + "." + std::string(kNext)); }
Result<void> f() { return refuse("no name"); }
"""
        self.assert_rows(source, ("D311", "D311 bad: no name.", "retry"))

    def test_a_helper_of_another_file(self):
        files = {
            "src/directory/reading/a.cpp": 'std::unexpected<Error> refuse(std::string reason) { return fail("D311", "D311 bad: " + reason); }',
            "src/directory/reading/b.cpp": 'Result<void> f() { return refuse("no name"); }',
        }
        self.assertIn(["D311", "D311 bad: no name", "", "caller on the bus"], self.problems_with(files))

    def test_an_error_that_is_returned_as_a_value(self):
        self.assert_rows('Error f() { return {.code = "D320", .message = "D320 away: " + why}; }', ("D320", "D320 away: …", ""))

    def test_comments_and_tests_do_not_count(self):
        self.assert_rows('// fail("a", "text")\n')
        self.assertEqual(self.problems_with({"src/directory/reading/a_test.cpp": 'fail("a", "text");'}), [])


class Links(TreeTest):
    check = staticmethod(lambda root: list(links.problems(root)))
    tree = {
        "README.md": "# A page\n\n[there](docs/a.md#two-words), [here](#a-page), [away](https://example.com/x), `[code](no.md)`\n",
        "docs/a.md": "## Two `words`\n\n```\n[shown](no.md)\n```\n[up](../README.md)\n",
    }

    def test_good_links_pass(self):
        self.assertEqual(self.problems_with({}), [])

    def test_a_file_that_does_not_exist(self):
        self.assert_one(self.problems_with({"docs/b.md": "\n[x](c.md)\n"}), "docs/b.md:2", "no such file")

    def test_a_heading_that_does_not_exist(self):
        self.assert_one(self.problems_with({"docs/b.md": "[x](a.md#three)\n"}), "no such heading")

    def test_a_picture_that_does_not_exist(self):
        self.assert_one(self.problems_with({"docs/b.md": "![x](images/c.png)\n"}), "no such file")
        self.assert_one(self.problems_with({"docs/b.md": '<img src="images/c.png">\n'}), "no such file")

    def test_a_picture_that_no_page_shows(self):
        self.assert_one(self.problems_with({"docs/images/c.png": ""}), "docs/images/c.png: no page shows")


class References(TreeTest):
    check = staticmethod(references.problems)
    tree = {
        "docs/protocol/wire.md": "# Wire\n\n## 1. One\n\n### 1.2 Two (§1)\n\n| row | x |\n|---|---|\n| E01 | x |\n",
        "docs/protocol/other.md": "## 7. Seven\n\nSee wire §1.2.\n",
        "src/a.h": "// wire §1, §1.2 and other §7; wire\n// §1. Row E01. RFC 6455 §5.2.\n",
    }

    def test_good_references_pass(self):
        self.assertEqual(self.problems_with({}), [])

    def test_a_section_that_does_not_exist(self):
        self.assert_one(self.problems_with({"src/b.cpp": "\n// wire §1.3\n"}), "src/b.cpp:2", "no section 1.3")
        self.assert_one(self.problems_with({"README.md": "wire §1–1.9\n"}), "README.md:1", "no section 1.9")
        self.assert_one(self.problems_with({"docs/protocol/other.md": "## 7. Seven\n\n§8\n"}), "no section 8")

    def test_a_section_without_a_document(self):
        for text in ("// §1\n", "// wire-protocol §1\n", "// wire §1 says so. But §1.2 too.\n"):
            self.assert_one(self.problems_with({"src/b.cpp": text}), "of which document")

    def test_two_section_signs(self):
        found = self.problems_with({"src/b.cpp": "// wire §§1, 1.2\n"})
        self.assertIn("src/b.cpp:1: write § before each section", found)

    def test_a_rule_that_does_not_exist(self):
        self.assert_one(self.problems_with({"src/b.cpp": "int E99;  // E02\n"}), "src/b.cpp:1", "E02")


class LeftOut(unittest.TestCase):
    def test_subtests_and_unit_tests_are_counted_with_their_reasons(self):
        log = """1/3 Testing: e2e/x
1/3 Test: e2e/x
Command: "run" "x.test.mjs"
﹣ one (0.628865ms) # left out: cargo is not installed
▶ parent
  ﹣ two (4.2ms) # left out: cargo is not installed
  ﹣ three (0.1ms)
✔ parent (4.7ms)
ℹ skipped 3
2/3 Test: net/DeadPeerTest.IsGone
/somewhere/dead_peer_test.cpp:108: Skipped
`ip link`: Operation not permitted

[  SKIPPED ] DeadPeerTest.IsGone (2 ms)
3/3 Test: base/Fine.Fine
[       OK ] Fine.Fine (0 ms)
"""
        self.assertEqual(
            left_out.left_out(log),
            {
                ("e2e/x", "cargo is not installed"): 2,
                ("e2e/x", "no reason is given"): 1,
                ("net/DeadPeerTest.IsGone", "`ip link`: Operation not permitted"): 1,
            },
        )


if __name__ == "__main__":
    unittest.main()
