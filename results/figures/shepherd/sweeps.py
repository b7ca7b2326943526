"""Figures 7, 9 and 10 (section 7.1): goodput against the load, the SLO and the number of workers; figure 11b (section 7.2): and by the
limit of workers in a group."""

import matplotlib.pyplot as plt

import curves
import look
from series_styles import system_of
from selection import Missing, group, series_of
import style
from shepherd import published
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


def mark_factors(axes, cells, place, factors):
    """Crosses where series would be if SHEPHERD's cells, at one place of the paper's, had so many times their goodput."""
    own = [cell for cell in cells if series_of(cell) == LIMITED and is_published(cell)]
    if own:
        (at,), (mean,), _ = curves.curve(own, place, "goodput_rps")
        look.published_points(axes, [at] * len(factors), [mean / factor for factor in factors.values()])


def is_published(cell):
    """Returns whether the cell's load is one of the paper's."""
    return cell["trace"] in published.LOAD_FACTORS


def crosses(factors, section):
    text = "; ".join(" and ".join(f"{factor:g}x" for factor in own.values()) for own in factors)
    return f" Crosses: SHEPHERD's goodput here divided by the paper's factors over Clockwork and Nexus ({text}; section {section})."


def mark_load(goodput, utilisation, cells, place):
    trace = cells[0]["trace"]
    if is_published(cells[0]):
        look.published_range(goodput, published.SATURATION_RPS, published.SATURATION_RPS, "x")
        mark_factors(goodput, [cell for cell in cells if cell.rate_rps == published.HIGHEST_RPS], place, published.LOAD_FACTORS[trace])
        look.published_range(utilisation, *published.BUSY_PERCENT)
        look.published_range(utilisation, *[published.NEXUS_BUSY_PERCENT[trace]] * 2)


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
        mark_load(goodput, utilisation, cells, place)
        utilisation.set(xlabel="request rate (requests/s)", ylabel="utilisation (%)", ylim=(0, 104))
        goodput.set_title(title, loc="left")
    look.legend_of(figure, *grid.flat)
    cells = all_of(parts)
    note = published.note(grid.flat, crosses(published.LOAD_FACTORS.values(), "7.1, at most") +
                          f" Paper, too: Clockwork saturates beyond {published.SATURATION_RPS:,} requests/s; utilisation is over {published.BUSY_PERCENT[0]} % "
                          f"(SHEPHERD, Clockwork) and under {' and '.join(map(str, published.NEXUS_BUSY_PERCENT.values()))} % (Nexus, stable and bursty).")
    caption = ("SHEPHERD figure 7. Goodput, and the share of the time for which GPUs executed batches, against the request rate; rates and "
               f"goodput on logarithmic axes.{note}{curves.seeds_note(cells)}")
    return figure, caption, cells


def draw_slo(parts, styles):
    panels = curves.by_workload(parts)
    require_several(panels, lambda cell: cell["slo_ms"], "SLO")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        diagonal(axes, cells, lambda cell: cell["slo_ms"])
        curves.draw_series(axes, styles, cells, SYSTEMS, lambda cell: cell["slo_ms"], "goodput_rps")
        mark_factors(axes, [cell for cell in cells if cell["slo_ms"] == published.TIGHTEST_SLO_MS], lambda cell: cell["slo_ms"], published.SLO_FACTORS)
        axes.set(xlabel="SLO (ms)", ylabel="goodput (requests/s)", ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = all_of(parts)
    note = published.note(grid, crosses([published.SLO_FACTORS], "7.1, at most"))
    caption = f"SHEPHERD figure 9. Goodput against the SLO of all streams.{note}{curves.seeds_note(cells)}"
    return figure, caption, cells


def draw_scale(parts, styles):
    panels = curves.by_workload(parts)
    require_several(panels, workers_of, "number of workers")
    figure, grid = curves.grid_of(len(panels))
    for axes, (title, cells) in zip(grid, panels):
        diagonal(axes, cells, workers_of)
        curves.draw_series(axes, styles, cells, SYSTEMS, workers_of, "goodput_rps")
        if is_published(cells[0]):
            look.published_points(axes, *zip(published.SATURATED))
        mark_factors(axes, [cell for cell in cells if workers_of(cell) == published.MOST_WORKERS], workers_of, published.SCALE_FACTORS)
        axes.set(xlabel="GPUs", ylabel="goodput (requests/s)", xlim=(0, None), ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = all_of(parts)
    note = published.note(grid, crosses([published.SCALE_FACTORS], f"7.1, with {published.MOST_WORKERS} workers") +
                          f" The cross at {published.SATURATED[1]:,} requests/s: where the paper's Clockwork saturates.")
    caption = ("SHEPHERD figure 10. Goodput against the number of simulated GPUs, the load growing with them; each queue has a scheduler, "
               f"whose cost for a message the experiment sets.{note}{curves.seeds_note(cells)}")
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
        of_12 = [cell for cell in cells if cell.parameters.get(GROUP_LIMIT) == published.GROUP_LIMIT_THERE]
        mark_factors(axes, [cell for cell in of_12 if workers_of(cell) == published.MOST_WORKERS], workers_of, published.GROUP_FACTORS)
        axes.set(xlabel="GPUs", ylabel="goodput (requests/s)", xlim=(0, None), ylim=(0, None))
        axes.set_title(title, loc="left")
    look.legend_of(figure, *grid)
    cells = all_of(parts)
    note = published.note(grid, f" Crosses: the goodput of groups of {published.GROUP_LIMIT_THERE} here divided by the paper's factors over groups of 1 "
                                f"({published.GROUP_FACTORS['1']:g}x) and no limit ({published.GROUP_FACTORS['0']:g}x; section 7.2).")
    caption = ("SHEPHERD figure 11b. Goodput against the number of GPUs, by the largest number of GPUs in a group."
               f"{note}{curves.seeds_note(cells)}")
    return figure, caption, cells
