"""Logs with an object of JSON a line, as tables whose columns are the keys of all objects."""

import json
import re

from .clocks import refuse_no_year
from .lines import BLANKS
from .messages import quoted
from .names import meaning_of
from .table import Table

SHOWN = 60
MOST_VALUES = 50  # of a column that tells kinds of lines apart
MOST_BEFORE = 20  # lines in front of the first object
PLAIN_KEY = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def flat(found, before=""):
    """Returns the values of an object by key, those of objects in it by "outer.inner"; lists are
    left out."""
    values = {}
    for key, value in found.items():
        if isinstance(value, dict):
            values |= flat(value, f"{before}{key}.")
        elif not isinstance(value, list):
            values[before + key] = value
    return values


def list_in(found, before=""):
    """Returns how jq calls the first list of objects or lists in an object; empty where there is
    none."""
    for key, value in found.items():
        path = before + jq_path(raw_value(key))
        if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
            return path
        inner = list_in(value, path) if isinstance(value, dict) else ""
        if inner:
            return inner
    return ""


def whole_object_of(line):
    """Returns the object of JSON that a line is, its numbers as they are written; None for other
    lines."""
    if not line.startswith("{"):
        return None
    try:
        found = json.loads(line.encode("latin-1"), parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def object_of(line):
    """Returns the values of the object that a line is by key (see `flat`); None for other lines."""
    found = whole_object_of(line)
    return None if found is None else flat(found)


def raw_value(value):
    """Returns a value of JSON as the field of a table; what is no text, number or truth value as an
    empty one."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass").decode("latin-1")
    return str(value).lower() if isinstance(value, bool) else ""


def jq_path(name):
    """Returns how jq calls a key."""
    return "".join(f".{part}" if PLAIN_KEY.fullmatch(part) else f'.["{part}"]' for part in name.split("."))


class JsonTable(Table):
    """The objects of a log as rows; of rows without a key its field is empty."""

    def __init__(self, lines, keys):
        """Raises BadInput where no row is left by `where`."""
        self.lines, self.separator, self.joined, self.is_text, self.has_header, self.as_in = lines, ",", None, False, True, ""
        self.stated_bin_s, self.stated_unit_s, self.states_points, self.has_decimal_commas = 0, 0, False, False
        self.clock, self.conditions, self.is_of_container = [], [], False
        found = {}
        for number, line in lines.filled():
            values = object_of(line.strip(BLANKS))
            if values is None:
                break
            self.head = self.head if found else number
            found |= values
        self._take([*found])
        if not found:
            raise self.error("", "objects without a value outside of lists",
                             f"an object of JSON a line (jq -c '{self.list() or '.KEY'}[]' FILE)")
        self._choose_rows(keys)
        self._keep_filled()
        self.stated_order = ""
        self._find_local_dates()
        if not any(map(self.has_stamps, range(self.width))):
            refuse_no_year(lines, self.head, "", self.first)

    def list(self):
        """Returns how jq calls the first list in the first object; empty where there is none."""
        _, line = next(self.lines.filled())
        return list_in(whole_object_of(line.strip(BLANKS)))

    def _take(self, keys):
        self.keys, self.names = keys, [*map(raw_value, keys)]
        self.width, self.meanings = len(self.names), [*map(meaning_of, self.names)]

    def _keep_filled(self):
        """Keeps the columns of which some row has a value; `first` becomes the first value of
        each."""
        first, empty = {}, {*range(self.width)}
        for _, rows, _, _ in self.pieces():
            for row in rows:
                if empty:
                    first |= {place: row[place] for place in empty if row[place]}
                    empty -= first.keys()
            if not empty:
                break
        kept = sorted(first)
        self.first = [first[place] for place in kept]
        self.conditions = [(kept.index(place), value) for place, value in self.conditions if value]
        self._take([self.keys[place] for place in kept])

    def _rows(self):
        return self.lines.rows()

    def _cut(self, lines, numbers):
        rows = []
        for number, line in zip(numbers, lines, strict=True):
            found = object_of(line.strip(BLANKS))
            if found is None:
                return rows, self.lines.error(number, "", quoted(line[:SHOWN]),
                                              "an object of JSON a line, as the first is" + advice_of(line))
            rows.append([raw_value(found.get(key)) for key in self.keys])
        return rows, None

    def filter_for(self, place):
        """Returns what leaves out the rows without a value in this column: a condition that exactly
        the others meet, or a command."""
        having, lacking = ([set() for _ in self.names] for _ in range(2))
        for _, rows, _, _ in self.pieces():
            for row in rows:
                for values, text in zip(having if row[place] else lacking, row, strict=True):
                    if len(values) < MOST_VALUES:
                        values.add(text)
        for name, values, others in zip(self.names, having, lacking, strict=True):
            is_alone = len(values) == 1 and "" not in values and len(others) < MOST_VALUES
            if is_alone and values.isdisjoint(others) and self.names[place] != name:
                return self.narrowed(f"{name}={[*values][0]}")
        return f"a time in each line (jq -c 'select({jq_path(self.names[place])})' FILE)"


def advice_of(line):
    """Returns how lines that are no objects are left out; empty for an object that is cut off."""
    return "" if line.strip(BLANKS).startswith("{") else " (grep '^{' FILE)"


def is_mooncake(first, keys):
    """Returns whether an object has the keys of Mooncake's traces and a time in whole ms from the
    first on."""
    time = first.get("timestamp")
    is_plain = keys.time_unit == "auto" and not (keys.time_column or keys.where or keys.group_by or keys.column)
    return is_plain and {"input_length", "output_length"} <= first.keys() and isinstance(time, str) and time.isdecimal() and len(time) < 10


def refuse_words_before(lines):
    """Raises BadInput for a line of words in front of objects."""
    head, text = 0, ""
    for at, (number, line) in enumerate(lines.filled()):
        head, text = head or number, text or line
        if at and object_of(line.strip(BLANKS)):
            raise lines.error(head, "", quoted(text[:SHOWN]), f"an object of JSON a line, as line {number} is (grep '^{{' FILE)")
        if at == MOST_BEFORE or line.lstrip(BLANKS).startswith(("{", "[")):
            return


def json_table(lines, keys):
    """Returns the table of a log with an object of JSON a line, or None for other files and
    Mooncake's."""
    if keys.format in ("mooncake", "burstgpt", "azure_llm", "azure_functions"):
        return None
    _, line = next(lines.filled(), (0, ""))
    first = object_of(line.strip(BLANKS))
    if first is None:
        refuse_words_before(lines)
    if first is None or (keys.format == "auto" and is_mooncake(first, keys)):
        return None
    return JsonTable(lines, keys)
