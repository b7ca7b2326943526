#!/usr/bin/env python3
"""How near `reserve` comes to the optimum over a grid of conditions (systems/reserve/README.md).

    grid.py draw SEED FOLDER      draws 400 cells of 60 s from the grid: an experiment for each pipeline and trace, and all.toml
                                  and, of the first five cells with fixed workers and a load of at most 1.3, emulated.toml
    grid.py judge FOLDER PAGE     writes tables of what their results say into the page, between the lines that begin with <!-- grid

Nothing is chosen by results: the parameters of `reserve` are its defaults in every cell."""

import random
import sys
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent.parent
CELLS = 400
OURS = ["reserve", "reserve/one queue"]
PIPELINES = ["tm", "lv", "ga", "da", "da-dynamic"]
RECORDED = ["wiki", "tweet", "azure"]
# Shapes beside the recorded ones: (trace, its keys); bursts of so many seconds at six times the rate between them.
OTHERS = {
    "step": [{"step_ratio": ratio} for ratio in (2, 4, 8)],
    "mmpp": [{"mmpp_ratio": 6, "mmpp_high_share": 0.2, "mmpp_high_s": seconds} for seconds in (1, 5, 20)],
    "poisson": [{}],  # sustained overload
}
FACTORS = [1.25, 1.5, 1.75, 1.9, 2, 2.5]
LOADS = [0.7, 0.9, 1, 1.3, 2, 3]
OVERLOADS = [4, 5, 6]
# The best reading of each paper's system, and the variants that do best somewhere.
SYSTEMS = """
[[system]]
name = "reserve"

[[system]]
name = "reserve"
variant = "one queue"
set = { "serving.queue" = "module" }

[[system]]
name = "pard"

[[system]]
name = "pard"
variant = "split"
params = { estimate = "split" }

[[system]]
name = "pard"
variant = "upper"
params = { downstream_wait = "sum_d" }

[[system]]
name = "pard"
variant = "one queue"
set = { "serving.queue" = "module" }

[[system]]
name = "nexus"

[[system]]
name = "nexus"
variant = "split"
params = { budget = "split" }

[[system]]
name = "nexus"
variant = "split, one queue"
params = { budget = "split" }
set = { "serving.queue" = "module" }

[[system]]
name = "clipperpp"

[[system]]
name = "naive"

[record]
rows = false
"""
HEAD = """# Drawn by grid.py from seed {seed}.
name = "{name}"

[workload]
pipelines = "{pipeline}"
traces = "{trace}"
seeds = {seed}
duration_s = 60

[cluster]
workers = 64
profiles = "shepherd-v100"
profile_scale = 3
"""


def draw_cell(dice):
    """(pipeline, trace, {key: value})"""
    trace = dice.choice(RECORDED + RECORDED + list(OTHERS))
    settings = {
        "planner.sizing_factor": dice.choice(FACTORS),
        "workload.load": dice.choice(OVERLOADS if trace == "poisson" else LOADS),
        "serving.commit": dice.choice(["early", "late"]),
        "serving.dispatch": dice.choice(["round_robin", "least_outstanding"]),
    }
    jitter = dice.choice([0, 0.02, 0.1])
    if jitter:
        settings |= {"cluster.jitter": "uniform", "cluster.jitter_fraction": jitter}
    settings |= {f"trace.{trace}.{key}": value for key, value in dice.choice(OTHERS.get(trace, [{}])).items()}
    if trace in RECORDED and dice.random() < 0.5:
        settings |= {"planner.workers": "rate", "planner.autoscale": True, "planner.headroom": 1.1, f"trace.{trace}.scale_to": "peak"}
    return dice.choice(PIPELINES), trace, settings


def toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def draw(seed, folder):
    dice = random.Random(seed)
    drawn = {}
    for number in range(CELLS):
        pipeline, trace, settings = draw_cell(dice)
        drawn.setdefault((pipeline, trace), []).append((number, settings))
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for (pipeline, trace), cells in sorted(drawn.items()):
        names.append(f"{pipeline}-{trace}")
        text = HEAD.format(seed=seed, name=names[-1], pipeline=pipeline, trace=trace)
        for number, settings in cells:
            text += "\n" + setting_of(number, settings)
        (folder / f"{names[-1]}.toml").write_text(text + SYSTEMS, encoding="utf-8")
    write_suite(folder / "all.toml", names)
    write_emulated(seed, folder, drawn)
    print(f"{CELLS} cells in {len(names)} experiments: {folder / 'all.toml'}")


def write_suite(path, names):
    path.write_text("suite = [" + ", ".join(f'"{name}.toml"' for name in names) + "]\n", encoding="utf-8")


def write_emulated(seed, folder, drawn):
    """Five of the cells with our own series, in virtual and in wall-clock time."""
    few = [(number, *key, settings) for key, cells in drawn.items() for number, settings in cells
           if settings["workload.load"] <= 1.3 and "planner.autoscale" not in settings]
    names = []
    for number, pipeline, trace, settings in sorted(few)[:5]:
        names.append(f"emulated-{number}")
        head = HEAD.format(seed=seed, name=names[-1], pipeline=pipeline, trace=trace)
        head = head.replace("\n[workload]", 'runtime = ["simulated", "emulated"]\n\n[workload]')
        own = "[[system]]" + "[[system]]".join(SYSTEMS.split("[[system]]")[1:1 + len(OURS)])
        (folder / f"{names[-1]}.toml").write_text(f"{head}\n{setting_of(number, settings)}\n{own}[record]\nrows = false\n", encoding="utf-8")
    write_suite(folder / "emulated.toml", names)


def setting_of(number, settings):
    return f'[[setting]]\nname = "{number}"\n[setting.set]\n' + "".join(f'"{key}" = {toml(value)}\n' for key, value in settings.items())


def read(folder):
    """By (experiment, number of the drawn cell) {series: its cell}."""
    sys.path[:0] = [str(ROOT / "results"), str(ROOT / "results/figures")]
    from harness_results.file import Results
    from selection import series_of
    cells = {}
    for path in sorted(folder.glob("*.h5")):
        for cell in Results(path).cells:
            if cell["status"] != "ok":
                raise SystemExit(f"grid.py: {path}: cell {cell['cell']} is {cell['status']}: {cell['why']}")
            cells.setdefault((path.stem, cell.parameters["setting"]), {})[series_of(cell)] = cell
    return cells


def share(count, total):
    return f"{100 * count / total:.1f} %" if total else "-"


def against_the_schedule(cells, series):
    """Where the offline schedule exists, as a share of it; elsewhere as a share of the upper bound."""
    exact = {key for key, group in cells.items() if all(cell["offline_schedule_rps"] > 0 for cell in group.values())}
    yield f"| of {len(exact)} cells with an offline schedule: | at least 99 % of it | at least 97 % | least | median | of the other {len(cells) - len(exact)}, share of the upper bound: least | median |"
    yield "|---|---|---|---|---|---|---|"
    for name in series:
        parts = [cells[key][name]["goodput_rps"] / cells[key][name]["offline_schedule_rps"] for key in exact]
        rest = [group[name]["bound_share"] for key, group in cells.items() if key not in exact]
        counts = " | ".join(share(sum(part >= least for part in parts), len(parts)) for least in (0.99, 0.97))
        yield f"| {name} | {counts} | {min(parts):.3f} | {median(parts):.4f} | {min(rest):.3f} | {median(rest):.3f} |"


def against_others(cells):
    """Each form of reserve against the best other system of each cell."""
    yield ("| of all cells: | ahead of every system with queues of workers, or equal | of every system | at least 99 % of the best other | least | "
           "wasted GPU time at most half of PARD's | most wasted GPU time |")
    yield "|---|---|---|---|---|---|---|"
    behind = []
    for own in OURS:
        ratios, as_they_are = [], []
        for key, group in cells.items():
            others = {name: cell["goodput_rps"] for name, cell in group.items() if name not in OURS}
            best = max(others, key=others.get)
            as_they_are.append(group[own]["goodput_rps"] >= max(rate for name, rate in others.items() if "one queue" not in name))
            ratios.append(group[own]["goodput_rps"] / others[best])
            behind.append((ratios[-1], own, best, *key))
        half = sum(group[own]["invalid_rate"] <= 0.5 * group["pard"]["invalid_rate"] for group in cells.values())
        counts = " | ".join(share(sum(ratio >= least for ratio in ratios), len(ratios)) for least in (1, 0.99))
        most = max(group[own]["invalid_rate"] for group in cells.values())
        yield (f"| {own} | {share(sum(as_they_are), len(cells))} | {counts} | {min(ratios):.3f} | {share(half, len(cells))} | "
               f"{100 * most:.2f} % |")
    yield ""
    yield "| furthest behind | ratio | best other | experiment | drawn cell |"
    yield "|---|---|---|---|---|"
    for ratio, own, best, stem, setting in sorted(behind)[:5]:
        yield f"| {own} | {ratio:.3f} | {best} | {stem} | {setting} |"


def judge(folder, page):
    cells = read(folder)
    series = sorted({name for group in cells.values() for name in group})
    lines = [*against_the_schedule(cells, series), "", *against_others(cells)]
    write_table(page, "grid: judged", "grid: end", lines)


def write_table(page, begin, end, lines):
    """Between the comments of these names."""
    head, rest = page.read_text(encoding="utf-8").split(f"<!-- {begin} -->\n", 1)
    _, tail = rest.split(f"<!-- {end} -->\n", 1)
    page.write_text(f"{head}<!-- {begin} -->\n\n" + "\n".join(lines) + f"\n\n<!-- {end} -->\n{tail}", encoding="utf-8")


def main(words):
    if len(words) == 3 and words[0] == "draw" and words[1].isdigit():
        draw(int(words[1]), Path(words[2]))
    elif len(words) == 3 and words[0] == "judge":
        judge(Path(words[1]), Path(words[2]))
    else:
        print(f"grid.py: found '{' '.join(words)}'; allowed: draw SEED FOLDER, or judge FOLDER PAGE", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
