"""What a log of anyone is read as: times, counts or gaps of which columns. Where two readings are
possible, neither is taken."""

import re
from dataclasses import dataclass, field

import numpy as np

from .bins import OF_ALL, are_even
from .fields import range_text, read_number
from .jsonlines import JsonTable
from .keys import RATE_UNITS_S
from .messages import option_text, quoted
from .names import (AGGREGATE, ATTRIBUTE, BEGINS, COUNT, GAP, OTHER_TIME, QUANTITY, RATE, STATES, TIME, UNKNOWN, is_scaled, may_name_counts,
                    meaning_of,
                    names_bin, names_counter, names_duration, names_end, words, words_of)
from .shapes import EACH_LINE, Ids, are_all_one, refuse_batch_table, refuse_metrics, refuse_parts, refuse_spans
from .table import DECIMAL_COMMA, EMPTY_VALUES, Numbers, Seconds, Stamps
from .times import LATEST_EPOCH_S, WITHIN, epoch_unit_s, read_timestamp, unit_text

LARGEST_COUNT = 1e12  # requests in a bin
AS_TIMES = 'format = "times" (each line a request, its time in time_unit or s)'
AS_COUNTS = 'format = "counts" with bin_s (each line the requests of a bin)'
AS_GAPS = 'format = "gaps" (each line the time since the request before)'
IN_TEXT = 'format = "times" (each line a request), or the counts as a column'
# A number of another kind is no count, whatever one chooses: what to write where it is one after
# all.
BY_NAME = 'requests of a bin or a rate in a column named for it (requests, rps, "requests per minute")'
OR_TIMES = BY_NAME + ', or format = "times" (each line a request)'
NO_COUNT = "by its name neither requests of a bin nor a rate of them"
OF_HTTP = "(GET|POST|PUT|DELETE|HEAD|PATCH|OPTIONS) |HTTP/"
OF_ONE_REQUEST = re.compile(OF_HTTP)
ZONES = words("CET CEST WET WEST EET EEST GMT BST MSK EST EDT CST CDT MST MDT PST PDT AEST AEDT NZST NZDT IST")
OF_WEB_SERVERS = re.compile("[0-9]{2}/[A-Z]")  # their lines may lack a method: "-" 408
NO_RATE = STATES | words("per users sessions clients connections concurrency inflight pct ratio share fraction")
OF_MOMENTS = ("timestamp", "stamp", "ts", "at", "date", "datetime", "epoch")  # "response_time" may be a duration


@dataclass
class Reading:
    """What a log is read as: format times, counts, counter or gaps; the column of the times or
    gaps, or of times beside counts; the columns that are added up; the durations that times of ends
    are less; the column whose equal values are one request."""

    format: str
    time: int | None = None
    counts: list = field(default_factory=list)
    durations: int | None = None
    group: int | None = None


def may_be_number(text):
    """Returns whether the text is meant as a number: "7 req/s", "1,007" and "-" are."""
    return text in EMPTY_VALUES or text[0] in "0123456789+-."


def names_count(text):
    """Returns whether a word names a number of requests: "requests=120", "120 requests"."""
    def is_count(word):
        return meaning_of(word)[0] in (COUNT, RATE)
    found = re.split("[ ,;]", text)
    return any(("=" in word and is_count(word.split("=", 1)[0])) or (read_number(before) is not None and is_count(word))
               for before, word in zip(["", *found], found, strict=False))


class Shape:
    """Whether the numbers of a column are whole as written, and rise."""

    def __init__(self, low, high):
        self.numbers, self.is_whole = Numbers(low, high), True

    def add(self, first_row, values):
        self.numbers.add(first_row, values)
        self.is_whole = self.is_whole and not any(mark in value for value in values for mark in ".eE")


class Words:
    """Whether lines of words tell of many requests: a word names their number, or each line ends in
    a number and nothing in it is of one request, as a method or a status of HTTP is. `other`: the
    first line without a method; `zones`: names of them behind the dates."""

    def __init__(self):
        self.names_counts, self.ends_in_numbers = False, True
        self.of_http, self.rows, self.other, self.zones = 0, 0, "", set()

    def add(self, first_row, values):
        for text in values:
            is_of_http = OF_ONE_REQUEST.search(text) is not None
            self.of_http += is_of_http
            self.other = self.other if is_of_http or self.other else text.lstrip("] ")
        self.rows += len(values)
        self.zones |= ZONES.intersection(word for text in values for word in text.split(None, 3)[:3])
        self.names_counts = self.names_counts or any(map(names_count, values))
        self.ends_in_numbers = self.ends_in_numbers and all(
            read_number(text[text.rfind(" ") + 1:]) is not None and not OF_ONE_REQUEST.search(text) for text in values)


def stamps_like(text):
    """Returns what takes a column of times that are written as this text."""
    number = read_number(text)
    unit_s = 1.0 if number is None else epoch_unit_s(number) or 1.0
    return Stamps() if number is None else Seconds(0, LATEST_EPOCH_S / unit_s, unit_s, epoch_unit_s(number) is not None)


def differ_alike(one, other):
    """Returns whether two columns of times differ by the same in all rows."""
    return one.bad is None and other.bad is None and len({*np.unique(one.all - other.all).tolist()}) <= 1


class StampsWithin:
    """Dates and times among the words of lines: the rows that have one, the first as it is
    written."""

    def __init__(self):
        self.rows, self.first, self._ns = [], "", []

    def add(self, first_row, values):
        for row, text in enumerate(values, first_row):
            found = WITHIN.search(text)
            ns = read_timestamp(found[0]) if found else None
            if ns is not None:
                self.rows.append(row)
                self._ns.append(ns)
                self.first = self.first or found[0]

    def differ_alike(self, stamps):
        """Returns whether they differ by the same from these, in all rows that have one."""
        return stamps.bad is not None or len(np.unique(stamps.all[self.rows] - np.array(self._ns))) <= 1


class Decision:
    """The choice among the readings of one table, by the user's words, the names of the columns and
    their values."""

    def __init__(self, table, keys):
        self.table, self.keys = table, keys

    def made(self):
        """Returns the Reading. Raises BadInput where two are possible, with both and the keys that
        say which."""
        table, keys = self.table, self.keys
        reading = Reading(keys.format, counts=table.named("column", keys.column))
        times = table.named("time_column", keys.time_column)
        if len(times) > 1:
            raise table.error("time_column", quoted(keys.time_column), "one column")
        reading.time = times[0] if times else None
        if not reading.counts and reading.format in ("auto", "times"):
            refuse_metrics(table)
            refuse_spans(table, keys)
            refuse_parts(table)
        if keys.group_by:
            reading.group = self.only(table.named("group_by", keys.group_by), "group_by", "groups")
        if reading.format == "auto":
            reading.format = ("counts" if reading.counts else "times" if keys.group_by else self.by_names(times) if table.has_header
                              else self.by_values(times))
        if reading.format == "times" and reading.time is None and not self.time_columns():
            reading.time = next(iter(self.ends_beside_durations()), None)
        if reading.format in ("counts", "rates", "counter"):
            reading.counts = reading.counts or [self.count_column(reading)]
            if reading.format == "rates":
                self.take_rates(reading)
            if reading.time is None:
                reading.time = self.time_beside(reading.counts)
        elif reading.time is None:
            reading.time = self.column_of(GAP if reading.format == "gaps" else TIME)
        for place in reading.counts:
            self.check_count(place, reading)
        if reading.format == "times" and names_end(table.key_of(reading.time)):
            if table.all(TIME) or reading.time not in self.ends_beside_durations():
                raise self.ends_in(reading.time)
            [reading.durations] = self.durations_beside(reading.time)
        if reading.time is not None:
            self.check_time(reading.time, reading.format)
        if reading.format == "times" and not keys.time_column and reading.durations is None:
            self.check_two_times(reading.time)
        return reading

    def names_begin(self, place):
        return not BEGINS.isdisjoint(words_of(self.table.key_of(place)))

    def check_two_times(self, place):
        """Raises BadInput where other columns are times, too, of which no name says that requests
        do not arrive then, and which do not only differ by the same time in all rows."""
        table = self.table
        begins = [*map(self.names_begin, range(table.width))]
        others = [other for other in range(table.width) if other != place and table.kind(other) in (TIME, OTHER_TIME, UNKNOWN)
                  and (table.has_stamps(other) or (begins[other] and table.kind(other) == OTHER_TIME and may_be_number(table.first[other])))
                  and not names_end(table.key_of(other)) and begins[other] >= begins[place]]
        if not others:
            return
        stamps = {one: stamps_like(table.first[one]) for one in (place, *others)}
        table.scan(stamps).check()
        if all(differ_alike(stamps[place], stamps[other]) for other in others):
            return
        names = " and ".join(map(table.called, (place, others[0])))
        raise table.error("time_column", f"two times in a line that differ, in {names}",
                          "time_column = " + table.choices_of([place, *others]))

    def durations_beside(self, place):
        return [other for other in range(self.table.width) if other != place and names_duration(self.table.key_of(other))
                and read_number(self.table.first[other]) is not None]

    def ends_beside_durations(self):
        """Returns the columns of moments at which requests ended, where one other column says how
        long they took."""
        table = self.table
        return [place for place in range(table.width) if table.has_header and names_end(table.key_of(place))
                and (table.has_stamps(place) or not set(OF_MOMENTS).isdisjoint(words_of(table.key_of(place))))
                and len(self.durations_beside(place)) == 1]

    def take_rates(self, reading):
        """Makes the columns rates by the user's word for their unit, or that of their names."""
        table, keys = self.table, self.keys
        reading.format, said = "counts", RATE_UNITS_S[keys.rate_unit]
        for place in reading.counts:
            kind, by_name = table.meanings[place]
            unit_s = said or (by_name if kind == RATE else 0)
            is_other = kind == AGGREGATE and not NO_RATE.isdisjoint(words_of(table.key_of(place)))
            if is_other or kind in (TIME, OTHER_TIME, GAP, QUANTITY) or is_scaled(table.key_of(place)):
                raise table.error("column", f"by its name no rate of requests in {table.called(place)}", BY_NAME)
            if kind == RATE and unit_s != by_name:
                raise keys.error("rate_unit", f"{unit_text(unit_s)} for {table.called(place)}, whose name says {unit_text(by_name)}",
                                 "no such key, or a column whose name says nothing else")
            if unit_s == 0:
                raise table.error("rate_unit", f"rates without a unit of time in {table.called(place)}",
                                  'rate_unit = "s", "minute", "hour" or "day"')
            table.meanings[place] = RATE, unit_s

    # ---- what the chosen columns may be ----

    def check_count(self, place, reading):
        """Raises BadInput for a column of other numbers than counts, whoever has chosen it."""
        table, kind = self.table, self.table.kind(place)
        has_stamps = kind in (UNKNOWN, ATTRIBUTE) and table.width > 1 and reading.format != "counter" and table.has_stamps(place)
        if kind in (AGGREGATE, QUANTITY):
            raise table.error("column", f"{NO_COUNT} in {table.called(place)}", BY_NAME)
        if place == reading.time or kind in (TIME, OTHER_TIME, GAP) or has_stamps:
            raise table.error("column", f"times in {table.called(place)}", BY_NAME)
        if kind == RATE and reading.format == "counter":
            raise table.error("column", f"a rate, which is no counter, in {table.called(place)}", 'format = "counts" (reads rates, too)')

    def check_time(self, place, format):
        """Raises BadInput for a column of times that is by its name one of numbers of requests, or
        of gaps."""
        table, kind = self.table, self.table.kind(place)
        is_arrivals = table.key_of(place) == "arrivals"  # of requests, or when they arrived
        if ((kind == COUNT and not is_arrivals) or kind == RATE) and not table.has_stamps(place):
            raise table.error("time_column", f"numbers of requests in {table.called(place)}",
                              'times; requests of a bin are read with format = "counts"')
        if kind == GAP and format == "times":
            raise table.error("format", f"gaps in {table.called(place)}", AS_GAPS)

    def ends_in(self, place):
        """Returns the BadInput of ends of requests: when they ended is not when they arrived."""
        table, allowed = self.table, "the times at which requests arrived"
        for other in range(table.width):
            if other != place and names_duration(table.key_of(other)):
                allowed = f"a column of arrivals: {table.key_of(place)} less {table.key_of(other)}"
        times = table.all(TIME)
        if times:
            allowed = "time_column = " + table.choices_of(times)
        return table.error("time_column", f"ends of requests in {table.called(place)}", allowed)

    # ---- by names ----

    def count_columns(self):
        return self.table.all(COUNT) + self.table.all(RATE)

    def time_columns(self):
        """Returns columns that a name calls times; without one, one of dates of which the name says
        nothing."""
        return self.table.all(TIME) or [place for place in range(self.table.width) if self.table.kind(place) in (UNKNOWN, OTHER_TIME)
                                        and self.table.has_stamps(place)][:1]

    def by_names(self, chosen):
        table = self.table
        # A column of requests as a gateway logs them, "GET /", is no count.
        if any(may_be_number(table.first[place]) for place in self.count_columns()):
            return "counts"
        times = chosen or self.time_columns()
        if times:
            self.check_others(times)
            return "times"
        if table.all(GAP):
            return "gaps"
        if self.ends_beside_durations():
            return "times"
        for place in range(table.width):
            if names_end(table.key_of(place)) and table.has_stamps(place):
                raise self.ends_in(place)
        if len(table.all(AGGREGATE)) == table.width:
            self.check_no_aggregates(times)
        if not table.all(OTHER_TIME):
            refuse_batch_table(table)
        if isinstance(table, JsonTable) and table.list():
            raise table.error("format", f"no times, gaps or counts but in the list {table.list()}",
                              f"its objects, one a line (jq -c '{table.list()}[]' FILE)")
        raise table.error("format", "no column of times, gaps or counts among " + table.all_names(),
                          "time_column = NAME (arrivals, each line a request), or column = NAME with bin_s (requests of a bin)")

    def check_others(self, times):
        """Raises BadInput where what stands beside the times may be requests of a bin."""
        table, time = self.table, times[0]
        # One without a name that begins with 0 or 1 is an index; with nothing, it follows a comma
        # at the end of the lines.
        unknown = [place for place in table.all(UNKNOWN) if place != time and may_be_number(table.first[place])
                   and not (table.has_stamps(place) and (read_number(table.first[place]) is None or self.names_begin(place)))
                   and not (table.key_of(place) == "" and table.first[place] in ("", "0", "1"))
                   and not (self.keys.where and are_all_one(table, place))]
        if unknown:
            raise self.times_beside(unknown)
        self.check_no_aggregates(times)
        if isinstance(table, JsonTable):
            return
        others = [place for place in range(table.width) if place != time and table.key_of(place)]
        are_numbers = bool(others) and all(read_number(table.first[place]) is not None for place in others)
        if len(times) == 1 and are_numbers and are_even(table, time):
            raise table.error("format", "times that are equally far apart beside numbers alone", OR_TIMES)

    def check_no_aggregates(self, times):
        """Raises BadInput for numbers of many requests that are no counts: a line is hardly one
        request."""
        places = [place for place in self.table.all(AGGREGATE) if may_be_number(self.table.first[place])]
        if places:
            beside = "times beside " if times else ""
            raise self.table.error("format", f"{beside}{self.table.names_of(places)}, {NO_COUNT.replace('its ', '')}", BY_NAME)

    def times_beside(self, unknown):
        table = self.table
        counters = [place for place in unknown if names_counter(table.key_of(place))]
        choices = [place for place in unknown if may_name_counts(table.key_of(place))]
        allowed = f'format = "counter" ({table.key_of(counters[0])}: the requests so far), ' if counters else ""
        are_parts = not any(word in OF_ALL for place in unknown for word in words_of(table.key_of(place)))
        if are_parts and len(unknown) > 1 and unknown[-1] - unknown[0] + 1 == len(unknown):
            some = f"#{unknown[0] + 1}-{unknown[-1] + 1}"
            allowed += f"{option_text('column', some)} (requests of a bin, all of them added up), "
        if choices:
            allowed += (f'column = {table.choices_of(choices[:1])} (requests of a bin), or format = "times" (each line a request); '
                        "rates need a name such as rps")
        else:
            allowed += OR_TIMES
        return table.error("format", f"times beside {table.names_of(unknown)}, which may be requests of a bin", allowed)

    # ---- by values ----

    def by_values(self, chosen):
        table, keys = self.table, self.keys
        if chosen:
            return "times"
        if table.is_text:
            if are_even(table, 0):
                raise table.error("format", "lines that are equally far apart, which may each tell of many requests", IN_TEXT)
            found, stamps, inner, ids = Words(), Stamps(), StampsWithin(), Ids()
            table.scan([(0, stamps), (1, found), (1, inner), (1, ids)]).check()
            ids.check(table)
            self.check_words(found)
            if found.names_counts or found.ends_in_numbers:
                raise table.error("format", "words with numbers that may count requests", IN_TEXT)
            if len(inner.rows) * 2 > len(stamps.all) and not inner.differ_alike(stamps):
                raise table.error("format", f"two times in a line that differ, {quoted(table.first[0])} and {quoted(inner.first)}",
                                  'format = "times" (each line a request at the first of them), or the others as a column')
        if table.width > 1:
            if table.has_stamps(0) and all(read_number(text) is None for text in table.first[1:]):
                return "times"
            raise table.error("format", f"{table.width} columns without names",
                              "column = N (requests of a bin, one bin a line; of rates with format = \"rates\"), or time_column = N "
                              "(each line a request; dates in ISO 8601)")
        if table.stated_bin_s > 0:
            return "counts"
        if table.stated_unit_s > 0 or keys.time_unit != "auto" or table.has_stamps(0):
            return "times"
        return self.by_shape()

    def check_words(self, found):
        """Raises BadInput for lines of words of which only some tell of a request of HTTP, or whose
        dates are of several zones."""
        table = self.table
        if len(found.zones) > 1:
            raise table.error("", f"dates in several zones, {' and '.join(sorted(found.zones))}",
                              "an offset from UTC (+02:00) in place of each")
        if 0 < found.of_http < found.rows and not OF_WEB_SERVERS.match(table.first[0]) and not table.conditions:
            some = f", the first {quoted(found.other[:40])}" if found.other else ""
            raise table.error("format", f"{found.rows - found.of_http} of {found.rows} lines without a method of HTTP{some}",
                              f"the others (grep -E '{OF_HTTP}' FILE)" + EACH_LINE)

    def by_shape(self):
        """Returns the format of one column of numbers without a name."""
        table, shape = self.table, Shape(-LARGEST_COUNT, 1e19)
        scan, numbers = table.scan({0: shape}), shape.numbers
        scan.check([number_fault(table, scan, numbers, table.key_of(0), is_log=False)] if numbers.bad else [])
        rises = numbers.all[0] >= 0 and bool((numbers.all[1:] >= numbers.all[:-1]).all())
        if rises and not shape.is_whole:
            return "times"
        if rises:
            raise table.error("format", "whole numbers that rise, without a name", f"{AS_TIMES}, or {AS_COUNTS}")
        if shape.is_whole and self.keys.bin_s > 0:
            return "counts"
        raise table.error("format", f"{'whole ' if shape.is_whole else ''}numbers that rise and fall, without a name",
                          f'{AS_COUNTS}, or {AS_GAPS}, or format = "times" (each line a request)')

    # ---- the columns ----

    def only(self, places, key, what):
        """Returns the only one of these columns. Raises BadInput where there are none or
        several."""
        table = self.table
        if len(places) == 1:
            return places[0]
        by_name = " by its name" if table.has_header else ""
        found = f"{len(places)} columns of {what}" if places else f"no column of {what}{by_name}"
        raise table.error(key, found, f"{key} = " + (table.choices_of(places) if places else "one of " + table.all_names()
                                                     if table.has_header else f"one of 1 to {table.width}; one bin or request a line"))

    def count_column(self, reading):
        table = self.table
        places = [place for place in range(table.width) if names_counter(table.key_of(place))] if reading.format == "counter" else []
        places = places or self.count_columns()
        if places:
            return self.only(places, "column", "counts")

        def is_time(place):
            return (place == reading.time or table.kind(place) == TIME or table.has_stamps(place)
                    or (not table.has_header and place == 0 and table.width == 2))
        places = [place for place in range(table.width) if not is_time(place) and not (table.has_header and table.key_of(place) == "")]
        return self.only(places, "column", "numbers that may be counts")

    def column_of(self, kind):
        table = self.table
        if table.width == 1 or (not table.has_header and kind == TIME and table.has_stamps(0)):
            return 0
        return self.only(self.time_columns() if kind == TIME else table.all(kind), "time_column", "times" if kind == TIME else "gaps")

    def time_beside(self, counts):
        """Returns the column of times beside counts, or None. No times that can be read are passed
        over."""
        table = self.table
        times = [place for place in table.all(TIME) if place not in counts]
        times = times or [place for place in range(table.width) if place not in counts and table.has_stamps(place)][:1]
        times = times or [place for place in range(table.width) if place not in counts and table.has_header
                          and names_bin(table.key_of(place))
                          and read_number(table.first[place]) is not None][:1]
        if not times and not table.has_header and table.width > 1 and 0 not in counts:
            times = [0]
        return self.only(times, "time_column", "times") if times else None


def number_fault(table, scan, numbers, key, is_log=True, advice=""):
    """Returns (row, BadInput) of the first field of a column that is no number of its range."""
    row, text = numbers.bad
    found = quoted(text) if text else "an empty field"
    return row, table.lines.error(scan.line_of(row), key, found, range_text(text, numbers.low, numbers.high, is_log)
                                  + (advice or rewritten(table, text)))


def rewritten(table, text):
    """Returns how a number is written where a unit follows it or a comma stands before decimals; empty
    for others."""
    unit = re.fullmatch("[0-9.,]+( ?[A-Za-z/%]+)", text)
    if unit and meaning_of(unit[1])[0] in (COUNT, RATE):
        return f", without a unit behind it (sed 's,{unit[1]},,' FILE)"
    is_comma = table.separator in ";\t" and DECIMAL_COMMA.fullmatch(text) and len(text.partition(",")[2]) != 3
    return " (sed 's/,/./g' FILE)" if is_comma else ", without a scale or unit behind it" if unit else ""
