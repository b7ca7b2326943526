"""How a line is cut into fields, and numbers as they are written in them."""

import math
import re

import numpy as np

from .lines import BLANKS
from .messages import quoted, text_of

LONGEST_NUMBER = 64  # characters; longer ones are read one by one
EXPONENT = re.compile(r"[eE]")
FLOAT = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
IS_NUMERIC = np.zeros(256, bool)
IS_NUMERIC[[0, *b"0123456789.+-eE"]] = True
SEPARATED = re.compile(r"\d[\d.,'_ ]*")  # "1,007", "1.013.250", "1'000", "0,5"
HOW_WRITTEN = " without separators of thousands and with a point before decimals"


def spans_of(line, separator=","):
    """Returns (begin, end) of the fields between separators, without blanks and quotes around them.
    A blank as the separator stands for one or more; a field in quotes may hold separators; quotes
    that do not end before one are text."""
    spans, at, end_of_line = [], 0, len(line)
    is_blank = separator == " "

    def skip(at, blanks=BLANKS):
        while at < end_of_line and line[at] in blanks:
            at += 1
        return at
    if is_blank:
        end_of_line = len(line.rstrip(BLANKS))
        at = skip(at)
    while True:
        end, quote = None, skip(at)
        if quote < end_of_line and line[quote] == '"':
            closing = line.find('"', quote + 1, end_of_line)
            while closing >= 0 and end is None:
                if closing + 1 < end_of_line and line[closing + 1] == '"':  # a quote within the field
                    closing = line.find('"', closing + 2, end_of_line)
                    continue
                behind = skip(closing + 1, "\t" if is_blank else BLANKS)
                if behind == end_of_line or line[behind] == separator:
                    end = behind
                closing = line.find('"', closing + 1, end_of_line)
        if end is None:
            end = line.find(separator, at, end_of_line)
            end = end_of_line if end < 0 else end
        first, last = at, end
        while first < last and line[first] in BLANKS:
            first += 1
        while last > first and line[last - 1] in BLANKS:
            last -= 1
        if last - first >= 2 and line[first] == '"' and line[last - 1] == '"':
            first, last = first + 1, last - 1
        spans.append((first, last))
        if end == end_of_line:
            return spans
        at = skip(end + 1) if is_blank else end + 1


def split_fields(line, separator=","):
    """Returns the fields of a line (see spans_of)."""
    if separator != " " and '"' not in line:
        return [field.strip(BLANKS) for field in line.split(separator)]
    return [line[first:last] for first, last in spans_of(line, separator)]


def read_number(field):
    """Returns the finite number that the whole field is, or None."""
    text = field[1:] if field.startswith("+") else field
    if not FLOAT.fullmatch(text):
        return None
    value = float(text)
    is_lost = value == 0 and any(digit in EXPONENT.split(text)[0] for digit in "123456789")
    return value if math.isfinite(value) and not is_lost else None


def bytes_of(values):
    """Returns the texts as NumPy's bytes, zeros behind short ones. Those longer than a number are
    empty."""
    if max(map(len, values)) > LONGEST_NUMBER:
        values = [value if len(value) <= LONGEST_NUMBER else "" for value in values]
    try:
        return np.array(values, dtype="S")
    except UnicodeEncodeError:
        return np.array([value.encode("latin-1") for value in values])


def matrix_of(array):
    """Returns the bytes of NumPy's texts, a row each."""
    return array.view(np.uint8).reshape(len(array), -1)


def numbers_of(values):
    """Returns the numbers that the fields are; NaN for those that are none."""
    array = bytes_of(values)
    matrix = matrix_of(array)
    fits = IS_NUMERIC[matrix].all(axis=1) & (matrix[:, 0] != 0)
    has_powers = ((matrix | 0x20) == ord("e")).any(axis=1) & fits
    numbers = np.full(len(values), np.nan)
    fits &= ~has_powers
    try:
        numbers[fits] = array[fits].astype(np.float64)
        others = ~fits
    except ValueError:
        others = np.ones(len(values), bool)
    for at in np.flatnonzero(others):
        number = read_number(values[at])
        numbers[at] = np.nan if number is None else number
    return numbers


class Written:
    """What the way in which the numbers of a column are written says: dots that may part thousands,
    digits that were lost."""

    GROUPED = re.compile(r"\d{1,3}|[1-9]\d{0,2}\.\d{3}")

    def __init__(self):
        self._is_grouped, self._dotted = True, ""
        self._digits = self._exponent = 0

    def add(self, values, has_powers):
        """Takes the numbers of the column; `has_powers`: some have an exponent."""
        if self._is_grouped:
            for value in values:
                if not self.GROUPED.fullmatch(value):
                    self._is_grouped = False
                    break
                if not self._dotted and "." in value:
                    self._dotted = value
        for value in values if has_powers else ():
            mantissa, *power = EXPONENT.split(value, 1)
            if power and re.fullmatch(r"\+?(-?\d+)", power[0]):
                self._exponent = max(self._exponent, int(power[0])) if self._digits else int(power[0])
                self._digits = max(self._digits, sum(map(str.isdigit, mantissa)))

    @property
    def dotted(self):
        """A number whose dot may part thousands, "1.013"; empty where one shows that dots stand
        before decimals."""
        return self._dotted if self._is_grouped else ""

    @property
    def digits(self):
        """Significant digits of numbers with exponents: at least six, as %g prints them."""
        return max(self._digits, 6)

    @property
    def step(self):
        """The least step between two numbers with so many digits at the largest exponent: 1000 for
        "1.76e+09"; 0: no exponents."""
        step, power = 1.0 if self._digits else 0.0, self._exponent - self.digits + 1
        for _ in range(abs(power)):
            step = step * 10 if power > 0 else step / 10
        return step


def either_way(number):
    return f"{quoted(number)}, which may be {number.replace('.', '')} or {number}"


def range_text(field, low, high, is_log=True):
    """Returns what a message allows of a number: its range, and how it is written where there are
    separators in it."""
    is_separated = is_log and read_number(field) is None and SEPARATED.fullmatch(field)
    return f"a number from {text_of(low)} to {text_of(high)}" + ("," + HOW_WRITTEN if is_separated else "")


def time_or_number(field):
    return "a date and time (ISO 8601), or a number" + (HOW_WRITTEN if SEPARATED.fullmatch(field) else "")
