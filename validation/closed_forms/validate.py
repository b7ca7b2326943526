"""Queues of theory beside the same queues, simulated."""

from math import sqrt
from pathlib import Path

import theory
from comparison import Comparison, Figure
from figure import Panel, draw

ORDER = 10
HERE = Path(__file__).resolve().parent
SERVERS = {"one": 1, "two": 2, "four": 4}
SERVICE_MS = {"one": 10, "two": 20, "four": 40}
BULK_MS = {"constant": [10] * 8, "linear": [8 + 2 * b for b in range(1, 9)]}
# Name, visits of a request, servers, execution time.
NETWORKS = {"tandem": [("first", 1, 1, 10), ("second", 1, 2, 20), ("third", 1, 4, 40)],
            "network": [("entry", 1, 2, 20), ("left", 0.7, 1, 10), ("right", 0.3, 2, 40), ("exit", 1, 2, 15)]}
LEAST_PERCENT = 1.0  # allowed of a mean in any case
ERRORS = 4  # times the estimated standard error is allowed


def by_load(results, pipeline, system="naive"):
    """The seeds' cells at each load."""
    cells = {}
    for cell in results.cells:
        if cell["pipeline"] == pipeline and cell["system"] == system:
            cells.setdefault(float(cell["load"]), []).append(cell)
    return dict(sorted(cells.items()))


def mean(cells, column):
    return sum(float(cell[column]) * float(cell["sent"]) for cell in cells) / customers(cells)


def customers(cells):
    return sum(float(cell["sent"]) for cell in cells)


def wait(cells):
    return mean(cells, "queueing_ms_mean") + mean(cells, "batch_wait_ms_mean")


def allowed(error):
    """In percent, of a standard error relative to the mean."""
    return max(LEAST_PERCENT, 100 * ERRORS * error)


def deterministic(results):
    for pipeline, servers in SERVERS.items():
        figures = []
        for load, cells in by_load(results, pipeline).items():
            expected, waits = theory.mdc(load, servers, SERVICE_MS[pipeline])
            if servers == 1:
                expected = theory.md1_wait(load, SERVICE_MS[pipeline])
            error = theory.relative_error(load, waits, customers(cells))
            figures.append(Figure(f"load {load:.2f}", expected, wait(cells), allowed(error)))
        source = "Pollaczek and Khinchine's formula" if servers == 1 else "Crommelin's chain, solved numerically"
        yield Comparison(f"M/D/{servers}, mean wait in ms", f"{source}; servers of {SERVICE_MS[pipeline]} ms.", "%",
                         "service times that vary", figures, relative=True, digits=4)


def quantiles(results):
    """The program's quantiles come from a histogram, whose buckets are 1/128 wide. Loads at which so many never wait are left
    out: the quantile is the service time, whatever the queue does."""
    service = SERVICE_MS["one"]
    for percent in (90, 99):
        figures = []
        for load, cells in by_load(results, "one").items():
            waited = theory.md1_quantile(load, service, percent / 100)
            if not waited:
                continue
            error = theory.relative_error(load, load, customers(cells)) * theory.quantile_factor(percent / 100)
            figures.append(Figure(f"load {load:.2f}", service + waited, mean(cells, f"latency_ms_p{percent}"), 100 / 128 + allowed(error)))
        yield Comparison(f"M/D/1, P{percent} of the latency in ms", "Erlang's distribution of the wait.", "%",
                         "exact quantiles: ours are a histogram's, up to 0.8 % above", figures, relative=True, late=True)


def bulk(results):
    for pipeline, times in BULK_MS.items():
        figures = []
        for load, cells in by_load(results, pipeline).items():
            expected, waits, _ = theory.bulk(load * len(times) / times[-1], times)
            error = theory.relative_error(load, waits, customers(cells))
            figures.append(Figure(f"load {load:.2f}", expected, wait(cells), allowed(error)))
        law = "10 ms" if pipeline == "constant" else "8 ms + 2 ms b"
        yield Comparison(f"M/D^[1,8]/1, a batch of b takes {law}: mean wait in ms", "The chain of those who wait at the ends of batches.",
                         "%", "batches that wait for more requests", figures, relative=True)


def network_latency(modules, load):
    """Mean latency, and the variance of n requests' times n, of independent M/M/c queues."""
    rate = load / max(visits * service / servers for _, visits, servers, service in modules)
    total, spread = 0.0, 0.0
    for _, visits, servers, service in modules:
        own = rate * visits * service / servers
        waited = theory.mmc_wait(own, servers, service)
        total += visits * (waited + service)
        error = theory.relative_error(own, theory.erlang_c(own, servers), visits, 1.0)
        spread += (visits * waited * error) ** 2 + visits * service**2
    return total, spread


def networks(results):
    names = {"tandem": "Tandem of M/M/1, M/M/2 and M/M/4", "network": "Jackson network of four M/M/c queues"}
    for pipeline, modules in NETWORKS.items():
        figures = []
        for load, cells in by_load(results, pipeline).items():
            expected, spread = network_latency(modules, load)
            figures.append(Figure(f"load {load:.2f}", expected, mean(cells, "latency_ms_mean"),
                                  allowed(sqrt(spread / customers(cells)) / expected)))
        yield Comparison(f"{names[pipeline]}: mean latency in ms", "Burke's and Jackson's theorems, Erlang C in each queue.", "%",
                         "feedback: our pipelines have none", figures, relative=True)


def loss(results):
    for system, patience in (("clipperpp", 40), ("nexus", 30)):
        figures = []
        for load, cells in by_load(results, "one", system).items():
            expected = theory.md1_loss(load, SERVICE_MS["one"], patience)
            error = theory.loss_error(expected, patience, SERVICE_MS["one"], customers(cells))
            ours = 100 * sum(float(cell["dropped"]) for cell in cells) / customers(cells)
            figures.append(Figure(f"load {load:.2f}", 100 * expected, ours, 100 * ERRORS * error))
        by = "start" if system == "clipperpp" else "end"
        yield Comparison(f"M/D/1 with reneging, D = {patience} ms ({system}): lost, in %",
                         f"M/D/1+D, from Erlang's sum; who cannot {by} within 40 ms leaves unserved.", "points",
                         "deadlines that differ between requests", figures, late=True)


def validate(harness):
    results = {name: harness.run(HERE / f"{name}.toml") for name in ("md", "bulk", "mm", "loss")}
    waits, tails = list(deterministic(results["md"])), list(quantiles(results["md"]))
    batches, joined, lost = list(bulk(results["bulk"])), list(networks(results["mm"])), list(loss(results["loss"]))
    draw([Panel("M/D/c: mean wait, ms", waits, ["c = 1", "c = 2", "c = 4"]),
          Panel("M/D/1: latency, ms", tails, ["P90", "P99"]),
          Panel("Batches of up to 8: mean wait, ms", batches, ["10 ms", "8 ms + 2 ms b"]),
          Panel("M/M/c networks: mean latency, ms", joined, ["tandem", "Jackson network"]),
          Panel("M/D/1 with reneging: lost, %", lost, ["D = 40 ms", "D = 30 ms"], log=False)], harness.out / "validation.png")
    return waits + tails + batches + joined + lost
