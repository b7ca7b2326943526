"""What `harness explain` says of 1,000 requests drawn from five systems, against the rows as h5py reads them.

    explain_test.py HARNESS

All that is compared with is computed here, from rows, plans, states, profiles and pipelines; a sample of the sentences is
made again from the JSON, which was compared before."""
import json
import os
import random
import re
import sys
import tempfile

import h5py
import numpy as np
from program_testing import ROOT, SMALL, Failures, finish, run, write

CHAINS = """[workload]
pipelines = ["da"]
traces = ["poisson"]
loads = [1.3]
duration_s = 8
[cluster]
workers = 16
network_delay_ms = 1
[[system]]
name = "naive"
[[system]]
name = "nexus"
[[system]]
name = "pard"
[record]
rows = true
states = true
replay = true
"""
STREAMS = """[workload]
pipelines = "two-streams"
traces = "two-streams"
rates_rps = 0
duration_s = 2
[cluster]
workers = 1
profiles = "shepherd-v100"
[[system]]
name = "shepherd"
[record]
rows = true
replay = true
"""
TREE = """[workload]
pipelines = "traffic-analysis"
traces = "poisson"
rates_rps = 300
duration_s = 5
[cluster]
workers = 20
profiles = "loki-gtx1080ti"
[[system]]
name = "loki"
[record]
rows = true
states = true
replay = true
"""
NONE = 4294967295


def names(dataset, column):
    return {value: name for name, value in h5py.check_enum_dtype(dataset.dtype[column]).items()}


class Cell:
    """A cell's rows, with absolute times."""

    def __init__(self, path, index):
        with h5py.File(path) as file:
            group = file[f"cells/{index}"]
            self.modules = [row["name"].decode() for row in group["modules"][:]]
            self.plans = group["plans"][:]
            self.states = group["states"][:] if "states" in group else None
            self.outcomes = names(group["requests"], "outcome")
            self.reasons = {k: v.replace("inbox_full", "scheduler_queue_full") for k, v in names(group["requests"], "reason").items()}
            self.visit_outcomes = names(group["visits"], "outcome")
            self.requests = {int(row["request"]): row for row in group["requests"][:]}
            visits = group["visits"][:]
            summary = file["summary"][:]
            self.summary = summary[[int(n) for n in summary["cell"]].index(index)]
        self.visits = visits
        self.batch = visits["batch"] > 0
        self.joined = visits["wait_ns"] >= 0
        self.ended = visits["ended_ns"]
        self.started_or_ended = self.ended - np.maximum(visits["exec_ns"], 0)  # where it never started: its end
        self.join_or_ended = self.started_or_ended - np.maximum(visits["wait_ns"], 0)
        self.arrived = self.join_or_ended - visits["queueing_ns"]
        self.of_module = [visits["module"] == m for m in range(len(self.modules))]
        self.of_request = {}
        for i, request in enumerate(visits["request"]):
            self.of_request.setdefault(int(request), []).append(i)
        self.batches = sorted({(int(v["worker"]), int(s), int(v["module"]), int(v["batch"]), int(e)) for v, s, e in
                               zip(visits[self.batch], self.started_or_ended[self.batch], self.ended[self.batch])})

    def ran_on(self, worker, begin, end):
        return [b for b in self.batches if b[0] == worker and b[1] < end and b[4] > begin]

    def plan(self, module, at):
        rows = [row for row in self.plans if row["module"] == module and row["at_ns"] <= at]
        return rows[-1] if rows else None

    def state(self, module, before):
        rows = [] if self.states is None else self.states[(self.states["module"] == module) & (self.states["at_ns"] < before)]
        return rows[-1] if len(rows) else None


def ns(value, unit):
    return None if value is None else round(value * {"s": 1e9, "ms": 1e6}[unit])


class Comparison:
    """Of one request's facts."""

    def __init__(self, failures, what):
        self.failures, self.what = failures, what
        self.count = 0

    def same(self, name, said, true):
        self.count += 1
        if said != true and len(self.failures) < 40:
            self.failures.append(f"{self.what}: {name} is {said}, by the rows {true}")


def check_batches(compare, name, said, true, modules):
    said = [(b["worker"], ns(b["started_s"], "s"), modules.index(b["module"]), b["size"], ns(b["ended_s"], "s")) for b in said]
    compare.same(name, said, true)


def check_visit(compare, cell, said, i, sent, deadline):
    row = cell.visits[i]
    arrived, ended, module = int(cell.arrived[i]), int(cell.ended[i]), int(row["module"])
    join, start = int(cell.join_or_ended[i]), int(cell.started_or_ended[i])
    same, joined, started = compare.same, bool(cell.joined[i]), bool(cell.batch[i])
    parents = [j for j in cell.of_request[int(row["request"])] if cell.visits[j]["visit"] == row["parent"] and j != i]
    same("on_the_way_ms", ns(said["on_the_way_ms"], "ms"), arrived - (int(cell.ended[parents[0]]) if parents else sent))
    same("parent", said["parent"], int(row["parent"]))
    same("outcome", said["outcome"], cell.visit_outcomes[row["outcome"]])
    same("reason", said["reason"], cell.reasons[row["reason"]] if said["outcome"] == "dropped" else None)
    same("arrived_s", ns(said["arrived_s"], "s"), arrived)
    same("left_at_arrival_ms", ns(said["left_at_arrival_ms"], "ms"), deadline - arrived)
    there = cell.of_module[module]
    waiting = there & (cell.arrived <= arrived) & (cell.started_or_ended > arrived)
    waiting[i] = False
    same("waiting_at_arrival", said["waiting_at_arrival"], int(waiting.sum()))
    plan = cell.plan(module, arrived)
    same("plan", said["plan"] and [said["plan"][k] for k in ("workers", "max_batch")] + [ns(said["plan"]["exec_ms"], "ms")],
         None if plan is None else [int(plan[k]) for k in ("workers", "max_batch", "exec_ns")])
    same("served_before", said["served_before"],
         int((there & cell.batch & (cell.arrived > arrived) & (cell.started_or_ended < start)).sum()))
    decided = join if joined else ended
    meanwhile = [b for b in cell.batches if b[2] == module and arrived <= b[1] < decided]
    same("module_started", (said["module_started_batches"], said["module_started_visits"]), (len(meanwhile), sum(b[3] for b in meanwhile)))
    same("worker", said["worker"], int(row["worker"]) if joined else None)
    same("joined_s", ns(said["joined_s"], "s"), join if joined else None)
    same("queueing_ms", ns(said["queueing_ms"], "ms"), int(row["queueing_ns"]))
    same("batch_wait_ms", ns(said["batch_wait_ms"], "ms"), int(row["wait_ns"]) if joined else None)
    worker = int(row["worker"])
    check_batches(compare, "ran_before_join", said["ran_before_join"], cell.ran_on(worker, arrived, join) if joined else [], cell.modules)
    check_batches(compare, "ran_before_start", said["ran_before_start"], cell.ran_on(worker, join, start) if joined else [], cell.modules)
    same("batch", said["batch"], int(row["batch"]) if started else None)
    same("started_s", ns(said["started_s"], "s"), start if started else None)
    same("left_at_start_ms", ns(said["left_at_start_ms"], "ms"), deadline - start if started else None)
    same("exec_ms", ns(said["exec_ms"], "ms"), int(row["exec_ns"]) if started else None)
    same("ended_s", ns(said["ended_s"], "s"), ended)
    same("left_at_end_ms", ns(said["left_at_end_ms"], "ms"), deadline - ended)
    state = cell.state(module, decided)
    values = None if state is None else {name: float(state[name]) for name in cell.states.dtype.names if name not in ("at_ns", "module")}
    same("state", said["state"] and said["state"]["values"], values)
    same("state's time", said["state"] and ns(said["state"]["at_s"], "s"), None if state is None else int(state["at_ns"]))


class Least:
    """Least times of a pipeline without choices, by its profiles."""

    def __init__(self, harness, pipeline, profiles, hop_ns):
        lists = {name: json.loads(run([harness, "list", name, "--json"], ROOT).stdout) for name in ("pipelines", "profiles")}
        latency = {one["model"]: min(one["latency_ms"]) for one in next(p for p in lists["profiles"] if p["name"] == profiles)["profiles"]}
        self.after, self.exec, self.hop = {}, {}, hop_ns
        for module in next(p for p in lists["pipelines"] if p["name"] == pipeline)["modules"]:
            self.exec[module["name"]] = round(latency[module["model"]] * 1e6)
            self.after.setdefault(module["name"], [])
            for pre in module["after"]:
                self.after.setdefault(pre, []).append(module["name"])

    def from_module(self, module):
        return self.exec[module] + max([self.hop + self.from_module(sub) for sub in self.after[module]], default=0)


def check_lost(compare, cell, said, least, latency):
    """The parts add up along the visits that led to the end, each following the one that it waited for."""
    if said["lost"] is None:
        return
    visits = {v["visit"]: v for v in said["visits"]}
    at = max((v for v in said["visits"] if v["outcome"] == "done"), key=lambda v: ns(v["ended_s"], "s"))
    true = {}
    shortest = 0
    while True:
        module = at["module"]
        exec_ns = least.exec[module] if least else ns(at["least_exec_ms"], "ms")
        shortest += exec_ns + (least.hop if least else 0)
        for what, part in (("on_the_way", ns(at["on_the_way_ms"], "ms") - (least.hop if least else 0)), ("queueing", ns(at["queueing_ms"], "ms")),
                           ("batch_wait", ns(at["batch_wait_ms"], "ms")), ("exec", ns(at["exec_ms"], "ms") - exec_ns)):
            if part != 0:
                true[module, what] = part
        if at["parent"] == at["visit"]:
            break
        at = visits[at["parent"]]
    found = {(one["module"], one["what"]): ns(one["ms"], "ms") for one in said["lost"]}
    compare.same("lost", found, true)
    compare.same("all that was lost", sum(found.values()), latency - shortest)
    parts = [one["ms"] for one in said["lost"]]
    compare.same("order of what was lost", parts, sorted(parts, reverse=True))


def check_request(failures, cell, said, least, what):
    number = said["request"]
    compare = Comparison(failures, f"{what}, request {number}")
    same, row = compare.same, cell.requests[number]
    sent, latency, slo = int(row["sent_ns"]), int(row["latency_ns"]), int(row["slo_ns"])
    deadline, ended = sent + slo, sent + latency
    same("outcome", said["outcome"], cell.outcomes[row["outcome"]])
    dropped = said["outcome"] == "dropped"
    same("reason", said["reason"], cell.reasons[row["reason"]] if dropped else None)
    same("module", said["module"], cell.modules[row["module"]] if dropped else None)
    same("stream", said["stream"], int(row["stream"]))
    same("times", [ns(said[k], "s") for k in ("sent_s", "deadline_s", "ended_s")], [sent, deadline, ended])
    same("durations", [ns(said[k], "ms") for k in ("slo_ms", "latency_ms", "left_at_end_ms")], [slo, latency, deadline - ended])
    same("in time", said["outcome"] == "in_time", not dropped and said["left_at_end_ms"] >= 0)
    by_number = {int(cell.visits[i]["visit"]): i for i in cell.of_request[number]}
    same("visits", sorted(v["visit"] for v in said["visits"]), sorted(by_number))
    for visit in said["visits"]:
        same("module of a visit", visit["module"], cell.modules[cell.visits[by_number[visit["visit"]]]["module"]])
        check_visit(compare, cell, visit, by_number[visit["visit"]], sent, deadline)
        if least:
            same("least_exec_ms", ns(visit["least_exec_ms"], "ms"), least.exec[visit["module"]])
    arrivals = [visit["arrived_s"] for visit in said["visits"] if visit["visit"] == 0]
    same("the first visit stands first", said["visits"][0]["arrived_s"], arrivals[0])
    if dropped:
        running = [b for b in cell.batches if b[2] == row["module"] and b[1] <= ended < b[4]]
        check_batches(compare, "module_running", said["module_running"], running, cell.modules)
    if least:
        first = said["visits"][0]["module"]
        same("alone_ms", ns(said["alone_ms"], "ms"), least.hop + least.from_module(first))
        same("needed_ms", ns(said["needed_ms"], "ms"), least.from_module(said["module"]) if dropped else None)
    check_lost(compare, cell, said, least, latency)
    if said["offline_ended_s"] is not None:
        end = ns(said["offline_ended_s"], "s")
        same("the offline schedule's end is possible", sent + ns(said["alone_ms"], "ms") <= end <= deadline, True)
    same("the offline schedule's answer", said["offline_in_time"], None if said["offline_in_time"] is None else said["offline_ended_s"] is not None)
    return compare.count


def ms_text(value):
    return f"{value:.3f} ms left" if value >= 0 else f"{-value:.3f} ms late"


def count_text(count, what):
    return f"{count} {what}" + ("" if count == 1 else "es" if what == "batch" else "s")


def sentences(said):
    """What the text must say of these facts."""
    yield f"request {said['request']}: {said['outcome']}"
    yield f"Sent at {said['sent_s']:.6f} s, SLO {said['slo_ms']:.3f} ms, deadline {said['deadline_s']:.6f} s."
    for visit in said["visits"]:
        yield (f"{visit['module']}: arrived at {visit['arrived_s']:.6f} s, {ms_text(visit['left_at_arrival_ms'])}. "
               f"{count_text(visit['waiting_at_arrival'], 'visit')} waited there.")
        if visit["worker"] is None:
            yield (f"Joined no batch in {visit['queueing_ms']:.3f} ms; the module started "
                   f"{count_text(visit['module_started_batches'], 'batch')} with {count_text(visit['module_started_visits'], 'visit')} meanwhile.")
        elif visit["queueing_ms"] > 0:
            yield f"Joined a batch of worker {visit['worker']} after {visit['queueing_ms']:.3f} ms."
        else:
            yield f"Joined a batch of worker {visit['worker']} at once."
        if visit["served_before"]:
            yield f"{count_text(visit['served_before'], 'visit')} that came later started earlier."
        if visit["batch"] is not None:
            yield (f"Ran from {visit['started_s']:.6f} s to {visit['ended_s']:.6f} s, {visit['exec_ms']:.3f} ms, in a batch of {visit['batch']} "
                   f"on worker {visit['worker']}; {ms_text(visit['left_at_end_ms'])}.")
            if visit["batch_wait_ms"] > 0:
                yield f"That batch started after another {visit['batch_wait_ms']:.3f} ms."
        if visit["state"] is not None:
            yield f"Its controller had published at {visit['state']['at_s']:.6f} s:"
    if said["outcome"] == "dropped":
        yield f"Dropped at {said['module']} at {said['ended_s']:.6f} s, {ms_text(said['left_at_end_ms'])}: "
        yield f"({said['reason']})."
        if said["needed_ms"] is not None:
            possible = said["needed_ms"] <= said["left_at_end_ms"]
            yield (f"From there it still needed at least {said['needed_ms']:.3f} ms: "
                   + ("without more waiting this visit and those after it would have ended in time." if possible else "it could not have ended in time any more."))
    else:
        end = (f"in time, {said['left_at_end_ms']:.3f} ms to spare." if said["outcome"] == "in_time"
               else f"late by {-said['left_at_end_ms']:.3f} ms.")
        yield f"Ended at {said['ended_s']:.6f} s, after {said['latency_ms']:.3f} ms: {end}"
        if said["lost"]:
            yield f"{said['lost'][0]['ms']:.3f} ms "
    if said["alone_ms"] is not None:
        yield (f"Alone on the workers of this plan it takes {said['alone_ms']:.3f} ms, its SLO is {said['slo_ms']:.3f} ms: "
               + ("one that puts it before all others could." if said["alone_ms"] <= said["slo_ms"] else "none could."))
    if said["offline_in_time"] is not None:
        yield f"It serves this one, until {said['offline_ended_s']:.6f} s." if said["offline_in_time"] else "It does not serve this one;"


def rounded(text):
    """Numbers as text, the last digit left out: both round, one from ns, the other from what JSON holds."""
    return re.sub(r"(\d+\.\d+)\d(?= m?s\b)", r"\1", text)


def explained(failures, harness, folder, arguments):
    done = run([harness, "explain", *arguments, "--json"], folder)
    failures.expect(str(arguments)[:200], done, 0)
    return json.loads(done.stdout)


def check_cell(failures, harness, folder, path, index, least, random_numbers):
    cell = Cell(os.path.join(folder, path), index)
    what = f"{path} cell {index} {cell.summary['system'].decode()}"
    drawn = random_numbers.sample(sorted(cell.requests), 200)
    arguments = [path, "--cell", str(index), "--request", ",".join(map(str, drawn))]
    found = explained(failures, harness, folder, arguments)
    if [one["request"] for one in found["requests"]] != drawn:
        failures.append(f"{what}: other requests than were asked for")
    facts = sum(check_request(failures, cell, one, least, what) for one in found["requests"])
    scheduled = cell.summary["offline_schedule_rps"] * cell.summary["duration_s"]
    if (found["offline_in_time"] is None) != np.isnan(scheduled) or (not np.isnan(scheduled) and found["offline_in_time"] != round(scheduled)):
        failures.append(f"{what}: an offline schedule of {found['offline_in_time']}, the run's had {scheduled}")
    text = run([harness, "explain", *arguments[:-1], ",".join(map(str, drawn[:40]))], folder).stdout
    stories = {int(re.match(r"\d+", story)[0]): "request " + story for story in text.split("\nrequest ")[1:]}
    for one in found["requests"][:40]:
        for sentence in sentences(one):
            facts += 1
            if rounded(sentence) not in rounded(stories[one["request"]]):
                failures.append(f"{what}: no {sentence!r} in {stories[one['request']]}")
    outcomes = {one["outcome"] for one in found["requests"]}
    check_choices(failures, harness, folder, path, index, cell)
    check_moment(failures, harness, folder, path, index, cell)
    return facts, outcomes


def check_choices(failures, harness, folder, path, index, cell):
    """--worst and --dropped-by choose whom they should."""
    rows = cell.requests.values()
    completed = [(int(r["slo_ns"]) - int(r["latency_ns"]), int(r["request"])) for r in rows if cell.outcomes[r["outcome"]] in ("in_time", "late")]
    worst = [one["request"] for one in explained(failures, harness, folder, [path, "--cell", str(index), "--worst", "3"])["requests"]]
    if worst != [number for _, number in sorted(completed)[:3]]:
        failures.append(f"{path} cell {index}: the worst are {worst}, by the rows {sorted(completed)[:3]}")
    within = [(left, number) for left, number in completed if 10 ** 9 <= cell.requests[number]["sent_ns"] < 1_500_000_000]
    found = explained(failures, harness, folder, [path, "--cell", str(index), "--worst", "4", "--from", "1s", "--to", "1500ms"])
    if [one["request"] for one in found["requests"]] != [number for _, number in sorted(within)[:4]]:
        failures.append(f"{path} cell {index}: others are the worst from 1 s to 1.5 s")
    dropped = {}
    for row in rows:
        if cell.outcomes[row["outcome"]] == "dropped":
            key = cell.reasons[row["reason"]], cell.modules[row["module"]]
            dropped.setdefault(key, []).append((int(row["sent_ns"] + row["latency_ns"]), int(row["request"])))
    for (reason, module), requests in dropped.items():
        found = explained(failures, harness, folder, [path, "--cell", str(index), "--dropped-by", reason, "--module", module])
        if [one["request"] for one in found["requests"]] != [number for _, number in sorted(requests)[:5]]:
            failures.append(f"{path} cell {index}: others dropped for {reason} at {module}: {found['choice']}")
        if not found["choice"].startswith(count_text(len(requests), "request") + f" dropped for {reason} at {module};"):
            failures.append(f"{path} cell {index}: {found['choice']}, by the rows {len(requests)}")


def check_moment(failures, harness, folder, path, index, cell):
    at = 1_234_567_890
    found = explained(failures, harness, folder, [path, "--cell", str(index), "--at", "1234.56789ms"])["moment"]
    there = [n for n, r in sorted(cell.requests.items()) if r["sent_ns"] <= at < r["sent_ns"] + r["latency_ns"]]
    compare = Comparison(failures, f"{path} cell {index} at 1.2 s")
    compare.same("requests", (found["requests"], sorted({one["request"] for one in found["standing"]})), (len(there), there))
    for module, facts in enumerate(found["modules"]):
        here = cell.of_module[module]
        compare.same("waiting", facts["waiting"], int((here & (cell.arrived <= at) & (cell.started_or_ended > at)).sum()))
        running = [b for b in cell.batches if b[2] == module and b[1] <= at < b[4]]
        compare.same("running", (facts["batches"], facts["running"]), (len(running), sum(b[3] for b in running)))
    check_batches(compare, "batches", sorted(found["batches"], key=lambda b: (b["worker"], b["started_s"])),
                  [b for b in cell.batches if b[1] <= at < b[4]], cell.modules)
    standing = sum(int((cell.arrived[i] <= at) & (at < cell.ended[i])) for n in there for i in cell.of_request[n])
    compare.same("places", sum(one["module"] is not None for one in found["standing"]), standing)


def check_refusals(failures, harness, folder):
    write(folder, "none.toml", SMALL + "[record]\nrows = false\n")
    failures.expect("a run without rows", run([harness, "none.toml", "-o", ".", "--quiet"], folder), 0)
    for what, arguments, words in (
            ("no rows", ["none.h5", "--worst", "1"], ["none.h5: cell 0", "no rows", "record.rows=[0]"]),
            ("nothing asked", ["chains.h5", "--cell", "0"], ["--request ID, --worst K, --dropped-by REASON, --at TIME"]),
            ("two things asked", ["chains.h5", "--cell", "0", "--worst", "1", "--at", "1s"], ["found several of them"]),
            ("no cell named", ["chains.h5", "--worst", "1"], ["--cell: missing", "0 to 2", "harness show chains.h5"]),
            ("an unknown cell", ["chains.h5", "--cell", "3", "--worst", "1"], ["--cell: found 3", "0 to 2"]),
            ("a cell that is no number", ["chains.h5", "--cell", "pard", "--worst", "1"], ["--cell", "pard"]),
            ("an unknown request", ["streams.h5", "--request", "99999999"], ["--request: found 99999999", "0 to "]),
            ("an unknown reason", ["chains.h5", "--cell", "2", "--dropped-by", "late"], ["unknown reason 'late'", "estimated_late"]),
            ("a reason of no request", ["chains.h5", "--cell", "0", "--dropped-by", "overload"], ["no request dropped for overload"]),
            ("an unknown module", ["chains.h5", "--cell", "2", "--dropped-by", "estimated_late", "--module", "x"], ["'x'", "eye_tracking"]),
            ("a module alone", ["chains.h5", "--cell", "2", "--worst", "1", "--module", "x"], ["--module requires --dropped-by"]),
            ("a range of one request", ["streams.h5", "--request", "1", "--to", "1s"], ["--from, --to", "--worst or --dropped-by"]),
            ("a range that ends first", ["chains.h5", "--cell", "2", "--worst", "1", "--from", "2s", "--to", "1s"], ["--to: found '1s'", "--from"]),
            ("a range after the end", ["chains.h5", "--cell", "2", "--worst", "1", "--from", "9999s"], ["no completed request", "the end of the run"]),
            ("a time after the end", ["chains.h5", "--cell", "2", "--at", "9999s"], ["--at: found '9999s'", "the end of the run"]),
            ("no time", ["chains.h5", "--cell", "2", "--at", "noon"], ["--at: found 'noon'", "31.2s"]),
            ("none of the worst", ["chains.h5", "--cell", "2", "--worst", "0"], ["--worst"]),
            ("no file", ["none.h6", "--worst", "1"], ["none.h6", "no such file"])):
        failures.refused(what, [harness, "explain", *arguments], folder, words)
    only = run([harness, "explain", "streams.h5", "--request", "7"], folder)
    failures.expect("the only cell", only, 0, ["cell 0: shepherd", "request 7: ", "[record] states = true keeps them"])


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    random_numbers = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("chains", CHAINS), ("streams", STREAMS), ("tree", TREE)):
            write(folder, f"{name}.toml", text)
            failures.expect(name, run([harness, f"{name}.toml", "-o", ".", "--quiet"], folder), 0)
            failures.expect(f"replay of {name}", run([harness, "replay", f"{name}.h5"], folder), 0, ["none differs"])
        least = Least(harness, "da", "shepherd-v100", 1_000_000)
        outcomes = {}
        for path, index, times in (("chains.h5", 0, least), ("chains.h5", 1, least), ("chains.h5", 2, least),
                                   ("streams.h5", 0, None), ("tree.h5", 0, None)):
            count, outcomes[path, index] = check_cell(failures, harness, folder, path, index, times, random_numbers)
            print(f"{path} cell {index}: {count} facts of requests that were {', '.join(sorted(outcomes[path, index]))}")
        if not any("late" in one for one in outcomes.values()) or not any("dropped" in one for one in outcomes.values()):
            failures.append(f"the sample has no late or no dropped request: {outcomes}")
        check_refusals(failures, harness, folder)
    finish(failures)


if __name__ == "__main__":
    main()
