"""What the text of SHEPHERD (NSDI'23) gives for the axes of its figures. Its factors are SHEPHERD's goodput over that of the series named."""

import look
from shepherd.series import NOT_PREEMPTIVE

HIGHEST_RPS = 144_000  # section 7.1: where the gain over Clockwork is largest
LOAD_FACTORS = {"maf-stable": {"clockwork": 4.6, "nexus": 7.1}, "maf-bursty": {"clockwork": 5.2, "nexus": 18.1}}  # section 7.1
SATURATION_RPS = 6_000  # section 7.1: from here on Clockwork's goodput saturates
BUSY_PERCENT = (95, 100)  # section 7.1: "over 95 %", SHEPHERD and Clockwork
NEXUS_BUSY_PERCENT = {"maf-stable": 89, "maf-bursty": 55}  # section 7.1: at most

TIGHTEST_SLO_MS = 50  # section 7.1
SLO_FACTORS = {"clockwork": 1.3, "nexus": 38}  # section 7.1, Figure 9: "up to"

MOST_WORKERS = 400  # section 7.1
SCALE_FACTORS = {"clockwork": 2.5, "nexus": 1.8}  # section 7.1, with 400 workers
SATURATED = (200, 50_000)  # section 7.1: workers from which on Clockwork has so much goodput, in requests/s

STREAM_FACTORS = {250: {"clockwork": 3.7}, 90: {NOT_PREEMPTIVE: 6.2, "clockwork": 6.2}}  # section 7.2, by SLO in ms
GROUP_LIMIT_THERE = "12"  # section 7
GROUP_FACTORS = {"1": 1.7, "0": 2.5}  # section 7.2: of groups of 12 over those of at most so many, 0 for no limit; 400 workers
OVERHEAD_PERCENT = 5  # section 7.3, Figure 12: most models stay below


def note(panels, text):
    """Returns the text if one of the panels shows something of the paper, else nothing."""
    return text if any(look.PUBLISHED in axes.get_legend_handles_labels()[1] for axes in panels) else ""
