"""Series of InferLine's figures, as experiments name them: system, or system/variant."""

from selection import Missing

PLANNER = "inferline/plan"
PLANS = (PLANNER, "inferline/cg-mean", "inferline/cg-peak")
# Of the figures over time, by their numbers.
OVER_TIME = {
    6: ("inferline", "inferline/coarse"),
    7: ("inferline", "inferline/coarse"),
    10: ("inferline", PLANNER, "inferline/oracle"),
    11: ("inferline", PLANNER),
    12: ("inferline/baseline-plan", PLANNER, "inferline/plan-baseline-tune", "inferline"),
}
COST = "cost_usd_per_h"
COST_LABEL = "cost ($/h)"
TARGET = 1  # % of the requests may miss: P99 is to meet the SLO


def require_costs(cells):
    """A cell without prices has no cost."""
    if not all(cell.row.get(COST, 0) > 0 for cell in cells):
        raise Missing("no costs: the experiment's [[cluster.device]] have no usd_per_h")
