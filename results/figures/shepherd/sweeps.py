"""Figures 7, 9 and 10 (section 7.1): goodput against the load, the SLO and the number of workers; figure 11b (section 7.2): and by the
limit of workers in a group."""

import matplotlib.pyplot as plt

import curves
import look
from series_styles import system_of
from selection import Missing, group, series_of
import style
from shepherd.series import GROUP_LIMIT, SYSTEMS, WORKERS

LIMITED = "shepherd"  # the system whose groups have a limit


def all_of(parts):
    return [cell for _, cells in parts for cell in cells]


def workers_of(cell):
    """Swept, or the file's only number."""
    return int(cell.parameters.get(WORKERS, cell["workers"]))


def require_several(panels, place, what):
    if all(len({place(cell) for cell in cells}) < 2 for _, cells in panels):
        raise Missing(f"the file has one {what} only")


def diagonal(axes, cells, place):
    """What is offered: no goodput lies above it."""
    look.reference_line(axes, curves.curve(cells, place, "offered_rps"), "offered")


def draw_load(parts, styles):
    panels = curves.by_workload(parts)
    require_several(panels, lambda cell: cell.rate_rps, "rate")
    figure, grid = plt.subplots(2, len(panels), sharex=True, squeeze=False, figsize=style.size(max(4.2, 3.3 * len(panels)), 4.6))
    for (title, cells), goodput, utilisation in zip(panels, *grid):
        place = curves.offered_by_level(cells)
        diagonal(goodput, cells, place)
        curves.draw_series(goodput, styles, cells, SYSTEMS, place, "goodput_rps")
        curves.draw_series(utilisation, styles, cells, SYSTEMS, place, "gpu_utilisation", 100)
        goodput.set(xscale="log", yscale="log", ylabel="goodput (requests/s)")
        utilisation.set(xlabel="request rate (requests/s)", ylabel="utilisation (%)", ylim=(0, 104))
        goodput.set_title(title, loc="left")
    look.legend_of(figure, *grid.flat)
    cells = all_of(parts)
    caption = ("SHEPHERD figure 7. Goodput, and the share of the time for which GPUs executed batches, against the request rate; rates and "
               f"goodput on logarithmic axes.{curves.seeds_note(cells)}")
    return figure, caption, cells


def draw_slo(parts, styles):
    panels = curves.by_workload(parts)
    require_several(panels, lambda cell: cell["slo_ms"], "SLO")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        diagonal(axes, cells, lambda cell: cell["slo_ms"])
        curves.draw_series(axes, styles, cells, SYSTEMS, lambda cell: cell["slo_ms"], "goodput_rps")
        axes.set(xlabel="SLO (ms)", ylabel="goodput (requests/s)", ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = all_of(parts)
    caption = f"SHEPHERD figure 9. Goodput against the SLO of all streams.{curves.seeds_note(cells)}"
    return figure, caption, cells


def draw_scale(parts, styles):
    panels = curves.by_workload(parts)
    require_several(panels, workers_of, "number of workers")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        diagonal(axes, cells, workers_of)
        curves.draw_series(axes, styles, cells, SYSTEMS, workers_of, "goodput_rps")
        axes.set(xlabel="GPUs", ylabel="goodput (requests/s)", xlim=(0, None), ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = all_of(parts)
    caption = ("SHEPHERD figure 10. Goodput against the number of simulated GPUs, the load growing with them; each queue has a scheduler, "
               f"whose cost for a message the experiment sets.{curves.seeds_note(cells)}")
    return figure, caption, cells


def limit_text(value):
    return "no limit" if float(value) == 0 else f"groups of {value}"


def draw_groups(parts, styles):
    panels = curves.by_workload(parts)
    if all(len({cell.parameters.get(GROUP_LIMIT) for cell in cells}) < 2 for _, cells in panels):
        raise Missing(f"the file does not sweep {GROUP_LIMIT}")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        diagonal(axes, cells, workers_of)
        limits = list(dict.fromkeys(cell.parameters[GROUP_LIMIT] for cell in cells if GROUP_LIMIT in cell.parameters))
        for (name, limit), own in group(cells, lambda cell: (series_of(cell), cell.parameters.get(GROUP_LIMIT))).items():
            own_look = styles.line(name)
            if limit is not None:
                colour = look.OTHER[limits.index(limit) % len(look.OTHER)] if system_of(name) == LIMITED else own_look["color"]
                own_look |= {"color": colour, "label": f"{own_look['label']}, {limit_text(limit)}"}
            marker = "os^D"[limits.index(limit) % 4] if system_of(name) == LIMITED and limit is not None else styles.marker(name)
            curves.draw_curve(axes, own, workers_of, "goodput_rps", 1, own_look, marker)
        axes.set(xlabel="GPUs", ylabel="goodput (requests/s)", xlim=(0, None), ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = all_of(parts)
    caption = ("SHEPHERD figure 11b. Goodput against the number of GPUs, by the largest number of GPUs in a group."
               f"{curves.seeds_note(cells)}")
    return figure, caption, cells
