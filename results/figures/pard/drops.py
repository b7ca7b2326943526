"""Where requests are dropped."""

import numpy as np


def lost_by_module(cell):
    """Requests lost at each module: a dropped one where it was dropped, a late one at the last module."""
    modules = cell.table("modules")
    lost = sum(modules[name].astype(float) for name in modules.dtype.names if name.startswith("dropped_"))
    last = np.flatnonzero(modules["last"])[-1] if "last" in modules.dtype.names else len(modules) - 1
    lost[last] += cell["late"]
    return lost


def shares_by_module(cells, modules):
    """Percent of the lost requests by module, [seed that lost any, module]; None if none did.

    Padded with zeros to that many modules.
    """
    shares = []
    for cell in cells:
        lost = lost_by_module(cell)
        if lost.sum() > 0:
            shares.append(np.pad(100 * lost / lost.sum(), (0, modules - len(lost))))
    return np.array(shares) if shares else None
