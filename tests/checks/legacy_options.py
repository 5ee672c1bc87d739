#!/usr/bin/env python3
"""Checks that each earlier version can be left out of the build (III_LEGACY_015, III_LEGACY_041, III_LEGACY_051).

The file that adds the versions is compiled once without each of them and once without all: it must compile, and must not
need anything that only the missing version defines. What is always compiled must not include files of one version.

Usage: legacy_options.py BUILD_FOLDER   (of the Ninja generator, after a build)
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEGACY = ROOT / "src" / "legacy"
OBJECT = "src/legacy/CMakeFiles/iii_legacy.dir/generations.cpp.o"
# Functions that are defined in files of that version.
ONLY_IN = {
    "015": ["add_registered_skill_functions", "add_registered_prompt_functions"],
    "041": ["add_download_041", "add_prompt_get_041", "add_fetch", "add_registry_041", "add_introspection_041"],
    "051": ["add_introspection_051"],
}


def files_of_versions():
    """Sources that src/legacy/CMakeLists.txt adds under a condition."""
    text = (LEGACY / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.findall(r"if\(III_LEGACY_(\d+)\)\n(.*?)endif", text, re.DOTALL)
    return {name[:-4] for _, block in found for name in re.findall(r"\w+\.cpp", block) if not name.endswith("_test.cpp")}


def problems(build):
    versioned = files_of_versions()
    for source in sorted(LEGACY.glob("*.cpp")):
        if source.stem in versioned or source.stem == "generations" or source.stem.endswith("_test"):
            continue
        for name in re.findall(r'#include "legacy/(\w+)\.h"', source.read_text(encoding="utf-8")):
            if name in versioned:
                yield f"{source.name} is always compiled and includes {name}.h, which is not"
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", OBJECT], capture_output=True, text=True, check=True)
    command = commands.stdout.strip().splitlines()[-1]
    for out in (["015"], ["041"], ["051"], list(ONLY_IN)):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "generations.o"
            words = re.sub(r" -MD -MT \S+ -MF \S+ -o \S+", f" -o {made}", command)
            for version in out:
                words = words.replace(f"-DIII_LEGACY_{version}=1", f"-DIII_LEGACY_{version}=0")
            done = subprocess.run(words, shell=True, cwd=build, capture_output=True, text=True)
            if done.returncode != 0:
                yield f"without {', '.join(out)}: {done.stderr[:2000]}"
                continue
            needed = subprocess.run(["nm", "-C", "--undefined-only", made], capture_output=True, text=True, check=True).stdout
            for version in out:
                for name in ONLY_IN[version]:
                    if re.search(rf"\b{name}\(", needed):
                        yield f"without {version}: {name} is needed all the same"


if __name__ == "__main__":
    found = list(problems(sys.argv[1]))
    print("\n".join(found) or "each version can be left out")
    sys.exit(bool(found))
