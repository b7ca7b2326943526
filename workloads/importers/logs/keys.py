"""The keys of a trace that say how its file is read, and those that one of its format has no use
for."""

import re
from dataclasses import dataclass, field

from .messages import Place, bad_input, joined, quoted, raw

FORMATS = ("auto", "times", "counts", "rates", "counter", "gaps", "azure_functions", "azure_llm", "burstgpt", "mooncake")
WITH_TOKENS = ("azure_llm", "burstgpt", "mooncake")
WITH_TIMES = ("times", "gaps", *WITH_TOKENS)
UNITS_S = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
UNIT_KEYS = ("auto", *UNITS_S)
RATE_UNITS_S = {"auto": 0, "s": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0}
NEXT_CONDITION = re.compile(",(?=[^,=]*=)")  # between conditions: a value may hold a comma
HOLES = ("refuse", "zero", "interpolate", "cut")


@dataclass
class Keys:
    """How a file is read, as the user says it; `places`: where each key stands, for messages (its
    name where that is not known)."""

    format: str = "auto"
    column: str = ""  # names or positions of columns of counts, or functions, separated by commas
    time_column: str = ""
    time_unit: str = "auto"
    bin_s: float = 0  # 0: what the file says
    rate_unit: str = "auto"  # rates: requests per this
    holes: str = "refuse"  # what is done where bins are missing: zero, interpolate, cut
    where: tuple = ()  # COLUMN=VALUE: the rows that are read
    group_by: str = ""  # the column whose equal values are one request
    places: dict = field(default_factory=dict)

    def __post_init__(self):
        self.column, self.time_column, self.group_by = raw(self.column), raw(self.time_column), raw(self.group_by)
        conditions = [self.where] if isinstance(self.where, str) else self.where
        self.where = tuple(one.strip() for text in conditions for one in NEXT_CONDITION.split(raw(text)) if text)
        for key, allowed in (("format", FORMATS), ("time_unit", UNIT_KEYS), ("rate_unit", tuple(RATE_UNITS_S)), ("holes", HOLES)):
            if getattr(self, key) not in allowed:
                raise self.error(key, quoted(raw(getattr(self, key))), joined(allowed))
        if self.bin_s != 0 and not 1e-6 <= self.bin_s <= 1e7:
            raise self.error("bin_s", f"{self.bin_s:g}", "a number from 1e-06 to 1e+07")

    def error(self, key, found, allowed):
        """Returns the BadInput at the key."""
        return bad_input(self.places.get(key) or Place(key=key), found, allowed)

    def check(self, format):
        """Raises BadInput for a key that says something and that a file of the format has no use
        for."""
        format = "rates" if self.format == "rates" else format  # which are read as counts
        for key in ("column", "time_column", "where", "group_by", "time_unit", "rate_unit", "holes"):
            unused = unused_key(key, format) if getattr(self, key) not in ("", "auto", "refuse", ()) else None
            if unused:
                raise self.error(key, f'{key} with format = "{format}"', unused)


def where_text(keys):
    """Returns ", where COLUMN=VALUE, ..."; empty where all rows are read."""
    return ", where " + joined(keys.where) if keys.where else ""


def unused_key(key, format):
    """Returns what a message allows in place of a key that has no effect on a file of this format;
    None where it has one."""
    if format not in (*WITH_TOKENS, "azure_functions"):
        return {"column": "time_column (the column of its times)" if format in WITH_TIMES else None,
                "rate_unit": None if format in ("auto", "rates") else 'format = "rates"',
                "holes": "a file of counts, whose bins may be missing" if format in WITH_TIMES else None,
                "group_by": None if format in ("auto", "times") else 'format = "times"'}.get(key)
    if format == "azure_functions":
        return None if key == "column" else "column (the functions); its bins are minutes"
    if key == "where" and format != "mooncake":
        return None
    if key != "time_unit":
        return 'no such key: its columns are known; format = "times" reads others, without tokens'
    return {"azure_llm": "no such key: its times are dates",
            "burstgpt": 'no such key: its times are s; format = "times" reads others, without tokens',
            "mooncake": 'no such key: its times are ms; others as a column (jq -r .timestamp FILE), with format = "times" and time_unit, '
                        "without tokens"}[format]
