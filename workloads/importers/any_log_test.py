"""Whatever a log is, it is read as a trace that keeps its contract, or refused with one line."""

import datetime
import gzip
import os
import random
import sys
import unittest
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import logs  # noqa: E402

CORPUS = Path(__file__).parents[2] / "tests/fuzz/corpus/logs"

# ---- random logs ----

STAMPS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%d %H:%M", "%Y%m%d%H%M%S",
          "%d/%b/%Y:%H:%M:%S +0000", "%Y-%m-%d %H:%M:%S,%f", "%Y-%m-%d %H:%M:%S+02:00", "%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d", "%s", "%s.5",
          "%s123", "%s000000", "%s123456789", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%b %d %H:%M:%S", "%H:%M:%S",
          "%Y-%m-%dT%H:%M:%S-0530")
TIME_NAMES = ("time", "timestamp", "arrival_s", "arrival_ms", "Timestamp (us)", "start time", "ts", "minute", "request_time",
              "end_timestamp",
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
        each = rng.random() < 0.3
        seconds = [second - begin * (rng.choice((0, 1)) if each else 1) for second in seconds]
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
    """Returns the bytes and keys of random columns, separators, quotes, remarks, ends of lines and faults."""
    count = rng.choice((1, 2, 3, 4, 8, 12, 25, 40))
    columns, names = [], []
    has_time = rng.random() < 0.8
    if has_time:
        columns.append(times_like(rng, count) if count > 1 else ["2024-05-01 10:00:00"])
        names.append(rng.choice(TIME_NAMES[:9] if rng.random() < 0.6 else TIME_NAMES))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 3)) if has_time else rng.choice((1, 1, 2))):
        columns.append(values_like(rng.choice(("whole", "whole", "fraction", "rising", "dotted", "comma", "power", "grouped", "words",
                                               "words", "odd")),
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
        lines.append(separator.join(f'"{text}"' if rng.random() < quotes or ("," in separator and "," in text and rng.random() < 0.9)
                                    else text
                                    for text in row))
    for chance, change in ((0.08, lambda line: line + separator + "9"), (0.05, lambda line: ""), (0.05, lambda line: "# a remark"),
                           (0.05, lambda line: " " + line + "\t"), (0.04, lambda line: line.replace("1", "l", 1)),
                           (0.03, lambda line: line.rpartition(separator)[0])):
        if rng.random() < chance:
            at = rng.randrange(len(lines))
            lines[at:at + 1] = [change(lines[at])] if rng.random() < 0.5 else [change(lines[at]), lines[at]]
    if rng.random() < 0.1:
        lines.append(lines[-1])
    for chance, remark in ((0.1, f"# bin_s = {rng.choice((1, 60, 0.25, 'x'))}"),
                           (0.06, f"# time_unit = {rng.choice(('s', 'ms', 'min', 'y'))}"),
                           (0.08, "# decimal = ."), (0.05, "# a remark"), (0.05, "")):
        if rng.random() < chance:
            lines.insert(0, remark)
    end = rng.choice(("\n", "\n", "\n", "\n", "\r\n", "\r"))
    data = (end.join(lines) + (end if rng.random() < 0.8 else "")).encode()
    data = b"\xef\xbb\xbf" + data if rng.random() < 0.08 else data
    keys = {}
    if rng.random() < 0.3:
        keys["format"] = rng.choice(("times", "counts", "counter", "gaps", "counts", "times", "burstgpt", "rates"))
    if rng.random() < 0.2:
        keys["column"] = rng.choice(("1", "2", "3", "requests", "count", "x", "1,2", "#2", "#1-3", names[-1] or "1"))
    if rng.random() < 0.2:
        keys["time_column"] = rng.choice(("1", "2", "time", "timestamp", names[0] or "1"))
    if rng.random() < 0.25:
        keys["time_unit"] = rng.choice(("s", "ms", "us", "ns"))
    for key, values in (("holes", ("zero", "interpolate", "cut")), ("rate_unit", ("s", "minute")), ("where", ("1=a", "x=1")),
                        ("group_by", ("1", "2", "model", names[0] or "1"))):
        if rng.random() < 0.1:
            keys[key] = rng.choice(values)
    if rng.random() < 0.2:
        keys["bin_s"] = rng.choice((1.0, 60.0, 0.5))
    return gzip.compress(data) if rng.random() < 0.05 else data, keys


def worded(rng):
    """Returns the bytes and keys of lines of words with a date and time, or of a published log."""
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
    return ("\n".join(lines) + "\n").encode(), keys


def mutated(rng, known):
    """Returns the bytes and keys of a log with some bytes of one of these changed, left out or doubled."""
    data, keys = rng.choice(known)
    data = bytearray(data[:5000])
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        data[at:at + rng.choice((0, 1, 1, 3))] = rng.choice((b"", b",", b";", b" ", b"\n", b'"', b"#", b"0", b"9", b".", b"-", b":", b"\t",
                                                             b"e",
                                                            b"\xc3\xa9", b"\xff", b"[", b"\r\n", bytes(data[at:at + 9])))
    return bytes(data), keys


class AnyLog(unittest.TestCase):
    """HARNESS_FUZZ_LOGS says how many (2,000), HARNESS_FUZZ_SEED from which seed on (1)."""

    def check(self, data, keys, parts):
        try:
            trace = logs.read("t.csv", data, keys, parts)
        except logs.BadInput as refusal:
            line = str(refusal)
            self.assertNotIn("\n", line)
            self.assertTrue("allowed: " in line or "; " in line or "expected" in line, line)
            self.assertLess(len(line), 4000)
            return 0
        times, counts = trace.times_ns, trace.counts
        self.assertTrue((np.diff(times) >= 0).all() and (len(times) == 0 or times[0] >= 0))
        self.assertTrue(np.isfinite(counts).all() and (counts >= 0).all() and 0 < trace.bin_s < np.inf)
        if parts != "functions":
            self.assertTrue((len(times) > 0) != (len(counts) > 0))
        self.assertIn(None if trace.tokens is None else len(trace.tokens), (None, len(times)))
        return 1

    def test_random_logs(self):
        warnings.simplefilter("error")  # a warning would be a second line beside a refusal
        count, seed = (int(os.environ.get(name, usual)) for name, usual in (("HARNESS_FUZZ_LOGS", 2000), ("HARNESS_FUZZ_SEED", 1)))
        known = [(path.read_bytes()[1:], {}) for path in sorted(CORPUS.iterdir())]
        read = 0
        for number in range(seed, seed + count):
            rng = random.Random(number)
            data, keys = (worded, varied, varied, lambda rng: mutated(rng, known))[number % 4](rng)
            known.append((data, keys))
            with self.subTest(seed=number, data=data[:300], keys=keys):
                read += self.check(data, keys, rng.choice(("load", "load", "load", "modules", "functions")))
        self.assertGreater(read, count // 20)


if __name__ == "__main__":
    unittest.main()
