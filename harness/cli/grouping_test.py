"""What groups the cells of a results file does it by the columns `series` and `workload` of /summary, for every shipped experiment.

    grouping_test.py HARNESS

The cells are those of a dry run, with made-up values, no two alike: so the mean that a tool shows tells which cells it took together.
"""
import json
import math
import os
import re
import sys
import tempfile
import tomllib
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy
from program_testing import ROOT, SMALL, Failures, edited, finish, run, write

sys.path[:0] = [os.path.join(ROOT, "results", name) for name in ("report", "figures")]
from contents import Contents, values_of  # noqa: E402
from harness_results.file import Results  # noqa: E402
from selection import series_of, settings  # noqa: E402
from trend import collected, without_repeat  # noqa: E402

METRIC = "drop_rate"
QUANTILES = ("latency_ms_p50", "latency_ms_p90", "latency_ms_p99")
# The columns of /summary that older files have not.
NEW = re.compile("series|workload|latency_ms_p(95|999)|latency_ms_p.*_(low|high)|latency_all_ms_.*")
# In place of the profiles that some experiments have measured first.
MODELS = ("rcnn", "resnet50", "inception_v3", "resnet18", "resnet34", "resnet101", "lenet")
MEASURED = 'device = "GPU"\nsource = "made up"\n' + "".join(
    f'[[profile]]\nmodel = "{model}"\nalpha_ms = 0.2\nbeta_ms = 2\nmax_batch = 64\nmemory_mb = 100\n' for model in MODELS)
# A plan for fewer requests is found sooner; the exact search for one takes minutes at other rates.
NARROWER = {stem: [word for setting in settings for word in ("--set", f"workload.{setting}")] for stem, settings in {
    "dropping": ["loads=[0.05]"],
    "foresight-rise": ["rates_rps=[15]"],
    "inferline-rate": ["rates_rps=[15]"],
    "inferline-sensitivity": ["rates_rps=[10,15,20,25,30]"],
    "optimal": ['pipelines=["tf-cascade"]', "rates_rps=[50,60]"],
    "scale": ["rates_rps_per_worker=10"],
}.items()}


def shipped():
    """Returns every experiment, no suites, and none on real traces where these are missing."""
    texts = {path: path.read_text(encoding="utf8") for path in sorted(Path(ROOT, "experiments").rglob("*.toml"))}
    has_data = Path(ROOT, "..", "shared", "data").is_dir()
    return [path for path, text in texts.items() if "system" in tomllib.loads(text) and (has_data or "shared/data" not in text)]


def cells_of(harness, path, folder):
    """Returns the cells of a dry run, each with two seeds; or why there are none. A short load is planned for sooner, where a trace allows it."""
    profiles = tomllib.loads(path.read_text(encoding="utf8")).get("cluster", {}).get("profiles", "")
    more = ["--set", f"cluster.profiles={folder}/measured.toml"] if "results-out" in profiles else NARROWER.get(path.stem, [])
    for duration_s in (2, 20, 60, None):
        shorter = ["--set", f"workload.duration_s={duration_s}"] if duration_s else []
        done = run([harness, str(path), "--dry-run", "--json", "--set", "workload.seeds=[1]", *shorter, *more], folder)
        if done.returncode == 0:
            cells = json.loads(done.stdout)["experiments"][0]["cells"]
            return cells + [cell | {"cell": cell["cell"] + len(cells), "seed": cell["seed"] + 100} for cell in cells]
    return done.stderr


def make_file(template, path, cells, text, with_columns):
    """A results file of these cells, all of which ran."""
    with h5py.File(template) as source, edited(path, "w") as file:
        for key, value in source.attrs.items():
            file.attrs[key] = value
        file.attrs["experiment_toml"] = text
        rows = numpy.repeat(source["summary"][:1], len(cells))
        for row, cell, value in zip(rows, cells, values_for(cells)):
            for column in ("cell", "load", "seed", "slo_ms"):
                row[column] = cell[column]
            for column in ("system", "variant", "pipeline", "trace", "runtime", "answers", "parameters", "series", "workload"):
                row[column] = cell[column].encode()
            row[METRIC] = value
        names = [name for name in rows.dtype.names if with_columns or not NEW.fullmatch(name)]
        if not with_columns:
            nothing_measured(rows)
        file.create_dataset("summary", data=rows[names].astype([(name, rows.dtype[name]) for name in names]))
        for cell in cells:
            group = file.create_group(f"cells/{cell['cell']}")
            rate = re.search(r" ([^ ]+) requests/s ", cell["workload"])
            group.attrs["effective_toml"] = f"[workload]\nrates_rps = [{rate[1] if rate else 0}]\n"


def nothing_measured(rows):
    """In the first row nothing was sent, in the last one nothing completed: as an older version wrote it."""
    rows["overload_s"] = rows["goodput_overload_rps"] = rows["drop_rate_overload"] = 0
    for place, sent in ((-1, 5), (0, 0)):
        rows[place]["sent"] = sent
        for name in ("in_time", "late", *QUANTILES):
            rows[place][name] = 0


def values_for(cells):
    return numpy.random.default_rng(1).random(len(cells))


def groups(cells, *keys):
    """Returns the places of the cells that have the same of each key."""
    found = defaultdict(list)
    for place, cell in enumerate(cells):
        found[tuple(key(cell) if callable(key) else cell[key] for key in keys)].append(place)
    return found


def parts(grouped):
    """Returns a grouping, whatever its groups are called."""
    return sorted(sorted(map(int, own)) for own in grouped)


def series_on(cell):
    return cell["series"] if cell["runtime"] == "simulated" else f"{cell['series']} {cell['runtime']}"


def without_repeats(cell):
    return re.sub(r" live\.repeat=\d+", "", cell["workload"])


def means(values, grouped):
    return sorted(round(float(values[own].mean()), 9) for own in grouped)


def shown(harness, folder, *arguments):
    done = run([harness, *arguments, "--json"], folder)
    return json.loads(done.stdout) if done.stdout.startswith(("[", "{")) else done.stderr


def check_program(harness, folder, name, cells, expect):
    values = values_for(cells)
    by_both = groups(cells, "workload", "series")
    baseline = cells[0]["series"]
    rows = shown(harness, folder, "show", f"{name}.h5", "--paired", METRIC, "--baseline", baseline)
    expect("show --paired", sorted((row["series"], round(row[METRIC], 9)) for row in rows),
           sorted((series, means(values, [own])[0]) for (_, series), own in by_both.items()))
    base = {workload: values[own].mean() for (workload, series), own in by_both.items() if series == baseline}
    wanted = [values[own].mean() - base[workload] for (workload, _), own in by_both.items() if workload in base]
    expect("show --paired: workloads", sorted(round(row["difference"], 9) for row in rows if row["pairs"]),
           sorted(round(float(value), 9) for value in wanted))
    compared = shown(harness, folder, "compare", f"{name}.h5", f"{name}.h5")["metrics"]
    expect("compare", sorted((row["series"] if "series" in row else row["system"], round(row["base"], 9)) for row in compared if row["metric"] == METRIC),
           sorted((series, means(values, [own])[0]) for (series,), own in groups(cells, series_on).items()))


def check_package(folder, name, cells, expect):
    path = os.path.join(folder, f"{name}.h5")
    wanted = parts(groups(cells, "workload", "series").values())
    results = Results(path)
    place = {cell["cell"]: at for at, cell in enumerate(cells)}
    expect("harness_results", parts([place[cell["cell"]] for cell in own] for by_series in results.workloads().values() for own in by_series.values()), wanted)
    expect("harness_results: workloads", parts([place[cell["cell"]] for own in by_series.values() for cell in own]
                                               for by_series in results.workloads().values()), parts(groups(cells, "workload").values()))
    for _, part in settings(results.cells):
        for own in groups(part, series_of, lambda cell: (cell["pipeline"], cell["trace"])).values():
            names = {(part[at]["series"], part[at]["workload"]) for at in own}
            expect("figures of papers", len(names), 1)
    results.close()
    contents = Contents(path, 1)
    keys = {"series": values_of(contents._keys()["series"]), "workload": values_of(contents._keys()["workload"])}
    expect("report", parts(groups(list(zip(keys["workload"], keys["series"])), lambda pair: pair).values()), wanted)
    found, _ = collected([path], [METRIC])
    values = values_for(cells)
    expect("trend", sorted(round(float(numpy.mean(own[0].values)), 9) for own in found.values()),
           means(values, groups(cells, without_repeats, "series").values()))


def check_older(harness, folder, name, cells, expect):
    """Both readers say the same of the cells of an older file, which has no names of series and 0 where there is no value."""
    rows = shown(harness, folder, "show", f"{name}-older.h5")
    results = Results(os.path.join(folder, f"{name}-older.h5"))
    for one, other in zip(rows, results.rows, strict=True):
        found = {key: None if value != value else value for key, value in other.items()}
        expect("an older file", {key: found[key] for key in found if not same(found[key], one[key])}, {})
        if one["status"] == "ok":
            expect("an older file: no overload", one["drop_rate_overload"], None)
    expect("an older file: nothing sent", [rows[0][key] for key in ("status", "drop_rate", "goodput_rps", *QUANTILES)], ["skipped"] + [None] * 5)
    if len(rows) > 1:
        expect("an older file: nothing completed", [rows[-1][key] for key in ("status", *QUANTILES)], ["ok"] + [None] * 3)
    results.close()


def same(one, other):
    return math.isclose(one, other, rel_tol=1e-9) if isinstance(one, float) and isinstance(other, (int, float)) else one == other


def check(harness, folder, path):
    """Returns what is wrong, a text each."""
    name, failures = "-".join(path.relative_to(ROOT).with_suffix("").parts), []

    def expect(what, found, wanted):
        if found != wanted:
            failures.append(f"{name}: {what}: {str(found)[:400]}, wanted {str(wanted)[:400]}")

    cells = cells_of(harness, path, folder)
    if isinstance(cells, str):
        return [f"{name}: {cells}"]
    twice = [key for key, own in groups(cells, "workload", "series", "seed").items() if len(own) > 1]
    expect("cells of one series, workload and seed", twice, [])
    for with_columns, of in ((True, name), (False, name + "-older")):
        make_file(os.path.join(folder, "out/template.h5"), os.path.join(folder, of + ".h5"), cells, path.read_text(encoding="utf8"), with_columns)
    check_program(harness, folder, name, cells, expect)
    check_package(folder, name, cells, expect)
    check_older(harness, folder, name, cells, expect)
    return failures


def main():
    harness, failures = os.path.abspath(sys.argv[1]), Failures()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "template.toml", SMALL)
        write(folder, "measured.toml", MEASURED)
        failures.expect("the template", run([harness, "template.toml", "-o", "out"], folder), 0)
        with ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda one: check(harness, folder, one), shipped()):
                failures += found
    finish(failures)


if __name__ == "__main__":
    main()
