"""Times that stand in several columns, and dates without their year."""

import re

from .fields import BLANKS, read_number
from .messages import quoted
from .names import words_of
from .times import DATE_SIZE, MONTHS, NS, read_timestamp

CLOCK_COLUMNS = {"day": 86400, "hour": 3600, "minute": 60, "second": 1}  # in s
NO_YEAR = re.compile(rf"(?:{'|'.join(MONTHS)}) +[0-9]{{1,2}} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}|[IWEF][0-9]{{4}} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}"
                     r"|[01][0-9]-[0-3][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}")


def refuse_no_year(lines, number, line, fields=()):
    """Raises BadInput for a date without its year, which no other part of the file says."""
    for text in (line.strip(BLANKS), *fields):
        found = NO_YEAR.match(text)
        if found:
            raise lines.error(number, "", f"{quoted(found[0])}, a date whose year is missing",
                              "dates with their year (journalctl -o short-iso; ISO 8601)")


def clock_columns(names, first):
    """Returns the places of the columns day, hour, minute, second that say a time together: at least two, whole numbers or a date first;
    else none."""
    places = [[place for place, name in enumerate(names) if words_of(name) == [part]] for part in CLOCK_COLUMNS]
    found = [place[0] for place in places if len(place) == 1]
    are_whole = all(text.isdecimal() or (at == 0 and is_date(text)) for at, text in enumerate(first[place] for place in found))
    return found if len(found) >= 2 and are_whole and max(map(len, places)) == 1 else []


def is_date(text):
    return len(text) == DATE_SIZE and read_timestamp(text) is not None


def clock_text(names, texts):
    """Returns the seconds that the texts of these columns say together; what cannot be read as it stands."""
    date = read_timestamp(texts[0]) if is_date(texts[0]) else None
    numbers = [0.0 if at == 0 and date is not None else read_number(text) for at, text in enumerate(texts)]
    if None in numbers:
        return " ".join(texts)
    seconds = sum(number * CLOCK_COLUMNS[words_of(name)[0]] for name, number in zip(names, numbers, strict=True))
    return f"{seconds + (date or 0) // NS:.12g}"
