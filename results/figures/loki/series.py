"""Series of Loki's figures, as experiments name them: system, or system/variant."""

LOKI = "loki"
HARDWARE = "hwscaling"
SYSTEMS = (LOKI, "proteus", HARDWARE)
# Figure 7's four versions of early dropping, as the paper calls them.
DROPPING = {
    "loki/none": "no early\ndropping",
    "loki/last_task": "last-task\ndropping",
    "loki/per_task": "per-task\nearly dropping",
    "loki/reroute": "opportunistic\nrerouting",
}


def as_the_paper_says(series):
    """For captions: what the paper calls hardware scaling, where it is drawn."""
    return " Hardware scaling alone is InferLine in the paper." if any(name.partition("/")[0] == HARDWARE for name in series) else ""
