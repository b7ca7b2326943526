"""Times that stand in several columns, and dates without their year."""

import re

from .fields import BLANKS, read_number
from .messages import quoted
from .names import words_of
from .times import DATE_SIZE, MONTHS, NS, WEEKDAY, is_time_of_day, read_timestamp

CLOCK_COLUMNS = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}  # in s
MONTH, CLOCK = f"(?:{'|'.join(MONTHS)})", "[0-9]{2}:[0-9]{2}:[0-9]{2}"
NO_YEAR = re.compile(rf"(?:<[0-9]+>|\[)?(?:{WEEKDAY},? )?(?:{MONTH} +[0-9]{{1,2}},?|[0-9]{{1,2}}[ /-]{MONTH}) {CLOCK}"
                     r"(?![0-9:]*(?:[.,][0-9]+)?(?: [A-Z]{3,5})? [0-9]{4}\b)"  # as date(1) prints it
                     rf"|[IWEF][0-9]{{4}} {CLOCK}|(?:\([^()]*\) )?(?:[A-Z]+ +)?[01]?[0-9][-/][0-3]?[0-9] {CLOCK}")


WITH_YEAR = ((r"[A-Z][a-z]{2} +[0-9]{1,2},? [0-9:]+$", r"s/(<[0-9]+>)?([A-Z][a-z]{2}) +([0-9]{1,2}),? ([0-9]{2}:)/\3 \2 YEAR \4/"),
             ("[0-9][ /-][A-Z][a-z]{2} [0-9:]+$", r"s/([0-9]{1,2})[ \/-]([A-Z][a-z]{2}) ([0-9]{2}:)/\1 \2 YEAR \3/"),
             ("^[IWEF][0-9]{4}", r"s/^(.)([0-9]{2})([0-9]{2}) ([0-9:.]+)/YEAR-\2-\3 \4 \1/"),
             ("", r"s/([0-9]{1,2})[-\/]([0-9]{1,2}) ([0-9]{2}:)/YEAR-\1-\2 \3/"))


def refuse_no_year(lines, number, line, fields=()):
    """Raises BadInput for a date without its year, or a field that is a time of day without its
    date, which no other part of the file says."""
    for text in (line.strip(BLANKS), *fields):
        found = NO_YEAR.match(text)
        if not found and text and text in fields and is_time_of_day(text.split(" ")[0]):
            raise lines.error(number, "", f"{quoted(text)}, a time of day whose date is missing", "dates and times (ISO 8601)")
        if found:
            command = next(command for form, command in WITH_YEAR if re.search(form, found[0]))
            raise lines.error(number, "", f"{quoted(found[0])}, a date whose year is missing",
                              f"dates with their year (journalctl -o short-iso; sed -E '{command}' FILE with the year for YEAR)")


LOCAL_DATE = re.compile(r"(?:([0-9]{1,2})([./-])([0-9]{1,2})\2([0-9]{4})|([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2}))"
                        r"(?:[,; T\t]+([0-9]{1,2}):([0-9]{2}(?::[0-9]{2}(?:[.,][0-9]+)?)?)"
                        r"(?: ?([AaPp])\.?[Mm]\.?)?( *(?:Z|UTC|[+-][0-9:]+))?)?")
ORDERS = {"day first": True, "month first": False}


def iso_of(text, is_day_first):
    """Returns a date as people write it, 1/5/2024 9:30 PM, in ISO 8601; other texts as they are."""
    found = LOCAL_DATE.fullmatch(text)
    if not found:
        return text
    first, _, second, last, year, month, day, hour, rest, half, zone = found.groups()
    if last:
        year, month, day = (last, second, first) if is_day_first else (last, first, second)
    date = f"{year}-{month:0>2}-{day:0>2}"
    if hour is None:
        return date
    if half:
        if not 1 <= int(hour) <= 12:
            return text
        hour = int(hour) % 12 + 12 * (half in "Pp")
    return f"{date} {hour:0>2}:{rest}{(zone or '').strip()}"


class DayOrder:
    """A column of dates such as 1/5/2024: which of its first two numbers are too large for a
    month."""

    def __init__(self):
        self.most = [0, 0]

    def add(self, first_row, values):
        for found in filter(None, map(LOCAL_DATE.fullmatch, values)):
            if found[1]:
                self.most = [max(self.most[0], int(found[1])), max(self.most[1], int(found[3]))]


def is_day_first(table, place, stated):
    """Returns whether the days stand before the months in the dates of a column. Raises BadInput where
    nothing says it."""
    first = table.first[place]
    if stated or "." in first[:3] or len(LOCAL_DATE.fullmatch(first)[1] or "year") == 4:
        return ORDERS.get(stated, True)
    order = DayOrder()
    table.scan({place: order})
    if max(order.most) <= 12 or min(order.most) > 12:
        raise table.error(table.key_of(place) if table.has_header else "",
                          f"{quoted(first)}, whose day may stand before or behind its month",
                          'a line "# dates = day first" or "# dates = month first" in the file')
    return order.most[0] > 12


def clock_columns(names, first):
    """Returns the places of the columns day, hour, minute, second that say a time together: at
    least two, whole numbers or a date first; else none."""
    places = [[place for place, name in enumerate(names) if words_of(name) == [part]] for part in CLOCK_COLUMNS]
    places[0] = places[0] or [place for place, name in enumerate(names) if words_of(name) == ["date"] and is_date(first[place])]
    found = [place[0] for place in places if len(place) == 1]
    are_whole = all(text.isdecimal() or (at == 0 and is_date(text)) for at, text in enumerate(first[place] for place in found))
    return found if len(found) >= 2 and are_whole and max(map(len, places)) == 1 else []


def is_date(text):
    return len(text) == DATE_SIZE and read_timestamp(text) is not None


def clock_text(names, texts):
    """Returns the seconds that the texts of these columns say together; what cannot be read as it
    stands."""
    date = read_timestamp(texts[0]) if is_date(texts[0]) else None
    numbers = [0.0 if at == 0 and date is not None else read_number(text) for at, text in enumerate(texts)]
    if None in numbers:
        return " ".join(texts)
    seconds = sum(number * CLOCK_COLUMNS.get(words_of(name)[0], 0) for name, number in zip(names, numbers, strict=True))
    return f"{seconds + (date or 0) // NS:.12g}"
