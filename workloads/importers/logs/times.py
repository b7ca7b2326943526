"""Dates and times as people write them in logs, one by one and as whole columns."""

import re

import numpy as np

from .fields import bytes_of, matrix_of
from .messages import text_of

NS = 1_000_000_000
DAY_NS = 86400 * NS
DATE_SIZE = 10  # of "2023-11-16"
LATEST_EPOCH_S = 9e9  # in 2255: in nanoseconds it fits 64 bits
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
UNITS = {1.0: "s sec secs second seconds", 1e-3: "ms msec msecs millis millisecond milliseconds",
         1e-6: "us usec usecs micros microsecond microseconds", 1e-9: "ns nsec nanos nanosecond nanoseconds",
         60.0: "min mins minute minutes", 3600.0: "h hr hour hours", 86400.0: "day days"}
UNIT_S = {name: unit for unit, names in UNITS.items() for name in names.split()}
UNIT_NAMES = {unit: next(name for name in ("s", "ms", "us", "ns", "minute", "hour", "day") if name in names.split())
              for unit, names in UNITS.items()}

CLOCK = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]+))?)?"
ZONE = r" *(?:Z|UTC|GMT|(?P<sign>[+-])(?P<zone_hour>[0-9]{2}):?(?P<zone_minute>[0-9]{2})?)?"
CLOCK_AND_ZONE = re.compile(CLOCK + ZONE)
COMPACT = re.compile(r"(?P<year>[0-9]{4})(?P<month>[0-9]{2})(?P<day>[0-9]{2})T?(?P<hour>[0-9]{2})(?:(?P<minute>[0-9]{2})"
                     r"(?P<second>[0-9]{2})?Z?)?")
STAMP = re.compile(r"(?P<year>[0-9]{4})(?P<between>[-/])(?P<month>[0-9]{2})(?P=between)(?P<day>[0-9]{2})"
                   r"(?:[ T,;\t][ \t]*" + CLOCK + ZONE + r"[ \t]*)?")
OF_WEB_SERVER = re.compile(rf"(?P<day>[0-9]{{2}})/(?P<name>{'|'.join(MONTHS)})/(?P<year>[0-9]{{4}}):" + CLOCK + ZONE)
WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
OF_MAIL = re.compile(rf"(?:{WEEKDAY},? )?(?P<day>[0-9]{{1,2}})[ -](?P<name>{'|'.join(MONTHS)})[ -](?P<year>[0-9]{{4}}) " + CLOCK + ZONE)
OF_SHELL = re.compile(rf"{WEEKDAY} (?P<name>{'|'.join(MONTHS)}) +(?P<day>[0-9]{{1,2}}) {CLOCK}{ZONE} (?P<year>[0-9]{{4}})")  # date(1)
BEGINS_IN_WORDS = re.compile(rf"{WEEKDAY},? |[0-9]{{1,2}}[ -][A-Z]")
# Among words.
WITHIN = re.compile(rf"[0-9]{{4}}([-/])[0-9]{{2}}\1[0-9]{{2}}[ T][0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:[.,][0-9]+)?)?"
                    rf"(?:Z| ?[+-][0-9]{{2}}:?[0-9]{{2}}\b)?"
                    rf"|[0-9]{{2}}/(?:{'|'.join(MONTHS)})/[0-9]{{4}}:[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?: [+-][0-9]{{4}})?")
LIMITS = {"year": (1970, 2200), "month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59), "second": (0, 60),
          "zone_hour": (0, 23), "zone_minute": (0, 59)}
DAYS_OF_MONTH = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
MANY_FORMS = 64  # forms of dates in a piece of a column that are read as columns


def form_of(text):
    """Returns the match of a text that has the form of a date and time, or None."""
    known = (OF_MAIL, OF_SHELL) if BEGINS_IN_WORDS.match(text) else (COMPACT, OF_WEB_SERVER, STAMP)
    return next((match for match in (form.fullmatch(text) for form in known) if match), None)


def ns_of(match, number_of):
    """Returns (ns since 1970, whether such a date and time exists); number_of gives the integer of
    each part that the match has."""
    part = {name: number_of(name) for name, text in match.groupdict().items() if text is not None and name in LIMITS}
    month = part.setdefault("month", MONTHS.index(match["name"]) + 1 if match.groupdict().get("name") else 0)
    exists = True
    for name, number in part.items():
        low, high = LIMITS[name]
        exists = exists & (low <= number) & (number <= high)
    year, day = part["year"], part["day"]
    if match.re is COMPACT:  # of this century
        exists = exists & (year // 100 == 20)
    is_leap = (year % 4 == 0) & (year % 100 != 0) | (year % 400 == 0)
    exists = exists & (day <= DAYS_OF_MONTH[(month - 1) % 12] + is_leap * (month == 2))
    # H. Hinnant, "chrono-compatible low-level date algorithms"
    shifted = year - (month <= 2)
    of_era = shifted % 400
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    days = shifted // 400 * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468
    seconds = part.get("hour", 0) * 3600 + part.get("minute", 0) * 60 + part.get("second", 0)
    offset = part.get("zone_hour", 0) * 3600 + part.get("zone_minute", 0) * 60
    seconds = days * 86400 + seconds - (-offset if match.groupdict().get("sign") == "-" else offset)
    return seconds * NS + (number_of("fraction") if match.groupdict().get("fraction") else 0), exists


def fraction_ns(digits):
    return int(digits[:9].ljust(9, "0"))


def read_timestamp(text):
    """Returns ns since 1970 (UTC, years 1970 to 2200) of a date and time, or None for another text.
    Known are ISO 8601 with '/' or '-', with T, a blank or a separator of columns before the time of
    day, without seconds or the time of day, with a comma before the fraction, with Z, " UTC" or an
    offset behind; a date as one number, 2023111618, with minute and second; web servers'
    16/Nov/2023:18:15:46 +0000; and those of mails and date(1), 16 Nov 2023 18:15:46 +0000 and Thu
    Nov 16 18:15:46 UTC 2023."""
    match = form_of(text)
    if not match:
        return None
    ns, exists = ns_of(match, lambda name: fraction_ns(match[name]) if name == "fraction" else int(match[name]))
    return int(ns) if exists else None


def may_be_timestamp(text):
    """Returns whether the text has the form of a date and time, if perhaps of no day that exists."""
    match = form_of(text)
    return match is not None and (match.re is not COMPACT or read_timestamp(text) is not None)


def is_time_of_day(text):
    """Returns whether the text is a time of day, "18:15:46.68", with a zone or without."""
    match = CLOCK_AND_ZONE.fullmatch(text)
    return bool(match) and all(LIMITS[name][0] <= int(match[name]) <= LIMITS[name][1]
                               for name, part in match.groupdict().items() if part and name in LIMITS)


def is_local(timestamp):
    """Returns whether a date and time says neither UTC nor an offset from it."""
    at = timestamp.find(":")
    return not timestamp.endswith("Z") if at < 0 else not any(mark in timestamp[at:] for mark in "+-ZUG")


def stamps_of(values):
    """Returns arrays of the dates of a column: ns since 1970, whether each is one, whether it is
    local. All that have one form, the same but for digits, are read at once."""
    array = bytes_of(values)
    matrix = matrix_of(array)
    count, width = matrix.shape
    ns, exists, local = np.zeros(count, np.int64), np.zeros(count, bool), np.ones(count, bool)
    if width < DATE_SIZE:
        return ns, exists, local
    is_digit = (matrix >= ord("0")) & (matrix <= ord("9"))
    has_mark = np.isin(matrix[:, 4], list(b"-/")) | (matrix[:, 2] == ord("/")) | np.isin(matrix[:, 1:4], list(b" ,-")).any(axis=1)
    left = np.flatnonzero((matrix[:, DATE_SIZE - 1] != 0) & (has_mark | is_digit[:, :8].all(axis=1)))
    for _ in range(MANY_FORMS):
        if not len(left):
            return ns, exists, local
        form = np.where(is_digit[left[0]], ord("0"), matrix[left[0]])
        alike = (np.where(is_digit[left], ord("0"), matrix[left]) == form).all(axis=1)
        rows, left = left[alike], left[~alike]
        match = form_of(values[rows[0]])
        if not match:
            continue
        digits = matrix[rows].astype(np.int64) - ord("0")

        def number_of(name, match=match, digits=digits):
            begin, end = match.span(name)
            number, unit = 0, NS // 10
            for at in range(begin, min(end, begin + 9)):
                number = number + digits[:, at] * unit if name == "fraction" else number * 10 + digits[:, at]
                unit //= 10
            return number
        ns[rows], exists[rows] = ns_of(match, number_of)
        local[rows] = is_local(values[rows[0]])
    for at in left:
        stamp = read_timestamp(values[at])
        ns[at], exists[at], local[at] = stamp or 0, stamp is not None, is_local(values[at])
    return ns, exists, local


def unit_text(unit_s):
    """Returns "s", "minute", or "7 s" where there is no word."""
    return UNIT_NAMES.get(unit_s) or text_of(unit_s) + " s"


def epoch_unit_s(value):
    """Returns the unit, in s, of a number that counts from 1970, by its size: 1e9 to 9e9 are s,
    1e12 to 9e12 ms, and so on; or None."""
    return next((unit for unit in (1.0, 1e-3, 1e-6, 1e-9) if 1e9 <= value * unit <= LATEST_EPOCH_S), None)


def s_to_ns(seconds):
    """Returns whole ns of a number, or an array, of seconds from 0 on."""
    return (np.asarray(seconds) * 1e9 + 0.5).astype(np.int64)


def epoch_ns(values, numbers, unit_s):
    """Returns numbers that count from 1970 as ns, exactly as their digits say where they have no
    exponent."""
    unit_ns = round(unit_s * NS)
    ns = s_to_ns(numbers * unit_s)
    matrix = matrix_of(bytes_of(values))
    if matrix.shape[1] > 1 and (matrix[:, 0] == ord("+")).any():
        return epoch_ns([value.removeprefix("+") for value in values], numbers, unit_s)
    is_dot, sizes = matrix == ord("."), (matrix != 0).sum(axis=1)
    exact = (((matrix >= ord("0")) & (matrix <= ord("9"))) | is_dot | (matrix == 0)).all(axis=1) & (sizes > 0)
    points = np.where(is_dot.any(axis=1), is_dot.argmax(axis=1), sizes)
    for point in np.unique(points[exact]):
        rows = np.flatnonzero(exact & (points == point))
        digits = np.where(matrix[rows] == 0, ord("0"), matrix[rows]).astype(np.int64) - ord("0")
        total = np.zeros(len(rows), np.int64)
        for at in range(point):
            total = total * 10 + digits[:, at] * unit_ns
        for at in range(point + 1, digits.shape[1]):
            total += digits[:, at] * (unit_ns // 10 ** (at - point))
        ns[rows] = total
    return ns
