"""Published traces: Azure Functions' invocations by minute, and logs of requests with tokens."""

from dataclasses import dataclass

import numpy as np

from .bins import mixed_offsets
from .decide import LARGEST_COUNT, number_fault
from .fields import numbers_of, range_text, split_fields
from .jsonlines import raw_value, whole_object_of
from .keys import where_text
from .lines import BLANKS
from .messages import Place, bad_input, joined, quoted, text_of
from .names import UNKNOWN
from .table import Numbers, Seconds, Stamps, Table
from .times import s_to_ns
from .trace import Trace, in_order

MINUTES = 1440
SHOWN_HEADER = 60
MOST_TOKENS = 1e9


@dataclass(frozen=True)
class RequestLog:
    """A published log of requests with tokens: columns with a header, or an object of JSON a
    line."""

    format: str
    beginning: str  # of the first line
    time: str  # names of the columns, or keys
    input: str
    output: str
    unit: str  # of the times; empty: dates
    is_json: bool = False


REQUEST_LOGS = (RequestLog("azure_llm", "TIMESTAMP,ContextTokens", "TIMESTAMP", "ContextTokens", "GeneratedTokens", ""),
                RequestLog("burstgpt", "Timestamp,", "Timestamp", "Request tokens", "Response tokens", "s"),
                RequestLog("mooncake", "{", "timestamp", "input_length", "output_length", "ms", is_json=True))
FUNCTIONS = ("HashOwner", "HashApp", "HashFunction", "hash_func", '"HashOwner', '"hash_func')


def detected_format(lines):
    """Returns the published format by the first line; auto: none of them."""
    _, line = next(lines.filled(), (0, ""))
    line = line.strip(BLANKS)
    if line.startswith(FUNCTIONS):
        return "azure_functions"
    return next((log.format for log in REQUEST_LOGS if line.startswith(log.beginning) and (log.is_json or log.input in line)), "auto")


# ---- logs of requests ----


class LogTable(Table):
    """The rows of a published log, between commas below a header that is known."""

    def __init__(self, lines, wanted, keys):
        """Raises BadInput where the header has not each wanted column once, or no row is left by
        `where`."""
        self.lines, self.separator, self.joined, self.is_text, self.has_header = lines, ",", None, False, True
        self.has_decimal_commas, self.as_in, self.clock, self.conditions = False, "as in the header", [], []
        self.is_of_container = False
        self.head, line = next(lines.filled(), (0, ""))
        self.head_line = line
        self.names = split_fields(line)
        self.width, self.meanings = len(self.names), [(UNKNOWN, 0)] * len(self.names)
        if self.head and any(self.names.count(name) != 1 for name in wanted):
            raise self.error("header", quoted(line[:SHOWN_HEADER]), f"columns {joined(wanted)}, each once")
        if self.head:
            self._choose_rows(keys)


def read_request_log(lines, log, keys):
    """Returns the Trace of a published log of requests: times from the first one on, and
    lengths."""
    rows = read_json(lines, log) if log.is_json else read_columns(lines, log, keys)
    trace = Trace(log.format)
    trace.read = (f"times in column '{log.time}' ({log.unit or 'dates'}, from the first on), each line a request with its tokens"
                  + where_text(keys))
    if rows:
        trace.times_ns, trace.tokens, names = rows
        left = [name for name in names if name and name not in (log.time, log.input, log.output)]
        if left:
            trace.notes.append("not kept of each request: " + joined(left))
        empty = int((trace.tokens[:, 1] == 0).sum())
        if empty:
            trace.notes.append(f"{empty} of {len(trace.tokens)} requests have no {log.output} (failures): they are requests as others")
    return trace


def read_columns(lines, log, keys):
    table = LogTable(lines, (log.time, log.input, log.output), keys)
    if not table.head:
        return None
    places = [table.names.index(name) for name in (log.time, log.input, log.output)]
    times = Seconds(0, 1e9, 1.0, False) if log.unit else Stamps()
    tokens = [Numbers(0, MOST_TOKENS), Numbers(0, MOST_TOKENS)]
    scan = table.scan(dict(zip(places, (times, *tokens), strict=True)))
    faults = []
    if times.bad and log.unit:
        row, text = times.bad
        found = quoted(text) if text else "an empty field"
        faults.append((row, lines.error(scan.line_of(row), log.time, found, range_text(text, 0, 1e9, is_log=False))))
    elif times.bad:
        row, text = times.bad
        faults.append((row, lines.error(scan.line_of(row), log.time, quoted(text) if text else "an empty field",
                                        "YYYY-MM-DD HH:MM:SS.fraction")))
    if not log.unit and times.mixed:
        faults.append((times.mixed[0], mixed_offsets(table, scan, log.time, times)))
    faults += [number_fault(table, scan, one, name, is_log=False)
               for one, name in zip(tokens, (log.input, log.output), strict=True) if one.bad]
    at = times.all
    falls = np.flatnonzero(at[1:] < at[:-1])
    if len(falls):
        row = int(falls[0]) + 1
        faults.append((row, lines.error(scan.line_of(row), log.time, quoted(table.field(row, places[0])) + " before the one above",
                                        "times that do not fall")))
    scan.check(faults)
    return (at - at[0], np.column_stack([one.all for one in tokens]).astype(np.uint32), table.names) if scan.rows else None


def json_field(lines, number, line, key):
    """Returns the text of the number under a key of a line of JSON."""
    name = f'"{key}"'
    _, found, rest = line.partition(name)
    rest = rest.strip(BLANKS)
    if not found or not rest.startswith(":"):
        raise lines.error(number, key, quoted(line[:SHOWN_HEADER]),
                          f"a JSON object with {name}, as Mooncake's; of other logs the times as a "
                          "column (jq -r .KEY FILE)")
    rest = rest[1:].strip(BLANKS)
    if any(behind.strip(BLANKS).startswith(":") for behind in rest.split(name)[1:]):
        raise lines.error(number, key, name + " twice", "a JSON object with each key once, as Mooncake's")
    return rest.split(",", 1)[0].split("}", 1)[0].strip(BLANKS)


def read_json(lines, log):
    times, tokens, before, names = [], [], None, []
    for number, line in lines.filled():
        if not line.rstrip(BLANKS).endswith("}"):
            raise lines.error(number, "", quoted(line[-SHOWN_HEADER:]) + " at the end of a line", "an object of JSON a line, to its end")
        names = names or [*map(raw_value, whole_object_of(line.strip(BLANKS)) or ())]
        time, *lengths = (json_field(lines, number, line, key) for key in (log.time, log.input, log.output))
        if "." in time or len(time) >= 10:  # seconds, or since 1970
            raise lines.error(number, log.time, quoted(time), "whole milliseconds from the first request on, as Mooncake's")
        values = []
        for key, text, most in ((log.time, time, 1e9 / 1e-3), (log.input, lengths[0], MOST_TOKENS), (log.output, lengths[1], MOST_TOKENS)):
            value = numbers_of([text])[0]
            if not 0 <= value <= most:
                raise lines.error(number, key, quoted(text) if text else "an empty field", range_text(text, 0, most, is_log=False))
            values.append(value)
        at = int(s_to_ns(1e-3 * values[0]))
        if before is not None and at < before:
            raise lines.error(number, log.time, quoted(time) + " before the one above", "times that do not fall")
        before = at
        times.append(at)
        tokens.append(values[1:])
    return (np.array(times) - times[0], np.array(tokens).astype(np.uint32), names) if times else None


# ---- Azure Functions ----


class FunctionColumns:
    """Where the columns of a file of Azure Functions stand."""

    def __init__(self, lines, number, line):
        header = split_fields(line)
        functions = [place for place, name in enumerate(header) if name in ("hash_func", "HashFunction")]
        days = [place for place, name in enumerate(header) if name == "day"]
        self.width, self.first_minute = len(header), len(header) - MINUTES
        is_known = self.first_minute >= 0 and header[self.first_minute:] == [str(minute + 1) for minute in range(MINUTES)]
        if not is_known or len(functions) != 1 or len(days) > 1 or functions[0] >= self.first_minute:
            raise lines.error(number, "header", quoted(line[:SHOWN_HEADER]), "hash_func,day,1,2,...,1440")
        self.function, self.day = functions[0], days[0] if days else None


def day_of(lines, number, columns, fields):
    """Returns (day, invocations in each of its minutes) of a row."""
    if len(fields) != columns.width:
        raise lines.error(number, "", f"{len(fields)} fields", f"{columns.width}, as in the header")
    day = 1
    if columns.day is not None:
        text = fields[columns.day]
        day = numbers_of([text])[0]
        if not 1 <= day <= 366:
            raise lines.error(number, "day", quoted(text) if text else "an empty field", "a number from 1 to 366")
        if int(day) != day:
            raise lines.error(number, "day", quoted(text), "an integer from 1 to 366")
    texts = fields[columns.first_minute:]
    minutes = numbers_of(texts)
    good = (minutes >= 0) & (minutes <= LARGEST_COUNT)
    if not good.all():
        at = int(np.argmin(good))
        raise lines.error(number, f"minute {at + 1}", quoted(texts[at]) if texts[at] else "an empty field", range_text(texts[at], 0,
                          LARGEST_COUNT, is_log=False))
    return int(day), minutes


def functions_of(lines, column):
    """Returns {function: {day: invocations by minute}} of the functions chosen by `column`:
    beginnings of their names."""
    filled = lines.filled()
    number, line = next(filled, (0, ""))
    if not number:
        return {}
    columns = FunctionColumns(lines, number, line)
    wanted = split_fields(column) if column else []
    seen, rows, functions = set(), set(), {}
    head, text = number, line
    for number, line in filled:
        if line == text:
            raise lines.header_again(number, head)
        fields = split_fields(line)
        function = fields[min(columns.function, len(fields) - 1)]
        seen.add(function)
        names = joined(fields[:columns.first_minute])
        if names in rows:
            raise lines.error(number, "", "a second row of " + names, "each function and day once")
        rows.add(names)
        if not wanted or function.startswith(tuple(wanted)):
            day, minutes = day_of(lines, number, columns, fields)
            days = functions.setdefault(function, {})
            days[day] = days.get(day, 0) + minutes
    for name in wanted:
        fits = sum(other.startswith(name) for other in seen)
        if fits != 1:
            raise bad_input(Place(lines.path, 0, "column"), f"{quoted(name)}, which fits {fits} functions",
                            f"the unique beginning of one of {len(seen)} values of hash_func")
    return functions


def read_function_rates(lines, keys):
    """Returns the Trace of each function's invocations by minute over their mean, in the order of
    the names. Raises BadInput for a file of another format, or without an invocation."""
    format = detected_format(lines) if keys.format == "auto" else keys.format
    if format != "azure_functions":
        place = keys.places.get("file") or Place(lines.path)
        raise bad_input(place, "a file of " + ("another format" if format == "auto" else "format " + format),
                        "azure_functions, whose minutes streams can have")
    functions = functions_of(lines, keys.column)
    all_days = {day for days in functions.values() for day in days}
    first, count = min(all_days, default=0), (max(all_days, default=-1) - min(all_days, default=0) + 1) * MINUTES
    rates = []
    for _, days in sorted(functions.items()):
        counts = np.zeros(count)
        for day, minutes in days.items():
            counts[(day - first) * MINUTES:][:MINUTES] = minutes
        total = in_order(counts)
        if total > 0:
            rates.append((counts * count / total).astype(np.float32))
    if not rates:
        raise bad_input(Place(lines.path), "no invocations", "a function with some")
    return Trace("azure_functions", rates=np.array(rates), bin_s=60.0, read=f"invocations by minute over their mean, {called(keys)}")


def called(keys):
    """Returns "all functions", or which."""
    return f"functions {keys.column}" if keys.column else "all functions"


def read_functions(lines, keys):
    """Returns the Trace of invocations by minute, days one after the other; those that are missing
    without requests."""
    days = {}
    for one in functions_of(lines, keys.column).values():
        for day, minutes in one.items():
            days[day] = days.get(day, 0) + minutes
    if keys.bin_s not in (0, 60):
        raise keys.error("bin_s", f"{text_of(keys.bin_s)} for invocations by minute", "60, or none")
    first = min(days, default=0)
    counts = np.zeros((max(days, default=-1) - first + 1) * MINUTES)
    for day, minutes in days.items():
        counts[(day - first) * MINUTES:][:MINUTES] = minutes
    return Trace("azure_functions", counts=counts, bin_s=60.0, read=f"invocations by minute, {called(keys)}")
