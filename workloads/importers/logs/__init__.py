"""Reads the logs of others: request logs, counts, rates, spans. `read` is all that a caller needs."""

from .jsonlines import json_table
from .keys import Keys
from .lines import Lines, unpacked
from .messages import BadInput, Place, bad_input, raw, shown, text_of_raw
from .plain import read_plain
from .published import REQUEST_LOGS, detected_format, read_functions, read_request_log
from .shapes import refuse_json_spans, refuse_latency_report
from .table import Table
from .trace import Trace

__all__ = ["BadInput", "Keys", "Place", "Trace", "read"]


def read(path, data, keys):
    """Returns the Trace that the bytes of a file hold, plain or packed; `path` is for messages, `keys` a dict of what a trace says of
    its file: format, column, time_column, time_unit, bin_s (s), rate_unit, holes, where, group_by; or Keys.

    Lines that are empty or begin with '#' are passed over. Columns stand between commas, semicolons, tabs, bars or blanks; a field may
    be quoted. The first line is a header unless it has a number or a date. Where a file leaves two readings, neither is taken.

    Raises BadInput, whose text is the line "FILE:LINE: KEY: found X; allowed: Y"."""
    keys, path = keys if isinstance(keys, Keys) else Keys(**keys), raw(path)
    keys.check(keys.format)
    data = unpacked(path, data)
    if keys.format == "auto" and not keys.column and not keys.time_column:
        refuse_latency_report(path, data)
    lines, format = Lines(path, data), keys.format
    refuse_json_spans(lines)
    table = json_table(lines, keys)
    if keys.format == "auto" and not keys.time_column and not table:
        format = detected_format(lines)
    log = next((log for log in REQUEST_LOGS if log.format == format), None)
    if log:
        trace = read_request_log(lines, log)
    elif format == "azure_functions":
        trace = read_functions(lines, keys)
    else:
        if format == "auto":
            refuse_json_list(lines)
        trace = read_plain(table or Table(lines, keys), keys)
    if not len(trace.times_ns) and not len(trace.counts):
        if b"\r" in data and b"\n" not in data:
            raise bad_input(Place(path), "lines that end in CR alone", "LF or CR LF")
        raise bad_input(Place(path), "no data", f"at least one line of a trace (format {trace.format})")
    keys.check(trace.format)
    if len(trace.times_ns):
        trace.bin_s = keys.bin_s or 1
    trace.notes, trace.module_names = [*map(shown, trace.notes)], [*map(text_of_raw, trace.module_names)]
    return trace


def refuse_json_list(lines):
    """Raises BadInput for a list of JSON."""
    number, line = next(lines.filled(), (0, ""))
    line = line.strip(" \t")
    if line == "[" or line.startswith("[{"):
        raise lines.error(number, "", "a list of JSON",
                          "an object of JSON a line (jq -c .[] FILE), or the times as a column (jq -r .[].KEY FILE)")
