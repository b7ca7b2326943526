"""What the names of a log's columns say of their numbers."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .times import UNIT_S

# What a column is by its name.
TIME = "time"  # time, timestamp, arrival_ms, start time, minute
OTHER_TIME = "other time"  # request_time, ttft_ms: a time or duration, of what the name does not say
COUNT = "count"  # count, requests, num_requests: requests in a bin
RATE = "rate"  # rps, "Throughput (req/s)", rate(requests_total[5m]): requests in a unit of time
AGGREGATE = "aggregate"  # krps, avg_requests, active_requests, error_rate: of many requests, neither of these two
GAP = "gap"  # inter_arrival_ms: time since the request before
QUANTITY = "quantity"  # how much of it one request has: latency_ms, tokens
ATTRIBUTE = "attribute"  # what else one request has: model, status
UNKNOWN = "unknown"


def words(text):
    return frozenset(text.split())


# What one request has: how much of it, and what else.
QUANTITIES = words("latency duration elapsed token tokens length len size bytes processing timeout cost slo deadline lat rtt ttfb")
ATTRIBUTES = words("id ids model user client status code method path url prompt type input output name endpoint service host ip error "
                   "wait queue waiting errors timeouts success cpu memory gpu")
ENDS = words("end ends ended finish finished complete completed done stop completion stopped close closed exit exited departure departed "
             "response resp reply replied finishes stops terminated responded completes")
BEGINS = words("start started arrival arrived begin sent created received submit submitted issued send")
ARRIVING = BEGINS | words("request arrive arrives receive receives enqueue enqueued starting begins")  # kinds of lines
LEAVING = ENDS | words("dequeue dequeued depart departs exits")
DURATIONS = words("latency duration elapsed took runtime processing")
GAPS = words("gap gaps iat interarrival inter")
TIMES = words("time timestamp stamp ts t date datetime epoch at")
TIMES_ALONE = words("arrival arrived start started sent begin bin second seconds minute minutes hour hours day days")
OF_TIMES = words("start started arrival arrived send sent request event created begin received submit issued submitted unix time utc iso "
                 "gmt local date epoch")
ZONES = words("utc gmt local iso unix")
COUNTS = words("count counts requests request reqs req n calls hits queries invocations arrivals")
OF_COUNTS = words("num number of in")
INDICES = words("num number no nr index idx")  # behind the word that they count
MAY_COUNT = words("requests count counts calls hits queries total")  # behind what one request has: completed_requests, success_count
MAY_BE_COUNTS = COUNTS | words("value values views pageviews visits tweets events jobs tasks transactions messages orders sum")
COUNTERS = words("total totals counter cumulative cumulated cumsum cum")
BINS = words("bin bucket interval window slot step row line period")
OF_RATES = words("avg average mean total overall")  # before or behind a rate they leave it one
RATES = words("rate throughput arrival rps qps reqps value")  # "throughput (req/s)"
# A word of these alone says that numbers are none of requests in a bin.
AGGREGATES = words("rps qps rpm qpm rph qph rpd tps tpm tph eps cps hps pps iops ops krps kqps mrps bps kbps mbps hz rate rates irate "
                   "increase kreq kreqs mreqs frequency freq speed users sessions clients connections concurrency utilization "
                   "utilisation inflight throughput bandwidth percent")
STATISTICS = words("avg average mean median max maximum min minimum peak std stddev stdev var variance quantile pct ratio share fraction "
                   "normalized normalised relative smoothed rolling moving limit target forecast predicted")
SCALES = words("k m thousand thousands million millions mio mega kilo 1k 1000 1000s x1000 1e3 1e6")  # of a count
# Such requests are there at a moment; alone the words are no counts either.
STATES = words("active concurrent running pending queued queue waiting flight open ongoing backlog outstanding progress lambda intensity")
# With a count they say that it is of other requests than those that arrived.
LOST = words("failed failure failures dropped rejected lost error errors timeout timeouts timed canceled aborted cancelled throttled "
             "denied retried retry retries fault faults unsuccessful")
MANY_REQUESTS = words("requests reqs queries calls invocations")

SPAN = re.compile(rf"[0-9]*(?:m|d|{'|'.join(UNIT_S)})")  # "10s", "5m", "1min"
PERCENTILE = re.compile(r"p[0-9]+")
FAILURE_STATUS = re.compile(r"[45](?:xx|[0-9]{2})")  # of HTTP
RATE_OF_COUNTER = re.compile(r"(i?rate|increase)\(([^()]*)\[([^()\[\]]*)\]\)")
SUMMED = re.compile(r"sum(?: (?:by|without) \([^()]*\) ?)?\((.+)\)", re.DOTALL)
SPANS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def words_of(name):
    """Returns the words of a name in lower case: of "Request-Time (ms)" or "requestTimeMs" request,
    time, ms; of "req/s" req, per, s."""
    found = re.findall(r"[A-Z]+[a-z0-9]*|[a-z0-9]+|%|/", name)
    if name.startswith("/"):
        found = [word for word in found if word != "/"]
    found = ["percent" if word == "%" else word.lower() for word in found]
    per = ["per" if word == "/" and SPAN.fullmatch(behind) else word for word, behind in zip(found, [*found, ""][1:], strict=True)]
    return [word for word in per if word != "/"]


@dataclass
class Name:
    """A name without the unit at its end: its words, the unit in s (0: none), whether "per" stands
    before it."""

    words: list
    unit_s: float = 0
    is_per: bool = False

    def __post_init__(self):
        found = self.words = list(self.words)
        while len(found) > 1 and found[-1] in ZONES:
            found.pop()
        if len(found) > 2 and found[-2] == "per" and found[-1] in BINS:
            del found[-2:]
        if found[-1] in UNIT_S:
            self.unit_s = UNIT_S[found[-1]]
            if len(found) > 1:
                found.pop()
        is_per = False
        while len(found) > 1 and found[-1] in ("in", "per"):
            is_per = found.pop() == "per"
        self.is_per = is_per and self.unit_s > 0

    @cached_property
    def set(self):
        return frozenset(self.words)

    def has(self, *known):
        """Returns whether any word is one of these."""
        return any(self.set & some for some in known)


def is_time(found):
    if len(found) == 1:
        return found[0] in TIMES_ALONE | TIMES
    # nginx calls request_time what a request took.
    return found[-1] in TIMES and found != ["request", "time"] and OF_TIMES.issuperset(found[:-1])


def is_count(found):
    return bool(COUNTS.intersection(found)) and (COUNTS | OF_COUNTS).issuperset(found)


def unit_of_counter(name):
    """Returns the time, in s, that the rate of a counter of Prometheus is per: 1 for
    "rate(http_requests_total[5m])" and "sum(irate(x_seconds_count[1m]))", 300 for
    "increase(http_requests_total[5m])"; None for other names."""
    summed = SUMMED.fullmatch(name)
    match = RATE_OF_COUNTER.fullmatch(summed[1] if summed else name)
    found = words_of(re.split(r"[{\[]", match[2])[0]) if match else []
    span = re.fullmatch("([0-9]+)([smhd])", match[3]) if match else None
    if len(found) < 2 or (match[1] == "increase" and not span):
        return None
    last, others = found[-1], frozenset(found[:-1])
    is_counter = others & COUNTS and (last == "count" or (last == "total" and not others & (ATTRIBUTES | QUANTITIES)))
    return None if not is_counter else int(span[1]) * SPANS_S[span[2]] if match[1] == "increase" else 1.0


def rate_unit_s(found):
    """Returns the unit of time, in s, of a rate of requests by its words; None for other names."""
    plain = [word for word in found if word not in OF_RATES]
    if not plain:
        return None
    name = Name(plain)
    rest = name.words
    if name.has(STATISTICS, LOST, ATTRIBUTES, QUANTITIES, ENDS, SCALES) or any(map(PERCENTILE.fullmatch, rest)):
        return None
    if name.is_per:
        requests = [word for word in rest if word not in RATES]
        is_bare = not requests and rest[-1] == "rate"  # arrival rate per s
        return name.unit_s if is_bare or is_count(requests) else None
    if name.unit_s > 0:
        return None
    if rest[-1] in ("rps", "qps", "reqps"):
        return 1.0
    if rest[-1] in ("rpm", "qpm", "reqpm"):
        return 60.0
    return 1.0 if rest[-1] == "rate" and (len(found) == 1 or rest[0] == "arrival" or is_count(rest[:-1])) else None


def is_aggregate(name):
    """Returns whether the numbers are of many requests, but neither those in a bin nor a rate."""
    found = name.words
    counts = name.has(COUNTS)
    if name.has(ATTRIBUTES, ENDS) and not counts and found[-1] not in ("rate", "rps", "qps"):
        return False  # of one request: output tps
    if name.has(AGGREGATES, STATISTICS) or name.is_per or any(map(PERCENTILE.fullmatch, found)):
        return True
    if name.has(STATES) and (len(found) == 1 or (name.has(MANY_REQUESTS) and found[-1] not in TIMES)):
        return True
    # requests_min: a minute, or a least number.
    has_unit = name.unit_s >= 1 and (is_count(found) or name.has(MANY_REQUESTS))
    return counts and (has_unit or name.has(SCALES, LOST) or "per" in found
                       or any(FAILURE_STATUS.fullmatch(word) or SPAN.fullmatch(word) for word in found))


PER_SEVERAL = re.compile(r"\bper ([0-9]{1,4})\b(?= *[a-z])", re.IGNORECASE)


@lru_cache(1 << 14)
def meaning_of(column):
    """Returns (what the column is by its name, the unit in s of times, gaps and rates; 0: the name
    has none)."""
    of_counter = unit_of_counter(column)
    if of_counter:
        return RATE, of_counter
    if "rate(" in column or "increase(" in column:
        return AGGREGATE, 0
    several = PER_SEVERAL.search(column)  # "requests per 5 minutes"
    if several and int(several[1]) > 0:
        kind, unit_s = meaning_of(column.replace(several[0], "per"))
        return kind, unit_s * int(several[1]) if kind == RATE else unit_s
    found = words_of(column)
    if not found:
        return UNKNOWN, 0
    per = rate_unit_s(found)
    if per is not None:
        return RATE, per
    name = Name(found)
    last, unit_s = name.words[-1], name.unit_s
    may_count = len(name.words) > 1 and last in MAY_COUNT  # "Requests Length" is of one request
    has_quantity = name.has(QUANTITIES)
    if has_quantity and not may_count:
        return QUANTITY, unit_s
    if is_aggregate(name) or (has_quantity and last == "total"):
        return AGGREGATE, unit_s
    if has_quantity:
        return UNKNOWN, unit_s
    if name.has(ATTRIBUTES, ENDS):
        is_quantity = unit_s > 0 or last in TIMES or name.has(AGGREGATES, STATISTICS) or any(map(PERCENTILE.fullmatch, name.words))
        return UNKNOWN if may_count else QUANTITY if is_quantity else ATTRIBUTE, unit_s
    if len(name.words) > 1 and last in INDICES:
        return ATTRIBUTE, unit_s
    if name.has(GAPS):
        return GAP, unit_s
    if is_time(name.words):
        return TIME, unit_s
    if is_count(name.words) and unit_s == 0:
        return COUNT, 0
    return OTHER_TIME if last in TIMES or 0 < unit_s <= 1 else UNKNOWN, unit_s


def is_scaled(column):
    """Returns whether the name says that numbers are thousands or millions, shares, or of other
    requests than those that arrived."""
    return not (SCALES | LOST | words("krps kqps mrps kreq kreqs mreqs percent")).isdisjoint(words_of(column))


def may_name_counts(column):
    """Returns whether a column of unknown numbers may be one of requests in a bin: no name,
    "value", completed_requests."""
    found = words_of(column)
    return re.fullmatch("[0-9]*", column) is not None or not MAY_BE_COUNTS.isdisjoint(found)


def side_of(text):
    """Returns whether a kind of lines is by its words one of beginnings of requests (1), of ends (-1)
    or neither (0)."""
    found = [] if "/" in text else words_of(text)
    found = found if len(found) == 1 else [word for word in found if word != "request"]
    return (not ARRIVING.isdisjoint(found)) - (not LEAVING.isdisjoint(found)) if len(found) <= 4 else 0


def names_kind(column):
    """Returns whether a column says by its name what kind of event a line is."""
    found = words_of(column)
    return found[-1:] == ["event"] or (found[:1] == ["event"] and found[1:] in (["type"], ["name"], ["kind"], ["code"]))


def names_bin(column):
    """Returns whether a column beside counts says by its name which bin a row is: period,
    interval_id, slot."""
    found = words_of(column)
    return bool(BINS.intersection(found)) and (BINS | INDICES | words("id start begin time")).issuperset(found)


def names_counter(column):
    """Returns whether the name calls a column a counter: requests_total, "Total Requests",
    cumulative_count."""
    return meaning_of(column)[0] not in (RATE, AGGREGATE) and not COUNTERS.isdisjoint(words_of(column))


def names_end(column):
    """Returns whether a column of times is by its name one of ends: end_timestamp, finished_at,
    response_time."""
    found = words_of(column)
    return not ENDS.isdisjoint(found) and BEGINS.isdisjoint(found)


def names_duration(column):
    """Returns whether the name is one of a duration: duration, latency_ms, elapsed, took."""
    return not DURATIONS.isdisjoint(words_of(column))
