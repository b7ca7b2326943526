"""What a cell's variants say of its tasks: accuracies, and when the plan gives up some."""

import numpy as np

from harness_results.file import NS_PER_S
from selection import Missing

LESSER = 1 - 1e-9  # a variant below this is not the most accurate of its task
# While workers change from one variant to another none may be ready for the time that models load.
SHORTEST_S = 0.5


def variant_accuracies(cell):
    """Accuracy of each module's model, relative to the best of its task."""
    modules = cell.table("modules")
    if "accuracy" not in modules.dtype.names or np.isnan(modules["accuracy"]).any():
        raise Missing(f"no accuracies of models in /cells/{cell['cell']}/modules")
    return modules["accuracy"]


def tasks_of(cell):
    """task -> its modules, in the order of the pipeline; a variant is called task:model."""
    tasks = {}
    for module, name in enumerate(cell.module_names()):
        tasks.setdefault(name.partition(":")[0], []).append(module)
    return tasks


def task_accuracies(cell):
    """task -> mean accuracy of the models that did its visits; NaN where it had none."""
    accuracy, done = variant_accuracies(cell), cell.table("modules")["done"].astype(float)
    return {task: np.average(accuracy[own], weights=done[own]) if done[own].any() else np.nan
            for task, own in tasks_of(cell).items()}


def scaling_changes(cell):
    """[(time in s, whether accuracy is scaled from then on)]: by the plan in force some worker hosts a lesser variant. The first at 0."""
    lesser = variant_accuracies(cell) < LESSER
    plans = cell.table("plans")
    workers = np.zeros(len(lesser))
    changes = []
    for at_ns in np.unique(plans["at_ns"]):
        rows = plans[plans["at_ns"] == at_ns]
        workers[rows["module"]] = rows["workers"]
        scaled = bool((workers[lesser] > 0).any())
        if not changes or changes[-1][1] != scaled:
            changes.append((max(0, at_ns) / NS_PER_S, scaled))
    return lasting(changes)


def lasting(changes):
    """Without the changes that were taken back within SHORTEST_S."""
    kept = changes[:1]
    for change in changes[1:]:
        if len(kept) > 1 and change[0] - kept[-1][0] < SHORTEST_S:
            kept.pop()
        else:
            kept.append(change)
    return kept
