"""Which series of a file a figure shows, in which order, and how each looks: the one place that says so, for all figures."""

import look
import style
from harness_results.series import SeriesKey
from selection import LeftOut, Missing, group, name_of, series_of

# Without these the first of a system's series stands for it.
DEFAULT = "default"


def system_of(series):
    return series.partition("/")[0]


def chosen(names, system, most):
    """At most that many of the names, in their order; but the first of each system always. system(name) tells whose a name is."""
    first = {}
    for name in names:
        first.setdefault(system(name), name)
    kept = set(first.values())
    for name in names:
        if len(kept) >= most:
            break
        kept.add(name)
    return [name for name in names if name in kept]


def require_all(systems, drawn):
    """Every system of the file has been drawn, or it is an error."""
    lost = [system for system in systems if system not in drawn]
    if lost:
        raise LeftOut(lost, "no cells of what the figure shows")


class SeriesStyles:
    """The series of one file. What a figure draws takes its look or its name from here, so that a system that no figure asked for is
    known to be left out."""

    def __init__(self, cells):
        self.series = list(group(cells, series_of))
        self.systems = list(dict.fromkeys(map(system_of, self.series)))
        self._keys = {name: SeriesKey(*(name.split("/", 1) if "/" in name else (name, DEFAULT)), "") for name in self.series}
        self._palette = style.Palette(self._keys.values())
        self._seen = set()

    # Which series.

    def standing_for(self, system):
        """The series of a system of which a figure says nothing more: the default one, or else all."""
        return [system] if system in self.series else [name for name in self.series if system_of(name) == system]

    def names(self, order=(), most=None):
        """Those of `order` that the file has; then what stands for each system of the file of which these have none. With `most` then
        the rest too, as many as that makes, but each system at least once."""
        names = [name for name in order if name in self.series]
        present = {system_of(name) for name in names}
        names += [name for system in self.systems if system not in present for name in self.standing_for(system)]
        if most is None:
            return names
        return chosen(names + [name for name in self.series if name not in names], system_of, most)

    def one_of_each(self, systems=()):
        """The series of each system, one for each, these systems first; and a sentence for captions, which says what stands for a system
        that has no default, and which of these systems the file lacks."""
        names, words = {}, ""
        for system in dict.fromkeys((*systems, *self.systems)):
            if system not in self.systems:
                words += f" Not in the file: {name_of(system)}."
                continue
            names[system] = self.standing_for(system)[0]
            if names[system] != system:
                words += f" {name_of(system)}: its variant {names[system].partition('/')[2]}."
        return names, words

    def cells(self, cells, order=(), most=None):
        """{series: its cells among these}, of names()."""
        groups = group(cells, series_of)
        return {name: groups[name] for name in self.names(order, most) if name in groups}

    def each(self, series, function):
        """{name: function(of that)} of a dictionary by series; when the file lacks what some need, this is told of their systems."""
        found, missing = {}, {}
        for name, own in series.items():
            try:
                found[name] = function(own)
            except Missing as lacking:
                missing[name] = lacking
        lost = {system_of(name): lacking for name, lacking in missing.items()}
        if lost.keys() == {system_of(name) for name in series}:
            raise next(iter(lost.values()))
        lost = {system: lacking for system, lacking in lost.items() if system not in map(system_of, found)}
        if lost:
            raise LeftOut(lost, next(iter(lost.values())))
        if missing:
            raise next(iter(missing.values()))
        return found

    # How they look.

    def name(self, series):
        """As the papers write it, for legends, ticks and titles."""
        self._seen.add(series)
        return name_of(series)

    def colour(self, series):
        self._seen.add(series)
        return self._palette.colour(self._keys[series])

    def marker(self, series):
        return look.marker_of(system_of(series), self.systems)

    def line(self, series):
        """Colour, dashes and label."""
        own = self.standing_for(system_of(series))[0]
        dashes = look.dashes_of(system_of(series), self.systems) if series == own else self._palette.dashes(self._keys[series])
        return {"color": self.colour(series), "linestyle": dashes, "label": self.name(series)}

    def ticks(self, axes, places, series, labels=None, **options):
        """Names below the axis, each in the colour of its system."""
        axes.set_xticks(places, labels or [self.name(name) for name in series], **options)
        for tick, name in zip(axes.get_xticklabels(), series):
            self._seen.add(name)
            tick.set_color(self._palette.colour(self._keys[self.standing_for(system_of(name))[0]]))

    # What was left out.

    def not_drawn(self):
        """The series of the file that nothing drawn so far has asked for."""
        return [name for name in self.series if name not in self._seen]

    def require_all(self):
        """Every system has been drawn, or it is an error."""
        require_all(self.systems, set(map(system_of, self._seen)))
