"""SLO violations: of requests, and of paths through the pipeline where the file counts these."""

import numpy as np

OF_REQUESTS = "drop_rate"
OF_PATHS = "path_violation_rate"
# Columns of /cells/N/windows: what became of the paths of the requests sent in a window.
PATHS = ("paths_in_time", "paths_late", "paths_lost")


def measures(cells):
    """(column of /summary, what it is a share of) of the violation ratios that all cells have."""
    has_paths = all(OF_PATHS in cell.row and not np.isnan(cell[OF_PATHS]) for cell in cells)
    return [(OF_REQUESTS, "requests")] + ([(OF_PATHS, "paths")] if has_paths else [])


def have_path_windows(cells):
    """Whether all cells count paths over time."""
    return len(measures(cells)) > 1 and all(set(PATHS) <= set(cell.windows.dtype.names) for cell in cells)


def text(cells, with_paths):
    """A sentence for captions; it says which paths a request needs where the file tells."""
    answers = " and ".join(dict.fromkeys(cell["answers"] for cell in cells if cell.row.get("answers")))
    return (" SLO violations: requests dropped or late, of all sent" + (f" ({answers} answers)" if answers else "")
            + ("; and paths through the pipeline lost or late, of all." if with_paths else "."))
