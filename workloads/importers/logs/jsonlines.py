"""Logs with an object of JSON a line, as tables whose columns are the keys of the first object."""

import json

from .lines import BLANKS
from .messages import quoted
from .names import meaning_of
from .table import Table

SHOWN = 60


def flat(found, before=""):
    """Returns the values of an object by key, those of objects in it by "outer.inner"; lists are left out."""
    values = {}
    for key, value in found.items():
        values |= flat(value, f"{before}{key}.") if isinstance(value, dict) else {} if isinstance(value, list) else {before + key: value}
    return values


def object_of(line):
    """Returns the object of JSON that a line is, its numbers as they are written; None for other lines."""
    try:
        found = json.loads(line.encode("latin-1"), parse_int=str, parse_float=str, parse_constant=str) if line.startswith("{") else None
    except (ValueError, RecursionError):
        return None
    return flat(found) if isinstance(found, dict) else None


def text_of_value(value):
    """Returns a value of JSON as the field of a table; what is no text, number or truth value as an empty one."""
    return value.encode("utf-8", "surrogatepass").decode("latin-1") if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else ""


class JsonTable(Table):
    """The objects of a log as rows."""

    def __init__(self, lines, keys):
        """Raises BadInput where no row is left by `where`."""
        self.lines, self.separator, self.joined, self.is_text, self.has_header, self.as_in = lines, ",", None, False, True, ""
        self.stated_bin_s, self.stated_unit_s, self.states_points, self.has_decimal_commas = 0, 0, False, False
        self.clock, self.conditions = [], []
        self.head, line = next(lines.filled())
        first = object_of(line.strip(BLANKS))
        self.keys = [*first]
        self.names = [text_of_value(key) for key in self.keys]
        self.width, self.meanings = len(self.names), [*map(meaning_of, self.names)]
        self.first = [text_of_value(first[key]) for key in self.keys]
        self._choose_rows(keys)

    def _rows(self):
        return self.lines.rows()

    def _cut(self, lines, numbers):
        rows = []
        for number, line in zip(numbers, lines, strict=True):
            found = object_of(line.strip(BLANKS))
            if found is None:
                return rows, self.lines.error(number, "", quoted(line[:SHOWN]), "an object of JSON a line, as the first is")
            rows.append([text_of_value(found.get(key)) for key in self.keys])
        return rows, None


def is_mooncake(first, keys):
    """Returns whether an object has the keys of Mooncake's traces and a time in whole ms from the first request on."""
    time = first.get("timestamp")
    is_plain = keys.time_unit == "auto" and not (keys.time_column or keys.where or keys.group_by or keys.column)
    return is_plain and {"input_length", "output_length"} <= first.keys() and isinstance(time, str) and time.isdecimal() and len(time) < 10


def json_table(lines, keys):
    """Returns the table of a log with an object of JSON a line, or None for other files and Mooncake's."""
    _, line = next(lines.filled(), (0, ""))
    first = object_of(line.strip(BLANKS))
    is_table = first and keys.format not in ("mooncake", "burstgpt", "azure_llm", "azure_functions") and not (
        keys.format == "auto" and is_mooncake(first, keys))
    return JsonTable(lines, keys) if is_table else None
