"""The distribution of latencies."""

import matplotlib.pyplot as plt
import numpy as np

import style
from over_time import chosen_lines
from harness_results.file import MEASURE_LATENCY, NS_PER_MS, flatten

SHOWN_SLOS = 2


def distribution(cells):
    """(latencies in ms, share of the sent requests completed by then in percent), over all the cells."""
    tables = [cell.table("latency") for cell in cells]
    buckets = np.concatenate([table[table["measure"] == MEASURE_LATENCY] for table in tables])
    edges, inverse = np.unique(buckets["up_to_ns"], return_inverse=True)
    counts = np.bincount(inverse, weights=buckets["count"].astype(float), minlength=len(edges))
    sent = sum(cell["sent"] for cell in cells)
    return edges / NS_PER_MS, 100 * np.cumsum(counts) / max(1, sent)


def draw_latency(results, palette, workload, by_series, folder):
    lines, note = chosen_lines(by_series)
    cells = flatten(lines)
    slos = sorted({slo for cell in cells for slo in cell.slos_ms})
    longest = SHOWN_SLOS * slos[-1]

    figure, axes = plt.subplots(figsize=style.size(style.WIDTH, 3.1))
    for key, own in lines.items():
        latencies, shares = distribution(own)
        latencies = np.concatenate([[0], latencies, [max(longest, latencies[-1] if len(latencies) else 0)]])
        shares = np.concatenate([[0], shares, shares[-1:] if len(shares) else [0]])
        axes.plot(latencies, shares, drawstyle="steps-post", **palette.line(key))
    for slo in slos:
        axes.axvline(slo, color="black", linestyle=":", linewidth=style.points(1), label="SLO" if slo == slos[0] else None)
    axes.set(title=workload.title, xlabel="latency (ms)", ylabel="CDF (% of sent)", xlim=(0, longest), ylim=(0, 104))
    style.legend(figure, *axes.get_legend_handles_labels())
    caption = (f"Share of all requests sent that were completed within a latency; what is missing to 100 % at the right "
               f"was dropped or took longer than {longest:g} ms. All seeds together.{note} {results.source(cells)}")
    return style.save(figure, folder, f"latency-{workload.file_stem}", caption)
