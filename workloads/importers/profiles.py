"""Reads how long batches take from the files of other tools and writes a set of profiles (workloads/README.md): what
`harness profile import` runs.

Known are tables (CSV) with columns for the batch size and its latency, perf_analyzer, Model Analyzer, trtexec, Vidur's tables of
operators and traces of torch's profiler. Each is a reader that returns Points; what a file does not say is an option."""

import argparse
import csv
import gzip
import io
import json
import math
import os
import re
import statistics
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

LARGEST_FILE = 1 << 28  # bytes, unpacked
LARGEST_BATCH = 4096
LONGEST_MS = 1e7
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}  # in ms
UNIT_NAMES = {"nsec": "ns", "usec": "us", "µs": "us", "μs": "us", "microseconds": "us", "msec": "ms", "milliseconds": "ms", "sec": "s",
              "seconds": "s"}
MODEL_NAMES = ("model", "model_name", "network")
DEVICE_NAMES = ("device", "device_name", "gpu", "gpu_name", "hardware", "accelerator")
BATCH_NAMES = ("batch", "batch_size", "batchsize", "bs")
# The latency of a batch is its median where a file has one, as `harness profile` measures it, else its mean.
LATENCY_NAMES = ("p50", "median", "latency", "mean", "avg", "average", "time", "duration")
UNSAID = {"model": ("name of the model", "NAME"), "device": ("name of the device", "NAME"), "batch": ("batch size", "N"),
          "layers": ("number of layers", "N")}  # by option: what it is, its value
REPEATS = ("run", "repeat", "iteration", "trial", "rep", "seed", "index", "id")
OTHER_STATISTICS = re.compile(r"(?:^|_)(p\d+|std|stddev|min|max|var)(?:_|$)")


class BadInput(Exception):
    """The text is the whole line that says what is wrong."""


def bad_input(place, found, allowed):
    return BadInput(f"{place}: found {found}; allowed: {allowed}")


@dataclass
class Point:
    """A measurement of one batch size."""

    model: str
    device: str
    batch: int
    latency_ms: float
    line: int = 0
    others: tuple = ()  # what else the file says of the row: (column, value)


@dataclass
class Source:
    """One file: its text, and what the command line says of it."""

    path: str
    text: str
    batch: int | None
    options: argparse.Namespace
    notes: list

    def place(self, line=0):
        return f"{self.path}:{line}" if line else self.path

    def said(self, *options):
        """Returns the values of options that say what the file does not. Raises BadInput with all that are missing."""
        values = {option: self.batch if option == "batch" else getattr(self.options, option) for option in options}
        missing = [option for option, value in values.items() if value is None]
        if missing:
            raise bad_input(self.place(), "no " + " and no ".join(UNSAID[option][0] for option in missing),
                            " ".join(f"--{option} {UNSAID[option][1]}" for option in missing))
        return list(values.values())

    def point(self, latency_ms, line=0):
        """Returns the Point of a file that says neither model nor device nor batch size."""
        return Point(*self.said("model", "device", "batch"), latency_ms, line)

    def rows(self):
        """Returns (the heading, the other rows as (line, fields)) of a table."""
        dialect = max(",;\t", key=self.text.partition("\n")[0].count)
        lines = csv.reader(io.StringIO(self.text), delimiter=dialect)
        try:
            rows = [(lines.line_num, [field.strip() for field in row]) for row in lines if any(field.strip() for field in row)]
        except csv.Error as error:
            raise bad_input(self.place(lines.line_num), str(error), KNOWN) from None
        heading = rows[0][1]
        for line, row in rows[1:]:
            if len(row) != len(heading):
                raise bad_input(self.place(line), f"{len(row)} fields", f"{len(heading)}, as the heading has")
        return heading, [row for row in rows[1:] if row[1] != heading]

    def number(self, line, column, text):
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise bad_input(f"{self.place(line)}: {column}", f"'{text[:40]}'", "a number")
        return value

    def batch_size(self, line, column, text):
        size = self.number(line, column, text)
        if size != int(size) or not 1 <= size <= LARGEST_BATCH:
            raise bad_input(f"{self.place(line)}: {column}", text, f"a batch size from 1 to {LARGEST_BATCH}")
        return int(size)


def name_and_unit(column):
    """Returns ("p99_latency", "ms") of "p99 Latency (ms)"; no unit: ""."""
    words = re.findall(r"[^\W_]+", column.lower())
    unit = UNIT_NAMES.get(words[-1], words[-1]) if words else ""
    return ("_".join(words[:-1]), unit) if unit in UNITS and len(words) > 1 else ("_".join(words), "")


# ---- tables ----


def is_table(heading):
    return any(name_and_unit(column)[0] in BATCH_NAMES for column in heading)


def latency_column(source, heading):
    """Returns (place, ms in its unit) of the column that holds the latency of a batch."""
    wanted = source.options.latency
    named = [(name_and_unit(column)[0].removeprefix("batch_").removesuffix("_time"), at) for at, column in enumerate(heading)]
    if wanted is not None:
        found = [at for at, column in enumerate(heading) if column == wanted]
    else:
        ranked = [(rank, at) for rank, word in enumerate(LATENCY_NAMES) for name, at in named
                  if re.search(rf"(?:^|_){word}(?:_|$)", name) and (word in ("p50", "median") or not OTHER_STATISTICS.search(name))]
        found = [at for rank, at in sorted(ranked) if rank == min(ranked)[0]]
    if len(found) != 1:
        what = f"no column '{wanted}'" if wanted is not None else f"{len(found) or 'no'} columns of latencies"
        raise bad_input(source.place(1), what, "--latency COLUMN with one of: " + ", ".join(heading))
    unit = source.options.unit or name_and_unit(heading[found[0]])[1]
    if not unit:
        raise bad_input(source.place(1), f"no unit in '{heading[found[0]]}'", "--unit ns, us, ms or s")
    return found[0], UNITS[unit]


def chosen_rows(source, heading, rows):
    """Returns the rows that have all values of --where."""
    for condition in source.options.where:
        column, equals, value = condition.partition("=")
        if not equals or column not in heading:
            raise bad_input("--where", f"'{condition}'", "COLUMN=VALUE with one of: " + ", ".join(heading))
        at = heading.index(column)
        kept = [(line, row) for line, row in rows if row[at] == value]
        if not kept:
            values = sorted({row[at] for _, row in rows})[:8]
            raise bad_input("--where", f"no row with {condition} in {source.path}", f"{column}=" + " or ".join(values))
        rows = kept
    return rows


def settings_of(heading, rows, own):
    """Returns the places of the columns that say under which settings a row was measured: those of texts, and of whole numbers that
    come again and are no number of a repeat. `own` are the places of columns that mean something else."""
    def is_setting(at):
        words = name_and_unit(heading[at])[0].split("_")
        values = [row[at] for _, row in rows]
        if at in own or OTHER_STATISTICS.search("_".join(words)) or not {*words}.isdisjoint((*LATENCY_NAMES, *REPEATS)):
            return False
        return not all(map(is_number, values)) or all(float(value).is_integer() for value in values) and 2 * len({*values}) <= len(values)
    return [at for at in range(len(heading)) if is_setting(at)]


def read_table(source, heading, rows):
    """A CSV file with columns of batch sizes and latencies; models and devices are columns or options."""
    def place_of(names):
        return next((at for at, column in enumerate(heading) if name_and_unit(column)[0] in names), None)
    places = {"model": place_of(MODEL_NAMES), "device": place_of(DEVICE_NAMES)}
    batch = place_of(BATCH_NAMES)
    latency, unit = latency_column(source, heading)
    source.notes.append(f"'{heading[latency]}' is the latency of a batch")
    missing = [option for option, at in places.items() if at is None]
    said = dict(zip(missing, source.said(*missing), strict=True))
    settings = settings_of(heading, rows, (*places.values(), batch, latency))
    return [Point(said.get("model") or row[places["model"]], said.get("device") or row[places["device"]],
                  source.batch_size(line, heading[batch], row[batch]), source.number(line, heading[latency], row[latency]) * unit, line,
                  tuple((heading[at], row[at]) for at in settings)) for line, row in rows]


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


# ---- tools ----


def column_of(source, heading, name):
    if name not in heading:
        raise bad_input(source.place(1), f"no column '{name}'", "one with what the server computed")
    return heading.index(name)


def alone(source, heading, rows):
    """Returns the rows with one request at a time: with more, the server may put several into a batch of a size that is not known."""
    at = column_of(source, heading, "Concurrency")
    kept = [(line, row) for line, row in rows if source.number(line, "Concurrency", row[at]) == 1]
    if not kept:
        raise bad_input(source.place(), "no row of concurrency 1", "one, in which batches are those that the client sends")
    if len(kept) < len(rows):
        source.notes.append(f"rows left out for a concurrency above 1: {len(rows) - len(kept)} of {len(rows)}")
    return kept


def read_perf_analyzer(source, heading, rows):
    """Triton's perf_analyzer (-f FILE), in us: what the server computed. A file has one model and one batch size (-b)."""
    parts = [column_of(source, heading, f"Server Compute {part}") for part in ("Input", "Infer", "Output")]
    rows = alone(source, heading, rows)
    source.notes.append("the latency of a batch is Server Compute Input + Infer + Output")
    return [source.point(sum(source.number(line, heading[at], row[at]) for at in parts) * UNITS["us"], line) for line, row in rows]


def read_model_analyzer(source, heading, rows):
    """Triton's Model Analyzer: the batch over the throughput, which is the mean time of a client that sends one after the other."""
    model, batch = column_of(source, heading, "Model"), column_of(source, heading, "Batch")
    rate = column_of(source, heading, "Throughput (infer/sec)")
    source.notes.append("the latency of a batch is its size over the throughput, with the way to the server and back")
    [device], settings = source.said("device"), [at for at, column in enumerate(heading) if column == "Model Config Path"]
    points = []
    for line, row in alone(source, heading, rows):
        size, per_s = source.batch_size(line, "Batch", row[batch]), source.number(line, heading[rate], row[rate])
        if per_s <= 0:
            raise bad_input(f"{source.place(line)}: {heading[rate]}", row[rate], "a throughput above 0")
        points.append(Point(row[model], device, size, size / per_s * 1e3, line, tuple((heading[at], row[at]) for at in settings)))
    return points


def read_vidur(source, heading, rows):
    """Vidur's operators of one layer by number of tokens, in ms: a batch of b sequences that decode carries b tokens."""
    model, device, layers = source.said("model", "device", "layers")
    operators = [at for at, column in enumerate(heading) if re.fullmatch(r"time_stats\..+\.median", column)]
    once = [at for at in operators if heading[at] == "time_stats.emb.median"]
    if len(operators) == len(once):
        raise bad_input(source.place(1), "no operators of a layer", "columns such as time_stats.mlp_up_proj.median")
    tokens = column_of(source, heading, "num_tokens")
    settings = settings_of(heading, rows, (tokens, *operators))
    source.notes.append(f"a batch of b is b tokens in {layers} layers of {len(operators) - len(once)} operators, without attention")
    points = []
    for line, row in rows:
        times = {at: source.number(line, heading[at], row[at]) for at in operators}
        total = sum(times.values()) * layers - sum(times[at] for at in once) * (layers - 1)
        if source.number(line, "num_tokens", row[tokens]) <= LARGEST_BATCH:
            points.append(Point(model, device, source.batch_size(line, "num_tokens", row[tokens]), total, line,
                                tuple((heading[at], row[at]) for at in settings)))
    return points


def read_trtexec(source, times):
    """TensorRT's trtexec --exportTimes: the time on the GPU, without copies."""
    latencies = [one.get("computeMs") for one in times]
    if not all(isinstance(value, int | float) for value in latencies):
        raise bad_input(source.place(), "runs without computeMs", "the file that trtexec --exportTimes writes")
    source.notes.append(f"the latency of a batch is the median computeMs of {len(times)} runs, without copies")
    return [source.point(statistics.median(latencies))]


def read_torch(source, trace):
    """torch.profiler's export_chrome_trace(): the steps, on the GPU where it has some."""
    steps, events = defaultdict(list), [event for event in trace["traceEvents"] if isinstance(event, dict)]
    for event in events:
        if event.get("ph") == "X" and str(event.get("name", "")).startswith("ProfilerStep#"):
            steps[event.get("cat") == "gpu_user_annotation"].append(source.number(0, "dur", str(event.get("dur"))) * UNITS["us"])
    has_kernels = any(event.get("cat") == "kernel" for event in events)
    found = steps[True] if has_kernels else steps[False]
    if not found:
        raise bad_input(source.place(), "no ProfilerStep" + (" on the GPU" if has_kernels else ""),
                        "a trace of torch.profiler with a schedule, in which each batch ends with step()")
    source.notes.append(f"the latency of a batch is the median of {len(found)} steps{' on the GPU' if has_kernels else ''}")
    return [source.point(statistics.median(found))]


KNOWN = "a table with columns such as model, batch, p50_ms; perf_analyzer, Model Analyzer, trtexec --exportTimes, Vidur, torch's profiler"


def points_of(source):
    """Returns the Points of a file of any known kind."""
    if source.text.lstrip()[:1] in ("{", "["):
        try:
            document = json.loads(source.text)
        except (ValueError, RecursionError) as error:
            raise bad_input(source.place(), f"JSON that cannot be read ({str(error)[:80]})", KNOWN) from None
        if isinstance(document, dict) and isinstance(document.get("traceEvents"), list):
            return read_torch(source, document)
        if isinstance(document, list) and document and all(isinstance(one, dict) for one in document):
            return read_trtexec(source, document)
        raise bad_input(source.place(), "JSON of no kind that is known", KNOWN)
    if not source.text.strip():
        raise bad_input(source.place(), "an empty file", KNOWN)
    if "\nForward latency\n" in source.text.replace("\r", "")[:1000]:
        raise bad_input(source.place(), "a profile in Nexus's format", "a run takes it as it is: --set cluster.profiles=FILE.txt")
    heading, rows = source.rows()
    rows = chosen_rows(source, heading, rows)
    if any(column.startswith("time_stats.") for column in heading):
        return read_vidur(source, heading, rows)
    if "Inferences/Second" in heading:
        return read_perf_analyzer(source, heading, rows)
    if "Throughput (infer/sec)" in heading:
        return read_model_analyzer(source, heading, rows)
    if is_table(heading):
        return read_table(source, heading, rows)
    raise bad_input(source.place(1), "no column of batch sizes", KNOWN)


# ---- the set ----


def profiles_of(sources):
    """Returns {(model, device): {batch: latency in ms}}; several measurements of a batch give their median."""
    found = defaultdict(lambda: defaultdict(list))
    for source in sources:
        for point in points_of(source):
            found[point.model, point.device][point.batch].append((source, point))
    if not found:
        raise bad_input(", ".join(source.path for source in sources), "no measurement of a batch", "at least one row")
    profiles = {}
    for (model, device), batches in sorted(found.items()):
        for batch, points in sorted(batches.items()):
            check_points(model, batch, points)
        if min(batches) != 1:
            raise bad_input(points[0][0].place(), f"no batch of 1 of {model} on {device}, the smallest is of {min(batches)}",
                            "a measurement of a batch of 1")
        profiles[model, device] = {batch: statistics.median(point.latency_ms for _, point in batches[batch]) for batch in sorted(batches)}
    return profiles


def check_points(model, batch, points):
    """Raises BadInput where several points of a batch are not of one kind, or a latency is none."""
    (source, first), *rest = points
    for other_source, other in rest:
        for (column, value), (_, other_value) in zip(first.others, other.others, strict=False):
            if value != other_value:
                raise bad_input(other_source.place(other.line),
                                f"a batch of {batch} of {model} with {column} {other_value}, in line {first.line} with {value}",
                                f"--where '{column}={value}' or --where '{column}={other_value}'")
    for source, point in points:
        if not point.model or not point.device:
            raise bad_input(source.place(point.line), "no name of the model or the device", "both in each row")
        if not 0 < point.latency_ms <= LONGEST_MS:
            raise bad_input(source.place(point.line), f"a latency of {point.latency_ms:g} ms", f"above 0 and at most {LONGEST_MS:g} ms")
    if rest:
        source.notes.append(f"a batch of {batch} of {model} is the median of {len(points)} measurements")


def set_text(profiles, sources):
    """Returns the set as TOML."""
    def text(value):
        return json.dumps(value, ensure_ascii=False)
    names = ", ".join(Path(source.path).name for source in sources)
    notes = "; ".join(dict.fromkeys(note for source in sources for note in source.notes))
    parts = [f"description = {text('imported from ' + names)}\nsource = {text(f'{names}: {notes}'[:1000])}\n"]
    for (model, device), latencies in profiles.items():
        parts.append(f"[[profile]]\nmodel = {text(model)}\ndevice = {text(device)}\nbatch = {list(latencies)}\n"
                     f"latency_ms = [{', '.join(f'{value:.9g}' for value in latencies.values())}]\n")
    return "\n".join(parts)


def text_of(path):
    """Returns the text of a file, unpacked where it is gzipped. Raises BadInput for what is no such file, or larger."""
    try:
        data = Path(path).read_bytes() if Path(path).is_file() else None
        if data is not None and data[:2] == b"\x1f\x8b":
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(LARGEST_FILE + 1)
        if data is None or len(data) > LARGEST_FILE:
            raise bad_input(path, "no such file" if data is None else "too much", f"a file of at most {LARGEST_FILE >> 20} MiB")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise bad_input(path, "bytes that are no UTF-8", "a file of text") from None
    except (OSError, EOFError) as error:
        raise bad_input(path, getattr(error, "strerror", None) or str(error), "a readable file") from None


def sources_of(options):
    batches = options.batch or [None] * len(options.files)
    if len(batches) != len(options.files):
        raise bad_input("--batch", f"{len(batches)} sizes for {len(options.files)} files", "one for each file, in their order")
    return [Source(path, text_of(path), batch, options, []) for path, batch in zip(options.files, batches, strict=True)]


def batch_sizes(text):
    sizes = text.split(",")
    if not all(size.isdecimal() and 1 <= int(size) <= LARGEST_BATCH for size in sizes):
        raise argparse.ArgumentTypeError(f"found '{text}'; allowed: batch sizes from 1 to {LARGEST_BATCH}, such as 1,2,4")
    return [int(size) for size in sizes]


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise BadInput(message)


def parsed(words):
    parser = Parser(description=__doc__, allow_abbrev=False)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    for name in ("model", "device", "latency"):
        parser.add_argument("--" + name)
    parser.add_argument("--unit", choices=UNITS)
    parser.add_argument("--batch", type=batch_sizes)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--where", action="append", default=[])
    return parser.parse_args(words)


def run(words):
    options = parsed(words)
    sources = sources_of(options)
    profiles = profiles_of(sources)
    temporary = f"{options.output}.{os.getpid()}.tmp"
    try:
        Path(temporary).write_text(set_text(profiles, sources), encoding="utf-8")
        os.replace(temporary, options.output)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        print(f"harness: {options.output}: {error.strerror}", file=sys.stderr)
        return 3
    print("\n".join(f"{source.path}: {note}" for source in sources for note in source.notes))
    return 0


def main(words):
    try:
        return run(words)
    except BadInput as error:
        print(f"harness: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
