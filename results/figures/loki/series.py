"""Series of Loki's figures, as experiments name them: system, or system/variant."""

LOKI = "loki"
SYSTEMS = (LOKI, "proteus", "inferline")
# Figure 7's four versions of early dropping, as the paper calls them.
DROPPING = {
    "loki/none": "no early\ndropping",
    "loki/last_task": "last-task\ndropping",
    "loki/per_task": "per-task\nearly dropping",
    "loki/reroute": "opportunistic\nrerouting",
}
