"""What the program itself says of the files: claims with their verdicts, notes, and what changed between two files."""

import json
import subprocess

NO_CLAIMS = "no claim uses this file"
NOTE = "note: "
ALSO_COMPARED = ("drop_rate", "cost_usd_per_h")  # beside the metrics of `harness diff`


def run(harness, *words):
    """(JSON that the command printed or None, what it said on standard error)"""
    done = subprocess.run([harness, *map(str, words)], capture_output=True, text=True, errors="replace", check=False)
    text = done.stdout.strip()
    return (json.loads(text) if text[:1] in ("{", "[") else None), done.stderr.strip()


def claims_of(harness, path):
    """{"decided": claims that this file alone decides, "others": how many more need results that were not given, "problem": text}"""
    found, said = run(harness, "claims", path, "--json")
    if found is None:
        return {"decided": [], "others": 0, "problem": "" if NO_CLAIMS in said or not said else said}
    needs_more = [each for each in found if each["verdict"] == "not run" and any("were given" in why for why in each["missing"])]
    return {"decided": [each for each in found if each not in needs_more], "others": len(needs_more), "problem": ""}


def length_notes_of(harness, path):
    """Returns the program's notes on the part of the runs that counts and on overload."""
    shown = subprocess.run([harness, "show", path, "--columns", "cell"], capture_output=True, text=True, errors="replace", check=False)
    return [line.removeprefix(NOTE) for line in shown.stdout.splitlines() if line.startswith(NOTE)]


def comparison_of(harness, paths, now):
    """The file at place `now` against the first."""
    metrics = [word for name in ALSO_COMPARED for word in ("--metric", name)]
    found, said = run(harness, "diff", paths[0], paths[now], "--json", *metrics)
    return {"now": now, "report": found, "said": said}


def add(harness, paths, data):
    """Claims and notes of each file, and each further file against the first, into the data of the page."""
    for path, file in zip(paths, data["files"]):
        file["claims"] = claims_of(harness, path)
        file["length_notes"] = length_notes_of(harness, path)
    data["comparisons"] = [comparison_of(harness, paths, now) for now in range(1, len(paths))]
