"""The series of SHEPHERD's figures, as experiments name them: system, or system/variant."""

LITERAL = "shepherd/prefix"  # Algorithm 2 as it is written
SYSTEMS = ("shepherd", LITERAL, "clockwork", "nexus")
NOT_PREEMPTIVE = "shepherd/np"
WORKERS = "cluster.workers"
GROUP_LIMIT = "shepherd.herd_group_worker_limit"
