"""Shapes of files in which a line is not one request: spans, several metrics."""

import numpy as np

from .fields import read_number
from .messages import Place, bad_input, joined, quoted
from .names import words_of
from .table import Texts

TRACE_NAMES = (["trace", "id"], ["traceid"])
METRIC_NAMES = (["metric"], ["metric", "name"])
SPANS = ((b'"traceID"', b'"spans"', "Jaeger", "jq '.data[] | [.spans[].startTime] | min' FILE"),
         (b'"resourceSpans"', b'"spans"', "OpenTelemetry",
          "jq '[.resourceSpans[].scopeSpans[].spans[]] | group_by(.traceId)[] | map(.startTimeUnixNano | tonumber) | min' FILE"))


def refuse_json_spans(lines):
    """Raises BadInput for JSON of spans, of which several belong to a request."""
    beginning = lines.data[lines.begin:lines.begin + (1 << 16)]
    for first, second, name, command in SPANS:
        if beginning.lstrip().startswith(b"{") and first in beginning and second in beginning:
            raise lines.error(1, "", f"spans of {name}, of which several belong to a request",
                              f"the start of each trace as a column ({command}), each line a request")


def one_of(table, known):
    """Returns the only column with one of these names, or None."""
    found = [place for place in range(table.width) if table.has_header and words_of(table.names[place]) in known]
    return found[0] if len(found) == 1 else None


def texts_of(table, place):
    texts = Texts()
    table.scan({place: texts}).check()
    return texts


def refuse_spans(table, keys):
    """Raises BadInput where several lines have one trace: spans, of which several belong to a request."""
    place = one_of(table, TRACE_NAMES)
    if place is None or keys.group_by:
        return
    texts = texts_of(table, place)
    lines_of = np.bincount(texts.codes)
    if len(lines_of) and lines_of.max() > 1:
        name, at = table.names[place], int(lines_of.argmax())
        raise table.error("", f"{lines_of[at]} lines with {name} {texts.names[at]}: spans, of which several belong to a request",
                          f"--group-by {name} (each {name} a request, at its first time)")


def refuse_metrics(table, keys):
    """Raises BadInput where lines are of several metrics."""
    place = one_of(table, METRIC_NAMES)
    if place is None or keys.where:
        return
    metrics = sorted(texts_of(table, place).names)
    if len(metrics) > 1:
        requests = [name for name in metrics if "reqs" in words_of(name) or "requests" in words_of(name)]
        name, column = (requests or metrics)[0], table.names[place]
        some = joined(metrics[:6]) + (", ..." if len(metrics) > 6 else "")
        raise table.error("", f"lines of {len(metrics)} metrics in column {quoted(column)} ({some})",
                          f"--where {column}={name}" + ("" if requests else ", or another metric whose lines are requests"))


def are_all_one(table, place):
    """Returns whether each number of a column is 1, as where a metric counts each request on a line."""
    return all(read_number(text) == 1 for text in texts_of(table, place).names)


# ---- latencies of batches, as other tools write them: neither a trace nor a set of profiles yet ----

BATCH_TABLE = ("latencies of batches, as another tool wrote them", "a set of profiles made of them: harness profile import FILE -o SET.toml")


def heading_of(line):
    """Returns the line in lower case, letters and digits alone, each field between commas."""
    return "".join("," if c in ",;\t" else c.lower() if c.isascii() and c.isalnum() else "" for c in f",{line},")


def has_any(text, parts):
    return any(part in text for part in parts)


def refuse_latency_report(path, data):
    """Raises BadInput for what a tool that measures batches writes, by its heading or its keys of JSON."""
    begin = len(data[:1 << 16]) - len(data[:1 << 16].lstrip(b"\xef\xbb\xbf \r\n\t"))
    if data.startswith(b"[", begin):
        is_report = data.find(b'"computeMs"', begin, begin + 4096) >= 0
    elif data.startswith(b"{", begin):
        is_report = data.find(b'"traceEvents"', begin) >= 0
    else:
        line = data[begin:begin + (1 << 16)].split(b"\n", 1)[0].decode("latin-1")
        is_report = has_any(heading_of(line), (",inferencessecond,", ",timestats"))
    if is_report:
        raise bad_input(Place(path), *BATCH_TABLE)


def refuse_batch_table(table):
    """Raises BadInput for a table that by its names has batch sizes and latencies, and no times."""
    heading = heading_of(",".join(table.key_of(place) for place in range(table.width)))
    if (has_any(heading, (",batch,", ",batchsize,", ",bs,", ",inferencessecond,", ",timestats"))
            and (has_any(heading, (",inferencessecond,", ",timestats"))
                 or has_any(heading, ("latency", "throughput", "p50", "p99", "median", "mean", "avg")))
            and not has_any(heading, ("stamp", "arriv", "receiv", "creat", "sent", "start"))):
        raise table.error("", *BATCH_TABLE)
