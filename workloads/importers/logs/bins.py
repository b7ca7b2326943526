"""Times beside the counts of a log: its rows are bins one after the other."""

import numpy as np

from .fields import read_number
from .messages import quoted, text_of
from .names import ATTRIBUTE, UNKNOWN, words_of
from .table import Moments, Texts

HOLES_ADVICE = '; or holes = "zero", "interpolate" or "cut" (--holes)'
PERIODS = {"hour": 24, "minute": 60, "second": 60}  # after which a column of this name begins again
ROUNDING = 0.05  # of a step: 0.33, 0.67, 1.00
OF_ALL = ("aggregated", "total", "all", "sum", "overall")  # series that are the sum of the others
FEW = 10  # rows in a wrong place that make a column without a name no times: more than a tenth


def filled(places, counts, holes, bins):
    """Returns the counts of all bins by their places, where some are missing: they get no requests
    (zero), what lies on a line between their neighbours (interpolate), or are left out (cut)."""
    if holes == "cut":
        return counts
    every = np.arange(bins)
    if holes == "interpolate":
        return np.interp(every, places, counts)
    result = np.zeros(len(every))
    result[places] = counts
    return result


class BinTimes:
    """A column of times, numbers or dates. Rows that are unsorted, repeated or left out would be
    replayed as bins that follow each other, at other times than recorded. A column without a name
    may be anything."""

    def __init__(self, table, place, name, holes=None, bin_s=0):
        """`holes` is None where rows need be no bins."""
        self.table, self.place, self.name, self.holes, self.bin_s, self.moments = table, place, name, holes, bin_s, Moments()

    def faults(self, scan):
        """Returns the (row, BadInput) of the first fault of each kind, after a scan; see `step`
        then."""
        seconds, moments, name = self.moments.all, self.moments, self.name
        faults, self.is_time, self._wrong = [], True, None
        seconds = self._going_on(seconds)
        if moments.bad:
            # Names of days order nothing; what is written as a time, or follows some, is meant as
            # one.
            row, field = moments.bad
            self.is_time, seconds = False, seconds[:row]
            if name and (row > 0 or any(digit in field for digit in "0123456789")):
                faults.append((row, self._error(scan, row, quoted(field),
                                                "a date and time (ISO 8601), or a number" + self.table.without_last(scan, row, field))))
        if moments.mixed and moments.mixed[0] < len(seconds):
            faults.append((moments.mixed[0], mixed_offsets(self.table, scan, name or "column 1", moments)))
        steps = np.diff(seconds)
        self._step = steps[0] if len(steps) else 0
        self.places = None
        every = self._every(seconds) if self.is_time else seconds
        if self.holes == "refuse" and len(every) > len(seconds):
            faults.append((0, self.table.error("where", f"rows for {len(seconds)} of {len(every)} bins", "all of them" + HOLES_ADVICE)))
        if self.holes not in (None, "refuse") and self.is_time and len(every) > 1:
            self._find_places(every, seconds)
            steps = steps if self.places is None else np.full(len(steps), self._step)
        # Large times have few digits after the point.
        rounding = ROUNDING * self._step + 4 * np.abs(seconds[1:]) * np.finfo(float).eps
        wrong = np.flatnonzero(~((steps > 0) & (np.abs(steps - self._step) <= rounding)))
        self._is_order = len(wrong) * FEW <= len(seconds)
        if len(wrong) and (name or self._is_order):
            row = int(wrong[0]) + 1
            texts = [quoted(self.table.field(at, self.place)) for at in (row, row - 1)]
            is_hole = self._step > 0 and abs(steps[row - 1] / self._step - round(steps[row - 1] / self._step)) <= ROUNDING
            advice = HOLES_ADVICE if is_hole and steps[row - 1] > self._step else ""
            if self.moments.local and -3600 <= steps[row - 1] <= 0 and not self._series(seconds):
                advice = "; of an hour that clocks show twice, an offset from UTC (+01:00) in every row"
            if len(steps) > 1 and (steps < 0).all():
                advice = "; rows from the last to the first: " + ("(sed 1q FILE; sed 1d FILE | tac)" if self.table.has_header else "tac FILE")
            alike = "the first two" if self.holes in (None, "refuse") else "most"
            apart = f", each {text_of(self._step)} after the one before, as {alike} are" if self._step > 0 else ""
            self._wrong = self._error(scan, row, " after ".join(texts),
                                      f"a row for every bin, in order{apart}; where no request came, the count 0{advice}"
                                      + self._series(seconds))
            if name:
                faults.append((row, self._wrong))
        self.has_dates = bool(len(seconds)) and moments.is_date(len(seconds) - 1)
        is_good = self.is_time and not len(wrong) and (len(seconds) >= 2 or self.places is not None)
        rows, bins = (seconds, len(seconds)) if self.places is None else (every, self.bins)
        self.step = float(f"{(rows[-1] - rows[0]) / (bins - 1):.6g}") if is_good else 0
        return faults

    def _find_places(self, every, seconds):
        """Finds the length of a bin by the times of all bins, or as the user says it, and the place of
        each row among them; none where the rows do not lie on bins of one length."""
        steps = np.diff(every)
        is_said = self.bin_s > 0 and self.moments.is_date(0)
        self._step = self.bin_s if is_said else np.median(steps[steps < 1.5 * steps.min()]) if steps.min() > 0 else 0
        if not 0 < self._step <= (every[-1] - every[0]) / (1 - ROUNDING):
            return
        places = np.rint((seconds - every[0]) / self._step)
        are_bins = np.abs(np.diff(seconds) / self._step - np.diff(places)) <= ROUNDING
        if (np.diff(places) >= 1).all() and are_bins.all():
            self.places = places.astype(np.int64)
            self.bins = int(np.rint((every[-1] - every[0]) / self._step)) + 1

    def _every(self, seconds):
        """Returns the times of all bins of the file in order, also of those that no row has which
        `where` leaves."""
        if self.holes is None or not self.table.conditions or not len(seconds):
            return seconds
        times = Moments()
        with self.table.all_rows():
            self.table.scan({self.place: times})
        return np.unique(times.all[~np.isnan(times.all)])

    def _going_on(self, seconds):
        """Returns hours that begin again at 0 behind 23, or minutes and seconds behind 59, as numbers
        that go on."""
        period = PERIODS.get("".join(words_of(self.name)), 0)
        if period == 0 or len(seconds) < 2 or np.isnan(seconds).any() or seconds.max() > period:
            return seconds
        steps = np.diff(seconds)
        again = (steps < 0) & (np.abs(seconds[:-1] + steps[0] - period - seconds[1:]) <= ROUNDING * abs(steps[0]))
        return seconds + period * np.concatenate([[0], np.cumsum(again)])

    def _series(self, seconds):
        """Returns the condition that leaves one of several series, where a column of texts tells
        them apart in which times come twice; else nothing."""
        table = self.table
        if len(np.unique(seconds)) == len(seconds):
            return ""
        found = []
        for place in range(table.width):
            text = table.first[place]
            is_name = table.has_header and table.kind(place) in (ATTRIBUTE, UNKNOWN) and read_number(text) is None
            if place == self.place or not is_name or table.has_stamps(place):
                continue
            texts = Texts()
            table.scan({place: texts})
            codes = texts.codes[:len(seconds)]
            pairs = np.unique(np.column_stack([codes, seconds]), axis=0)
            if len(pairs) == len(seconds) == len(codes) and len(texts.names) < len(seconds):
                name = next((name for name in texts.names if name.lower() in OF_ALL), None)
                found.append((name is None, table.narrowed(f"{table.names[place]}={name or texts.names[0]}")))
        return f"; of several series one: {min(found)[1]}" if found else ""

    def _error(self, scan, row, found, allowed):
        return self.table.lines.error(scan.line_of(row), self.name or "column 1", found, allowed)

    def check(self):
        """Raises BadInput for a column without a name that is one of times, nearly all of its rows
        equally far apart, but not all."""
        if self.is_time and self._step > 0 and self._wrong and self._is_order:
            raise self._wrong


def mixed_offsets(table, scan, key, stamps):
    """Returns the BadInput of dates of which only some have an offset from UTC."""
    row, field = stamps.mixed
    of_row, others = ("with", "without") if stamps.local else ("without", "with")
    return table.lines.error(scan.line_of(row), key, f"{quoted(field)} {of_row} an offset from UTC below dates {others} one",
                             "an offset (+02:00, Z) in every row or in none")


def are_even(table, place):
    """Returns whether the times of a column are equally far apart. Raises BadInput where rows or
    dates are not alike."""
    times = BinTimes(table, place, "")
    scan = table.scan({place: times.moments})
    scan.check(times.faults(scan))
    return scan.rows >= 3 and times.step > 0
