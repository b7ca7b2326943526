"""Shapes of files in which a line is not one request: spans, several metrics."""

import numpy as np

from .fields import read_number
from .messages import joined, quoted
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
