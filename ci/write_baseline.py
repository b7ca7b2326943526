"""Keeps of a results file what comparisons need: /summary, the provenance, each cell's settings.

    write_baseline.py RESULTS.h5 BASELINE.h5
"""
import os
import sys

import h5py

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "results"))
from seal import seal  # noqa: E402


def write_baseline(results, baseline):
    temporary = baseline + ".tmp"
    os.makedirs(os.path.dirname(baseline), exist_ok=True)
    with h5py.File(results) as source, h5py.File(temporary, "w") as target:
        for key, value in source.attrs.items():
            target.attrs[key] = value
        source.copy("summary", target)
        for name, cell in source["cells"].items():
            target.create_group(f"cells/{name}").attrs["effective_toml"] = cell.attrs["effective_toml"]
        cells = len(source["summary"])
    seal(temporary)
    os.replace(temporary, baseline)
    print(f"{baseline}: {cells} cells, {os.path.getsize(baseline) // 1024} KiB")


if __name__ == "__main__":
    write_baseline(*sys.argv[1:])
