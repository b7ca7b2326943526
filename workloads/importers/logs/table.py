"""The lines of a log as rows of columns: what parts them, whether the first line names them, and
the columns as arrays."""

import re
from bisect import bisect
from contextlib import contextmanager

import numpy as np

from .clocks import LOCAL_DATE, ORDERS, clock_columns, clock_text, is_day_first, iso_of, refuse_no_year
from .fields import BLANKS, Written, numbers_of, read_number, spans_of, split_fields
from .messages import BadInput, joined, option_text, quoted
from .names import ATTRIBUTE, TIME, UNKNOWN, meaning_of
from .times import (BEGINS_IN_WORDS, DATE_SIZE, UNIT_S, WITHIN, epoch_ns, epoch_unit_s, is_time_of_day, may_be_timestamp, read_timestamp,
                    s_to_ns, stamps_of)

EMPTY_VALUES = ("", "-", "NULL", "null", "NaN", "nan", "None", "NA", "N/A", "undefined")
RULE = re.compile("[-+|:= ]+")
HALF_DAYS = ("AM", "PM", "am", "pm")
DECIMAL_COMMA = re.compile("[0-9]+,[0-9]+")
OF_CONTAINER = re.compile("(?:stdout|stderr) ([PF])[^ ]*(?: |$)")  # behind the time: part of a line, or all
THOUSANDTHS = re.compile("[0-9]{3}")  # "072": milliseconds as they stand behind a comma
MANY_COLUMNS = 16  # whose names a message does not list
POSITION = re.compile("#([0-9]{1,6})(?:-([0-9]{1,6}))?")  # of a column, or of all from one to another
ON_A_LINE = """(python3 -c 'import csv, sys; csv.writer(sys.stdout).writerows([field.replace("\\n", " ") for field in row] for row in
csv.reader(open(sys.argv[1], newline="")))' FILE)""".replace("\n", " ")


def is_value(field):
    """Returns whether the field is a value, or was meant as one."""
    return read_number(field) is not None or is_stamp(field) or field in ("nan", "NaN", "inf")


def is_stamp(text):
    """Returns whether the text is a date, in ISO 8601 or as people write it."""
    return read_timestamp(text) is not None or LOCAL_DATE.fullmatch(text) is not None


def are_date_and_clock(date, clock):
    """Returns whether two fields are a date and the time of its day."""
    is_iso = len(date) == DATE_SIZE and read_timestamp(date) is not None and is_time_of_day(clock)
    return is_iso or (":" in clock and ":" not in date and LOCAL_DATE.fullmatch(f"{date} {clock}") is not None)


def ends_in_second(text):
    """Returns whether a time of day to the second, "18:15:46", ends the text."""
    return len(text) >= 8 and is_time_of_day(text[-8:])


def fraction_behind(fields):
    """Returns the first column of times to the second with three digits in the next one, or
    None."""
    return next((at for at in range(len(fields) - 1) if ends_in_second(fields[at]) and read_timestamp(fields[at]) is not None
                 and THOUSANDTHS.fullmatch(fields[at + 1])), None)


def is_fraction_comma(line, at):
    """Returns whether the comma at this place stands between a time of day and its milliseconds."""
    return line[at] == "," and ends_in_second(line[:at]) and re.match("[0-9]{3}(?![0-9])", line[at + 1:at + 5]) is not None


def leading_stamp(line):
    """Returns where the date and time ends that the line begins with, before a blank: the longest
    of up to three words, or seven with names of days or months; 0: none."""
    found, begin, end = 0, 0, 0
    for word in range(7 if BEGINS_IN_WORDS.match(line) else 3):
        end = line.find(" ", begin)
        text = line[:end] if end >= 0 else line
        last = text[text.rfind(" ") + 1:] if word else ""
        if last[:1] in ("+", "-") and last and len(last) < 5:  # a number "-12", no zone
            break
        if len(text) > DATE_SIZE and may_be_timestamp(text):
            found = len(text)
        if end < 0:
            break
        begin = end + 1
    return found


def bracketed_stamp(line):
    """Returns (begin, end) of the date and time in the first brackets that hold one, or None."""
    begin = line.find("[")
    while begin >= 0:
        close = line.find("]", begin + 1, begin + 65)
        if close - begin - 1 > DATE_SIZE and may_be_timestamp(line[begin + 1:close]):
            return begin + 1, close
        begin = line.find("[", begin + 1)
    return None


def stamp_in_text(line):
    """Returns (begin, end) of the date and time that a line of words begins with or has in
    brackets, or None."""
    end = leading_stamp(line)
    return (0, end) if end else bracketed_stamp(line)


def inner_stamp(line):
    """Returns (begin, end) of the first date and time among the words of a line, which no separator
    of columns stands beside or before, or None."""
    found = WITHIN.search(line)
    before = QUOTED.sub("", line[:found.start()]) if found else ""
    is_word = before[-1:] in (" ", "=", ":", "'", '"') and not line.startswith("--") and not any(mark in before for mark in ",;\t|{")
    return found.span() if is_word and line[found.end():found.end() + 1] not in (",", ";", "\t", "|") and read_timestamp(found[0]) else None


def begins_with_word(text):
    text = text.strip(BLANKS)
    return bool(text) and not is_value(text.split(" ", 1)[0])


def is_inner_line(line):
    """Returns whether the line is words with a date and time among them alone."""
    found = None if stamp_in_text(line) else inner_stamp(line)
    behind = line[found[1]:].strip("\"' ") if found else ""
    return bool(found) and (not behind or begins_with_word(behind))


def is_text_line(line):
    """Returns whether the line is words with a date and time, and no row of a table."""
    end = leading_stamp(line)
    if not end:
        found = bracketed_stamp(line)
        behind = line[found[1] + 1:] if found else ""
        return (begins_with_word(behind) and behind[0] in " [") or is_inner_line(line)
    behind = line[end:].strip(BLANKS)
    if not behind or behind[0] in ",\t;":
        return False
    if is_fraction_comma(line[:end], end - 4):
        return True
    for separator in ",\t;":
        if separator in line and read_timestamp(line[:line.find(separator)].strip(BLANKS)) is not None:
            return False
    return begins_with_word(behind[behind[0] == "|":])


QUOTED = re.compile('"[^"]*"')


# ---- columns as they are read, a piece of the file at a time ----


class Texts:
    """The texts of a column, as numbers of different ones."""

    def __init__(self):
        self._known, self._codes = {}, []

    def add(self, first_row, values):
        known = self._known
        self._codes.append(np.array([known.setdefault(value, len(known)) for value in values], np.int32))

    @property
    def names(self):
        return [*self._known]

    @property
    def codes(self):
        return np.concatenate([*self._codes, np.empty(0, np.int32)])


class Numbers:
    """A column of numbers from `low` to `high`; `bad`: (row, field) of the first that is none."""

    def __init__(self, low, high):
        self.low, self.high, self.bad, self.written, self._parts = low, high, None, Written(), []

    def add(self, first_row, values):
        numbers = numbers_of(values)
        good = (numbers >= self.low) & (numbers <= self.high)
        if self.bad is None and not good.all():
            at = int(np.argmin(good))
            self.bad = first_row + at, values[at]
        self.written.add(values, any("e" in value or "E" in value for value in values))
        self._parts.append(self.converted(values, numbers))

    def converted(self, values, numbers):
        return numbers

    @property
    def all(self):
        return np.concatenate([*self._parts, np.empty(0)]) if len(self._parts) != 1 else self._parts[0]


class Seconds(Numbers):
    """Times in ns, of numbers in a unit: that count from 1970, with all their digits, or others."""

    def __init__(self, low, high, unit_s, is_epoch):
        super().__init__(low, high)
        self.unit_s, self.is_epoch, self.local = unit_s, is_epoch, None

    def converted(self, values, numbers):
        numbers = np.clip(np.nan_to_num(numbers), self.low, self.high)
        return epoch_ns(values, numbers, self.unit_s) if self.is_epoch else s_to_ns(numbers * self.unit_s)

    @property
    def all(self):
        return np.concatenate([*self._parts, np.empty(0, np.int64)])


class Stamps:
    """A column of dates in ns; `bad`: (row, field) of the first that is none, `mixed`: of the first
    that has an offset from UTC where those before have none, or none where they have one; `local`:
    none has one."""

    def __init__(self):
        self.bad = self.mixed = self.local = None
        self._parts = []

    def add(self, first_row, values):
        ns, exists, local = stamps_of(values)
        if self.bad is None and not exists.all():
            at = int(np.argmin(exists))
            self.bad = first_row + at, values[at]
        self.compare(first_row, values, np.flatnonzero(exists), local[exists])
        self._parts.append(ns)

    def compare(self, first_row, values, places, local):
        if self.local is None and len(local):
            self.local = bool(local[0])
        if self.mixed is None and (local != self.local).any():
            at = int(places[np.argmax(local != self.local)])
            self.mixed = first_row + at, values[at]

    @property
    def all(self):
        return np.concatenate([*self._parts, np.empty(0, np.int64)])


class Moments(Stamps):
    """A column of dates or numbers, in s; `bad`: (row, field) of the first that is neither."""

    def __init__(self):
        super().__init__()
        self.last_is_date, self._ends = False, []

    def add(self, first_row, values):
        ns, is_date, local = stamps_of(values)
        seconds = ns.astype(np.float64) / 1e9
        if not is_date.all():
            places = np.flatnonzero(~is_date)
            seconds[places] = numbers_of([values[at] for at in places])
        is_time = ~np.isnan(seconds)
        if self.bad is None and not is_time.all():
            at = int(np.argmin(is_time))
            self.bad = first_row + at, values[at]
        self.compare(first_row, values, np.flatnonzero(is_date), local[is_date])
        self._ends.append((first_row, is_date))
        self._parts.append(seconds)

    def is_date(self, row):
        """Returns whether the row has a date."""
        first, dates = self._ends[bisect(self._ends, row, key=lambda part: part[0]) - 1]
        return bool(dates[row - first])

    @property
    def all(self):
        return np.concatenate([*self._parts, np.empty(0)])


class Scan:
    """What one reading of all rows gave beside the columns: how many there are, and the fault that
    ended it."""

    def __init__(self):
        self.rows, self.behind_empty, self.fault, self._pieces = 0, [], None, []

    def take(self, numbers, behind, rows):
        self.behind_empty += [self.rows + at for at in behind if at < rows][:3 - len(self.behind_empty)]
        self._pieces.append((self.rows, numbers))
        self.rows += rows

    def line_of(self, row):
        """Returns the number of the row's line."""
        first, numbers = self._pieces[bisect(self._pieces, row, key=lambda piece: piece[0]) - 1]
        return numbers[row - first]

    def check(self, faults=()):
        """Raises the BadInput of the first row of all that have one; `faults`: (row, its BadInput),
        in the order that counts in a row."""
        faults = [*([self.fault] if self.fault else []), *faults]
        if faults:
            raise min(faults, key=lambda fault: fault[0])[1]


class Table:
    """How the lines of a log are cut into columns, and what their names say.

    Lines of words after a date and time, or around one in brackets, are two columns: it and the
    words; of a container's log three, whose last says whether the line is the last part (F) of
    one."""

    local_dates, is_inner = {}, False  # places of dates as people write them: whether days come first

    def __init__(self, lines, keys):
        """Raises BadInput where two readings are possible, or the first row has not as many fields
        as the line above."""
        self.lines, self.separator, self.joined, self.is_text, self.has_header = lines, ",", None, False, False
        self.stated_bin_s, self.stated_unit_s, self.states_points, self.has_decimal_commas = 0, 0, False, False
        self.head, self.width, self.names, self.meanings, self.first, self.as_in = 0, 0, [], [], [], "as in the first row"
        self.clock, self.conditions, self.is_of_container = [], [], False
        self.stated_order = ""
        self._read_remarks()
        filled = lines.filled()
        self.head, line = next(filled, (0, ""))
        if not self.head:
            return
        self.head_line = line
        if re.fullmatch("sep=.", line):
            raise self.error("", "Excel's line of the separator", f"no such line (sed {self.head}d FILE)")
        if not keys.time_column:
            refuse_no_year(lines, self.head, line)
        self.is_text = not keys.column and not keys.time_column and is_text_line(line)
        self.is_inner = self.is_text and is_inner_line(line)
        self.is_of_container = self.is_text and OF_CONTAINER.match(line[leading_stamp(line):].strip(BLANKS)) is not None
        found = "" if self.is_text else self._separators(line)
        number, second = next(filled, (0, None))
        ruled = next((number for number, text in ((self.head, line), (number, second or "")) if RULE.fullmatch(text) and "--" in text),
                     None)
        if ruled:
            raise self.lines.error(ruled, "", "a line between rows", "rows alone (sed -E '/^[-+|:= ]+$/d' FILE)")
        if not self.is_text:
            self._choose_separator(found, line, second)
        is_joined = self.is_text or self._find_joined(line, second, keys)
        below = [] if second is None else self.split(second)
        fields = self.split(line) if is_joined else split_fields(line, self.separator)
        self.width = len(fields)
        self.has_header = not self.is_text and self._names_columns(fields, below, keys)
        self.names = [field if self.has_header else "" for field in fields]
        self.meanings = [meaning_of(name) if self.has_header else (UNKNOWN, 0) for name in self.names]
        if self.joined is not None and self.joined < self.width:
            self.names[self.joined] = self.names[self.joined].replace(self.separator, " ")
        first = (number, second) if self.has_header else (self.head, line)
        if first[0]:
            rows, fault = self._cut([first[1]], [first[0]])
            if fault:
                raise fault
            self.first = rows[0]
            self._refuse_half_days(first[0])
            self._find_local_dates()
            if not keys.time_column:
                if not any(map(self.has_stamps, range(self.width))):
                    refuse_no_year(lines, first[0], "", self.first)
                self._join_clock()
            self._choose_rows(keys)

    def _find_local_dates(self):
        """Finds the columns of dates as people write them, 1/5/2024 9:30 PM, which are then read as
        ISO 8601."""
        if not self.is_text:
            self.local_dates = {place: is_day_first(self, place, self.stated_order) for place, text in enumerate(self.first)
                                if LOCAL_DATE.fullmatch(text) and read_timestamp(text) is None}
        self.first = self._with_iso(self.first)

    def _with_iso(self, row):
        for place, is_first in self.local_dates.items():
            row[place] = iso_of(row[place], is_first)
        return row

    def _join_clock(self):
        """Makes the columns day, hour, minute one of times, behind the others."""
        self.clock = clock_columns(self.names, self.first) if self.has_header else []
        if self.clock:
            for place in self.clock:
                self.meanings[place] = ATTRIBUTE, 0
            self.names.append(joined(self.names[place] for place in self.clock))
            self.meanings.append((TIME, 1.0))
            self.width += 1
            self.first = self._with_clock(self.first)

    def _with_clock(self, row):
        return [*row, clock_text([self.names[place] for place in self.clock], [row[place] for place in self.clock])]

    def narrowed(self, condition):
        """Returns how this condition is given beside those that hold already, for messages."""
        return option_text("where", ",".join([*(f"{self._choice_of(place)}={value}" for place, value in self.conditions), condition]))

    def _choose_rows(self, keys):
        """Keeps the rows that `where` names. Raises BadInput where there are none."""
        for condition in keys.where:
            column, equals, value = condition.partition("=")
            places = self.named("where", column) if equals else []
            if len(places) != 1:
                raise self.error("where", quoted(condition), "COLUMN=VALUE")
            self.conditions.append((places[0], value))
        if self.conditions:
            rows = next((rows for _, rows, _, _ in self.pieces() if rows), None)
            if not rows:
                raise self.error("where", "no row with " + joined(keys.where), "a value that some row has")
            self.first = rows[0]

    # ---- how lines are cut ----

    def _read_remarks(self):
        for number, line in self.lines.all():
            line = line.strip(BLANKS)
            if line and line[0] != "#":
                return
            key, equals, value = (part.strip(BLANKS) for part in line[1:].partition("="))
            if not equals:
                continue
            if key == "bin_s" and self.stated_bin_s == 0:
                size = read_number(value)
                if size is None or not 1e-6 <= size <= 1e7:
                    raise self.lines.error(number, key, quoted(value) if value else "an empty field", "a number from 1e-06 to 1e+07")
                self.stated_bin_s = size
            elif key == "decimal":
                if value != ".":
                    raise self.lines.error(number, key, quoted(value), "'.', a point before decimals")
                self.states_points = True
            elif key == "dates":
                if value not in ORDERS:
                    raise self.lines.error(number, key, quoted(value), "day first or month first")
                self.stated_order = value
            elif key == "time_unit" and self.stated_unit_s == 0:
                if value not in UNIT_S:
                    raise self.lines.error(number, key, quoted(value), "s, ms, us or ns")
                self.stated_unit_s = UNIT_S[value]

    def _separators(self, line):
        """Returns what stands between fields; empty where nothing but blanks may. Raises BadInput
        where it is not the same everywhere."""
        found, line = "", QUOTED.sub("", line) if line.count('"') % 2 == 0 else line
        for one in ",\t;":
            at = line.find(one)
            while one == "," and at >= 0 and is_fraction_comma(line, at):
                at = line.find(one, at + 1)
            if at >= 0:
                found += one
        if len(found) > 1:
            raise self.lines.error(self.head, "", "commas, semicolons or tabs together",
                                   "one of them between all columns; a point before decimals")
        return found or ("|" if "|" in line else "")

    def _choose_separator(self, found, line, second):
        content = line.strip(BLANKS)
        has_words = " " in content and read_timestamp(content) is None
        if not found and has_words and second is not None:  # "arrival time (s)" above numbers is one name
            has_words = len(split_fields(second, " ")) == len(split_fields(line, " "))
        self.separator = found or (" " if has_words and content[0] != '"' else ",")

    def _find_joined(self, line, second, keys):
        """Finds fields that are one: a date and the time of day, a time and its fraction behind a
        comma. Returns whether they are so in the first line, too."""
        head = split_fields(line, self.separator)
        fields = head if second is None else split_fields(second, self.separator)
        self.joined = next((at for at in range(len(fields) - 1) if are_date_and_clock(fields[at], fields[at + 1])), None)
        if self.joined is not None or self.separator != ",":
            return True
        column = fraction_behind(fields)
        if column is None:
            return True
        has_names = second is not None and fraction_behind(head) is None
        if len(head) + 1 == len(fields) if has_names else self._has_fractions_behind(column, head, keys):
            self.joined = column
        return not has_names

    def _has_fractions_behind(self, column, head, keys):
        """Returns whether three digits behind the comma after the times are their fractions, by all
        rows of a file without names."""
        has_zeros = False
        for _, rows, _ in self.lines.rows():
            for row in rows:
                fields = split_fields(row)
                if column + 1 >= len(fields) or not THOUSANDTHS.fullmatch(fields[column + 1]):
                    return False
                has_zeros |= fields[column + 1][0] == "0"
        if has_zeros or keys.column:
            return has_zeros
        time, behind = head[column:column + 2]
        raise self.lines.error(self.head, "", f"'{time},{behind}', where {behind} may be milliseconds or a column",
                               "a first line that names the columns, or a point before the milliseconds")

    def _names_columns(self, fields, second, keys):
        """Returns whether the first line names columns."""
        wanted = [name for words in (keys.column, keys.time_column) if words for name in split_fields(words)]
        if any(read_number(name) is None and name in fields for name in wanted):
            return True
        is_one_value = len(fields) == 1 and fields[0][:1] in tuple("0123456789+-.")  # 1s, 0x10
        if is_one_value:
            return False
        if not any(map(is_value, fields)):
            return True
        # A text above a date or a number is a name, whatever stands beside it, as is no text
        # above a date: an index.
        return any(is_value(below) and not is_value(field) if field else is_stamp(below)
                   for field, below in zip(fields, second, strict=False))

    def split(self, line):
        """Returns the fields of the line, those that are one joined."""
        if self.is_text:
            begin, end = (inner_stamp if self.is_inner else stamp_in_text)(line) or (0, len(line))
            words = (line[:begin if self.is_inner else 0] + line[end:]).strip(BLANKS)
            tag = OF_CONTAINER.match(words) if self.is_of_container else None
            return [line[begin:end], words, *([tag[1] if tag else ""] if self.is_of_container else [])]
        if self.joined is None:
            return split_fields(line, self.separator)
        spans = spans_of(line, self.separator)
        if self.joined + 1 < len(spans):
            spans[self.joined:self.joined + 2] = [(spans[self.joined][0], spans[self.joined + 1][1])]
        return [line[begin:end] for begin, end in spans]

    def _refuse_half_days(self, line):
        for time, behind in zip(self.first, self.first[1:], strict=False):
            word = behind.split(" ", 1)[0]
            if word in HALF_DAYS and is_stamp(time):
                raise self.lines.error(line, "", quoted(time + " " + word), "hours from 00 to 23")

    # ---- rows ----

    def _rows(self):
        for numbers, lines, behind in self.lines.rows(1 if self.has_header else 0):
            if self.has_header and self.head_line in lines:
                raise self.lines.header_again(numbers[lines.index(self.head_line)], self.head)
            yield numbers, lines, behind

    def _cut(self, lines, numbers):
        """Returns (rows of fields up to the first with another number of them, the BadInput of that
        one or None)."""
        text = "\n".join(lines)
        separator, place = self.separator, self.joined
        has_blanks = " " in text or "\t" in text
        if self.is_text or '"' in text or (separator == " " and ("  " in text or "\t" in text)):
            rows = [self.split(line) for line in lines]
        elif self.width == 1 and place is None and separator not in text:
            rows = [[line.strip(BLANKS)] for line in lines] if has_blanks else [[line] for line in lines]
        else:
            rows = [line.split(separator) for line in ([line.strip(BLANKS) for line in lines] if separator == " " else lines)]
            if place is not None:
                for row in rows:
                    row[place:place + 2] = [separator.join(row[place:place + 2])] if place + 1 < len(row) else row[place:]
            if has_blanks and separator != " ":
                rows = [[field.strip(BLANKS) for field in row] for row in rows]
        width, fault = self.width - bool(self.clock), None
        ragged = next((at for at, row in enumerate(rows) if len(row) != width), None)
        if ragged is not None:
            advice = self._advice_for(lines[ragged], numbers[ragged], rows[ragged], width)
            fault = self.lines.error(numbers[ragged], "", f"{len(rows[ragged])} fields", f"{width}, {self.as_in}{advice}")
            del rows[ragged:]
        if self.separator != "," and not self.has_decimal_commas and "," in text:
            self.has_decimal_commas = any(DECIMAL_COMMA.fullmatch(field) for row in rows for field in row if "," in field)
        return rows, fault

    def _advice_for(self, line, number, row, width):
        """Returns what helps where a line has another number of fields than the first."""
        first = next((number for number, _ in self.lines.filled() if number > self.head), 0)
        if line.count('"') % 2:
            return "; fields without ends of lines in them " + ON_A_LINE
        if len(row) == width + 1 and row[-1] == "" and self.separator != " ":
            return f"; no {quoted(self.separator)} at the ends of lines (sed 's/{self.separator}$//' FILE)"
        if number == first and len(row) > width:
            return f"; remarks begin with #, other lines above the columns are left out (sed {self.head}d FILE)"
        if self.lines.is_last(number):
            return f"; without the last line (sed {number}d FILE)"
        return "; remarks begin with #" if width == 1 else ""

    def pieces(self):
        """Yields (line numbers, rows, places of those behind an empty line, fault that ends them)
        of the rows that are kept."""
        for numbers, lines, behind in self._rows():
            rows, fault = self._cut(lines, numbers)
            if self.local_dates:
                rows = [*map(self._with_iso, rows)]
            if self.clock:
                rows = [self._with_clock(row) for row in rows]
            if self.conditions:
                kept = [at for at, row in enumerate(rows) if all(row[place] == value for place, value in self.conditions)]
                numbers, rows, behind = [numbers[at] for at in kept], [rows[at] for at in kept], []
            yield numbers, rows, behind, fault
            if fault:
                return

    @contextmanager
    def all_rows(self):
        """Makes scans read the rows, too, that `where` leaves out."""
        conditions, self.conditions = self.conditions, []
        try:
            yield
        finally:
            self.conditions = conditions

    def scan(self, columns):
        """Reads all rows; `columns`: what takes the fields of each, by place, or (place, taker) where
        one has several. Returns a Scan."""
        scan, takers = Scan(), [*(columns.items() if isinstance(columns, dict) else columns)]
        try:
            for numbers, rows, behind, fault in self.pieces():
                if rows:
                    for place, column in takers:
                        column.add(scan.rows, [row[place] for row in rows])
                    scan.take(numbers, behind, len(rows))
                if fault:
                    scan.fault = scan.rows, fault
        except BadInput as error:
            scan.fault = scan.rows, error
        return scan

    def without_last(self, scan, row, field):
        """Returns how a row that ends the log and is none, a total, is left out; empty for others."""
        line = scan.line_of(row)
        return f" (sed {line}d FILE leaves the last line out)" if field[:1].isalpha() and row > 0 and self.lines.is_last(line) else ""

    def field(self, wanted, place):
        """Returns the field of one row, for messages."""
        at = 0
        for _, rows, _, _ in self.pieces():
            if wanted < at + len(rows):
                return rows[wanted - at][place]
            at += len(rows)
        raise IndexError(wanted)

    # ---- what columns are called ----

    def error(self, key, found, allowed):
        """Returns the BadInput at the first filled line."""
        return self.lines.error(self.head, key, found, allowed)

    def kind(self, place):
        return self.meanings[place][0]

    def unit_s(self, place):
        return self.meanings[place][1]

    def all(self, kind):
        """Returns the places of the columns of that kind."""
        return [place for place in range(self.width) if self.kind(place) == kind]

    def has_stamps(self, place):
        """Returns whether the column's first value is a date, or a number that counts from 1970."""
        number = read_number(self.first[place])
        return read_timestamp(self.first[place]) is not None or (number is not None and epoch_unit_s(number) is not None)

    def called(self, place):
        """Returns "column 'time'", "column 2", "the column" where there is one without a name, or
        "brackets"."""
        if self.has_header:
            return "column " + quoted(self.names[place])
        if self.is_text and not leading_stamp(self.head_line):
            return "the words" if self.is_inner else "brackets"
        return "the column" if self.width == 1 else f"column {place + 1}"

    def key_of(self, place):
        """Returns the name, or "column 2"."""
        return self.names[place] if self.has_header else f"column {place + 1}"

    def names_of(self, places):
        return joined(map(self.key_of, places))

    def all_names(self):
        return "a name in the header" if self.width > MANY_COLUMNS else joined(self.names)

    def fitting(self, text):
        """Returns the places of the columns that have this name or position."""
        number, position = read_number(text), POSITION.fullmatch(text)
        found = [place for place in range(self.width) if (self.has_header and self.names[place] == text) or number == place + 1]
        return found or ([int(position[1]) - 1] if position and 1 <= int(position[1]) <= self.width else [])

    def _choice_of(self, place):
        """Returns the column's name, or else its position, whichever fits no other column."""
        name = self.names[place]
        choices = [name] if name and read_number(name) is None and "," not in name else []
        return next((choice for choice in (*choices, str(place + 1)) if len(self.fitting(choice)) == 1), f"#{place + 1}")

    def choices_of(self, places):
        """Returns the texts that choose each of these columns and no other, for messages."""
        choices = [*map(self._choice_of, places[:MANY_COLUMNS + 1])]
        choices[MANY_COLUMNS:] = ["..."] * (len(choices) > MANY_COLUMNS)
        return f'"{choices[0]}"' if len(choices) == 1 else "one of " + joined(choices)

    def named(self, key, text):
        """Returns the places of the columns that the user names. Raises BadInput for a text that
        fits no column or several."""
        selected, names = [], []
        for name in split_fields(text) if text else []:
            found = POSITION.fullmatch(name)
            last = int(found[2] or 0) if found else 0
            is_range = 0 < last <= self.width and name not in self.names
            names += [f"#{place}" for place in range(int(found[1]), last + 1)] if is_range else [name]
        for name in names:
            found = self.fitting(name)
            if not found:
                names = self.all_names() + ", or a" if self.has_header else "a"
                raise self.error(key, quoted(name), f"{names} number from 1 to {self.width}")
            if len(found) > 1:
                # No counts are in a column of times.
                meant = [place for place in found if key != "column" or self.kind(place) != TIME] or found
                places = joined(f"{place + 1} ({self.names[place]})" for place in found)
                raise self.error(key, quoted(name) + ", which fits columns " + places, self.choices_of(meant))
            if found[0] in selected:
                raise self.error(key, quoted(name) + " twice", "each column once")
            selected += found
        return selected
