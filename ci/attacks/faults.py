"""Schedules of faults drawn at random, over all systems and pipelines: every cell ends, and adds up."""
import re

from attacks.program import judged, write

CHAINS = ("tm", "lv", "ga", "da", "da-dynamic")
TREES = ("traffic-cars", "traffic-analysis")
INDEPENDENT = ("two-streams", "shepherd13")
OF_CHAINS = ("naive", "clipperpp", "nexus", "pard")
OF_TREES = ("loki", "proteus", "hwscaling")
OF_STREAMS = ("shepherd", "clockwork", "symphony", "nexus")
LIMIT_S = 1


def workload(choice):
    """Pipelines, systems, profiles, and a trace with its rate."""
    kind = choice.randrange(6)
    if kind == 0:
        return choice.choice(TREES), OF_TREES, "loki-gtx1080ti", 'traces = "poisson"\nrates_rps = ' + str(choice.choice([5, 50, 200]))
    if kind == 1:
        pipeline = choice.choice(INDEPENDENT)
        trace = "poisson-streams" if pipeline == "shepherd13" else choice.choice(["two-streams", "poisson-streams"])
        return pipeline, OF_STREAMS, "shepherd-v100", f'traces = "{trace}"\nrates_rps = {choice.choice([100, 1000, 3000])}'
    if kind == 2:
        return "rag", ("rag",), "rag-a100", 'traces = "poisson"\nrates_rps = ' + str(choice.choice([2, 10]))
    trace = choice.choice(["constant", "poisson", "gamma", "mmpp", "step", "tweet"])
    return choice.choice(CHAINS), OF_CHAINS, "shepherd-v100", f'traces = "{trace}"\nloads = {choice.choice([0.1, 0.7, 1, 1.3, 3])}'


def fault(choice, workers, duration_s):
    kind = choice.choice(["stop", "slow", "delay", "loss"])
    first = choice.randrange(workers)
    text = f'[[fault]]\nkind = "{kind}"\nat_s = {choice.choice([0, choice.uniform(0, duration_s), choice.uniform(0, 2 * duration_s)])}\n'
    text += f"for_s = {choice.choice([1e-9, 1e-3, choice.uniform(0.001, duration_s), 1000, 1e9])}\n"
    text += choice.choice([f"gpu = {first}\n", f"gpus = [{first}, {choice.randrange(first, workers)}]\n", f"gpus = [0, {workers - 1}]\n"])
    if kind == "slow":
        text += f"factor = {choice.choice([1, 1.5, 10, choice.uniform(1, 1000), 1000])}\n"
    if kind == "delay":
        text += f"delay_ms = {choice.choice([1e-6, 1, 100, choice.uniform(0.1, 5000), 1e6])}\n"
    return text


def experiment(choice):
    pipeline, systems, profiles, rest = workload(choice)
    workers = 64 if pipeline == "rag" else choice.choice([8, 8, 16, 64])
    duration_s = choice.choice([0.5, 2, 5])
    text = f'cell_limit_s = {LIMIT_S}\n[workload]\npipelines = "{pipeline}"\n{rest}\nseeds = {choice.randrange(1000)}\n'
    if "streams" in rest:
        text += f"[trace.{re.search(r'traces = .(.*?).$', rest, re.M)[1]}]\n"
    text += f"duration_s = {duration_s}\n"
    text += f'[cluster]\nworkers = {workers}\nprofiles = "{profiles}"\n'
    text += "" if pipeline == "rag" else f"profile_scale = {choice.choice([0.5, 1, 3])}\n"
    text += f"network_delay_ms = {choice.choice([0, 0, 1])}\n" if choice.random() < 0.3 else ""
    cost = "scheduler_cost = 'fixed'\n"
    text += choice.choice(["", "", cost, cost + "scheduler_queue_limit_ms = 5\n", "jitter = 'exponential'\n"])
    text += "[serving]\n" + choice.choice(["", "commit = 'late'\n"]) + choice.choice(["", "dispatch = 'least_outstanding'\n"])
    text += choice.choice(["", "", "queue = 'module'\n"]) + choice.choice(["", "state_period_ms = 100\n", "state_delay_ms = 50\n"])
    if systems is OF_CHAINS and choice.random() < 0.4:
        text += "[planner]\nworkers = 'rate'\nautoscale = true\nperiod_s = " + str(choice.choice([0.1, 0.5, 1])) + "\nscale_down_s = 0.5\n"
    for name in choice.sample(systems, min(len(systems), choice.choice([1, 2]))):
        text += f'[[system]]\nname = "{name}"\n'
    return text + "".join(fault(choice, workers, duration_s) for _ in range(choice.choice([1, 1, 2, 3, 4, 8, 20])))


class Faults:
    """Nothing is shared."""

    def __init__(self, program, folder):
        self.program = program
        del folder

    def attack(self, choice, folder):
        write(folder, "e.toml", experiment(choice))
        done = self.program.run(["e.toml", "--quiet"], folder)
        wrong = judged(done, [0, 1, 2], ["e.toml"])
        if wrong or done.code == 2:
            return wrong
        rows, wrong = self.program.rows(folder, "results-out/e.h5")
        if (done.code == 1) != any(row["status"] != "ok" for row in rows):
            wrong.append(f"{[row['status'] for row in rows]}, but {done}")
        if not wrong and choice.random() < 0.25:
            wrong += self.again(choice, folder, rows)
        return wrong

    def again(self, choice, folder, rows):
        """The same cells, alone or on ranks, are the same to the bit, unless they came near the time limit."""
        done = self.program.run(["e.toml", "--quiet", "-o", "again"], folder, ranks=choice.choice([1] * 9 + [2]))
        wrong = judged(done, [0, 1])
        if wrong:
            return wrong
        others, wrong = self.program.rows(folder, "again/e.h5")
        timed = lambda row: row["status"] != "ok"
        if any(not timed(one) and not timed(other) and one != other for one, other in zip(rows, others)) or len(rows) != len(others):
            wrong.append("the same cells differ")
        return wrong
