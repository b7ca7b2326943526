"""What `harness fit` found (docs/fit.md): the points by claims and by distance from the headlines, what each knob decides, and how often each
claim holds."""

import matplotlib.pyplot as plt

from harness_results.fit import Fit
import look
import style


LABELS = {"design": "space-filling", "refine": "the best of the design", "descent": "descent"}


def draw_points(fit):
    figure, axes = plt.subplots(figsize=style.size(4.2, 3.2))
    for rank, stage in enumerate(dict.fromkeys(row["stage"] for row in fit.searched)):
        rows = [row for row in fit.searched if row["stage"] == stage]
        axes.plot([row["distance"] for row in rows], [row["held"] for row in rows], "o^"[rank], markersize=3, alpha=0.6,
                  color=look.OTHER[rank], label=LABELS[stage])
    front = fit.front()
    axes.plot([row["distance"] for row in front], [row["held"] for row in front], color="0.3", linewidth=1, label="no other is better in both")
    ahead_point = fit.ahead
    ahead = next(row for row in fit.searched if row["point"] == ahead_point)
    for point, marker, label in ((fit.searched[0], "s", "defaults"), (fit.best, "*", "best"), (ahead, "D", "ahead outside the search")):
        axes.plot(point["distance"], point["held"], marker, markersize=9, color="0", fillstyle="none", label=label)
    axes.set(xlabel="distance of the headlines (logarithm)", ylabel="score of the claims")
    look.legend_of(figure, axes)
    return figure


def draw_bars(names, values, label):
    figure, axes = plt.subplots(figsize=style.size(4.6, 0.5 + 0.2 * len(names)))
    axes.barh(range(len(names)), values, color=look.OTHER[0])
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set(xlabel=label)
    return figure


def draw_knobs(fit):
    knobs = sorted(fit.knobs, key=fit.main_effect, reverse=True)
    return draw_bars(knobs, [fit.main_effect(knob) for knob in knobs], "main effect (claims)")


def draw_claims(fit):
    reached = {claim: fit.reach(claim) for claim in fit.claims}
    claims = sorted((claim for claim, reach in reached.items() if reach), key=lambda claim: -reached[claim].share)
    return draw_bars([claim.split(".", 1)[1] for claim in claims], [100 * reached[claim].share for claim in claims],
                     "mean score over the design (%)")


def draw(path, folder):
    fit = Fit(path)
    source = f"From {path.name} (harness fit)."
    paths = style.save(draw_points(fit), folder, "fit-points", "The score of the claims of each setting that was tried, against the "
                       f"distance of the headlines from the paper's ranges. {source}")
    paths += style.save(draw_knobs(fit), folder, "fit-knobs", "What each open choice decides: the claims' mean scores over the design, summed by "
                        f"its values; the largest sum less the least. {source}")
    paths += style.save(draw_claims(fit), folder, "fit-claims", f"How often each claim holds over the space-filling design. {source}")
    return paths
