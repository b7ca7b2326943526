"""Logs and counts that anyone may have written: text in columns, with or without a header."""

import numpy as np

from .bins import HOLES_ADVICE, BinTimes, filled, mixed_offsets
from .decide import LARGEST_COUNT, Decision, number_fault
from .fields import either_way, numbers_of, read_number, time_or_number
from .jsonlines import JsonTable
from .keys import UNITS_S, where_text
from .messages import counted, joined, quoted, text_of
from .names import COUNT, RATE, TIME, meaning_of, names_counter, names_end, words, words_of
from .table import EMPTY_VALUES, MANY_COLUMNS, Numbers, Seconds, Stamps, Texts
from .times import DATE_SIZE, DAY_NS, LATEST_EPOCH_S, NS, epoch_unit_s, read_timestamp, s_to_ns, unit_text
from .trace import Trace

LATEST_S = 1e9
MOST_TIMES = 100_000_000
MOST_BINS = 50_000_000
SUMMERS = 3  # that end in one log
LEAST_ON_A_LINE = 24  # numbers
OF_DAYS = (24, 48, 72, 96, 144, 288, 720, 1440)  # bins
MOST_TOKENS = 1e9
SIDES = words("input prompt context prefill"), words("output generated generation completion response decode")
LENGTHS = words("length len tokens toks")
ENDS_OF_BINS = words("to until till through")
WEEKDAYS = words("weekday dow dayofweek dayoftheweek dayname")
FAILURES = words("status error errors success failed failure code ok")


def unit_of(table, place, keys):
    """Returns the unit in s of the numbers of a column, by the user's words, the name or their
    size; 0: unknown. Raises BadInput where two of them differ: time_s of milliseconds since
    1970."""
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
    """Raises BadInput for times whose dots may stand before decimals or, as commas do in other
    columns, part thousands."""
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
        # A file of one column without a header is ours: seconds. A column with a name may be
        # anything.
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
            begin = table.first[self.place][:2]
            goes_on = table.is_text and begin.isdecimal() and table.head_line.startswith(begin) and not field.startswith(begin)
            advice = f" (grep '^{begin}' FILE leaves out lines that go on with others)" if goes_on else table.without_last(scan, row, field)
            faults.append((row, table.lines.error(scan.line_of(row), self.key, quoted(field[:60]),
                                                  "a date and time (ISO 8601), as in the first row" + advice)))
        return faults

    def missing(self, scan):
        """Returns the (row, BadInput) of the first object without this key."""
        if self.values.bad is None or self.values.bad[1] or not isinstance(self.table, JsonTable):
            return []
        row, _ = self.values.bad
        return [(row, self.table.lines.error(scan.line_of(row), "", f"no {self.key} in this line", self.table.filter_for(self.place)))]

    def check(self, scan, times):
        """Raises BadInput for times, in the order of the rows, that may be others than those
        written. Returns how many fall."""
        table, keys = self.table, self.keys
        falls = np.flatnonzero(times[1:] < times[:-1]) + 1
        is_open = keys.format == "auto"
        if is_open and not keys.time_column and not self.is_absolute and len(falls) * 3 > scan.rows and len(falls) > 1:
            raise table.error("format", f"numbers that rise and fall in {table.called(self.place)}",  # as durations do
                              'format = "times" (each line a request at that time), or time_column = another')
        year = next((int(row) for row in falls if times[row - 1] - times[row] > 300 * DAY_NS), None) if is_open else None
        if year is not None:
            raise table.lines.error(scan.line_of(year), self.key,
                                    f"{quoted(table.field(year, self.place))}, nearly a year before the row above",
                                    'the later year in it where one begins, or format = "times", which sorts the rows')
        if is_open and self.is_stamp:
            self.check_hour(scan, times, falls)
        if not self.is_stamp:
            step_s = self.values.written.step * self.unit_s
            if step_s > 1:
                raise table.error(self.key, f"times of {self.values.written.digits} significant digits, steps of {text_of(step_s)} s: what "
                                  "is finer is lost", "times with all their digits (printed by %.6f in place of %.6g)")
            check_commas(table, self.key, self.values.written)

    def check_hour(self, scan, times, falls):
        """Raises BadInput where clocks show an hour again: at the end of summer time, on a Sunday
        before 4 h."""
        table, by = self.table, times[falls - 1] - times[falls]
        far = by >= 60 * NS  # threads and hosts differ by less
        falls, by, at = falls[far], by[far], times[falls[far]]
        is_night = (at // DAY_NS % 7 == 3) & (at % DAY_NS < DAY_NS // 6)  # 1970-01-04 was a Sunday
        hours = falls[(by <= 3600 * NS) & ((by >= 1800 * NS) | is_night)] if self.values.local else falls[:0]
        if len(hours) == len(falls) and 0 < len(hours) <= SUMMERS:
            row = int(hours[0])
            raise table.lines.error(
                scan.line_of(row), self.key,
                f"{quoted(table.field(row, self.place))}, {text_of(by[0] / 1e9)} s before the row above, where hardly any falls: an hour "
                "that comes twice (the end of summer time), or rows out of order",
                'times with an offset from UTC (+01:00), or format = "times", which sorts them')


def module_column(table, chosen):
    """Returns the place of the column that names modules: `chosen`, or the only one called module
    or model. Where there is none, returns None, or raises BadInput unless `chosen` is None."""
    found = table.named("column", chosen or "")
    found = found or [place for place in range(table.width) if table.has_header and table.names[place] in ("module", "model")]
    if len(found) == 1:
        return found[0]
    if chosen is None:
        return None
    if chosen == "" and found:
        raise table.error("column", f"{len(found)} columns of modules", "column = " + table.choices_of(found))
    raise table.error("column", quoted(chosen) if chosen else "no column 'module' or 'model'",
                      "one column, whose names are those of modules")


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


def read_times(table, keys, reading, modules=None):
    """Returns a Trace of times, one a row: those that count from 1970 from the first on, other
    numbers as they are. Of ends with durations they are the starts; of rows in groups the first of
    each. `modules`: see module_column."""
    place, group = reading.time, reading.group
    counted_in = [at for at in range(table.width) if group is not None and keys.format == "auto" and table.kind(at) in (COUNT, RATE)]
    if counted_in:
        raise table.error("group_by", f"group_by beside requests of a bin in {table.names_of(counted_in)}",
                          'where (one series), or format = "times" (each line a request)')
    column = TimeColumn(table, place, keys, has_durations=reading.durations is not None)
    starts = None if reading.durations is None else Starts(table, keys, place, reading.durations)
    module = module_column(table, modules)
    if module == place and modules is not None:
        raise table.error("column", f"times in {table.called(place)}", "one column, whose names are those of modules")
    names = Texts() if module not in (None, place) else None
    groups = None if group is None else names if group == module else Texts()
    tokens = {at: Numbers(0, MOST_TOKENS) for at in token_columns(table) if at != place and group is None}
    takers = [(place, column.values), (module, names), *tokens.items()]
    takers += [(group, groups)] if groups is not names else []
    takers += [(starts.place, starts.values)] if starts else []
    scan = table.scan([(at, taker) for at, taker in takers if taker is not None])
    faults = column.missing(scan) + column.faults(scan) + (starts.faults(scan) if starts else [])
    if scan.rows > MOST_TIMES:
        faults.append((MOST_TIMES, table.lines.error(scan.line_of(MOST_TIMES), "", "more than 100000000 times", "at most 100000000")))
    scan.check(faults)
    times = column.values.all
    if starts:
        times = starts.of(times)
    fallen = int((times[1:] < times[:-1]).sum())
    order = np.argsort(times, kind="stable") if fallen and (names or groups or tokens) else None
    ordered = times[order] if order is not None else np.sort(times) if fallen else times
    if groups:
        order = np.arange(len(times)) if order is None else order
        firsts = np.sort(np.unique(groups.codes[order], return_index=True)[1])
        ordered, order = ordered[firsts], order[firsts]
    codes = None if names is None else names.codes if order is None else names.codes[order]
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
    trace = Trace("times", times_ns=ordered,
                  read=f"{called}, {each}" + (f", sorted ({fallen} came before the one above)" if fallen else ""))
    if names:
        trace.module_names, trace.modules = names.names, codes
    bad = next((one.bad for one in tokens.values() if one.bad), None)
    if tokens and not bad:
        trace.read = trace.read.replace("each line a request", "each line a request with its tokens")
        lengths = np.column_stack([one.all for one in tokens.values()]).astype(np.uint32)
        trace.tokens = lengths if order is None else lengths[order]
    trace.notes = notes_of(table, {place, module, group, *table.clock, *([starts.place] if starts else []), *(() if bad else tokens)})
    if bad:
        trace.notes.append(f"no tokens are kept: line {scan.line_of(bad[0])} has {quoted(bad[1])}")
    return trace


def token_columns(table):
    """Returns the places of the columns of tokens that a request has as input and as output; none
    where one of the two is missing."""
    found = [[place for place in range(table.width) if table.has_header and not side.isdisjoint(words_of(table.names[place]))
              and not LENGTHS.isdisjoint(words_of(table.names[place])) and read_number(table.first[place]) is not None] for side in SIDES]
    return [places[0] for places in found] if all(len(places) == 1 for places in found) else []


def notes_of(table, taken, each="request"):
    """Returns what a reader should know of the columns of a log that are left behind."""
    if table.is_text:
        return ["not kept of each request: the words of its line"]
    left = [place for place in range(table.width) if place not in taken and table.key_of(place)]
    chosen = {place for place, _ in table.conditions}
    failures = [place for place in left if each == "request" and not FAILURES.isdisjoint(words_of(table.names[place]))]
    failures = [] if chosen.intersection(failures) else failures
    some = table.names_of(left[:MANY_COLUMNS]) + (f" and {len(left) - MANY_COLUMNS} more" if len(left) > MANY_COLUMNS else "")
    notes = [f"not kept of each {each}: {some}"] if left else []
    return notes + ([f"failed requests, of which {table.names_of(failures)} may tell, are requests as others"] if failures else [])


def read_gaps(table, keys, reading):
    """Returns a Trace of times that follow each other by the gaps of a column, the first since the
    beginning."""
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
    return Trace("gaps", times_ns=s_to_ns(sums_s), read=f"gaps in {table.called(place)} ({unit_text(unit_s)}), each line a request",
                 notes=notes_of(table, {place}))


# ---- counts ----


class Counts(Numbers):
    """A column of counts, rates or counters; `fraction`: the first that is not whole; `empty`: the
    rows without a number, 0 in its place, where they may have none."""

    def __init__(self, may_be_empty):
        super().__init__(0, LARGEST_COUNT)
        self.fraction, self.may_be_empty, self.empty = "", may_be_empty, []

    def add(self, first_row, values):
        if self.may_be_empty:
            self.empty += [row for row, value in enumerate(values, first_row) if value in EMPTY_VALUES]
            values = ["0" if value in EMPTY_VALUES else value for value in values]
        super().add(first_row, values)

    def converted(self, values, numbers):
        if not self.fraction:
            broken = np.flatnonzero(np.floor(numbers) != numbers)
            self.fraction = values[broken[0]] if len(broken) else ""
        return numbers


class CountColumns:
    """The columns that are added up, and what their numbers may be instead of counts."""

    def __init__(self, table, reading, holes):
        self.table, self.reading, self.is_counter = table, reading, reading.format == "counter"
        self.columns = {place: Counts(holes != "refuse" and not self.is_counter) for place in reading.counts}
        self.resets = 0

    def faults(self, scan):
        """Returns the (row, BadInput) of the first field of each column that is no count."""
        faults = []
        for place, column in self.columns.items():
            if column.bad:
                advice = HOLES_ADVICE if column.bad[1] in EMPTY_VALUES and not self.is_counter else ""
                faults.append(number_fault(self.table, scan, column, "count in " + self.table.called(place), advice=advice))
        return faults

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
                                  'format = "rates" with rate_unit (s, minute, hour or day), or whole numbers')
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
        """Raises BadInput for a first column without a name in which numbers rise evenly: times of
        the bins."""
        table, reading = self.table, self.reading
        if table.has_header or table.width == 1 or reading.time is not None or reading.counts[0] != 0 or rows < 3:
            return
        # Of a counter these are differences.
        step = sums[0] if self.is_counter else sums[1] - sums[0]
        if (np.diff(sums) == (0 if self.is_counter else step)).all() and step > 0:
            raise table.error("column", f"numbers that rise by {text_of(step)} in column 1, as times do",
                              "the position of another column, or a first line that names the columns")

    def check_rises(self, keys, sums):
        """Raises BadInput for counts that number the rows, unless the user has chosen them: an
        index; and for numbers that hardly fall, unless the user has said that they count: a
        counter."""
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
            raise table.error("format", f"{'a total that' if is_total else 'numbers that'} {'hardly ever' if falls else 'never'} fall{'s' * is_total} in "
                              + table.called(place), 'format = "counter" (each line the requests so far), or format = "counts" (each line '
                              "the requests of a bin)")

    def requests_for_one(self, bin_s):
        """Returns how many requests a number in the columns stands for in a bin of bin_s. Raises
        BadInput where these differ."""
        kinds = {self.table.meanings[place] if self.table.kind(place) == RATE else None for place in self.reading.counts}
        if len(kinds) > 1:
            raise self.table.error("column", "counts and rates, or rates per different times", "columns of one kind")
        rate = kinds.pop()
        return bin_s / rate[1] if rate else 1


def bin_s_of(table, keys, reading, times):
    """Returns (length of a bin, what says it): by the times beside the counts, the user's words or
    the file's remark."""
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


def check_other_times(table, reading, times):
    """Raises BadInput for counts beside a second column that says when their bins are: dates of
    their ends that are not as far off as the rows are apart, or days of the week."""
    others = [place for place in range(table.width) if place not in (reading.time, *reading.counts, *table.clock)]
    for place in others:
        is_end = not table.has_header or names_end(table.names[place]) or not ENDS_OF_BINS.isdisjoint(words_of(table.names[place]))
        begin, end = (None if at is None or not is_end else read_timestamp(table.first[at]) for at in (reading.time, place))
        if begin is not None and end is not None and times.step > 0 and end != begin:
            length_s = abs(end - begin) / NS
            if abs(length_s - times.step) > 0.01 * times.step:
                raise table.error(table.key_of(place), f"bins of {text_of(length_s)} s whose rows are {text_of(times.step)} s apart",
                                  "rows as far apart as their bins are long, or holes with bin_s")
        if table.has_header and "".join(words_of(table.names[place])) in WEEKDAYS:
            raise table.error(table.key_of(place), "days of the week, which do not say how far apart the rows are", "dates (ISO 8601)")


def read_counts(table, keys, reading):
    """Returns a Trace of counts, a bin a row."""
    times = None
    if reading.time is not None:
        is_known = table.has_header or table.has_stamps(reading.time)
        times = BinTimes(table, reading.time, table.key_of(reading.time) if is_known else "", keys.holes, keys.bin_s)
    columns = CountColumns(table, reading, keys.holes)
    scan = table.scan({**columns.columns, **({reading.time: times.moments} if times else {})})
    first = 2 if columns.is_counter else 1
    faults = [(row, table.lines.error(scan.line_of(row), "", "an empty line above",
                                      "a row for every bin; where no request came, the count 0"))
              for row in scan.behind_empty if row >= first]
    faults += columns.faults(scan) + (times.faults(scan) if times else [])
    if scan.rows > MOST_BINS:
        faults.append((MOST_BINS, table.lines.error(scan.line_of(MOST_BINS), "", "more than 50000000 bins", "at most 50000000")))
    scan.check(faults)
    if times:
        times.check()
    check_other_times(table, reading, times)
    sums = columns.sums()
    trace = Trace(reading.format, counts=sums)
    if not len(sums):
        return trace
    columns.check(keys, sums, scan.rows)
    trace.bin_s, source = bin_s_of(table, keys, reading, times)
    trace.counts = sums * columns.requests_for_one(trace.bin_s)
    trace.read = f"{columns.called()}, bins of {text_of(trace.bin_s)} s{source}"
    trace.notes = notes_of(table, {reading.time, *reading.counts, *table.clock}, "bin")
    places = times.places[len(times.places) - len(sums):] if times and times.places is not None else np.arange(len(sums))
    empty = sorted({row for column in columns.columns.values() for row in column.empty})
    if keys.holes in ("interpolate", "cut") and empty:  # a row without a count is a bin that is missing
        if len(columns.columns) > 1:
            raise table.error("holes", f"an empty field beside others that are added up, in line {scan.line_of(empty[0])}",
                              'holes = "zero", or one column at a time')
        places, trace.counts = np.delete(places, empty), np.delete(trace.counts, empty)
    if not len(places):
        raise table.error("", "no count but empty fields", "at least one")
    if times is None or times.places is None or not table.conditions:
        places = places - places[0]
    bins, rows = max(int(places[-1]) + 1, times.bins if times and times.places is not None and table.conditions else 0), len(places)
    missing, done = bins - rows, {"zero": "0", "interpolate": "between their neighbours", "cut": "left out"}.get(keys.holes)
    if missing:
        trace.counts = filled(places, trace.counts, keys.holes, bins)
        trace.read += f", {missing} of {missing + rows} bins missing ({done})"
    if keys.holes == "zero" and empty:
        trace.read += f", {counted(len(empty), 'row')} with empty fields (0)"
    return trace


def rise(names):
    """Returns whether names are numbers that rise, as those of minutes or hours: "1", "00:05", "m7"."""
    numbers = ["".join(filter(str.isdecimal, name)) for name in names]
    return all(numbers) and all(int(one) < int(other) for one, other in zip(numbers, numbers[1:], strict=False))


def all_rows(table):
    """Yields the rows of a table. Raises BadInput for one with another number of fields."""
    for _, rows, _, fault in table.pieces():
        yield from rows
        if fault:
            raise fault[1] if isinstance(fault, tuple) else fault


def lines_of_counts(table):
    """Returns (columns that stand before the numbers, such as an id; these columns of each row; the
    numbers, a row after the other, where the columns are a date, else added up) of a table whose
    rows are many whole numbers, below names that are numbers or alone; None for others."""
    rows, head = all_rows(table), [*table.names] if table.has_header else []
    first = next(rows)
    leads = range(min(4, table.width - LEAST_ON_A_LINE + 1))
    if not head and any(first[lead:] == [*map(str, range(begin, begin + table.width - lead))] for lead in leads for begin in (0, 1)):
        head, first = first, next(rows, None)
    if first is None:
        head, first = [], head
    lead = next((lead for lead in leads if (rise(head[lead:]) if head else all(map(str.isdecimal, first[lead:])))), None)
    are_dates = lead == 1 and read_timestamp(first[0]) is not None
    are_timed = lead and (table.has_stamps(0) or any(meaning_of(name)[0] == TIME for name in head[:lead]))
    if lead is None or (are_timed and not are_dates):
        return None
    ids, found = [], []
    for row in (first, *rows):
        numbers = numbers_of(row[lead:])
        if not (np.floor(numbers) == numbers).all() or (lead == 0 and ids):
            return None
        if not ((numbers >= 0) & (numbers <= LARGEST_COUNT)).all():
            raise table.error("", "lines of numbers that are no counts", f"whole numbers from 0 to {text_of(LARGEST_COUNT)}")
        ids.append(joined(row[:lead]))
        found = [*found, numbers] if are_dates or not found else [found[0] + numbers]
    return (lead, ids, np.concatenate(found)) if head or lead or table.width - 1 not in OF_DAYS else (None, ids, numbers)


def read_line(table, keys):
    """Returns a Trace of counts that stand all on one line, of a function or a day, or on several that
    are added up or days that follow each other; None for other files. Raises BadInput where nothing
    says their bins."""
    lines = None if table.width < LEAST_ON_A_LINE or keys.column or keys.time_column else lines_of_counts(table)
    if not lines:
        return None
    lead, ids, counts = lines
    bin_s, count = keys.bin_s or table.stated_bin_s, table.width - (lead or 0)
    if lead is None:
        marks = "" if table.separator == "\t" else f"-d '{table.separator}' "
        raise table.error("", f"one line of {count} whole numbers, of which the first may be an id",
                          f"without an id (cut {marks}-f 2- FILE); or each number on a line of its own")
    days = [read_timestamp(one) for one in ids] if lead == 1 else [None]
    are_days = None not in days
    each = "day after day" if are_days else "lines added up" if len(ids) > 1 else ""
    if keys.format not in ("auto", "counts") or bin_s == 0:
        some = f"{len(ids)} lines" if len(ids) > 1 else "one line"
        one = ", or " + table.narrowed(f"1={ids[0]}") + " (one of them)" if len(ids) > 1 and lead == 1 and not are_days else ""
        raise table.error("", f"{some} of {count} whole numbers",
                          f'format = "counts" with bin_s = X (each number the requests of a bin{", " + each if each else ""}){one}')
    if are_days and len(ids) > 1 and (np.diff(days) != round(count * bin_s * NS)).any():
        raise table.error("", f"lines that are not {text_of(count * bin_s)} s apart, of {count} bins of {text_of(bin_s)} s",
                          "a line for every day, in order")
    read = "counts on one line" if len(ids) == 1 else f"counts on {len(ids)} lines, {each}"
    return Trace("counts", counts=counts, bin_s=bin_s, read=f"{read}, bins of {text_of(bin_s)} s")


def read_plain(table, keys, modules=None):
    """Returns the Trace of a table of format times, counts, rates, counter or gaps, or of auto,
    which then follows from names and units in the file or is refused with the readings that are
    possible. `modules`: see module_column."""
    if not table.first:
        return Trace("times" if keys.format == "auto" else keys.format)
    trace = read_line(table, keys)
    if not trace:
        reading = Decision(table, keys).made()
        if reading.format == "times":
            trace = read_times(table, keys, reading, modules)
        else:
            trace = (read_gaps if reading.format == "gaps" else read_counts)(table, keys, reading)
    trace.read += where_text(keys)
    return trace
