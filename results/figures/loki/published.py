"""What the paper's text gives for an axis of one of its figures, with the section that says it."""

import look

# Section 1, of Figure 1. Servers alone carry 560 requests/s, with all accuracy and all 20 of them.
PHASE_1_END_RPS = 560
SERVERS = 20
# Phase 2 ends at 1,550 requests/s, at a loss of 13 % of accuracy; up to 1,765 no request is dropped.
PHASE_2_END_RPS = 1550
PHASE_2_ACCURACY = 87
LARGEST_RPS = 1765
# Section 6.2, of Figures 5 and 6: off peak Loki needs 2.67 times fewer servers than Proteus, which holds the whole cluster.
OFF_PEAK_UTILISATION = 100 / 2.67
# Section 6.2, of Figure 6: when servers alone do not suffice Loki gives up some 10 % of accuracy.
SOCIAL_PEAK_ACCURACY = 90
# Section 6.4, of Figure 8: below this SLO the demand cannot be served.
LEAST_SLO_MS = 200

CARS, TRAFFIC, SOCIAL = "traffic-cars", "traffic-analysis", "social-media"  # the paper's pipelines


def on_demand(cells, accuracy, workers, violated):
    """Draws what section 1 says of Figure 1; returns a sentence for the caption, empty for other pipelines than the paper's."""
    if not {cell["pipeline"] for cell in cells} <= {CARS, TRAFFIC}:
        return ""
    look.published_points(accuracy, [PHASE_1_END_RPS, PHASE_2_END_RPS], [100, PHASE_2_ACCURACY])
    look.published_points(workers, [PHASE_1_END_RPS], [SERVERS])
    look.published_points(violated, [LARGEST_RPS], [0])
    return " Crosses: the ends of the paper's phases 1 and 2, and its largest demand without a drop (section 1)."


def on_time(cells, accuracy, utilisation):
    """Draws what section 6.2 says of Figures 5 and 6; returns a sentence for the caption, empty for other pipelines than the paper's."""
    pipelines = {cell["pipeline"] for cell in cells}
    if not pipelines <= {TRAFFIC, SOCIAL}:
        return ""
    look.published_range(utilisation, OFF_PEAK_UTILISATION, OFF_PEAK_UTILISATION)
    told = " Dash-dotted: the paper's servers off peak"
    if pipelines == {SOCIAL}:
        look.published_range(accuracy, SOCIAL_PEAK_ACCURACY, SOCIAL_PEAK_ACCURACY)
        told += ", and its accuracy at the peak"
    return told + " (section 6.2)."


def on_slos(cells, grid):
    """Draws what section 6.4 says of Figure 8; returns a sentence for the caption, empty for other pipelines than the paper's."""
    if {cell["pipeline"] for cell in cells} != {TRAFFIC}:
        return ""
    for axes in grid:
        look.published_range(axes, LEAST_SLO_MS, LEAST_SLO_MS, axis="x")
    return " Dash-dotted: the paper's least SLO, below which the demand cannot be served (section 6.4)."
