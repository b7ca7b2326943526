"""Reads how long batches take from the files of other tools and writes a set of profiles (workloads/README.md): what
`harness profile import` runs.

Known are tables (CSV) with columns for the batch size and its latency, perf_analyzer, Model Analyzer, trtexec, Vidur's tables of
operators and traces of torch's profiler. Each has a reader that returns Points. What a file does not say is an option; what it says
twice, or under several settings, is refused."""

import argparse
import csv
import gzip
import io
import json
import math
import re
import shlex
import statistics
import sys
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

LARGEST_FILE = 1 << 28  # bytes, unpacked
LARGEST_BATCH = 4096
LONGEST_MS = 1e7
UNITS = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}  # in ms
UNIT_NAMES = {"nsec": "ns", "nanoseconds": "ns", "usec": "us", "µs": "us", "μs": "us", "microseconds": "us", "msec": "ms",
              "milliseconds": "ms", "sec": "s", "seconds": "s"}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
MODEL_NAMES = ("model", "model_name", "network")
DEVICE_NAMES = ("device_name", "gpu_name", "device", "gpu", "hardware", "accelerator")
BATCH_NAMES = ("batch_size", "batchsize", "batch", "bs")
# The latency of a batch is its median where a file has one, as `harness profile` measures it, else a plain latency, else its mean.
MEDIANS, LATENCIES, MEANS = {"p50", "median", "50th", "50"}, {"latency", "time", "duration"}, {"mean", "avg", "average"}
LATENCY_WORDS = MEDIANS | LATENCIES | MEANS | {
    "batch", "inference", "infer", "gpu", "compute", "execution", "exec", "e2e", "end", "to", "total", "forward", "model", "percentile",
    "in", "of", "the"}
MEASURED = LATENCIES | MEANS | {
    "throughput", "rate", "qps", "rps", "fps", "ips", "median", "std", "stddev", "min", "max", "memory", "mem", "util", "utilization",
    "utilisation", "power", "energy", "temperature", "clock", "timestamp", "date"}
REPEATS = ("run", "repeat", "iteration", "trial", "rep", "seed", "index", "id")
UNSAID = {"model": ("name of the model", "NAME"), "device": ("name of the device", "NAME"), "batch": ("batch size", "N"),
          "layers": ("number of layers", "N")}  # by option: what it is, its value
KNOWN = ("a table with columns such as model, batch, p50_ms; perf_analyzer, Model Analyzer, trtexec --exportTimes, Vidur, torch's "
         "profiler")


class BadInput(Exception):
    """The text is the whole line that says what is wrong."""


def bad_input(place, found, allowed):
    return BadInput(f"{place}: found {found}; allowed: {allowed}")


def place_in(file, line):
    return f"{file}:{line}" if line else file


@dataclass
class Point:
    """A measurement of one batch size."""

    model: str
    device: str
    batch: int
    latency_ms: float
    file: str
    line: int = 0
    settings: dict = field(default_factory=dict)  # column: value, of what else the file says of how it was measured

    @property
    def place(self):
        return place_in(self.file, self.line)


@dataclass
class Source:
    """One file: its text, and what the command line says of it."""

    path: str
    text: str
    batch: int | None
    options: argparse.Namespace
    notes: list = field(default_factory=list)

    def place(self, line=0):
        return place_in(self.path, line)

    def said(self, *options):
        """Returns the values of options that say what the file does not. Raises BadInput with all that are missing."""
        values = {option: self.batch if option == "batch" else getattr(self.options, option) for option in options}
        self.options.used.update(options)
        missing = [option for option, value in values.items() if value is None]
        if missing:
            raise bad_input(self.place(), "no " + " and no ".join(UNSAID[option][0] for option in missing),
                            " ".join(f"--{option} {UNSAID[option][1]}" for option in missing))
        return list(values.values())

    def point(self, latency_ms, line=0):
        """Returns the Point of a file that says neither model nor device nor batch size."""
        return Point(*self.said("model", "device", "batch"), latency_ms, self.path, line)

    def rows(self):
        """Returns (the heading, the other rows as (line, fields)) of a table. Lines that are empty or begin with # are passed over."""
        text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        lines = ["" if line.lstrip().startswith("#") else line for line in text.split("\n")]
        self.separator = max(",;\t", key=next((line for line in lines if line.strip()), "").count)
        reader = csv.reader(lines, delimiter=self.separator)
        try:
            rows = [(reader.line_num, [text.strip() for text in row]) for row in reader if any(text.strip() for text in row)]
        except csv.Error as error:
            raise bad_input(self.place(reader.line_num), str(error), KNOWN) from None
        if not rows:
            raise bad_input(self.place(), "an empty table", KNOWN)
        heading = rows[0][1]
        for line, row in rows[1:]:
            while len(row) > len(heading) and not row[-1]:
                row.pop()
            if len(row) != len(heading):
                raise bad_input(self.place(line), f"{len(row)} fields", f"{len(heading)}, as the heading has")
        return heading, [row for row in rows[1:] if row[1] != heading]

    def number(self, line, column, text):
        value = float(text) if NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            raise bad_input(f"{self.place(line)}: {column}", f"'{text[:40]}'", "a number with a decimal point")
        return value

    def batch_size(self, line, column, text):
        size = self.number(line, column, text)
        if size != int(size) or not 1 <= size <= LARGEST_BATCH:
            raise bad_input(f"{self.place(line)}: {column}", text, f"a batch size from 1 to {LARGEST_BATCH}")
        return int(size)


def words_of(column):
    return re.findall(r"[^\W_]+", column.lower())


def words_and_unit(column):
    """Returns (["p99", "latency"], "ms") of "p99 Latency (ms)"; no unit: "". A rate, such as images/s, has none."""
    words = [UNIT_NAMES.get(word, word) for word in words_of(column)]
    units = [word for word in words if word in UNITS]
    if len(units) != 1 or len(words) == 1 or is_rate(column):
        return words, ""
    return [word for word in words if word != units[0]], units[0]


def is_rate(column):
    return "/" in column or "%" in column or not {"per", "throughput"}.isdisjoint(words_of(column))


def is_measurement(column):
    """True if the column says what was measured, not how."""
    words, unit = words_and_unit(column)
    return is_rate(column) or bool(unit) or any(word in MEASURED or re.fullmatch(r"p\d+", word) for word in words)


# ---- tables ----


def place_of(heading, names):
    """Returns the place of the column with the first of the names that one has; None: no column."""
    found = ["_".join(word for word in words_and_unit(column)[0] if word not in ("images", "samples")) for column in heading]
    return next((found.index(name) for name in names if name in found), None)


def latency_rank(column):
    """Returns how good a column is as the latency of a batch, 0 the best; None where its name says something else."""
    words = set(words_and_unit(column)[0])
    kinds = [words.isdisjoint(kind) for kind in (MEDIANS, MEANS, LATENCIES)]
    return (0, 2, 1)[kinds.index(False)] if words <= LATENCY_WORDS and not all(kinds) else None


def latency_column(source, heading, own):
    """Returns (place, ms in its unit) of the column that holds the latency of a batch. `own`: places of columns that are something else."""
    rest = [column for at, column in enumerate(heading) if at not in own and not is_rate(column)]
    if source.options.latency is not None:
        source.options.used.add("latency")
        found = [column for column in rest if column == source.options.latency]
    else:
        ranks = {column: rank for column in rest if (rank := latency_rank(column)) is not None}
        found = [column for column in rest if column in ranks and ranks[column] == min(ranks.values())]
    if len(found) != 1:
        times = [column for column in dict.fromkeys(rest) if is_measurement(column) and heading.count(column) == 1]
        what = "several columns of latencies" if found else "no column of latencies"
        raise bad_input(source.place(1), what, f"--latency with one of: {', '.join(times)}" if times else KNOWN)
    unit = words_and_unit(found[0])[1]
    if not unit:
        source.options.used.add("unit")
        if source.options.unit is None:
            raise bad_input(source.place(1), f"no unit in '{found[0]}'", "--unit ns, us, ms or s")
    return heading.index(found[0]), UNITS[unit or source.options.unit]


def chosen_rows(source, heading, rows):
    """Returns the rows that have all values of --where, of whose columns the file may have none."""
    before = len(rows)
    for condition in source.options.where:
        columns = [column for column in heading if condition.startswith(column + "=")]
        if columns:
            column = max(columns, key=len)
            source.options.used.add(condition)
            rows = [(line, row) for line, row in rows if row[heading.index(column)] == condition[len(column) + 1 :]]
    if len(rows) < before:
        source.notes.append(f"rows left out by --where: {before - len(rows)} of {before}")
    return rows


def settings_of(source, heading, rows, own):
    """Returns the places of the columns that say how a row was measured: all but measurements, numbers of repeats and --ignore."""
    for column in source.options.ignore:
        if column in heading:
            source.options.used.add(column)
    def is_setting(at):
        is_repeat = "_".join(words_and_unit(heading[at])[0]) in REPEATS and all(NUMBER.fullmatch(row[at]) for _, row in rows)
        return at not in own and not is_measurement(heading[at]) and not is_repeat and heading[at] not in source.options.ignore
    return [at for at in range(len(heading)) if is_setting(at)]


def read_table(source, heading, rows):
    """A CSV file with columns of batch sizes and latencies; models and devices are columns or options."""
    model, device, batch = (place_of(heading, names) for names in (MODEL_NAMES, DEVICE_NAMES, BATCH_NAMES))
    if device is not None and any(NUMBER.fullmatch(row[device]) for _, row in rows):
        device = None  # numbers of devices are no names
    latency, unit = latency_column(source, heading, (model, device, batch))
    source.notes.append(f"'{heading[latency]}' is the latency of a batch")
    places = {"model": model, "device": device}
    missing = [option for option, at in places.items() if at is None]
    said = dict(zip(missing, source.said(*missing), strict=True))
    settings = settings_of(source, heading, rows, (model, device, batch, latency))
    kept = chosen_rows(source, heading, rows)
    if source.separator == ";" and kept and all(re.fullmatch(r"\d{1,3}\.\d{3}", row[latency]) for _, row in kept):
        raise bad_input(f"{source.place(kept[0][0])}: {heading[latency]}", f"'{kept[0][1][latency]}', of thousands or with three decimals",
                        "another number of decimals")
    return [Point(said.get("model") or row[model], said.get("device") or row[device], source.batch_size(line, heading[batch], row[batch]),
                  source.number(line, heading[latency], row[latency]) * unit, source.path, line, {heading[at]: row[at] for at in settings})
            for line, row in kept]


# ---- tools ----


def column_of(source, heading, name, allowed):
    if heading.count(name) != 1:
        raise bad_input(source.place(1), f"no column '{name}'" if name not in heading else f"several columns '{name}'", allowed)
    return heading.index(name)


def alone(source, heading, rows):
    """Returns the rows with one request at a time: with more, the server may put several into a batch of a size that is not known."""
    at = column_of(source, heading, "Concurrency", "a measurement by concurrency: at a request rate the server may make batches of its own")
    kept = [(line, row) for line, row in rows if source.number(line, "Concurrency", row[at]) == 1]
    if not kept:
        raise bad_input(source.place(), "no row of concurrency 1", "one, in which batches are those that the client sends")
    if len(kept) < len(rows):
        source.notes.append(f"rows left out for a concurrency above 1: {len(rows) - len(kept)} of {len(rows)}")
    return kept


def read_perf_analyzer(source, heading, rows):
    """Triton's perf_analyzer (-f FILE), in us: what the server computed. A file has one model and one batch size (-b)."""
    names = (f"Server Compute {part}" for part in ("Input", "Infer", "Output"))
    parts = [column_of(source, heading, name, "a file with what the server computed") for name in names]
    rows = alone(source, heading, rows)
    source.notes.append("the latency of a batch is Server Compute Input + Infer + Output")
    return [source.point(sum(source.number(line, heading[at], row[at]) for at in parts) * UNITS["us"], line) for line, row in rows]


def read_model_analyzer(source, heading, rows):
    """Triton's Model Analyzer: the batch over the throughput, which is the mean time of a client that sends one after the other."""
    model, batch = (column_of(source, heading, name, "the file of Model Analyzer with it") for name in ("Model", "Batch"))
    rate = column_of(source, heading, "Throughput (infer/sec)", "one")
    source.notes.append("the latency of a batch is its size over the throughput, with the way to the server and back")
    [device], points = source.said("device"), []
    settings = [at for at, column in enumerate(heading) if column == "Model Config Path"]
    for line, row in alone(source, heading, chosen_rows(source, heading, rows)):
        size, per_s = source.batch_size(line, "Batch", row[batch]), source.number(line, heading[rate], row[rate])
        if per_s <= 0:
            raise bad_input(f"{source.place(line)}: {heading[rate]}", row[rate], "a throughput above 0")
        points.append(Point(row[model], device, size, size / per_s * 1e3, source.path, line, {heading[at]: row[at] for at in settings}))
    return points


def read_vidur(source, heading, rows):
    """Vidur's operators of one layer by number of tokens, in ms: a batch of b sequences that decode carries b tokens."""
    model, device, layers = source.said("model", "device", "layers")
    operators = [at for at, column in enumerate(heading) if re.fullmatch(r"time_stats\..+\.median", column)]
    once = [at for at in operators if heading[at] == "time_stats.emb.median"]
    if len(operators) == len(once):
        raise bad_input(source.place(1), "no operators of a layer", "columns such as time_stats.mlp_up_proj.median")
    tokens = column_of(source, heading, "num_tokens", "Vidur's table of operators by number of tokens (mlp.csv)")
    settings = settings_of(source, heading, rows, (tokens, *(at for at, column in enumerate(heading) if column.startswith("time_stats."))))
    source.notes.append(f"a batch of b is b tokens in {layers} layers of {len(operators) - len(once)} operators, without attention")
    points = []
    for line, row in chosen_rows(source, heading, rows):
        times = {at: source.number(line, heading[at], row[at]) for at in operators}
        total = sum(times.values()) * layers - sum(times[at] for at in once) * (layers - 1)
        if source.number(line, "num_tokens", row[tokens]) <= LARGEST_BATCH:
            points.append(Point(model, device, source.batch_size(line, "num_tokens", row[tokens]), total, source.path, line,
                                {heading[at]: row[at] for at in settings}))
    return points


def read_trtexec(source, times):
    """TensorRT's trtexec --exportTimes: the time on the GPU, without copies."""
    latencies = [source.number(0, "computeMs", str(one.get("computeMs"))) for one in times]
    source.notes.append(f"the latency of a batch is the median computeMs of {len(times)}, without copies")
    return [source.point(statistics.median(latencies))]


def read_torch(source, trace):
    """torch.profiler's export_chrome_trace(): the steps, on the GPU where it has some. There a step has an event for each stream."""
    on_gpu, on_cpu, has_gpu = defaultdict(list), [], False
    for event in trace["traceEvents"]:
        kind = str(event.get("cat", "")).lower() if isinstance(event, dict) else ""
        has_gpu = has_gpu or kind in ("kernel", "gpu_memcpy", "gpu_user_annotation")
        is_step = kind.endswith("user_annotation") and str(event.get("name", "")).startswith("ProfilerStep#")
        if is_step and event.get("ph") == "X":
            begin, length = (source.number(0, key, str(event.get(key))) for key in ("ts", "dur"))
            if kind == "gpu_user_annotation":
                on_gpu[event.get("pid"), event["name"]].append((begin, begin + length))
            else:
                on_cpu.append(length)
    if len({str(pid) for pid, _ in on_gpu}) > 1:
        raise bad_input(source.place(), "steps on several GPUs", "a trace of one")
    steps = [max(end for _, end in parts) - min(begin for begin, _ in parts) for parts in on_gpu.values()] if has_gpu else on_cpu
    if not steps:
        raise bad_input(source.place(), "no ProfilerStep" + (" on the GPU" if has_gpu else ""),
                        "a trace of torch.profiler with a schedule, in which each batch ends with step()")
    source.notes.append(f"the latency of a batch is the median step{' on the GPU' if has_gpu else ''} of {len(steps)}")
    return [source.point(statistics.median(steps) * UNITS["us"])]


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
    if "\nForward latency\n" in source.text.replace("\r", "")[:1000]:
        raise bad_input(source.place(), "a profile in Nexus's format", "a run takes it as it is: --set cluster.profiles=FILE.txt")
    heading, rows = source.rows()
    if any(column.startswith("time_stats.") for column in heading):
        return read_vidur(source, heading, rows)
    if "Inferences/Second" in heading:
        return read_perf_analyzer(source, heading, rows)
    if "Throughput (infer/sec)" in heading:
        return read_model_analyzer(source, heading, rows)
    if place_of(heading, BATCH_NAMES) is None:
        raise bad_input(source.place(1), "no column of batch sizes", KNOWN)
    return read_table(source, heading, rows)


# ---- the set ----


def profiles_of(sources):
    """Returns {(model, device): {batch: latency in ms}}; several rows of a batch in one file give their median."""
    found = defaultdict(list)
    for source in sources:
        for point in points_of(source):
            check_point(point)
            found[point.model, point.device].append(point)
    check_used(sources[0].options)
    if not found:
        raise bad_input(", ".join(source.path for source in sources), "no measurement of a batch",
                        "at least one row, with all that --where asks for")
    return {key: latencies_of(*key, points, sources) for key, points in sorted(found.items())}


def check_point(point):
    if not point.model or not point.device:
        raise bad_input(point.place, "no name of the model or the device", "both in each row")
    if not 0 < point.latency_ms <= LONGEST_MS:
        raise bad_input(point.place, f"a latency of {point.latency_ms:g} ms", f"above 0 and at most {LONGEST_MS:g} ms")


def check_used(options):
    """Raises BadInput for an option that no file needs, or whose column none has."""
    unused = [f"--{name}" for name in (*UNSAID, "latency", "unit") if getattr(options, name) is not None and name not in options.used]
    for name in ("where", "ignore"):
        unused += [f"--{name} {shlex.quote(value)}" for value in getattr(options, name) if value not in options.used]
    if unused:
        raise bad_input(unused[0], "an option without effect: the files say it, or have no such column", "leave it out")


def latencies_of(model, device, points, sources):
    """Returns {batch: ms} of one model on one device. Raises BadInput where its points are not of one kind."""
    first = {}
    for point in points:
        for column, value in point.settings.items():
            before, known = first.setdefault(column, (point, value))
            if value != known:
                advice = [shlex.quote(f"{column}={one}") for one in (known, value)]
                raise bad_input(point.place, f"{model} on {device} with {column} {value}, and with {known} in {before.place}",
                                f"--where {advice[0]} or --where {advice[1]}; --ignore {shlex.quote(column)} if it does not matter")
    batches = defaultdict(list)
    for point in points:
        batches[point.batch].append(point)
        if point.file != batches[point.batch][0].file:
            raise bad_input(point.place, f"a batch of {point.batch} of {model}, as in {batches[point.batch][0].place}",
                            "each batch in one file")
    if min(batches) != 1:
        raise bad_input(points[0].place, f"no batch of 1 of {model} on {device}, the smallest is of {min(batches)}",
                        "a measurement of a batch of 1")
    repeats = {len(measured) for measured in batches.values()}
    if max(repeats) > 1:
        sources[0].notes.append(f"of {min(repeats)} to {max(repeats)} measurements of a batch of {model} the median is taken")
    return {batch: statistics.median(point.latency_ms for point in batches[batch]) for batch in sorted(batches)}


def set_text(profiles, sources):
    """Returns the set as TOML; remarks at its top say what was taken as what."""
    def text(value):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    remarks = [f"{Path(source.path).name}: {note}" for source in sources for note in source.notes]
    parts = ["".join(f"# {''.join(filter(str.isprintable, remark))}\n" for remark in remarks)
             + f"description = {text('imported from ' + ', '.join(Path(source.path).name for source in sources))}\n"
             + f"source = {text('; '.join(dict.fromkeys(remarks))[:1000])}\n"]
    for (model, device), latencies in profiles.items():
        parts.append(f"[[profile]]\nmodel = {text(model)}\ndevice = {text(device)}\nbatch = {list(latencies)}\n"
                     f"latency_ms = [{', '.join(f'{value:.9g}' for value in latencies.values())}]\n")
    return "\n".join(parts)


def text_of(path):
    """Returns the text of a file, unpacked where it is gzipped. Raises BadInput for what is no such file, or larger."""
    if not Path(path).is_file():
        raise bad_input(path, "no such file" if not Path(path).exists() else "no file", f"a file of at most {LARGEST_FILE >> 20} MiB")
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if data[:2] == b"\x1f\x8b":
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise bad_input(path, "more", f"a file of at most {LARGEST_FILE >> 20} MiB, unpacked")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise bad_input(path, "bytes that are no UTF-8", "a file of text") from None
    except (OSError, EOFError, zlib.error) as error:
        raise bad_input(path, getattr(error, "strerror", None) or str(error), "a readable file") from None


def parsed(words):
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    for name in ("--model", "--device", "--latency", "--unit", "--batch", "--layers", "--output"):
        parser.add_argument(name)
    for name in ("--where", "--ignore"):
        parser.add_argument(name, action="append", default=[])
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(words)
    options.used = set()
    if options.unit is not None and options.unit not in UNITS:
        raise bad_input("--unit", f"'{options.unit}'", "ns, us, ms or s")
    if options.layers is not None and not re.fullmatch("[1-9][0-9]{0,4}", options.layers):
        raise bad_input("--layers", f"'{options.layers}'", "a number of layers from 1 to 99999")
    options.layers = options.layers and int(options.layers)
    options.sizes = [None] * len(options.files)
    if options.batch is not None:
        sizes = options.batch.split(",")
        are_sizes = all(re.fullmatch("[1-9][0-9]{0,3}", size) and int(size) <= LARGEST_BATCH for size in sizes)
        if len(sizes) != len(options.files) or not are_sizes:
            raise bad_input("--batch", f"'{options.batch}'", f"a batch size from 1 to {LARGEST_BATCH} for each file, such as 1,2,4")
        options.sizes = [int(size) for size in sizes]
    return options


def run(words):
    options = parsed(words)
    sources = [Source(path, text_of(path), size, options) for path, size in zip(options.files, options.sizes, strict=True)]
    text = set_text(profiles_of(sources), sources)
    Path(options.output).write_text(text, encoding="utf-8", errors="replace")


def main(words):
    """Returns the exit code; 2 with one line for bad input."""
    try:
        run(words)
        return 0
    except BadInput as error:
        print(f"harness: {''.join(c if c.isprintable() else '?' for c in str(error))}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"harness: {error.filename}: {error.strerror}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
