"""Which cells a figure of the paper shows: series by the paper's names, workloads, and settings kept apart."""

from dataclasses import dataclass

from harness_results.file import HOW_TO_RECORD
from harness_results.names import number, plain_name

# As the papers write systems and variants.
NAMES = {"naive": "Naive", "nexus": "Nexus", "clipperpp": "Clipper++", "pard": "PARD", "shepherd": "SHEPHERD", "clockwork": "Clockwork", "symphony": "Symphony",
         "loki": "Loki", "proteus": "Proteus", "hwscaling": "Hardware scaling", "inferline": "InferLine", "quart": "QUART", "ds2": "DS2",
         "infless": "INFless", "cocktail": "Cocktail", "triton": "Triton"}
# Of variants that are more than their system with another setting.
VARIANT_NAMES = {
    "inferline/plan": "Planner alone",
    "inferline/oracle": "Planner, full knowledge",
    "inferline/plan-baseline-tune": "Planner + AutoScale",
    "inferline/baseline-plan": "CG-Peak alone",
    "inferline/cg-peak": "CG-Peak",
    "inferline/cg-mean": "CG-Mean",
    "inferline/coarse": "CG-Peak + AutoScale",
    "inferline/coarse-mean": "CG-Mean + AutoScale",
    "quart/uniform": "Uniform",
}
RENAMED = {}  # systems and series that the user calls otherwise
CAPITALS = ("wcl", "fcfs", "hbf", "lbf", "np")


class Missing(Exception):
    """The file lacks what a figure shows; the text says what."""


class LeftOut(Exception):
    """A figure cannot show these systems of the file, for that reason."""

    def __init__(self, systems, reason):
        super().__init__(f"leaves out {', '.join(systems)}: {reason}")


def series_of(cell):
    return cell["system"] if cell["variant"] == "default" else f"{cell['system']}/{cell['variant']}"


def name_of(series):
    """As the papers write it: "PARD-back"."""
    system, _, variant = series.partition("/")
    if series in VARIANT_NAMES and not {series, system} & set(RENAMED):
        return VARIANT_NAMES[series]
    name = RENAMED.get(series) or RENAMED.get(system) or NAMES.get(system, system)
    if not variant or series in RENAMED:
        return name
    return f"{name}-{variant.upper() if variant in CAPITALS else variant}"


def label_of(key):
    """What a series is called in the general figures: a SeriesKey's own label, unless its system or it has been renamed."""
    words = [key.system] if key.variant == "default" else [key.system, key.variant]
    now = RENAMED.get("/".join(words)) or " ".join([RENAMED.get(key.system, key.system), *words[1:]])
    return now + key.label.removeprefix(" ".join(words))


def pair_of(cell):
    return cell["pipeline"], cell["trace"]


def trace_of(cell):
    """Returns what the experiment says of the cell's trace."""
    return cell.settings.get("trace", {}).get(cell["trace"], {})


def renamed_key(key):
    """A parameter of a system by what the system is called."""
    system, dot, rest = key.partition(".")
    return RENAMED.get(system, system) + dot + rest


@dataclass(frozen=True)
class Setting:
    """What else the cells of a figure have in common, where the file has several of it."""

    values: tuple  # (key, value)

    def of_workload(self, pair):
        """The same on one workload."""
        return Setting((("workload", "-".join(pair)), *self.values))

    def of_system(self, name):
        """The same of one system."""
        return Setting((*self.values, ("system", name)))

    @property
    def text(self):
        words = {"workload": "{}", "system": "{}", "load": "load {}", "rate": "{} requests/s", "slo_ms": "SLO {} ms", "runtime": "{}"}
        return ", ".join(words[key].format(value) if key in words else f"{renamed_key(key)}={value}" for key, value in self.values)

    @property
    def stem(self):
        return "".join("-" + plain_name(text) for text in self.text.replace(" ", "_").split(",_") if text)


def details(cell, axes):
    """All that may differ between cells of a series and workload but the seed, less what a figure has as its axis."""
    offered = {"load": f"{cell['load']:g}"} if cell.rate_rps is None else {"rate": f"{cell.rate_rps:g}"}
    own = {**offered, "slo_ms": f"{cell['slo_ms']:g}", "runtime": cell["runtime"], **cell.parameters}
    return {key: value for key, value in own.items() if key not in axes}


def settings(cells, axes=()):
    """Parts the cells: in each part a series has on a workload one setting; what varies names the part.

    A cell without a swept parameter (of another system) belongs to every part. Returns [(Setting, cells)].
    """
    own = [details(cell, axes) for cell in cells]
    values = {}
    for cell, detail in zip(cells, own):
        for key, value in detail.items():
            values.setdefault((series_of(cell), pair_of(cell), key), set()).add(value)
    varying = {key for (_, _, key), found in values.items() if len(found) > 1}
    kept = [{key: value for key, value in detail.items() if key in varying} for detail in own]
    distinct = [dict(items) for items in dict.fromkeys(tuple(detail.items()) for detail in kept)]
    largest = [one for one in distinct if not any(one.items() < other.items() for other in distinct)]
    largest.sort(key=lambda one: [number(value) or 0 for value in one.values()])
    return [(Setting(tuple(one.items())), [cell for cell, detail in zip(cells, kept) if detail.items() <= one.items()])
            for one in largest]


def group(cells, key):
    """The cells by key(cell), in the order of the file."""
    groups = {}
    for cell in cells:
        groups.setdefault(key(cell), []).append(cell)
    return groups


def absent_note(cells, order):
    """A sentence for captions; empty when all are there."""
    absent = [name_of(name) for name in order if name not in group(cells, series_of)]
    return f" Not in the file: {', '.join(absent)}." if absent else ""


def one_workload(cells, pipeline, trace):
    """The cells of the paper's workload (the trace may be a recorded one, such as tweet-file), or of the only one of the file."""
    groups = group(cells, pair_of)
    wanted = [pair for pair in groups if pair[0] == pipeline and pair[1].split("-")[0] == trace]
    if not wanted and len(groups) == 1:
        wanted = list(groups)
    if not wanted:
        raise Missing(f"no cells of the workload {pipeline}-{trace}")
    return groups[wanted[0]]


def workload_name(cells):
    return "-".join(pair_of(cells[0]))


def first_seed(cells):
    """The cell of the first seed: a figure of single requests or of one course."""
    return min(cells, key=lambda cell: cell["seed"])


def rows_of(cell, name):
    """As Cell.rows()."""
    if not cell.has(name):
        raise Missing(f"no /cells/{cell['cell']}/{name}: {HOW_TO_RECORD[name]}")
    return cell.rows(name)


