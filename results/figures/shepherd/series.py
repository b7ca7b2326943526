"""The series of SHEPHERD's figures, as experiments name them: system, or system/variant."""

SYSTEMS = ("shepherd", "clockwork", "nexus")
NOT_PREEMPTIVE = "shepherd/np"
WORKERS = "cluster.workers"
GROUP_LIMIT = "shepherd.herd_group_worker_limit"
