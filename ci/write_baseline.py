"""Keeps of a results file what comparisons need: /summary, the provenance, each cell's settings.

    write_baseline.py RESULTS.h5 BASELINE.h5

Paths of the machine lose their folders.
"""
import os
import re
import sys

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results"))
from seal import seal  # noqa: E402


def without_folders(settings):
    return re.sub(r'"/[^"\n]*/([^"/\n]+)"', r'"\1"', settings)


def write_baseline(results, baseline):
    temporary = baseline + ".tmp"
    os.makedirs(os.path.dirname(baseline), exist_ok=True)
    with h5py.File(results) as source, h5py.File(temporary, "w") as target:
        for key, value in source.attrs.items():
            target.attrs[key] = without_folders(value) if key == "experiment_toml" else value
        source.copy("summary", target)
        for name, cell in source["cells"].items():
            target.create_group(f"cells/{name}").attrs["effective_toml"] = without_folders(cell.attrs["effective_toml"])
        cells = len(source["summary"])
    seal(temporary)
    os.replace(temporary, baseline)
    print(f"{baseline}: {cells} cells, {os.path.getsize(baseline) // 1024} KiB")


if __name__ == "__main__":
    write_baseline(*sys.argv[1:])
