#!/usr/bin/env python3
"""Reads a log of requests and writes it in the one form that the harness reads (logs/canonical.py):
what `harness trace import` runs. It prints what was read as what, and notes of what a reader should
know beside it."""

import argparse
import hashlib
import os
import stat
import sys

try:
    import logs
    from logs import canonical
    from logs.messages import Place, bad_input, raw, shown
except ModuleNotFoundError as missing:
    if missing.name != "numpy":
        raise
    sys.exit(print(f"{sys.executable}: no package numpy, which reads traces; python3 -m venv env; env/bin/pip install numpy; "
                   "export HARNESS_PYTHON=$PWD/env/bin/python", file=sys.stderr) or 3)

LARGEST = 1 << 29  # bytes of a log
PARTS = ("load", "functions", "modules")
KINDS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message):
        raise logs.BadInput(shown(raw(message)))


def options_of(words):
    """Returns the options that the words give."""
    parser = Parser(prog="traces.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("log", metavar="LOG", help="the log, plain or packed")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="the file to write")
    parser.add_argument("--format", default="auto", help="auto, times, counts, rates, counter, gaps or a published one")
    parser.add_argument("--column", default="", help="columns of counts, or functions, to add up; of modules: their names")
    parser.add_argument("--time-column", default="", help="the column of times")
    parser.add_argument("--time-unit", default="auto", help="of its numbers: s, ms, us, ns")
    parser.add_argument("--bin-s", metavar="X", type=float, default=0.0, help="the length of the bins of counts, in s")
    parser.add_argument("--rate-unit", default="auto", help="rates: requests per s, minute, hour or day")
    parser.add_argument("--holes", default="refuse", help="what missing bins become: zero, interpolate, cut")
    parser.add_argument("--where", action="append", default=[], metavar="COLUMN=VALUE", help="the rows that are read")
    parser.add_argument("--group-by", default="", metavar="COLUMN", help="whose equal values are one request")
    parser.add_argument("--parts", default="load", choices=PARTS,
                        help="what is read: requests, invocations by function, or requests by module")
    parser.add_argument("--name", help="how messages call the log")
    parser.add_argument("--place", nargs=4, metavar=("KEY", "FILE", "LINE", "NAME"), help="where a key stands, for messages")
    places, rest, at = {}, [], 0
    while at < len(words):
        if words[at] == "--place" and "--" not in rest and len(words) > at + 4:  # NAME may begin with --
            key, file, line, name = words[at + 1:at + 5]
            places[key] = Place(raw(file), int(line) if line.isdecimal() else 0, raw(name))
            at += 4
        else:
            rest.append(words[at])
        at += 1
    options = parser.parse_args(rest)
    options.places = places
    return options


def bytes_of(path, name):
    """Returns the bytes of a file. Raises BadInput for one that is missing, too large or no regular
    file."""
    def refused(found, allowed="a readable file"):
        return bad_input(Place(raw(name)), found, allowed)
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise refused(next((kind for is_kind, kind in KINDS if is_kind(mode)), "a device"))
        with open(path, "rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise refused("no such file") from None
    except (OSError, ValueError) as error:
        raise refused(getattr(error, "strerror", None) or str(error)) from None
    if len(data) > LARGEST:
        raise refused(f"more than {LARGEST >> 20} MiB", f"at most {LARGEST >> 20} MiB")
    return data


def run(words):
    """Imports a log. Raises BadInput; OSError where the result cannot be written."""
    options = options_of(words)
    canonical.refuse_output(options.output)
    name = options.log if options.name is None else options.name
    data = bytes_of(options.log, name)
    if os.path.exists(options.output) and os.path.samefile(options.log, options.output):
        raise bad_input(Place(key="-o"), "the log itself", "another name")
    checksum = hashlib.sha256(data).hexdigest()
    known = ("format", "column", "time_column", "time_unit", "bin_s", "rate_unit", "holes", "where", "group_by", "places")
    trace = logs.read(name, data, {key: getattr(options, key) for key in known}, options.parts)
    del data
    canonical.write(options.output, trace, options.parts, options.log, checksum)
    lines = [f"{shown(raw(name))}: read as {trace.reading}", *(f"note: {note}" for note in trace.notes)]
    sys.stdout.buffer.write("".join(line + "\n" for line in lines).encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def main(words):
    """Returns the exit code: 2 with one line for bad input, 3 with one where the machine is at
    fault."""
    code = 3
    try:
        if words == ["--words-from-input"]:  # each with a zero byte behind it: they may be long
            words = [os.fsdecode(word) for word in sys.stdin.buffer.read().split(b"\0")[:-1]]
        run(words)
        return 0
    except logs.BadInput as error:
        line, code = str(error), 2
    except OSError as error:
        line = f"{shown(raw(os.fsdecode(error.filename or 'output')))}: cannot write: {error.strerror}"
    except KeyboardInterrupt:
        line = "interrupted while a trace was imported"
    except MemoryError:
        line = "not enough memory for this log"
    sys.stderr.buffer.write((line + "\n").encode("utf-8", "replace"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
