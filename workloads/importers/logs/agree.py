"""Compares this package with the reader of the program, which it is to replace, over the texts of the reader's tests, files of a folder
and generated variations: python3 -m logs.agree PROGRAM REPOSITORY [--cases FOLDER ...] [--seed N] [--show N]."""

import argparse
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import BadInput, Place, read
from .trace import in_order

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//[^\n]*|[A-Za-z_][\w:]*|\d[\d.\']*(?:e[+-]?\d+)?|<<|\S|\s+', re.DOTALL)
# What this package reads or says otherwise, by intention: parts of its lines; objects of JSON a line are tables.
INTENDED = re.compile(r"year is missing|--group-by|--where|whole numbers on one line|counts on one line|of whole numbers|spans of |with its tokens|starts in "
                      r"column|durations without a unit|without a unit in column 'end_timestamp'|time_unit with counts without|increase\(|(day|hour|minute), (hour|minute|second)|one line of")
HOLES = "; or --holes zero, interpolate or cut"
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


@dataclass
class Case:
    """A file and how it is read."""

    name: str
    data: bytes
    keys: dict = field(default_factory=dict)


# ---- texts of the tests in C++ ----


def text_of_literal(token):
    return re.sub(r"\\(x[0-9a-f]+|.)", lambda match: chr(int(match[1][1:], 16)) if match[1][0] == "x" else ESCAPES.get(match[1], match[1]),
                  token[1:-1], flags=re.DOTALL)


def python_of(tokens):
    """Returns an expression of C++ as one of Python: braces are calls behind a name, else lists."""
    parts, closing = [], []
    for token in tokens:
        if token.startswith("//") or token.isspace():
            continue
        if token[0] in "\"'":
            token = repr(text_of_literal(token))
        elif token[0].isdigit():
            token = token.replace("'", "")
        elif token == "{":
            is_call = parts and re.fullmatch(r"\w+", parts[-1]) and not parts[-1][0].isdigit()
            closing.append(")" if is_call else "]")
            token = "(" if is_call else "["
        elif token == "}":
            token = closing.pop()
        else:
            token = {"std::string": "string", "std::to_string": "str"}.get(token, token)
        parts.append(token)
    return " ".join(parts)


def balanced(tokens, begin):
    """Returns where the bracket at `begin` closes."""
    depth = 0
    for at in range(begin, len(tokens)):
        depth += (tokens[at] in "({[") - (tokens[at] in ")}]")
        if depth == 0:
            return at
    raise ValueError("no end")


def settings_of(text):
    keys = dict(word.split("=", 1) for word in text.split())
    if "bin_s" in keys:
        keys["bin_s"] = float(keys["bin_s"])
    return keys


def minutes_of(header, values):
    return header + "\n" + "".join(f"2024-05-01 10:{at:02d},{value}\n" for at, value in enumerate(values))


def azure_header(with_day=True):
    return ("hash_func,day" if with_day else "HashOwner,HashApp,HashFunction,Trigger") + "".join(f",{n + 1}" for n in range(1440)) + "\n"


def azure_row(begin, first):
    return f"{begin},{first}" + ",0" * 1438 + ",1\n"


def flipped(text):
    return text[:len(text) // 2] + chr(ord(text[len(text) // 2]) ^ 0x55) + text[len(text) // 2 + 1:]


HELPERS = {
    "true": True, "false": False, "kPerSecond": [], "string": lambda text, count=None: text[:count] if isinstance(text, str) else text * count,
    "three": lambda column: f"time,{column}\n2024-05-01 10:00:00,60\n2024-05-01 10:01:00,90\n2024-05-01 10:02:00,30\n",
    "minutes_of": minutes_of, "rising": lambda rows: [str(10000 + 7 * at) for at in range(rows)],
    "stamped": lambda columns: "".join(f"2024-05-01 10:0{minute},{columns}\n" for minute in range(4)),
    "counts_text": lambda title, bin_s, counts: f"# {title}\n# bin_s = {bin_s}\n# decimal = .\ncount\n" + "".join(f"{n}\n" for n in counts),
    "counts": [10 + 7 * at for at in range(30)], "azure_header": azure_header, "azure_row": azure_row, "cut": lambda text, size: text[:len(text) - size], "flipped": flipped,
    "packed": lambda text: gzip.compress(text.encode("latin-1"), mtime=0).decode("latin-1")}


def cases_of_test(path):
    """Yields the Cases in a test of C++, and None for a call that is not understood."""
    tokens = [token for token in TOKEN.findall(path.read_text()) if not token.isspace() and not token.startswith("//")]
    found, known = [], dict(HELPERS)

    def case(name, text, keys=None):
        found.append(Case(f"{path.name}: {name}", text.encode("latin-1"), keys or {}))
    known |= {
        "refused": lambda name, text, message, settings="": case(name, text, settings_of(settings)),
        "PlainLog": lambda name, text, settings, *others: case(name, text, settings_of(settings)),
        "rate_of": lambda name, column, values, settings="": case(name, HELPERS["three"](column), settings_of(settings)),
        "times_of": lambda name, text, values, message, settings="": case(name, text, settings_of(settings)),
        "BadTrace": lambda name, text, format, message, column="": case(name, text, {"format": format} | ({"column": column} if column else {})),
        "read": lambda text, format="auto", column="": case("read", text, {"format": format} | ({"column": column} if column else {}))}
    for at, token in enumerate(tokens):
        if token == "std::string" and tokens[at - 1] == "const" and tokens[at + 2] == "=":
            try:
                known[tokens[at + 1]] = eval(python_of(tokens[at + 3:tokens.index(";", at)]), known)
            except (SyntaxError, NameError, TypeError, ValueError):
                pass
        is_call = token in ("refused", "PlainLog", "rate_of", "times_of", "BadTrace", "read") and tokens[at + 1] in "({"
        if is_call and tokens[at - 1] not in ("TraceData", "inline", "struct"):
            try:
                eval(python_of(tokens[at:balanced(tokens, at + 1) + 1]), known)
            except (SyntaxError, NameError, TypeError, ValueError, AttributeError):
                if "const std::string &" not in " ".join(tokens[at:at + 12]):
                    yield None
    yield from found


def names_in(path):
    """Returns the names of columns in the test of names."""
    return [*dict.fromkeys(text_of_literal(token) for token in TOKEN.findall(path.read_text()) if token[0] == '"' and not token.endswith('.h"'))]


def cases_of_names(path):
    rows = [("10:00:00", 60), ("10:01:00", 90), ("10:02:00", 31)]
    for number, name in enumerate(names_in(path)):
        header = f'"{name}"' if "," in name else name
        beside = "time," + header + "\n" + "".join(f"2024-05-01 {clock},{count}\n" for clock, count in rows)
        before = header + ",model\n" + "".join(f"{count}.5,a\n" for _, count in sorted(rows, key=lambda row: row[1]))
        for keys in ({}, {"format": "counts"}, {"column": "2"}, {"format": "counter"}, {"time_column": "2", "time_unit": "ms"})[:5 if number % 3 else 2]:
            yield Case(f"name '{name}' beside times", beside.encode(), keys)
        yield Case(f"name '{name}' before models", before.encode(), ({}, {"format": "times"}, {"format": "gaps"}, {"time_unit": "s"})[number % 4])


# ---- generated variations ----

STAMPS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M", "%Y%m%d%H%M%S",
          "%d/%b/%Y:%H:%M:%S +0000", "%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%d %H:%M:%S+02:00", "%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d", "%s", "%s.5",
          "%s123", "%s000000", "%s123456789", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%b %d %H:%M:%S", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S-0530")
TIME_NAMES = ("time", "timestamp", "arrival_s", "arrival_ms", "Timestamp (us)", "start time", "ts", "minute", "request_time", "end_timestamp",
              "x", "date", "createdAt", "gap_ms", "window_end", "t", "1", "")
COUNT_NAMES = ("count", "requests", "rps", "Throughput (req/s)", "value", "requests_total", "krps", "model", "tokens", "latency_ms", "data",
               "rpm", "n", "avg_requests", "2", "", "num_requests", "hits per minute", "rate", "duration", "a b")


def values_like(kind, count, rng):
    if kind == "whole":
        return [str(rng.randrange(1, 400)) for _ in range(count)]
    if kind == "fraction":
        return [f"{rng.random() * 90:.{rng.choice((1, 2, 3, 6))}f}" for _ in range(count)]
    if kind == "rising":
        return [str(value) for value in np.cumsum([rng.randrange(0, 9) for _ in range(count)])]
    if kind == "dotted":
        return [f"{rng.randrange(1, 9)}.{rng.randrange(1000):03d}" for _ in range(count)]
    if kind == "comma":
        return [f"{rng.randrange(1, 900)},{rng.randrange(10)}" for _ in range(count)]
    if kind == "power":
        return [f"{rng.random() * 1e6:.{rng.choice((2, 6, 9))}e}" for _ in range(count)]
    if kind == "grouped":
        return [f"{rng.randrange(1000, 99999):,}" for _ in range(count)]
    if kind == "words":
        return [rng.choice(("a", "b c", "GET /a", "x=1", "ok")) for _ in range(count)]
    return [rng.choice(("5", "", "nan", "-3", "1e15", "+7", "0x1", "7 req/s", "12", "8")) for _ in range(count)]


def times_like(rng, count):
    """Returns the texts of times: dates or numbers, even, rising, or falling."""
    import datetime
    step = rng.choice((1, 60, 60, 3600, 0.25, 300))
    begin = rng.choice((1714557600, 1698541200, 1698540000, 0, 1709164740))
    shape = rng.choice(("even", "even", "rising", "rising", "falling", "hour", "gap", "twice", "jitter"))
    seconds = [begin + at * step if shape == "even" else begin + at * step + rng.random() * step for at in range(count)]
    at = rng.randrange(1, count)
    if shape == "falling":
        rng.shuffle(seconds)
    if shape == "hour":
        seconds = [begin + step * place - (3600 if place >= at else 0) for place in range(count)]
    if shape == "gap":
        seconds = [begin + step * (place + (place >= at)) for place in range(count)]
    if shape == "twice":
        seconds = [begin + step * (place - (place >= at)) for place in range(count)]
    if shape == "jitter":
        seconds = [begin + step * (place + rng.random() * 0.04) for place in range(count)]
    form = rng.choice((*STAMPS, "number", "number", "number", "rounded", "power"))
    if form in ("number", "rounded", "power"):
        seconds = [second - begin * rng.choice((0, 1)) for second in seconds] if rng.random() < 0.3 else [second - begin for second in seconds]
        scale = rng.choice((1, 1, 1000, 1e6))
        return [f"{second * scale:.{0 if form == 'rounded' else 6}{'e' if form == 'power' else 'f'}}" for second in seconds]
    texts = []
    for second in seconds:
        now = datetime.datetime.fromtimestamp(second, datetime.timezone.utc)
        fraction = f"{now.microsecond:06d}"[:rng.choice((3, 6)) if "hash" in form else 3]
        texts.append(now.strftime(form.replace("%f", fraction).replace("%s", str(int(second)))))
    if rng.random() < 0.1:
        texts[at] = texts[at] + rng.choice(("Z", "+01:00", " UTC", "x", "?", ":61"))
    return texts


def varied(rng):
    """Returns a Case of random columns, separators, quotes, remarks, ends of lines and faults."""
    count = rng.choice((1, 2, 3, 4, 8, 12, 25, 40))
    columns, names = [], []
    has_time = rng.random() < 0.8
    if has_time:
        columns.append(times_like(rng, count) if count > 1 else ["2024-05-01 10:00:00"])
        names.append(rng.choice(TIME_NAMES[:9] if rng.random() < 0.6 else TIME_NAMES))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3)) if has_time else rng.choice((1, 1, 2))):
        columns.append(values_like(rng.choice(("whole", "whole", "fraction", "rising", "dotted", "comma", "power", "grouped", "words", "words", "odd")),
                                   count, rng))
        names.append(rng.choice(COUNT_NAMES))
    if has_time and rng.random() < 0.15 and " " in columns[0][0] and columns[0][0].count(" ") == 1:
        parts = [text.split(" ", 1) if " " in text else [text, ""] for text in columns[0]]
        columns[0:1] = [[part[0] for part in parts], [part[1] for part in parts]]
        names[0:1] = ["date", "time"]
    if rng.random() < 0.2:
        order = rng.sample(range(len(columns)), len(columns))
        columns, names = [columns[at] for at in order], [names[at] for at in order]
    separator = rng.choice((",", ",", ",", ";", "\t", "|", " ", ", ", "  "))
    quotes = rng.choice((0, 0, 0, 0.3, 1))
    rows = [[*row] for row in zip(*columns, strict=True)]
    if rng.random() < 0.75:
        rows.insert(0, names)
    lines = []
    for row in rows:
        lines.append(separator.join(f'"{text}"' if rng.random() < quotes or ("," in separator and "," in text and rng.random() < 0.9) else text
                                    for text in row))
    for chance, change in ((0.08, lambda line: line + separator + "9"), (0.05, lambda line: ""), (0.05, lambda line: "# a remark"),
                           (0.05, lambda line: " " + line + "\t"), (0.04, lambda line: line.replace("1", "l", 1)),
                           (0.03, lambda line: line.rpartition(separator)[0])):
        if rng.random() < chance:
            at = rng.randrange(len(lines))
            lines[at:at + 1] = [change(lines[at])] if rng.random() < 0.5 else [change(lines[at]), lines[at]]
    if rng.random() < 0.1:
        lines.append(lines[-1])
    for chance, remark in ((0.1, f"# bin_s = {rng.choice((1, 60, 0.25, 'x'))}"), (0.06, f"# time_unit = {rng.choice(('s', 'ms', 'min', 'y'))}"),
                           (0.08, "# decimal = ."), (0.05, "# a remark"), (0.05, "")):
        if rng.random() < chance:
            lines.insert(0, remark)
    end = rng.choice(("\n", "\n", "\n", "\n", "\r\n", "\r"))
    data = (end.join(lines) + (end if rng.random() < 0.8 else "")).encode()
    data = b"\xef\xbb\xbf" + data if rng.random() < 0.08 else data
    keys = {}
    if rng.random() < 0.3:
        keys["format"] = rng.choice(("times", "counts", "counter", "gaps", "counts", "times", "burstgpt"))
    if rng.random() < 0.2:
        keys["column"] = rng.choice(("1", "2", "3", "requests", "count", "x", "1,2", names[-1] or "1"))
    if rng.random() < 0.2:
        keys["time_column"] = rng.choice(("1", "2", "time", "timestamp", names[0] or "1"))
    if rng.random() < 0.25:
        keys["time_unit"] = rng.choice(("s", "ms", "us", "ns"))
    if rng.random() < 0.2:
        keys["bin_s"] = rng.choice((1.0, 60.0, 0.5))
    return Case("generated", gzip.compress(data) if rng.random() < 0.05 else data, keys)


def worded(rng):
    """Returns a Case of lines of words with a date and time, or of a published log."""
    import datetime
    kind = rng.choice(("words", "words", "web", "azure_llm", "burstgpt", "mooncake"))
    count, second, lines = rng.randrange(1, 12), 1714557600.0, []
    form = rng.choice((*STAMPS[:2], "%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d %H:%M:%S +0200"))
    for at in range(count):
        second += rng.choice((0.25, 1, 3.5, 0, -1 if rng.random() < 0.1 else 2)) if rng.random() < 0.8 else 1
        now = datetime.datetime.fromtimestamp(second, datetime.timezone.utc)
        stamp = now.strftime(form.replace("%f", f"{now.microsecond // 1000:03d}"))
        word = rng.choice(("INFO root: served GET /a", "model=a 200", "requests=12", "done 3", "a, b, c", "x", "- 5 requests", "| y"))
        tokens = [rng.choice(("5", "17", "1e3", "-1", "2.5", "") if rng.random() < 0.05 else ("5", "17")) for _ in range(2)]
        if kind == "words":
            lines.append(f"{stamp} {word}")
        elif kind == "web":
            lines.append(f'1.2.3.{at} - - [{now.strftime("%d/%b/%Y:%H:%M:%S +0000")}] "GET /{word}" 200 {at}')
        elif kind == "azure_llm":
            lines.append(f"{stamp},{tokens[0]},{tokens[1]}")
        elif kind == "burstgpt":
            lines.append(f"{second - 1714557600},x,{tokens[0]},{tokens[1]},API log")
        else:
            lines.append(f'{{"timestamp": {int((second - 1714557590) * 1000)}, "input_length": {tokens[0]}, "output_length": {tokens[1]}}}')
    header = {"azure_llm": "TIMESTAMP,ContextTokens,GeneratedTokens", "burstgpt": "Timestamp,Model,Request tokens,Response tokens,Log Type"}
    if kind in header:
        lines.insert(0, header[kind])
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines)), rng.choice(("", "# a", "x", "a,b", "{}")))
    keys = {"format": kind} if kind in header and rng.random() < 0.3 else {}
    if rng.random() < 0.15:
        keys |= {"time_unit": "s"} if rng.random() < 0.5 else {"time_column": "1"}
    return Case("words", ("\n".join(lines) + "\n").encode(), keys)


def mutated(rng, cases):
    """Returns a Case with some bytes of one of these changed, left out or doubled."""
    known = rng.choice(cases)
    data = bytearray(known.data[:5000])
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        data[at:at + rng.choice((0, 1, 1, 3))] = rng.choice((b"", b",", b";", b" ", b"\n", b'"', b"#", b"0", b"9", b".", b"-", b":", b"\t", b"e",
                                                            b"\xc3\xa9", b"\xff", b"[", b"\r\n", bytes(data[at:at + 9])))
    return Case("mutated", bytes(data), known.keys)


# ---- the program ----


def options_of(keys):
    options = []
    for key, value in keys.items():
        options += ["--set", f"{key}={value:g}" if key == "bin_s" else f"{key}={value}"] if key in ("time_unit", "bin_s") else [
            "--" + key.replace("_", "-"), value]
    return options


def run(program, folder, *words):
    return subprocess.run([program, *words], cwd=folder, capture_output=True, check=False)


def by_program(program, case):
    """Returns what the program makes of the case: {"refusal": line}, or what it reads."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "t.csv").write_bytes(case.data)
        info = run(program, folder, "trace", "info", "t.csv", "--json", *options_of(case.keys))
        if info.returncode == 2:
            return {"refusal": info.stderr.decode("utf-8", "surrogateescape").removeprefix("harness: ").rstrip("\n")}
        if info.returncode:
            return {"refusal": f"exit {info.returncode}: {info.stderr.decode('latin-1')}"}
        said = json.loads(info.stdout, strict=False)
        result = {"reading": said["read"]} | {key: said["recorded"][key] for key in ("length_s", "bins", "bin_s", "requests", "mean_rps", "peak_rps")}
        imported = run(program, folder, "trace", "import", "t.csv", "-o", "out.txt", *options_of(case.keys))
        if imported.returncode == 0:
            text = Path(folder, "out.txt").read_text(encoding="utf-8", errors="surrogateescape")
            result["written"] = [line for line in text.split("\n") if line and line[0] != "#"]
        if not case.keys:
            checked = run(program, folder, "check", "t.csv").stdout.decode("utf-8", "surrogateescape").rstrip("\n")
            if checked != "t.csv: trace: " + said["read"]:
                result["check"] = checked
        return result


def places_of(keys):
    return {key: Place(key=f"--set: {key}" if key in ("time_unit", "bin_s") else "--" + key.replace("_", "-")) for key in keys}


def by_package(case):
    """Returns the same of this package."""
    try:
        trace = read("t.csv", case.data, {"places": places_of({key for key in case.keys if case.keys[key] != "auto" or key != "format"}), **case.keys})
    except BadInput as error:
        return {"refusal": str(error).removesuffix(HOLES)}
    counts, bin_s = trace.counts, float(trace.bin_s)
    if len(trace.times_ns):
        bin_ns = round(bin_s * 1e9)
        counts = np.bincount(trace.times_ns // bin_ns).astype(float)
    whole = round(max(1.0, np.floor(1 / bin_s + 0.5)))
    groups = counts[:len(counts) // whole * whole].reshape(-1, whole).sum(axis=1) if len(counts) >= whole else counts
    requests, length = in_order(counts), bin_s * len(counts)
    peak = requests / length if length < bin_s * whole else groups.max() / (bin_s * whole)
    written = [f"{time // 10**9}.{time % 10**9:09d}" for time in trace.times_ns.tolist()]
    return {"reading": trace.reading, "length_s": length, "bins": len(counts), "bin_s": bin_s, "requests": requests, "mean_rps": requests / length,
            "peak_rps": peak, "written": written or ["count", *map(text_of_count, trace.counts)]}


def text_of_count(count):
    from .messages import text_of
    return text_of(count)


def difference(program, package):
    """Returns what differs, as text; empty where nothing does."""
    for key in {**program, **package}:
        ours, theirs = package.get(key), program.get(key)
        if key == "written" and theirs is None and "refusal" not in program:
            continue
        same = abs(ours - theirs) <= 1e-9 * abs(theirs) if isinstance(ours, float) and isinstance(theirs, int | float) else ours == theirs
        if not same:
            return f"{key}\n    program: {str(theirs or program.get('refusal') or program.get('reading'))[:600]}\n    package: " + str(
                ours or package.get("refusal") or package.get("reading"))[:600]
    return ""


def files_in(folder):
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file() and path.suffix != ".toml" and path.name != "EXPECTED":
            for keys in ({}, {"format": "times"}, {"format": "counts"}, {"time_unit": "s"}, {"column": "2"}):
                yield Case(str(path), path.read_bytes(), keys)


def cases(options):
    """Returns all Cases: of tests, of names, of files, generated ones."""
    tests = Path(options.repository, "workloads/trace_files")
    found = [case for path in sorted([*tests.glob("*_test.cc"), *tests.glob("test_*.h")]) for case in cases_of_test(path)]
    print(f"calls in tests that were not understood: {found.count(None)}")
    found = [case for case in found if case]
    found += cases_of_names(tests / "column_names_test.cc")
    known, rng = [*found], random.Random(options.seed)
    for folder in options.cases:
        found += files_in(folder)
    for number in range(options.generated):
        found.append(worded(rng) if number % 4 == 0 else mutated(rng, known) if number % 4 == 1 else varied(rng))
    return found


def main(words):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("repository")
    parser.add_argument("--cases", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--generated", type=int, default=500)
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args(words)
    found, shown = cases(options), 0
    agreed = {True: 0, False: 0}  # by whether the program reads the file
    kinds, intended = {}, 0
    with ThreadPoolExecutor(2) as pool:
        for case, program in zip(found, pool.map(lambda case: by_program(options.program, case), found), strict=True):
            try:
                text = difference(program, by_package(case))
            except Exception as error:
                text = f"{type(error).__name__}: {error}\n    program: {program.get('refusal') or program['reading']}"
            kind = kinds.setdefault(re.sub(r"\.\w+: .*|'.*", "", case.name.rsplit("/", 1)[0] if case.name[0] == "/" else case.name), [0, 0])
            kind[bool(text)] += 1
            is_object = case.data.lstrip(b"\xef\xbb\xbf \n").startswith(b"{")
            if text and (is_object or INTENDED.search(text.rsplit("package: ", 1)[-1])):
                intended += 1
            elif not text:
                agreed["refusal" not in program] += 1
            elif shown < options.show:
                shown += 1
                head = case.data[:200] if len(case.data) < 2000 else case.data[:80]
                print(f"{case.name} {case.keys}\n    {head!r}\n  differs in {text}")
    for kind, (same, other) in kinds.items():
        print(f"{kind}: {same} agree, {other} differ")
    print(f"{sum(agreed.values())} of {len(found)} agree: {agreed[True]} read, {agreed[False]} refused; {intended} differ by intention")
    return 0 if sum(agreed.values()) + intended == len(found) else 1


if __name__ == "__main__":
    os.nice(5)
    sys.exit(main(sys.argv[1:]))
