"""A results file as the data of the page."""

import json
import shlex
from pathlib import Path

from cell_views import Views, how_to_record
from columns import Pool, column, table
from figures.colours import series_colours
from figures.intervals import student_t_95
from harness_results.file import Results
from harness_results.names import number, pairs_of, text_of, without_table
from harness_results.robust import data_of, is_robust, robustness_of
from harness_results.series import SeriesKey, said_by

COURSES, MODULE_COURSES = 0.6, 0.4  # shares of the limit
T_FREEDOMS = 100


def length(value):
    return len(written(value))


def written(value):
    """JSON without spaces."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def flat(settings, above=""):
    """{"cluster.workers": "64"}: tables within tables as dotted keys."""
    found = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            found |= flat(value, f"{above}{key}.")
        elif isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            for at, one in enumerate(value):
                found |= flat(one, f"{above}{key}[{at}]." if len(value) > 1 else f"{above}{key}.")
        else:
            found[above + key] = json.dumps(value, ensure_ascii=False)
    return found


def of_cell(cell):
    """A cell's settings; those of its one trace as trace.KEY, whatever the trace is called."""
    own = flat(cell.settings)
    return {key.replace(f"trace.{cell['trace']}.", "trace.", 1) if key.startswith(f"trace.{cell['trace']}.") else key: value
            for key, value in own.items()}


def differing(settings):
    """{key: values of the cells, None where a cell has no such key} of what is not the same in all cells that have settings."""
    own = [each for each in settings if each is not None]
    keys = dict.fromkeys(key for each in own for key in each)
    varying = [key for key in keys if len({each.get(key) for each in own}) > 1]
    return {key: [each and each.get(key) for each in settings] for key in varying}


def has_parts(cell):
    return cell["status"] != "skipped"


class Axis:
    """What the cells are plotted against: of each cell its place, and what else tells its panel and its series."""

    def __init__(self, label, place, panel, series):
        self.label, self.place, self.panel, self.series = label, place, panel, series

    def data(self, cells):
        """None where no series has several places in a panel."""
        places = [self.place(cell) for cell in cells]
        seen = {}
        for cell, place in zip(cells, places):
            if place is not None:
                seen.setdefault((self.panel(cell), self.series(cell)), set()).add(place)
        if not any(len(own) > 1 for own in seen.values()):
            return None
        return {"label": self.label, "x": column(places), "panel": column([self.panel(cell) for cell in cells]),
                "series": column([self.series(cell) for cell in cells])}


def label_without(series, key):
    """Of a SeriesKey, were it not for one of its parameters."""
    kept = [text for text in series.texts if text.partition("=")[0] != key]
    gone = {without_table(text) for text in series.texts} - {without_table(text) for text in kept}
    variant = " ".join(word for word in said_by(series.variant) if word not in gone) or "default"
    return SeriesKey(series.system, variant, " ".join(kept)).label


def axes_of(cells):
    """The loads (or rates), the SLOs and each numeric parameter, where some series has several."""
    def panel(cell, without):
        own = cell.workload
        words = [own.pipeline, own.trace]
        words += [] if without == "load" else [own.offered]
        words += [] if without == "slo" else [f"SLO {own.slo_ms:g} ms"]
        words += [word for word in own.texts if word.partition("=")[0] != without]
        words += [text for text in (cell.row.get("answers", ""), "" if own.runtime == "simulated" else own.runtime) if text]
        return ", ".join(words)

    by_rate = any(cell.rate_rps is not None for cell in cells)
    label = "request rate (requests/s)" if by_rate else "load"
    found = [Axis(label, lambda cell: cell["load"] if cell.rate_rps is None else cell.rate_rps,
                  lambda cell: panel(cell, "load"), lambda cell: cell.series.label),
             Axis("SLO (ms)", lambda cell: cell["slo_ms"], lambda cell: panel(cell, "slo"), lambda cell: cell.series.label)]
    for key in dict.fromkeys(key for cell in cells for own in (cell.workload, cell.series) for key in pairs_of(own.parameters)):
        values = [number(cell.parameters[key]) for cell in cells if key in cell.parameters]
        if None in values:
            continue
        found.append(Axis(key, lambda cell, key=key: number(cell.parameters[key]) if key in cell.parameters else None,
                          lambda cell, key=key: panel(cell, key), lambda cell, key=key: label_without(cell.series, key)))
    return [data for data in (axis.data(cells) for axis in found) if data]


def looks_of(series):
    """{label: [colour, rank]} of series, of these without one of their parameters, and of systems alone."""
    colours, ranks = series_colours(series)
    looks = {}
    for key in series:
        looks[key.label] = [as_text(colours[key]), ranks[key]]
        for text in key.texts:  # an axis of its own: axes_of()
            looks.setdefault(label_without(key, text.partition("=")[0]), looks[key.label])
    return looks


def as_text(colour):
    return colour if isinstance(colour, str) else "#" + "".join(f"{round(255 * part):02x}" for part in colour)


class Contents:
    """One results file, open as long as it is read."""

    def __init__(self, path, limit):
        self.path = Path(path)
        self.results = Results(path)
        self.cells = [self.results.cell(row) if self._is_there(row) else None for row in self.results.rows]
        self.views = Views(limit)

    def _is_there(self, row):
        return f"cells/{row['cell']}" in self.results._file

    def data(self):
        rows = self.results.rows
        names = list(dict.fromkeys(name for row in rows for name in row))
        settings = [cell and of_cell(cell) for cell in self.cells]
        made = {"name": self.path.name, "label": self.path.name, "quoted": shlex.quote(str(self.path)),
                "summary": table({name: [row.get(name) for row in rows] for name in names}),
                "shares": [name for name in names if self.results.is_share(name)]}
        made |= self._keys()
        made["settings"] = {"shared": self._shared(settings), "differing": table(differing(settings))}
        made |= self._views()
        attributes = self.results.attributes()
        made["rerun"] = f"harness {shlex.quote(str(attributes.get('experiment', self.path.stem)) + '.toml')} -o DIR"
        made["robust"] = data_of(robustness_of(self.results)) if is_robust(self.results) else None
        made["toml"] = attributes.pop("experiment_toml", "")
        made["attributes"] = {name: str(value) for name, value in attributes.items()}
        made["bytes"] = self.path.stat().st_size
        made["seal"] = self._seal()
        made["notes"] = self.views.notes
        return made

    def _seal(self):
        """The first line of the file: its checksum; empty in files of an older version."""
        with open(self.path, "rb") as file:
            line = file.read(512).partition(b"\n")[0]
        return line.decode("ascii") if line.startswith(b"harness file") else ""

    def _shared(self, settings):
        """What is the same in all cells, by key."""
        own = [each for each in settings if each is not None]
        keys = dict.fromkeys(key for each in own for key in each)
        return {key: own[0][key] for key in keys if len({each.get(key) for each in own}) == 1}

    def _keys(self):
        """Series and workload of each cell by name, how series look, and what there is to plot against."""
        there = [cell for cell in self.cells if cell is not None and has_parts(cell)]
        series = list(dict.fromkeys(cell.series for cell in there))
        made = {"series": column([cell.series.label if cell else "" for cell in self.cells]),
                "workload": column([cell.workload.title if cell else "" for cell in self.cells]),
                "looks": looks_of(series)}
        place = {id(cell): at for at, cell in enumerate(there)}
        axes = axes_of(there)
        for axis in axes:  # of the cells that are there; the page has all
            for name in ("x", "panel", "series"):
                own = values_of(axis[name])
                axis[name] = column([own[place[id(cell)]] if id(cell) in place else None for cell in self.cells])
        return made | {"axes": axes}

    def _views(self):
        views, courses, modules = [], [], []
        for cell in self.cells:
            view, course, of_modules = self.views.cell(cell) if cell is not None and has_parts(cell) else (None, None, None)
            views.append(view)
            courses.append(course)
            modules.append(of_modules)
        packed, sent = self.views.fitted(courses, "The course over time", COURSES, length)
        of_modules, _ = self.views.fitted(modules, "The course of the modules", MODULE_COURSES, length)
        for view, course, own in zip(views, packed, of_modules):
            if view is not None:
                view |= {"course": course} if course else {}
                view |= {"module_course": own} if own else {}
        self.views.latencies_note()
        return {"cells": views, "sent": sent.values, "module_names": self.views.names.values}


def values_of(stored):
    """A column() as a list again."""
    if isinstance(stored, list):
        return stored
    if "all" in stored:
        return [stored["all"]] * stored["count"]
    return [stored["of"][at] for at in stored["at"]]


def labels_of(paths):
    """The files' names; of files of one name the shortest ends of their paths that tell them apart. The same file twice: base, new."""
    parts = [Path(path).absolute().parts for path in paths]
    labels = []
    for own in parts:
        others = [each for each in parts if each != own]
        used = next(count for count in range(1, len(own) + 1) if all(each[-count:] != own[-count:] for each in others))
        labels.append(str(Path(*own[-used:])))
    if len(set(labels)) == len(labels):
        return labels
    return [f"{'base' if at == 0 else 'new' if len(labels) == 2 else f'new {at}'}" for at in range(len(labels))]


def page_data(paths, limit):
    """The data of the page, without what the program says of the files (claims, comparisons)."""
    files = [Contents(path, limit / len(paths)).data() | {"label": label} for path, label in zip(paths, labels_of(paths))]
    return {"files": files,
            "how_to_record": {name: how_to_record(name) for name in ("requests", "visits", "states", "replay")},
            "t95": [student_t_95(freedom) for freedom in range(1, T_FREEDOMS)]}
