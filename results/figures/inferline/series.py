"""Series of InferLine's figures, as experiments name them: system, or system/variant."""

from selection import Missing, trace_of

PLANNER = "inferline/plan"
PLANS = (PLANNER, "inferline/cg-mean", "inferline/cg-peak")
DS2 = ("ds2", "inferline")
# Of the figures over time, by their numbers.
OVER_TIME = {
    6: ("inferline", "inferline/coarse"),
    7: ("inferline", "inferline/coarse"),
    10: ("inferline", PLANNER, "inferline/oracle"),
    11: ("inferline", PLANNER),
    12: ("inferline/baseline-plan", PLANNER, "inferline/plan-baseline-tune", "inferline"),
    "14b": DS2,
}
COST = "cost_usd_per_h"
COST_LABEL = "cost ($/h)"
TARGET = 1  # % of the requests may miss: P99 is to meet the SLO


def rises(cell):
    """True if the offered rate of the cell's trace rises by its definition."""
    return "transition_from_s" in trace_of(cell)


def sample_s(cell):
    """Returns how long the beginning of the trace is that the planner has for a sample; times of the load begin after it."""
    trace = trace_of(cell)
    return trace.get("sample_share", 0) * trace.get("duration_s", 0)


def require_costs(cells):
    """A cell without prices has no cost."""
    if not all(cell.row.get(COST, 0) > 0 for cell in cells):
        raise Missing("no costs: the experiment's [[cluster.device]] have no usd_per_h")
