"""Shapes of files in which a line is not one request: spans, several metrics."""

import re

import numpy as np

from .fields import read_number
from .messages import Place, bad_input, counted, joined, option_text, quoted
from .names import ATTRIBUTE, UNKNOWN, names_kind, side_of, words_of
from .table import Texts

TRACE_NAMES = (["trace", "id"], ["traceid"])
REQUEST_NAMES = (["request", "id"], ["requestid"], ["req", "id"], ["reqid"], ["correlation", "id"])
PARTIAL = ("CONTAINER_PARTIAL_MESSAGE", "partial_message")  # keys of journald and of Docker's drivers
MESSAGES = (["message"], ["msg"], ["log"], ["text", "payload"])
ID_WITHIN = re.compile(r"\b(?:[Rr]eq(?:uest)?|[Tt]race|[Cc]orrelation)[-_ ]?(?:(?:[Ii][Dd])\W{1,3}|(?=[\w-]*[a-z][\w-]*\d))([\w-]{2,})")
MOST_KINDS = 50
EACH_LINE = ', or format = "times" (each line a request)'
METRIC_NAMES = (["metric"], ["metric", "name"])
SPANS = ((b'"traceID"', b'"spans"', "Jaeger", "jq '.data[] | [.spans[].startTime] | min' FILE"),
         (b'"resultType"', b'"values"', "", "jq -r '.data.result[0].values[] | @csv' FILE"),
         (b'"resourceSpans"', b'"spans"', "OpenTelemetry",
          "jq '[.resourceSpans[].scopeSpans[].spans[]] | group_by(.traceId)[] | map(.startTimeUnixNano | tonumber) | min' FILE"))


def refuse_json_spans(lines):
    """Raises BadInput for JSON of spans, of which several belong to a request."""
    beginning = lines.data[lines.begin:lines.begin + (1 << 16)]
    for first, second, name, command in SPANS:
        if beginning.lstrip().startswith(b"{") and first in beginning and second in beginning:
            if not name:
                raise lines.error(1, "", "series of Prometheus", f"the times and values of one of them as columns ({command})")
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
    """Raises BadInput where several lines have one trace or request."""
    place, are, advice = one_of(table, TRACE_NAMES), "spans, ", ""
    if place is None and keys.format == "auto":
        place, are, advice = one_of(table, REQUEST_NAMES), "", EACH_LINE
    if place is None and keys.format == "auto" and not keys.group_by:
        messages, ids = one_of(table, MESSAGES), Ids()
        if messages is not None:
            table.scan({messages: ids}).check()
            ids.check(table)
        refuse_events(table)
    if place is None or keys.group_by:
        return
    texts = texts_of(table, place)
    lines_of = np.bincount([code for code in texts.codes if texts.names[code]] if "" in texts.names else texts.codes)
    if len(lines_of) and lines_of.max() > 1:
        name, at = table.names[place], int(lines_of.argmax())
        raise table.error("", f"{lines_of[at]} lines with {name} {texts.names[at]}: {are}of which several belong to a request",
                          f"{option_text('group_by', name)}, each {name} a request at its first time{advice}")


class Ids:
    """Request ids among the words of a column: the first two texts that have the same one."""

    def __init__(self):
        self.pair, self._first = None, {}

    def add(self, first_row, values):
        for text in () if self.pair else values:
            found = ID_WITHIN.search(text)
            first = self._first.setdefault(found[1], text) if found else text
            if first is not text:
                self.pair = found[1], first, text
                return

    def check(self, table):
        """Raises BadInput where several lines of words have one request."""
        if not self.pair:
            return
        name, first, second = self.pair
        others = {*re.findall("[A-Za-z]+", second)}
        word = next((word for word in re.findall("[A-Za-z]+", first) if word not in others), None)
        some = f"the lines of one kind (grep -w {word} FILE)" if word else "one line of each request"
        raise table.error("", f"several lines of words with request {name}: {quoted(first[:40])}, {quoted(second[:40])}", some + EACH_LINE)


class Kinds:
    """The different texts of a column, while they are few."""

    def __init__(self):
        self.found = set()

    def add(self, first_row, values):
        if len(self.found) <= MOST_KINDS:
            self.found.update(values)


def refuse_events(table):
    """Raises BadInput where a column says that some lines are beginnings of requests and others
    ends, or that lines are events of several kinds."""
    columns = {place: Kinds() for place in range(table.width) if table.has_header and table.kind(place) in (ATTRIBUTE, UNKNOWN)
               and (names_kind(table.names[place]) or read_number(table.first[place]) is None)}
    if columns:
        table.scan(columns).check()
    for place, kinds in columns.items():
        found = sorted(kinds.found - {""})
        sides = [*map(side_of, found)]
        is_both = 1 in sides and -1 in sides
        if 1 < len(found) <= MOST_KINDS and (is_both or names_kind(table.names[place])):
            name, kind = table.names[place], found[sides.index(1) if 1 in sides else 0]
            some = joined(found[:6]) + (", ..." if len(found) > 6 else "")
            raise table.error("", f"lines of {len(found)} kinds in column {quoted(name)} ({some}), of which several may belong to a "
                              "request", table.narrowed(f"{name}={kind}") + EACH_LINE)


def refuse_metrics(table):
    """Raises BadInput where lines are of several metrics."""
    place = one_of(table, METRIC_NAMES)
    if place is None:
        return
    metrics = sorted(texts_of(table, place).names)
    if len(metrics) > 1:
        requests = [name for name in metrics if "reqs" in words_of(name) or "requests" in words_of(name)]
        name, column = (requests or metrics)[0], table.names[place]
        some = joined(metrics[:6]) + (", ..." if len(metrics) > 6 else "")
        raise table.error("", f"lines of {len(metrics)} metrics in column {quoted(column)} ({some})",
                          table.narrowed(f"{column}={name}") + ("" if requests else ", or another metric whose lines are requests"))


class LineEnds:
    """How many texts of a column end a line."""

    def __init__(self):
        self.count = self.rows = 0

    def add(self, first_row, values):
        self.count += sum(value.endswith("\n") for value in values)
        self.rows += len(values)


def count_of(table, place, text):
    """Returns how many rows have this text in a column."""
    texts = texts_of(table, place)
    return int((texts.codes == texts.names.index(text)).sum()) if text in texts.names else 0


def refuse_parts(table):
    """Raises BadInput for logs of containers in which several lines are parts of one."""
    allowed = ""
    tag = 2 if table.is_of_container else table.names.index("logtag") if "logtag" in table.names else None
    flag = next((name for name in PARTIAL if name in table.names), None)
    if tag is not None:
        parts = count_of(table, tag, "P")
        allowed = table.narrowed(("3" if table.is_of_container else "logtag") + "=F") + ", the last part of each"
    elif flag:
        parts = count_of(table, table.names.index(flag), "true")
        if "partial_last" in table.names:
            parts -= count_of(table, table.names.index("partial_last"), "true")
        last = " or (.partial_last | tostring) == \"true\"" if "partial_last" in table.names else ""
        allowed = f"""the last part of each (jq -c 'select((.{flag} | tostring) != "true"{last})' FILE)"""
    elif {"log", "stream", "time"} <= {*table.names}:
        ends = LineEnds()
        table.scan({table.names.index("log"): ends}).check()
        parts = ends.rows - ends.count if ends.count else 0
        allowed = """the last part of each (jq -c 'select(.log | endswith("\\n"))' FILE)"""
    if allowed and parts:
        raise table.error("", f"{counted(parts, 'part')} of lines of a container's log, of which several make one", allowed)


def are_all_one(table, place):
    """Returns whether each number of a column is 1, as where a metric counts each request on a
    line."""
    return all(text == "" or read_number(text) == 1 for text in texts_of(table, place).names)


# ---- latencies of batches, as other tools write them: no trace, and no set of profiles yet ----

BATCH_TABLE = ("latencies of batches, as another tool wrote them",
               "a set of profiles made of them: harness profile import FILE -o SET.toml")


def heading_of(line):
    """Returns the line in lower case, letters and digits alone, each field between commas."""
    return "".join("," if c in ",;\t" else c.lower() if c.isascii() and c.isalnum() else "" for c in f",{line},")


def has_any(text, parts):
    return any(part in text for part in parts)


def refuse_latency_report(path, data):
    """Raises BadInput for what a tool that measures batches writes, by its heading or its keys of
    JSON."""
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
