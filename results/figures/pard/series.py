"""The series of PARD's figures, as experiments name them: system, or system/variant."""

SYSTEMS = ("pard", "nexus", "clipperpp", "naive")
VARIANTS = tuple("pard/" + name for name in (
    "back", "sf", "oc", "split", "wcl", "lower", "upper", "fcfs", "hbf", "lbf", "instant"))
