"""Logs and counts that anyone may have written: text in columns, with or without a header."""

import numpy as np

from .bins import BinTimes, filled, mixed_offsets
from .decide import LARGEST_COUNT, Decision, number_fault
from .fields import either_way, numbers_of, read_number, time_or_number
from .keys import UNITS_S
from .messages import counted, joined, quoted, text_of
from .names import COUNT, RATE, names_counter, words, words_of
from .table import Numbers, Seconds, Stamps, Table, Texts
from .times import DATE_SIZE, DAY_NS, LATEST_EPOCH_S, NS, epoch_unit_s, is_local, read_timestamp, s_to_ns, unit_text
from .trace import Trace

LATEST_S = 1e9
MOST_TIMES = 100_000_000
MOST_BINS = 50_000_000
SUMMERS = 3  # that end in one log
LEAST_ON_A_LINE = 24  # numbers
MOST_TOKENS = 1e9
SIDES = words("input prompt context prefill"), words("output generated completion response decode")
LENGTHS = words("length len tokens toks")
FAILURES = words("status error errors success failed failure code ok")


def unit_of(table, place, keys):
    """Returns the unit in s of the numbers of a column, by the user's words, the name or their size; 0: unknown. Raises BadInput where
    two of them differ: time_s of milliseconds since 1970."""
    number = read_number(table.first[place])
    by_size = None if number is None else epoch_unit_s(number)
    by_name = table.unit_s(place)
    if keys.time_unit != "auto":
        given = UNITS_S[keys.time_unit]
        # The minute of a bin may be in seconds.
        if 0 < by_name <= 1 and given not in (by_name, by_size, table.stated_unit_s):
            raise keys.error("time_unit", f"{unit_text(given)} for {table.called(place)}, whose name says {unit_text(by_name)}",
                             "no such key, or a column whose name says nothing else")
        return given
    by_name = by_name or table.stated_unit_s
    if by_size is None or by_name == 0:
        return by_name or by_size or 0
    if by_name <= 1 and by_name != by_size:
        raise table.error("time_unit", f"numbers since 1970 in {unit_text(by_size)} in {table.called(place)}",
                          "time_unit, which says what they are in")
    return by_size  # of the minute of a bin, too, in seconds since 1970


def refuse_unit(table, keys, place):
    """Raises BadInput where the user gives a unit for a column of dates."""
    if keys.time_unit != "auto":
        raise keys.error("time_unit", f"time_unit with dates in {table.called(place)}", "no such key: dates have no unit")


def check_commas(table, key, written):
    """Raises BadInput for times whose dots may stand before decimals or, as commas do in other columns, part thousands."""
    if table.has_decimal_commas and not table.states_points and written.dotted:
        raise table.error(key, either_way(written.dotted) + ", since commas stand before decimals",
                          'numbers without separators of thousands and with a point before decimals, or a line "# decimal = ." in the file')


class TimeColumn:
    """The times of one column: dates and numbers that count from 1970, or other numbers."""

    def __init__(self, table, place, keys, has_durations=False):
        """Raises BadInput where its values are no times, or nothing says their unit."""
        self.table, self.place, self.keys, self.key = table, place, keys, table.key_of(place)
        text = table.first[place]
        first = read_number(text)
        self.is_stamp, self.unit_s = read_timestamp(text) is not None, 1.0
        if not self.is_stamp and first is None and table.has_header:
            raise table.error(self.key, quoted(text), time_or_number(text))
        if self.is_stamp:
            if not has_durations:  # whose unit it may be
                refuse_unit(table, keys, place)
        else:
            self.unit_s = unit_of(table, place, keys)
        # A file of one column without a header is ours: seconds. A column with a name may be anything.
        if self.unit_s == 0 and table.has_header:
            raise table.error("time_unit", "times without a unit in " + table.called(place), 'time_unit = "s", "ms", "us" or "ns"')
        self.unit_s = self.unit_s or 1.0
        self.is_absolute = self.is_stamp or (first or 0) * self.unit_s >= LATEST_S
        latest = (LATEST_EPOCH_S if self.is_absolute else LATEST_S) / self.unit_s
        self.values = Stamps() if self.is_stamp else Seconds(0, latest, self.unit_s, self.is_absolute)

    @property
    def kind(self):
        return ("dates" if self.is_stamp else unit_text(self.unit_s)) + (", from the first on" if self.is_absolute else "")

    def faults(self, scan):
        """Returns the (row, BadInput) of the first fault of each kind."""
        table, values = self.table, self.values
        if not self.is_stamp:
            key = self.key if table.has_header else "send time"
            return [number_fault(table, scan, values, key)] if values.bad else []
        faults = [(values.mixed[0], mixed_offsets(table, scan, self.key, values))] if values.mixed else []
        if values.bad:
            row, field = values.bad
            faults.append((row, table.lines.error(scan.line_of(row), self.key, quoted(field[:60]),
                                                  "a date and time (ISO 8601), as in the first row")))
        return faults

    def check(self, scan, times):
        """Raises BadInput for times, in the order of the rows, that may be others than those written. Returns how many fall."""
        table, keys = self.table, self.keys
        falls = np.flatnonzero(times[1:] < times[:-1]) + 1
        is_open = keys.format == "auto"
        if is_open and not keys.time_column and not self.is_absolute and len(falls) * 3 > scan.rows and len(falls) > 1:
            raise table.error("format", f"numbers that rise and fall in {table.called(self.place)}",  # as durations do
                              'format = "times" (each line a request at that time), or time_column = another')
        if is_open and self.is_stamp:
            self.check_hour(scan, times, falls)
        if not self.is_stamp:
            step_s = self.values.written.step * self.unit_s
            if step_s > 1:
                raise table.error(self.key, f"times of {self.values.written.digits} significant digits, steps of {text_of(step_s)} s: what "
                                  "is finer is lost", "times with all their digits (printed by %.6f in place of %.6g)")
            check_commas(table, self.key, self.values.written)

    def check_hour(self, scan, times, falls):
        """Raises BadInput where clocks show an hour again: at the end of summer time, on a Sunday before 4 h."""
        table, by = self.table, times[falls - 1] - times[falls]
        far = by >= 60 * NS  # threads and hosts differ by less
        falls, by, at = falls[far], by[far], times[falls[far]]
        is_night = (at // DAY_NS % 7 == 3) & (at % DAY_NS < DAY_NS // 6)  # 1970-01-04 was a Sunday
        hours = falls[(by <= 3600 * NS) & ((by >= 1800 * NS) | is_night)] if self.values.local else falls[:0]
        if len(hours) == len(falls) and 0 < len(hours) <= SUMMERS:
            row = int(hours[0])
            raise table.lines.error(
                scan.line_of(row), self.key,
                f"{quoted(table.field(row, self.place))}, {text_of(by[0] / 1e9)} s before the row above, where hardly any falls: an hour that "
                "comes twice (the end of summer time), or rows out of order",
                'times with an offset from UTC (+01:00), or format = "times", which sorts them')


def module_columns(table, column=""):
    """Returns the places of the columns that name modules: those called module or model, or `column`."""
    return table.named("column", column) or [place for place in range(table.width) if table.key_of(place) in ("module", "model")]


class Starts:
    """Requests of which a log has the ends and durations: when they began."""

    def __init__(self, table, keys, ends, place):
        """Raises BadInput where nothing says the unit of the durations."""
        self.table, self.place = table, place
        self.unit_s = table.unit_s(place) or UNITS_S.get(keys.time_unit, 0)
        if self.unit_s == 0:
            raise table.error("time_unit", f"durations without a unit in {table.called(place)}", 'time_unit = "s", "ms", "us" or "ns"')
        self.values = Numbers(0, LATEST_S / self.unit_s)
        self.called = f"starts in {table.called(ends)} less {table.called(place)} ({unit_text(self.unit_s)})"

    def faults(self, scan):
        return [number_fault(self.table, scan, self.values, self.table.key_of(self.place))] if self.values.bad else []

    def of(self, ends):
        return ends - s_to_ns(self.values.all * self.unit_s)


def read_times(table, keys, reading):
    """Returns a Trace of times, one a row: those that count from 1970 from the first on, other numbers as they are. Of ends with durations
    they are the starts; of rows in groups the first of each."""
    place, group = reading.time, reading.group
    column = TimeColumn(table, place, keys, has_durations=reading.durations is not None)
    starts = None if reading.durations is None else Starts(table, keys, place, reading.durations)
    found = module_columns(table) if table.has_header and group is None else [group]
    names = Texts() if len(found) == 1 and found[0] not in (None, place) else None
    tokens = {at: Numbers(0, MOST_TOKENS) for at in token_columns(table) if at != place and group is None}
    scan = table.scan({**tokens, place: column.values, **({found[0]: names} if names else {}), **({starts.place: starts.values} if starts else {})})
    faults = column.faults(scan) + (starts.faults(scan) if starts else [])
    if scan.rows > MOST_TIMES:
        faults.append((MOST_TIMES, table.lines.error(scan.line_of(MOST_TIMES), "", "more than 100000000 times", "at most 100000000")))
    scan.check(faults)
    times = column.values.all
    if starts:
        times = starts.of(times)
    codes = names.codes if names else None
    fallen = int((times[1:] < times[:-1]).sum())
    order = np.argsort(times, kind="stable") if fallen and (names or tokens) else None
    ordered = times[order] if order is not None else np.sort(times) if fallen else times
    codes = codes if order is None or codes is None else codes[order]
    if group is not None and names:
        first = np.sort(np.unique(codes, return_index=True)[1])
        ordered, codes = ordered[first], None
    has_dates_alone = column.is_stamp and len(table.first[place]) == DATE_SIZE
    if has_dates_alone and (ordered[1:] == ordered[:-1]).any():
        raise table.error(column.key, "dates without a time of day, some twice", "the times of the requests")
    is_from_first = column.is_absolute or ordered[0] < 0
    span_s = float(ordered[-1] - (ordered[0] if is_from_first else 0)) / 1e9
    if span_s > LATEST_S:
        raise table.error(column.key, f"times over {text_of(span_s)} s", "at most 1e9 s from the first to the last")
    if not starts and group is None:
        column.check(scan, times)
    if is_from_first:
        ordered = ordered - ordered[0]
    called = f"{starts.called if starts else 'times in ' + table.called(place)} ({column.kind})"
    each = "each line a request" if group is None else f"each value of {table.called(group)} a request at its first time"
    trace = Trace("times", times_ns=ordered, read=f"{called}, {each}" + (f", sorted ({fallen} came before the one above)" if fallen else ""))
    if names and group is None:
        trace.module_names, trace.modules = names.names, codes
    bad = next((one.bad for one in tokens.values() if one.bad), None)
    if tokens and not bad:
        trace.read = trace.read.replace("each line a request", "each line a request with its tokens")
        lengths = np.column_stack([one.all for one in tokens.values()]).astype(np.uint32)
        trace.tokens = lengths if order is None else lengths[order]
    trace.notes = notes_of(table, {place, *found, *table.clock, *([starts.place] if starts else []), *(() if bad else tokens)})
    if bad:
        trace.notes.append(f"no tokens are kept: line {scan.line_of(bad[0])} has {quoted(bad[1])}")
    return trace


def token_columns(table):
    """Returns the places of the columns of tokens that a request has as input and as output; none where one of the two is missing."""
    found = [[place for place in range(table.width) if table.has_header and not side.isdisjoint(words_of(table.names[place]))
              and not LENGTHS.isdisjoint(words_of(table.names[place])) and read_number(table.first[place]) is not None] for side in SIDES]
    return [places[0] for places in found] if all(len(places) == 1 for places in found) else []


def notes_of(table, taken):
    """Returns what a reader should know of the columns of a log that are left behind."""
    left = [place for place in range(table.width) if place not in taken and table.has_header and table.names[place]]
    failures = [place for place in left if not FAILURES.isdisjoint(words_of(table.names[place]))]
    notes = [f"not kept of each request: {table.names_of(left)}"] if left else []
    return notes + ([f"failed requests, of which {table.names_of(failures)} may tell, are requests as others"] if failures else [])


def read_gaps(table, keys, reading):
    """Returns a Trace of times that follow each other by the gaps of a column, the first since the beginning."""
    place = reading.time
    unit_s = (unit_of(table, place, keys) if keys.time_unit != "auto" else table.unit_s(place)) or 1.0
    gaps = Numbers(0, LATEST_S / unit_s)
    scan = table.scan({place: gaps})
    sums_s = np.cumsum(unit_s * np.nan_to_num(gaps.all))
    faults = [number_fault(table, scan, gaps, table.key_of(place))] if gaps.bad else []
    late = np.flatnonzero(sums_s > LATEST_S)
    if len(late):
        row = int(late[0])
        faults.append((row, table.lines.error(scan.line_of(row), "", f"gaps of {text_of(sums_s[row])} s in sum", "at most 1e9 s")))
    if scan.rows > MOST_TIMES:
        faults.append((MOST_TIMES, table.lines.error(scan.line_of(MOST_TIMES), "", "more than 100000000 gaps", "at most 100000000")))
    scan.check(faults)
    check_commas(table, table.key_of(place), gaps.written)
    return Trace("gaps", times_ns=s_to_ns(sums_s), read=f"gaps in {table.called(place)} ({unit_text(unit_s)}), each line a request")


# ---- counts ----


class Counts(Numbers):
    """A column of counts, rates or counters; `fraction`: the first that is not whole."""

    def __init__(self):
        super().__init__(0, LARGEST_COUNT)
        self.fraction = ""

    def converted(self, values, numbers):
        if not self.fraction:
            broken = np.flatnonzero(np.floor(numbers) != numbers)
            self.fraction = values[broken[0]] if len(broken) else ""
        return numbers


class CountColumns:
    """The columns that are added up, and what their numbers may be instead of counts."""

    def __init__(self, table, reading):
        self.table, self.reading, self.is_counter = table, reading, reading.format == "counter"
        self.columns = {place: Counts() for place in reading.counts}
        self.resets = 0

    def faults(self, scan):
        """Returns the (row, BadInput) of the first field of each column that is no count."""
        return [number_fault(self.table, scan, column, "count in " + self.table.called(place))
                for place, column in self.columns.items() if column.bad]

    def sums(self):
        """Returns the sum over each row; of counters since the row before, none for the first."""
        total, is_reset = 0.0, False
        for place in self.reading.counts:
            values = self.columns[place].all
            if self.is_counter:
                goes_on = values[1:] >= values[:-1]
                is_reset = is_reset | ~goes_on
                values = np.where(goes_on, values[1:] - values[:-1], values[1:])
            total = total + values
        self.resets = int(np.sum(is_reset)) if self.is_counter else 0
        return total

    def check(self, keys, sums, rows):
        """Raises BadInput for numbers that may be others than those written, or no counts."""
        table = self.table
        for place, column in self.columns.items():
            kind, dotted = table.kind(place), column.written.dotted
            if dotted and not table.states_points and (kind != RATE or table.has_decimal_commas):
                raise table.error(table.key_of(place), either_way(dotted),
                                  f"{dotted.replace('.', '')} where the dot parts thousands, or a line "
                                  '"# decimal = ." in the file where decimals follow it')
            if column.fraction and kind not in (COUNT, RATE):  # it may be a mean or a rate
                raise table.error("column", f"{quoted(column.fraction)} in {table.called(place)}, which may be a rate",
                                  "whole numbers, or in the file's first line a name that says what they are: requests (of a bin), rps, "
                                  '"requests per minute"')
        if self.resets * 3 > rows:
            raise table.error("format", f"a counter that falls in {self.resets} of {rows} rows",
                              'format = "counts" (each line the requests of a bin; rates need a name such as rps)')
        self.check_first_column(sums, rows)
        self.check_rises(keys, sums)

    def called(self):
        """Returns "counts in column 'n'"."""
        kind, unit_s = self.table.meanings[self.reading.counts[0]]
        what = f"requests per {unit_text(unit_s)}" if kind == RATE else "differences of the counter" if self.is_counter else "counts"
        resets = f" ({counted(self.resets, 'reset')})" if self.resets else ""
        return f"{what} in {joined(map(self.table.called, self.reading.counts))}{resets}"

    def check_first_column(self, sums, rows):
        """Raises BadInput for a first column without a name in which numbers rise evenly: times of the bins."""
        table, reading = self.table, self.reading
        if table.has_header or table.width == 1 or reading.time is not None or reading.counts[0] != 0 or rows < 3:
            return
        # Of a counter these are differences.
        step = sums[0] if self.is_counter else sums[1] - sums[0]
        if (np.diff(sums) == (0 if self.is_counter else step)).all() and step > 0:
            raise table.error("column", f"numbers that rise by {text_of(step)} in column 1, as times do",
                              "the position of another column, or a first line that names the columns")

    def check_rises(self, keys, sums):
        """Raises BadInput for counts that number the rows, unless the user has chosen them: an index; and for numbers that hardly fall,
        unless the user has said that they count: a counter."""
        table, place = self.table, self.reading.counts[0]
        says_what_it_is = table.width == 1 and table.stated_bin_s > 0  # as an import writes it
        if keys.format != "auto" or says_what_it_is or len(sums) < 4 or len(self.reading.counts) != 1:
            return
        if sums[0] <= 1 and (sums[1:] == sums[:-1] + 1).all() and not keys.column:
            raise table.error("column", "numbers of rows in " + table.called(place), 'a column of counts, or format = "times"')
        falls, rises = int((sums[1:] < sums[:-1]).sum()), int((sums[1:] > sums[:-1]).sum())
        is_total = names_counter(table.key_of(place)) and rises > 0 and falls * 10 <= len(sums)
        only_rises = table.kind(place) != RATE and falls == 0 and len(sums) >= 20 and (rises + 1) * 10 >= len(sums) * 9
        if is_total or only_rises:
            raise table.error("format", f"{'a total that' if is_total else 'numbers that'} {'hardly ever' if falls else 'never'} falls in "
                              + table.called(place), 'format = "counter" (each line the requests so far), or format = "counts" (each line '
                              "the requests of a bin)")

    def requests_for_one(self, bin_s):
        """Returns how many requests a number in the columns stands for in a bin of bin_s. Raises BadInput where these differ."""
        kinds = {self.table.meanings[place] if self.table.kind(place) == RATE else None for place in self.reading.counts}
        if len(kinds) > 1:
            raise self.table.error("column", "counts and rates, or rates per different times", "columns of one kind")
        rate = kinds.pop()
        return bin_s / rate[1] if rate else 1


def bin_s_of(table, keys, reading, times):
    """Returns (length of a bin, what says it): by the times beside the counts, the user's words or the file's remark."""
    said = keys.bin_s or table.stated_bin_s
    step = times.step if times else 0
    if times and times.has_dates:
        refuse_unit(table, keys, reading.time)
    if not times and keys.time_unit != "auto":
        raise keys.error("time_unit", "time_unit with counts without a column of times",
                         "bin_s, the length of their bins in s" if said > 0 else "bin_s, or time_column")
    unit_s = 0 if step <= 0 else 1 if times.has_dates else unit_of(table, reading.time, keys)
    by_times = step / round(1 / unit_s) if 0 < unit_s < 1 else step * unit_s
    if by_times > 0 and said > 0 and abs(by_times - said) > 0.01 * said:
        raise table.error("bin_s", f"{text_of(said)} beside rows that are {text_of(by_times)} s apart in {table.called(reading.time)}",
                          "bin_s as far as the rows are apart, or none")
    if said > 0:
        return said, ""
    if by_times > 0:
        return by_times, " by " + table.called(reading.time)
    without = f"bins {text_of(step)} apart in {table.called(reading.time)}, without a unit" if step > 0 else (
        "counts without the length of their bins")
    raise table.error("bin_s", without, 'bin_s = X, or a line "# bin_s = X" in the file' + (", or time_unit" if step > 0 else ""))


def read_counts(table, keys, reading):
    """Returns a Trace of counts, a bin a row."""
    times = None
    if reading.time is not None:
        is_known = table.has_header or table.has_stamps(reading.time)
        times = BinTimes(table, reading.time, table.key_of(reading.time) if is_known else "", keys.holes)
    columns = CountColumns(table, reading)
    scan = table.scan({**columns.columns, **({reading.time: times.moments} if times else {})})
    first = 2 if columns.is_counter else 1
    faults = [(row, table.lines.error(scan.line_of(row), "", "an empty line above", "a row for every bin; where no request came, the count 0"))
              for row in scan.behind_empty if row >= first]
    faults += columns.faults(scan) + (times.faults(scan) if times else [])
    if scan.rows > MOST_BINS:
        faults.append((MOST_BINS, table.lines.error(scan.line_of(MOST_BINS), "", "more than 50000000 bins", "at most 50000000")))
    scan.check(faults)
    if times:
        times.check()
    sums = columns.sums()
    trace = Trace(reading.format, counts=sums)
    if not len(sums):
        return trace
    columns.check(keys, sums, scan.rows)
    trace.bin_s, source = bin_s_of(table, keys, reading, times)
    trace.counts = sums * columns.requests_for_one(trace.bin_s)
    trace.read = f"{columns.called()}, bins of {text_of(trace.bin_s)} s{source}"
    if times and times.places is not None:
        places = times.places[len(times.places) - len(sums):]
        places, rows = places - places[0], len(sums)
        missing, done = int(places[-1]) + 1 - rows, {"zero": "0", "interpolate": "between their neighbours", "cut": "left out"}[keys.holes]
        if missing:
            trace.counts = filled(places, trace.counts, keys.holes)
            trace.read += f", {missing} of {missing + rows} bins missing ({done})"
    return trace


def read_line(table, keys):
    """Returns a Trace of counts that stand all on one line, below their numbers or alone, or None for other files. Raises BadInput where
    nothing says their bins."""
    if table.width < LEAST_ON_A_LINE or keys.column or keys.time_column:
        return None
    rows = [[*table.names]] if table.has_header else []
    for _, found, _, _ in table.pieces():
        rows += found[:3 - len(rows)]
    are_numbered = len(rows) == 2 and rows[0] == [str(at + 1) for at in range(table.width)]
    numbers = numbers_of(rows[-1])
    if len(rows) != 1 + are_numbered or not (np.floor(numbers) == numbers).all():
        return None
    bin_s = keys.bin_s or table.stated_bin_s
    if keys.format not in ("auto", "counts") or bin_s == 0:
        raise table.error("", f"one line of {table.width} whole numbers", 'format = "counts" with bin_s = X (each number the requests of a bin)')
    if not ((numbers >= 0) & (numbers <= LARGEST_COUNT)).all():
        raise table.error("", "one line of numbers that are no counts", f"whole numbers from 0 to {text_of(LARGEST_COUNT)}")
    return Trace("counts", counts=numbers, bin_s=bin_s, read=f"counts on one line, bins of {text_of(bin_s)} s")


def read_plain(table, keys):
    """Returns the Trace of a table of format times, counts, rates, counter or gaps, or of auto, which then follows from names and units
    in the file or is refused with the readings that are possible."""
    if not table.first:
        return Trace("times" if keys.format == "auto" else keys.format)
    trace = read_line(table, keys)
    if not trace:
        reading = Decision(table, keys).made()
        readers = {"counts": read_counts, "counter": read_counts, "gaps": read_gaps, "times": read_times}
        trace = readers[reading.format](table, keys, reading)
    if keys.where:
        trace.read += ", where " + joined(keys.where)
    return trace
