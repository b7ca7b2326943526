"""Which cells are one workload, and which are one series on it: the columns `workload` and `series` of /summary say so."""

from dataclasses import dataclass, field

from harness_results.names import number, pairs_of, plain_name, texts_of, without_table

SIMULATED = "simulated"


def said_by(variant):
    """Returns the words of a variant: one without a name says what it sets, between commas."""
    return variant.replace(",", " ").split()


def configuration_of(row):
    return row["system"] if row["variant"] in ("", "default") else f"{row['system']}/{row['variant']}"


def part():
    """Returns a field that does not count in comparisons, since the text says it too."""
    return field(compare=False)


@dataclass(frozen=True)
class SeriesKey:
    """What a line or bar stands for; the seeds are averaged."""

    system: str
    variant: str
    parameters: str  # of its own that are swept, or that the variant says

    @classmethod
    def of(cls, row):
        swept = pairs_of(row["series"][len(configuration_of(row)):])
        said, shared = said_by(row["variant"]), shared_of(row)
        own = {key: value for key, value in pairs_of(row["parameters"]).items() if key not in shared
               and (key.removeprefix(row["system"] + ".") in swept or without_table(f"{key}={value}") in said)}
        return cls(row["system"], row["variant"], " ".join(texts_of(own)))

    @property
    def texts(self):
        return texts_of(pairs_of(self.parameters))

    @property
    def label(self):
        words = [self.system] if self.variant == "default" else [self.system, self.variant]
        said = said_by(self.variant)
        return " ".join(words + [text.removeprefix(self.system + ".") for text in self.texts if without_table(text) not in said])

    @property
    def swept_names(self):
        """What a series shares with the others of its sweep: the variant unless it only says the parameters, and their
        keys. A parameter that is no number is part of the name."""
        said = {without_table(text) for text in self.texts}
        variant = " ".join(word for word in said_by(self.variant) if word not in said)
        return (variant, *(key if number(value) is not None else f"{key}={value}" for key, value in pairs_of(self.parameters).items()))

    @property
    def swept_values(self):
        """The numbers among the parameters."""
        values = map(number, pairs_of(self.parameters).values())
        return tuple(value for value in values if value is not None)


@dataclass(frozen=True)
class WorkloadKey:
    """What a figure is about."""

    text: str  # the column
    pipeline: str = part()
    trace: str = part()
    load: float = part()
    slo_ms: float = part()
    runtime: str = part()
    parameters: str = part()  # those that all systems share
    rate_rps: float | None = part()  # where the experiment gives rates instead of loads; 0: as recorded
    slos_ms: tuple = part()  # of its streams, where they have several

    @classmethod
    def of(cls, row, rate_rps=None, slos_ms=()):
        return cls(row["workload"], row["pipeline"], row["trace"], row["load"], row["slo_ms"], row["runtime"],
                   " ".join(texts_of(shared_of(row))), rate_rps, slos_ms)

    @property
    def texts(self):
        return texts_of(pairs_of(self.parameters))

    @property
    def slo_text(self):
        if not self.slos_ms:
            return f"{self.slo_ms:g} ms"
        return f"{self.slos_ms[0]:g} to {self.slos_ms[-1]:g} ms"

    @property
    def offered(self):
        """What the experiment says of the load: it, or the rate."""
        if self.rate_rps is None:
            return f"load {self.load:g}"
        return f"{self.rate_rps:g} requests/s" if self.rate_rps else "as recorded"

    @property
    def title(self):
        title = f"{self.pipeline}, {self.trace}, {self.offered}, SLO {self.slo_text}"
        if self.parameters:
            title += ", " + self.parameters
        return title if self.runtime == SIMULATED else f"{title}, {self.runtime}"

    @property
    def file_stem(self):
        offered = f"{self.load:g}" if self.rate_rps is None else f"{self.rate_rps:g}rps" if self.rate_rps else "recorded"
        text = f"{self.pipeline}-{self.trace}-{offered}-{self.slo_text.replace(' ', '')}"
        if self.parameters:
            text += f"-{self.parameters}"
        if self.runtime != SIMULATED:
            text += f"-{self.runtime}"
        return plain_name(text)


def shared_of(row):
    """Returns the parameters at the end of the column `workload`, by their keys."""
    return pairs_of(row["workload"][len(row["pipeline"]) + len(row["trace"]) + 1:])


def name_series(rows):
    """Fills both columns of rows that have none, as of files of an older version; harness/record/run/series.h does the same. A parameter
    is taken for shared when all rows of its pipeline, trace and runtime have it, and every configuration with the same values."""
    if all(row.get("workload") for row in rows):
        return
    places = {}
    for row in rows:
        places.setdefault((row["pipeline"], row["trace"], row.get("runtime")), []).append((row, pairs_of(row["parameters"])))
    for place in places.values():
        values = {}  # by key, then configuration
        for row, pairs in place:
            for key, value in pairs.items():
                values.setdefault(key, {}).setdefault(configuration_of(row), set()).add(value)
        in_all = {key for key, own in values.items() if all(key in pairs for _, pairs in place)
                  and all(found == next(iter(own.values())) for found in own.values())}
        for row, pairs in place:
            if not row.get("workload"):
                fill(row, pairs, values, in_all)


def fill(row, pairs, values, in_all):
    prefix = row["system"] + "."
    shared = {key: value for key, value in pairs.items() if key in in_all and not key.startswith(prefix)}
    swept = {key.removeprefix(prefix): value for key, value in pairs.items()
             if key not in shared and len(values[key][configuration_of(row)]) > 1}
    runtime = [] if row.get("runtime", SIMULATED) == SIMULATED else [row["runtime"]]
    row["series"] = " ".join([configuration_of(row), *texts_of(swept)])
    row["workload"] = " ".join([row["pipeline"], row["trace"], f"load {row['load']:.10g} slo {row['slo_ms']:.10g} ms",
                                *runtime, *texts_of(shared)])
