"""Runs a program under a pseudo-terminal: terminal.py COLUMNS SCRIPT PROGRAM [ARGUMENT ...]

SCRIPT is JSON: a list of steps [pattern, text]. When the output so far has the pattern, the text is typed ("\\u0003" is Ctrl-C).
Prints JSON: {"code": exit code, or -signal, "output": everything that reached the screen}.
"""
import fcntl, json, os, pty, re, select, struct, sys, termios, time

columns, steps, argv = int(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
pid, master = pty.fork()
if pid == 0:
    # Here and not in the parent, which may come too late for a program that asks at once.
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    os.execvp(argv[0], argv)
output, seen, end = b"", 0, time.monotonic() + 60
while time.monotonic() < end:
    readable, _, _ = select.select([master], [], [], 0.2)
    if readable:
        try:
            chunk = os.read(master, 65536)
        except OSError:
            break
        if not chunk:
            break
        output += chunk
    if steps and re.search(steps[0][0].encode(), output[seen:]):
        seen = len(output)
        os.write(master, steps.pop(0)[1].encode())
else:
    os.kill(pid, 9)
_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
json.dump({"code": code, "output": output.decode("utf-8", "replace")}, sys.stdout)
