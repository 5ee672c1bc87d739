#!/usr/bin/env python3
"""What verbs cost at 60 000 skills: bench/cli.py PROGRAM [SKILLS] [RUNS]

Process time (user and system) and elapsed time of `list`, `show` and `search`, median of RUNS, with a running server and without one (the index
is warm), beside `ls -R` of the same tree. `list` shows a terminal's page (--limit 100) and everything (--all, and as JSON).
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

program = os.path.abspath(sys.argv[1])
skills = int(sys.argv[2]) if len(sys.argv) > 2 else 60_000
runs = int(sys.argv[3]) if len(sys.argv) > 3 else 11


def make_tree(root):
    for i in range(skills):
        folder = f"{root}/ns{i // 100:03}"
        if i % 100 == 0:
            os.makedirs(folder)
        with open(f"{folder}/skill-{i:05}.md", "w", encoding="utf-8") as file:
            file.write(f"---\ntitle: Skill number {i}\ndescription: Says what to do about case {i} of table{i % 977}.\n---\n# Skill {i}\n\nText.\n")


def measure(argv, environment):
    process_ms, elapsed_ms, size = [], [], 0
    for _ in range(runs):
        begin = time.monotonic()
        child = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        size = len(child.stdout.read())
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        elapsed_ms.append((time.monotonic() - begin) * 1000)
        process_ms.append((usage.ru_utime + usage.ru_stime) * 1000)
        if child.returncode != 0:
            sys.exit(f"{' '.join(argv)}: {child.returncode}: {errors.decode()}")
    return statistics.median(process_ms), statistics.median(elapsed_ms), size


work = tempfile.mkdtemp(prefix="bench-cli-")
server = None
try:
    tree = f"{work}/skills"
    make_tree(tree)
    environment = {**os.environ, "HOME": work, "III_URL": "", "III_TOKEN": "", "LC_ALL": "C.UTF-8"}
    server = subprocess.Popen(
        [program, "serve", "--port", "0", "--http-port", "0", "--data", f"{work}/data", "--skills", tree],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=work)
    url = re.search(rb"ws=(\S+)", server.stdout.readline())[1].decode()
    verbs = [
        ["list", "--limit", "100"], ["list", "--all"], ["list", "--json"],
        ["show", f"ns{skills // 200:03}/skill-{skills // 2:05}"], ["search", "case", str(skills // 3)],
    ]
    print(f"{skills} skills, median of {runs} runs\n")
    print(f"{'':44} {'process':>9} {'elapsed':>9} {'output':>10}")

    def row(name, argv):
        process, elapsed, size = measure(argv, environment)
        print(f"{name:44} {process:6.1f} ms {elapsed:6.1f} ms {size / 1024:7.0f} KB", flush=True)

    row("ls -R", ["ls", "-R", tree])
    for verb in verbs:
        row("server:  " + " ".join(verb), [program, *verb, "--url", url])
    for verb in verbs:
        measure([program, *verb, "--skills", tree], environment)  # warms the index
        row("folders: " + " ".join(verb), [program, *verb, "--skills", tree])
finally:
    if server is not None:
        server.terminate()
        server.wait()
    shutil.rmtree(work)
