"""On a terminal tables fit its width and verdicts have colours; elsewhere neither changes what is printed."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios

from program_testing import Failures, environment, finish, run, several_cells, write

COLOUR = re.compile(r"\x1b\[\d+m")


def on_terminal(command, folder, width, **variables):
    """What the command prints where standard output is a terminal of so many columns."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    env = {name: value for name, value in environment(TERM="xterm", **variables).items()
           if name in variables or name not in ("COLUMNS", "NO_COLOR", "CLICOLOR_FORCE")}
    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=other, stderr=subprocess.PIPE)
    os.close(other)
    text = b""
    is_over = False
    while True:
        try:
            text += os.read(main, 65536)
        except OSError:  # the last writer is gone, but a reader that was held up just then may not have seen its last words
            if is_over:
                break
            process.communicate(timeout=60)
            is_over = True
    os.close(main)
    return text.decode().replace("\r\n", "\n")


def check_width(failures, harness, folder):
    show = [harness, "show", "results-out/cells.h5"]
    whole = run(show, folder).stdout
    widest = max(map(len, whole.splitlines()))
    if on_terminal(show, folder, widest) != whole or on_terminal(show, folder, 40, COLUMNS=str(widest)) != whole:
        failures.append("show: changed on a terminal that is wide enough")
    for width in (60, 80, 120):
        for text in (on_terminal(show, folder, width), on_terminal(show, folder, 300, COLUMNS=str(width))):
            lines = text.splitlines()
            if max(map(len, lines)) > width or not lines[0].startswith("every row: ") or "pipeline tm" not in text:
                failures.append(f"show on {width} columns:\n{text}")
            if ("left out:" in text or "cut:" in text) != ("(everything: --csv" in text):
                failures.append(f"show on {width} columns does not say how to see the rest:\n{text}")
    for form in (["--csv"], ["--json"], ["--format", "markdown"]):
        if on_terminal([*show, *form], folder, 60) != run([*show, *form], folder).stdout:
            failures.append(f"show {form}: changed on a terminal")


def check_colours(failures, harness, folder):
    compare = [harness, "compare", "results-out/cells.h5", "other/cells.h5"]
    plain = run(compare, folder).stdout
    for what, text in (("on a terminal", on_terminal(compare, folder, 200)),
                       ("with CLICOLOR_FORCE", run(["env", "CLICOLOR_FORCE=1", *compare], folder).stdout)):
        if COLOUR.sub("", text) != plain or "\x1b[31mregression\x1b[0m" not in text:
            failures.append(f"compare {what}:\n{text}")
    for what, text in (("with NO_COLOR", on_terminal(compare, folder, 200, NO_COLOR="1", CLICOLOR_FORCE="1")),
                       ("on a dumb terminal", on_terminal(["env", "TERM=dumb", *compare], folder, 200)),
                       ("with CLICOLOR_FORCE=0", run(["env", "CLICOLOR_FORCE=0", *compare], folder).stdout)):
        if text != plain:
            failures.append(f"compare {what}:\n{text}")
    refused = run(["env", "CLICOLOR_FORCE=1", harness, "show", "nothing.h5"], folder).stderr
    if not refused.startswith("\x1b[31mharness:\x1b[0m nothing.h5"):
        failures.append(f"an error with CLICOLOR_FORCE: {refused!r}")
    doctor = on_terminal([harness, "doctor"], folder, 200)
    if not re.search(r"^\x1b\[32mok\x1b\[0m    ", doctor, re.MULTILINE):
        failures.append(f"doctor on a terminal:\n{doctor}")


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "cells.toml", several_cells(2))
        run([harness, "cells.toml", "--quiet"], folder)
        run([harness, "cells.toml", "--quiet", "--set", "cluster.network_delay_ms=300", "-o", "other"], folder)
        check_width(failures, harness, folder)
        check_colours(failures, harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
