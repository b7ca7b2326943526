"""Tables as the page holds them: columns, each in the shortest of three forms that page/data.js reads back."""

import math

INFINITE = "inf"  # as `harness show --json` has it; page/data.js reads it back as a number


def plain(value):
    """As JSON has it: NaN is no value, an infinite one is a text; a whole number is written without its .0."""
    if isinstance(value, float):
        if math.isnan(value):
            return None
        if math.isinf(value):
            return INFINITE
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    return value


def column(values):
    """A list; {"all": value} where all are the same; {"of": values, "at": places in them} where few texts repeat."""
    values = [plain(value) for value in values]
    distinct = list(dict.fromkeys(values))
    if values and len(distinct) == 1:
        return {"all": values[0], "count": len(values)}
    if 2 * len(distinct) <= len(values) and any(isinstance(value, str) for value in distinct):
        place = {value: at for at, value in enumerate(distinct)}
        return {"of": distinct, "at": [place[value] for value in values]}
    return values


def table(columns):
    """{name: column} of {name: values}."""
    return {name: column(values) for name, values in columns.items()}


def counts(values):
    """Counts as a list in which -n stands for n zeros."""
    packed = []
    for value in values:
        if value:
            packed.append(int(value))
        elif packed and packed[-1] < 0:
            packed[-1] -= 1
        else:
            packed.append(-1)
    return packed


class Pool:
    """Values that many cells share, each kept once."""

    def __init__(self):
        self.values = []
        self._places = {}

    def place(self, value):
        key = repr(value)
        if key not in self._places:
            self._places[key] = len(self.values)
            self.values.append(value)
        return self._places[key]
