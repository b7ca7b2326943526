"""What the program itself says of the files: claims with their verdicts, and what changed between two files."""

import json
import subprocess

from contents import values_of

PAIRED_BY = ("system", "variant", "pipeline", "trace", "load", "slo_ms", "seed", "runtime", "answers", "parameters")
NO_CLAIMS = "no claim uses this file"



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


def keys_of(summary):
    columns = [values_of(summary[name]) if name in summary else None for name in PAIRED_BY]
    count = len(values_of(summary["cell"]))
    return [tuple("" if own is None else round(own[at], 6) if isinstance(own[at], float) else own[at] for own in columns)
            for at in range(count)]


def pairs_of(base, now):
    """[place in base, place in now] of the cells that are the same but for the file; of several alike in their order."""
    left = {}
    for at, key in enumerate(keys_of(now["summary"])):
        left.setdefault(key, []).append(at)
    pairs = []
    for at, key in enumerate(keys_of(base["summary"])):
        if left.get(key):
            pairs.append([at, left[key].pop(0)])
    return pairs


def comparison_of(harness, paths, data, now):
    """The file at place `now` against the first."""
    found, said = run(harness, "compare", paths[0], paths[now], "--json")
    return {"now": now, "pairs": pairs_of(data["files"][0], data["files"][now]), "report": found, "said": said}


def add(harness, paths, data):
    """Claims of each file, and each further file against the first, into the data of the page."""
    for path, file in zip(paths, data["files"]):
        file["claims"] = claims_of(harness, path)
    data["comparisons"] = [comparison_of(harness, paths, data, now) for now in range(1, len(paths))]
