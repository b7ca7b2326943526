"""What the commands print as JSON is one document that says the same as their text."""
import json
import os
import re
import sys
import tempfile

from program_testing import ROOT, SMALL, Failures, finish, run, several_cells, write

LISTS = ["systems", "pipelines", "profiles", "variants", "devices", "models", "traces", "figures", "metrics", "keys"]


def document(failures, what, command, folder, code=0):
    """The JSON that the command prints, and nothing beside it; None where it is none."""
    done = run(command, folder)
    failures.expect(what, done, code)
    try:
        return json.loads(done.stdout, parse_constant=lambda word: failures.append(f"{what}: {word} is no JSON"))
    except ValueError as error:
        failures.append(f"{what}: {error}: {done.stdout[:300]!r}")
        return None


def check_keys(failures, what, value):
    """Names of members are snake_case."""
    if isinstance(value, list):
        for one in value:
            check_keys(failures, what, one)
    if isinstance(value, dict):
        for name, one in value.items():
            if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
                failures.append(f"{what}: the key {name!r}")
            check_keys(failures, what, one)


def check_lists(failures, harness, folder, empty):
    for name in LISTS:
        text = run([harness, "list", name], folder)
        if name == "models" and text.returncode == 2:  # a build without LibTorch
            continue
        entries = document(failures, f"list {name}", [harness, "list", name, "--json"], folder)
        check_keys(failures, f"list {name}", entries)
        if not entries:
            failures.append(f"list {name}: empty")
            continue
        for entry in entries:
            if entry.get("name", entry.get("model")) not in text.stdout:
                failures.append(f"list {name}: the text lacks {entry}")
    systems = document(failures, "list --json systems", [harness, "list", "--json", "systems"], folder)
    lines = run([harness, "list", "systems"], folder).stdout.splitlines()
    parameters = [f"{one['name']:<22} " for system in systems for one in system["parameters"]]
    indented = [line for line in lines if line.startswith("    ")]
    if len(indented) != len(parameters) or any(not a.strip().startswith(b.strip()) for a, b in zip(indented, parameters)):
        failures.append("list systems: other parameters than in the text")
    failures.refused("list --json of nothing", [harness, "list", "--json"], empty, ["missing"])
    failures.refused("an unknown list", [harness, "list", "sistems", "--json"], empty, ["did you mean systems"])


def check_dry_run(failures, harness, folder):
    write(folder, "one.toml", several_cells(2))
    write(folder, "suite.toml", 'suite = ["one.toml", "two.toml"]\n')
    write(folder, "two.toml", SMALL)
    for file, counts in (("one.toml", [4]), ("suite.toml", [4, 1])):
        plan = document(failures, file, [harness, file, "--dry-run", "--json"], folder)
        check_keys(failures, file, plan)
        if [len(one["cells"]) for one in plan["experiments"]] != counts or plan["is_suite"] != (len(counts) > 1):
            failures.append(f"{file}: {json.dumps(plan)[:300]}")
    lines = run([harness, "one.toml", "--dry-run"], folder).stdout.splitlines()
    experiment = document(failures, "one.toml", [harness, "one.toml", "--dry-run", "--json"], folder)["experiments"][0]
    for cell in experiment["cells"]:
        line = lines[1 + cell["cell"]]
        shown = [f"{cell['capacity_rps']:.1f}", f"{cell['offered_rps']:.1f}", f"{cell['expected_requests']:.0f}"]
        shown += [f"{one['name']} {one['max_batch']} x {one['workers']}" for one in cell["modules"]]
        if not line.startswith(f"{cell['cell']}  {cell['system']} ") or any(word not in line for word in shown):
            failures.append(f"dry run: {line!r} lacks some of {shown}")
    if abs(experiment["requests"] - sum(cell["expected_requests"] for cell in experiment["cells"])) > 1e-6:
        failures.append("dry run: the requests are not those of its cells")
    hashes = [cell["settings_hash"] for cell in experiment["cells"]]
    longer = document(failures, "longer", [harness, "one.toml", "--dry-run", "--json", "--set", "workload.duration_s=7"], folder)["experiments"][0]
    if len(set(hashes) | {cell["settings_hash"] for cell in longer["cells"]}) != 2 * len(hashes):
        failures.append(f"dry run: cells with other settings share a hash: {hashes}")
    failures.refused("--json without --dry-run", [harness, "one.toml", "--json"], folder, ["--json requires --dry-run"])


def check_trace(failures, harness, folder):
    write(folder, "times.txt", "".join(f"{i * i * 0.01:.2f}\n" for i in range(200)))
    for words in (["tweet", "--duration", "300"], ["times.txt"], ["times.txt", "--rate", "10"]):
        text = run([harness, "trace", "info", *words], folder).stdout
        facts = document(failures, f"trace info {words}", [harness, "trace", "info", *words, "--json"], folder)
        check_keys(failures, f"trace info {words}", facts)
        parts = [facts[part] for part in ("recorded", "replayed") if part in facts]
        for name in ("length_s", "requests", "mean_rps", "peak_rps", "peak_over_mean", "cv_second", "cv_minute", "cv_short"):
            shown = re.findall(rf"^  {name} +(\S+)", text, re.MULTILINE)
            for value, part in zip(shown, parts, strict=True):
                exact = part[name]
                if (value == "-") != (exact is None) or (exact is not None and abs(float(value) - exact) > 1e-4 * abs(exact) + 1e-4):
                    failures.append(f"trace info {words}: {name} is {value} and {exact}")


def check_replay(failures, harness, folder):
    write(folder, "recorded.toml", several_cells(1))
    results = "results-out/recorded.h5"
    run([harness, "recorded.toml", "--quiet", "--set", "record.replay=true"], folder)
    text = run([harness, "replay", results], folder).stdout
    found = document(failures, "replay", [harness, "replay", results, "--json"], folder)
    check_keys(failures, "replay", found)
    wanted = f"{found['cells']} cells, {found['queues']:,} queues, {found['callbacks']:,} callbacks, {found['decisions']:,} decisions"
    if found["differs"] or found["first_difference"] is not None or not text.startswith(wanted):
        failures.append(f"replay: {found} beside {text!r}")
    run([harness, "recorded.toml", "--quiet", "--set", "record.replay=true", "--set", "serving.dispatch=least_outstanding",
         "-o", "other"], folder)
    two = [harness, "replay", results, "other/recorded.h5"]
    text = run(two, folder).stdout
    found = document(failures, "replay of two", [*two, "--json"], folder, 1)
    first = found["first_difference"]
    wanted = [f"cell {first['cell']}: {first['name']}", f"queue {first['queue']} ({first['serves']})", first["before"], first["after"]]
    if not found["differs"] or any(word not in text for word in wanted):
        failures.append(f"replay of two: {found} beside {text!r}")


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    with tempfile.TemporaryDirectory() as folder:
        check_lists(failures, harness, ROOT, folder)
        check_dry_run(failures, harness, folder)
        check_trace(failures, harness, folder)
        check_replay(failures, harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
