"""Reads the logs of others: request logs, counts, rates, spans. `read` is all that a caller
needs."""

import re
from copy import copy

from .canonical import BEGINNING
from .jsonlines import json_table
from .keys import Keys
from .lines import Lines, unpacked
from .messages import BadInput, Place, bad_input, raw, shown, text_of_raw
from .plain import read_plain
from .published import REQUEST_LOGS, detected_format, read_function_rates, read_functions, read_request_log
from .shapes import refuse_json_spans, refuse_latency_report
from .table import Table
from .trace import Trace

__all__ = ["BadInput", "Keys", "Place", "Trace", "read"]


def read(path, data, keys, parts="load"):
    """Returns the Trace that the bytes of a file hold, plain or packed. `path` is for messages,
    `keys` a dict of what a trace says of its file: format, column, time_column, time_unit, bin_s
    (s), rate_unit, holes, where, group_by; or Keys. `parts`: load; functions, the invocations of
    each of Azure Functions; or modules, requests with their modules, whose names are in `column`.

    Lines that are empty or begin with '#' are passed over. Columns stand between commas,
    semicolons, tabs, bars or blanks; a field may be quoted. The first line is a header unless it
    has a number or a date. Where a file leaves two readings, neither is taken.

    Raises BadInput, whose text is the line "FILE:LINE: KEY: found X; allowed: Y"."""
    keys, path = keys if isinstance(keys, Keys) else Keys(**keys), raw(path)
    refuse_imported(path, data, "name this file as it is")
    data = unpacked(path, data)
    refuse_imported(path, data, "unpack this file and name it")
    reader = {"load": read_load, "functions": read_function_rates, "modules": read_modules}[parts]
    trace = reader(Lines(path, data), keys)
    trace.notes, trace.module_names = [*map(shown, trace.notes)], [*map(text_of_raw, trace.module_names)]
    return trace


def read_modules(lines, keys):
    """Returns the Trace of requests by module; `column` is that of the modules."""
    modules, keys = keys.column, copy(keys)
    keys.format, keys.column = "times", ""
    keys.check("times")
    refuse_json_spans(lines)
    trace = read_plain(json_table(lines, keys) or Table(lines, keys), keys, modules)
    if not len(trace.times_ns):
        raise bad_input(Place(lines.path), "no data", "at least one request")
    return trace


def read_load(lines, keys):
    """Returns the Trace of requests or counts."""
    keys.check(keys.format)
    path, data, format = lines.path, lines.data, keys.format
    if format == "auto" and not keys.column and not keys.time_column:
        refuse_latency_report(path, data)
    refuse_json_spans(lines)
    table = json_table(lines, keys)
    if not table and format == "auto":
        refuse_json_list(lines)
    if keys.format == "auto" and not keys.time_column and not table:
        format = detected_format(lines)
    log = next((log for log in REQUEST_LOGS if log.format == format), None)
    if log:
        trace = read_request_log(lines, log, keys)
    elif format == "azure_functions":
        trace = read_functions(lines, keys)
    else:
        trace = read_plain(table or Table(lines, keys), keys)
    if not len(trace.times_ns) and not len(trace.counts):
        if b"\r" in data and b"\n" not in data:
            raise bad_input(Place(path), "lines that end in CR alone", "LF or CR LF")
        raise bad_input(Place(path), "no data", f"at least one line of a trace (format {trace.format})")
    keys.check(trace.format)
    if len(trace.times_ns):
        trace.bin_s = keys.bin_s or 1
    return trace


def refuse_imported(path, data, advice):
    """Raises BadInput for a trace that an import has written."""
    if data.startswith(BEGINNING.strip()):
        raise bad_input(Place(path), "a trace that was imported already", "the log itself; or " + advice)


def refuse_json_list(lines):
    """Raises BadInput for a list of JSON, or an object over several lines."""
    number, line = next(lines.filled(), (0, ""))
    line = line.strip(" \t")
    if line == "{":
        raise lines.error(number, "", "JSON over several lines", "an object of JSON a line (jq -c . FILE)")
    if re.match(r"\[\s*(?:[\[{]|$)", line):
        lists = "[]" if re.match(r"\[\s*\[", line) else ""
        raise lines.error(number, "", "a list of JSON", f"an object of JSON a line (jq -c '.[]{lists}' FILE), or the times as a column "
                          f"(jq -r '.[]{lists}.KEY' FILE)")
