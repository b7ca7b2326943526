"""Files of every kind by grammar, with hostile values: each is refused in one line, or runs."""
import gzip
import json
import os

from attacks.grammar import hostile, legal, some_keys, spoil, tables, text_of
from attacks.program import judged, write

SHAPES = ["constant", "poisson", "gamma", "mmpp", "step", "transition", "wiki", "tweet", "azure", "autoscale-dual"]
CHAINS = ["tm", "lv", "ga", "da", "da-dynamic"]
CHAIN_SYSTEMS, TREE_SYSTEMS = ["naive", "clipperpp", "nexus", "pard"], ["loki", "proteus", "hwscaling"]
STREAM_SYSTEMS = ["shepherd", "clockwork", "symphony", "nexus"]
SYSTEMS = sorted({*CHAIN_SYSTEMS, *TREE_SYSTEMS, *STREAM_SYSTEMS, "rag"})
MODELS = ["resnet18", "resnet50", "inception_v3", "rcnn", "m", "n"]
FEW_CELLS = 24
LIMIT_S = 0.3
# What a message may name besides the files: the command line, and what hostile values name.
PLACES = ["--set", "command line", "argument", "fifo: ", "folder: ", "link: ", "gone", "/dev/", "/proc/", "/etc/", "/: "]


def streams(choice, share):
    text = f'[trace.mine]\nshape = "streams"\nduration_s = {choice.choice(["0.5", "2"])}\n'
    for _ in range(choice.randrange(1, 3)):
        usual = text_of(choice.sample(["count = 3", "rps = 50", 'rates = "exponential"', "slo_ms = [100, 250]", 'minutes = "gamma"'], 2))
        text += "[[trace.mine.streams]]\n" + (text_of(some_keys(choice, "streams", choice.randrange(3), share)) if share else usual)
    return text


def trace(choice, independent, share):
    """The name of a trace, and its table."""
    if independent != (choice.random() < share):
        shape = choice.choice(["poisson-streams", "two-streams", "maf-stable", "maf-bursty"])
        return choice.choice([(shape, ""), ("mine", streams(choice, share))])
    keys = lambda *others: text_of(some_keys(choice, "trace", choice.randrange(4), share, ("shape", "file", "format", "column", *others)))
    match choice.randrange(4):
        case 0:
            return choice.choice(SHAPES), ""
        case 1:
            file = choice.choice(["t.csv", "t.csv", "t.csv", "t.csv.gz", "gone.csv", "fifo"])
            return "mine", f'[trace.mine]\nfile = "{file}"\n' + keys()
    return "mine", f'[trace.mine]\nshape = "{choice.choice(SHAPES)}"\nduration_s = {choice.choice([0.2, 1, 2])}\n' + keys("duration_s")


def fault(choice, workers, share):
    kind = choice.choice(["stop", "slow", "delay", "loss"])
    lines = ["[[fault]]", f'kind = "{kind}"', f"at_s = {choice.choice([0, 0.1, 0.5, 1, 1e9])}",
             f"for_s = {choice.choice([1e-9, 0.1, 1, 1e9])}", f"gpu = {choice.randrange(workers)}"]
    lines += {"slow": [f"factor = {choice.choice([1, 3, 1000])}"], "delay": [f"delay_ms = {choice.choice([0.1, 10, 1e6])}"]}.get(kind, [])
    return text_of(lines + (some_keys(choice, "fault", 2, share) if choice.random() < share else []))


def sweep(choice, share):
    part = choice.choice(["cluster", "serving", "planner"])
    key, allowed = choice.choice(tables()[part])
    values = [hostile(choice) if choice.random() < share else legal(choice, allowed) or hostile(choice) for _ in range(2)]
    return f'[[sweep]]\nkey = "{part}.{key}"\nvalues = [{", ".join(values)}]\n'


def devices(choice, share):
    """Kinds of devices, in the place of the cluster's workers."""
    text = ""
    for _ in range(choice.choice([1, 1, 1, 2])):
        usual = {"name": choice.choice(['"d"', '"d"', '"V100"', '"gone"']), "count": choice.choice(["4", "16", "0"]), "usd_per_h": choice.choice(["0.5", "0"])}
        if choice.random() < share:
            usual[choice.choice(list(usual))] = hostile(choice)
        text += "[[cluster.device]]\n" + "".join(f"{key} = {value}\n" for key, value in usual.items())
    return text


def table(choice, part, share):
    if part == "repeat_until" and share == 0:
        return '[repeat_until]\nmetric = "drop_rate"\nhalf_width = 0.1\nmax_seeds = 3\n'
    return f"[{part}]\n" + text_of(some_keys(choice, part, choice.randrange(1, 4), share))


def experiment(choice):
    """An experiment's text, small unless a value makes it large; half of them have nothing hostile."""
    share = choice.choice([0, 0, 0, 0.05, 0.2])
    pipelines, systems, kind = choice.choice([([*CHAINS, "p.toml", "p.toml"], CHAIN_SYSTEMS, "chain")] * 4 + [
        (["two-streams", "shepherd13"], STREAM_SYSTEMS, "independent"), (["traffic-cars", "traffic-analysis"], TREE_SYSTEMS, "tree")])
    name, trace_table = trace(choice, kind == "independent", share)
    workers = choice.choice([4, 8, 16, 64] if share == 0 else [1, 4, 64, 1000])
    text = text_of(some_keys(choice, "file", choice.randrange(2), share, ("figures", "runtime") if choice.random() < 0.8 else ()))
    text += f'[workload]\npipelines = ["{choice.choice(pipelines)}"]\ntraces = ["{name}"]\nduration_s = {choice.choice([0.2, 0.5, 1, 2])}\n'
    text += f"rates_rps = {choice.choice([20, 200])}\n" if kind != "chain" else ""
    others = ["pipelines", "traces", "duration_s"]
    others += ["loads", "rates_rps", "rates_rps_per_worker"] if kind != "chain" else []
    others += ["answers", "fan_out_spread"] if kind != "tree" else []
    text += text_of(some_keys(choice, "workload", choice.randrange(3), share, others)) + trace_table
    sets = ["shepherd-v100", "shepherd-v100", "f.toml"] if share == 0 else ["f.toml", "rag-a100", "f.txt"]
    text += f'[cluster]\nworkers = {workers}\nprofiles = "{"loki-gtx1080ti" if kind == "tree" else choice.choice(sets)}"\n'
    text += text_of(some_keys(choice, "cluster", choice.randrange(3), share, ("workers", "profiles")))
    if choice.random() < 0.15:
        text = text.replace(f"workers = {workers}\n", "" if choice.random() < 0.8 else "workers = 4\n") + devices(choice, share)
    for part in choice.sample(["serving", "planner", "live", "gpu", "record", "repeat_until"], choice.randrange(3)):
        text += table(choice, part, share)
    for system in choice.sample(systems if share == 0 else SYSTEMS, choice.choice([1, 1, 2])):
        text += f'[[system]]\nname = "{system}"\n'
        if system in tables() and choice.random() < 0.5:
            text += f"params = {{ {', '.join(some_keys(choice, system, choice.randrange(1, 3), share))} }}\n"
        text += text_of(some_keys(choice, "system", 1, share, ("name",))) if choice.random() < share else ""
    text += "".join(fault(choice, min(workers, 8), share) for _ in range(choice.randrange(3)))
    return text + (sweep(choice, share) if choice.random() < 0.2 else "")


def pipeline(choice):
    """Modules in a chain or a graph, or tasks in a tree."""
    share = choice.choice([0, 0, 0.15])
    text = f'description = "d"\nslo_ms = {choice.choice([1, 100, 400, 1e7])}\n'
    names = [f"m{number}" for number in range(choice.choice([1, 2, 3, 5, 70]))]
    if share and choice.random() < 0.3:
        names = names[:6]
        for number, name in enumerate(names):
            subs = json.dumps(names[2 * number + 1:2 * number + 3])
            text += f'[[task]]\nname = "{name}"\nsubs = {subs}\n'
            for _ in range(choice.randrange(1, 4)):
                text += f'[[task.variant]]\nmodel = "{choice.choice(MODELS)}"\naccuracy = {choice.choice([1, 50.5, hostile(choice)])}\n'
                text += f"fan_out = {[choice.choice([0, 0.5, 3, 100]) for _ in names[2 * number + 1:2 * number + 3]]}\n"
        return text
    text += "independent = true\n" * (choice.random() < share)
    for number, name in enumerate(names):
        subs = choice.choice([names[number + 1:number + 2]] * 4 + [names[number + 1:number + 3]])
        if choice.random() < share:
            subs = choice.sample(names, min(len(names), 2))
        text += f'[[module]]\nname = "{name}"\nmodel = "{choice.choice(MODELS)}"\nsubs = {json.dumps(subs)}\n'
        keys = {"source": ['"s"'], "pres": [json.dumps(names[max(0, number - 1):number])], "input_size": ["[4, 4]", "[1000000, 1000000]"],
                "input_bytes": ["1", "1e9"], "branches": ['"one"', '"each"'], "branch_weights": ["[1, 2]", "[0, 0]"],
                "branch_probabilities": ["[0.5]", "[0.5, 1]", "[0, 2]"], "file": ['"folder"']}
        for key, values in keys.items():
            if choice.random() < share:
                text += f"{key} = {choice.choice([*values, hostile(choice)])}\n"
    return text


def profiles(choice):
    text = 'description = "d"\ndevice = "d"\nsource = "s"\n'
    share = choice.choice([0, 0, 0.1])
    for model in MODELS:
        kind = choice.choice(["profile"] * 8 + ["shared", "delay"]) if share else "profile"
        text += f'[[{kind}]]\nmodel = "{model}"\n'
        if kind == "shared":
            keys = ("slots", "prefill_tokens_per_s", "decode_tokens_per_s", "concurrency", "chunk_tokens", "input_median", "input_sigma",
                    "output_median", "output_sigma", "max_tokens")
            values = {key: choice.choice([0, 1, 100, 1000]) for key in keys}
            values["decode_tokens_per_s"] = values["concurrency"] = [1, 10]
        elif kind == "delay":
            values = {"median_ms": choice.choice([0, 1, 1e9]), "sigma": choice.choice([0, 1, 100]), "threads": choice.choice([1, 1000])}
        elif choice.random() < 0.5:
            values = {"alpha_ms": choice.choice([0.001, 1, 5] if share == 0 else [0, 1e-9, 1e6]),
                      "beta_ms": choice.choice([0, 1, 30] if share == 0 else [0, 1e9]), "max_batch": choice.choice([1, 8, 128, 1024])}
        else:
            latencies = [0.01, 1, 2, 30] if share == 0 else [1e-9, 1, 1e9]
            values = {"latency_ms": choice.choices(latencies, k=choice.choice([1, 4, 64]))}
        text += "".join(f"{key} = {value}\n" for key, value in values.items())
        for key in ("memory_mb", "load_ms", "exit_points", "goodput_slo_ms", "batch"):
            text += f"{key} = {choice.choice(['1', '1e9', '[1, 2]', hostile(choice)])}\n" if choice.random() < share else ""
    if choice.random() < 0.1:
        base = choice.choice(['"shepherd-v100"', '"f.toml"', '"rag-a100"', hostile(choice)] if share else ['"loki-gtx1080ti"'])
        text = f'base = {base}\nadd_ms_per_query = {choice.choice([0, 0.5, 1e7])}\nadd_ms_per_batch = {choice.choice(["0", "1", hostile(choice) if share else "2"])}\n' + text
    return text


def trace_file(choice):
    rows = choice.choice([0, 1, 3, 50, 3000])
    weird = ["nan", "-1", "1e308", "inf", "", "x", "1e12", "0x10", "1,2", "\x1b[2J", '"', "9" * 400, "1e-300"]
    one = lambda usual: choice.choice(weird) if choice.random() < 0.3 / (rows + 1) else usual
    match choice.randrange(4):
        case 0:
            return "".join(one(repr(number * choice.choice([0, 0.01, 0.5]))) + "\n" for number in range(rows))
        case 1:
            head = choice.choice(["", "count\n", "second,count\n", "# bin_s = 60\ncount\n", "# bin_s = -1\n", "second,a,b,count\n"])
            return head + "".join(f"{number},{one(str(number % 7))}\n" for number in range(rows))
        case 2:
            head = "hash_func,day," + ",".join(map(str, range(1, 1441))) + "\n"
            minutes = lambda: ",".join(one("1") for _ in range(1440))
            return head + "".join(f"f{number},{one('1')},{minutes()}\n" for number in range(min(rows, 5)))
    return "TIMESTAMP,ContextTokens,GeneratedTokens\n" + "".join(
        f"2023-11-16 18:{number // 60 % 60:02}:{number % 60:02}.{one('0001')},{one('100')},{one('10')}\n" for number in range(rows))


def expression(choice, depth=0):
    """Deep, long or wrong; a long one has short parts."""
    if depth > 2 or choice.random() < 0.3:
        return choice.choice(["1", "drop_rate[pard]", "goodput_rps[*]", "goodput_rps[naive, load=1]", "seed[pard/*]",
                              "drop_rate[pard/'late commit']", "1e308", "nan", "x[y]", "-", "", "((((", "1 over seed"])
    inner = expression(choice, depth + 1)
    reduction = f"{choice.choice(['mean', 'argmin', 'sum', 'abs'])}({inner} over {choice.choice(['seed', 'load', 'pard.lambda', 'x'])})"
    many = choice.choice([3, 900, 30000])
    return choice.choice([f"({inner}) {choice.choice('+-*/<>')} {expression(choice, depth + 1)}", f"min({inner}, 1)", f"-{inner}", reduction, reduction,
                          "(" * many + inner, " + ".join([inner[:20]] * many), "-" * many + "1"])


def claims(choice):
    text = ""
    for number in range(choice.choice([1, 1, 2, 20])):
        values = {"id": f'"a.{number}"', "kind": '"reading"', "paper": '"pard"', "section": '"5"', "statement": '"s"', "paper_value": '"1"',
                  "experiment": '"good"', "expression": json.dumps(expression(choice)),
                  "expect": choice.choice(['"> 1"', "[1, 2]", '["> 0", "<= 1"]', "[-inf, inf]"])}
        if choice.random() < 0.4:
            values[choice.choice(["where", "for_each", "partly", "combine", "known", "see", "note", "figure"])] = choice.choice(
                ['["seed"]', '{ load = "> 1" }', '"mean"', '"partly"', "[0, 3]", hostile(choice)])
        if choice.random() < 0.2:
            values[choice.choice(list(values))] = hostile(choice)
        text += "[[claim]]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
    return text


class Hostile:
    """Good files beside the hostile ones."""

    def __init__(self, program, folder):
        self.program = program
        write(folder, "good.toml", '[workload]\npipelines = "tm"\ntraces = "poisson"\nduration_s = 0.5\nseeds = [1, 2]\n'
              '[cluster]\nworkers = 4\n[[system]]\nname = "naive"\n[[system]]\nname = "pard"\n')
        assert program.run(["good.toml", "--quiet"], folder).code == 0
        with open(f"{folder}/results-out/good.h5", "rb") as file:
            self.good = file.read()

    def attack(self, choice, folder):
        os.mkdir(f"{folder}/folder")
        os.mkfifo(f"{folder}/fifo")
        os.symlink("gone", f"{folder}/link")
        of_experiments = {"e.toml": experiment, "p.toml": pipeline, "f.toml": profiles, "t.csv": trace_file}
        what, makers = choice.choice([(self.experiment, of_experiments)] * 7 + [
            (self.trace, {"t.csv": trace_file}), (self.claims, {"c.toml": claims}), (self.goodput, {"f.toml": profiles})])
        files = {name: make(choice).encode("utf-8", "surrogatepass") for name, make in makers.items()}
        for name in choice.sample(list(files), choice.choice([0, 0, 1, 1, min(2, len(files))])):
            files[name] = spoil(choice, files[name].decode("utf-8", "surrogatepass"))
        if "t.csv" in files:
            packed = gzip.compress(files["t.csv"])
            files["t.csv.gz"] = packed[:choice.choice([len(packed)] * 3 + [choice.randrange(len(packed))])]
        for name, data in files.items():
            write(folder, name, data)
        return what(choice, folder)

    def refused_or(self, words, folder, codes, names):
        done = self.program.run(words, folder)
        return done, judged(done, [*codes, 2], [*names, *PLACES])

    def experiment(self, choice, folder):
        words = ["e.toml", "--quiet"]
        for _ in range(choice.choice([0, 0, 0, 1, 2])):
            part = choice.choice([part for part in tables() if tables()[part]])
            for key, value in (line.split(" = ", 1) for line in some_keys(choice, part, 1, choice.choice([0, 1]))):
                words += ["--set", f"{key if part == 'file' else f'{part}.{key}'}={value}".replace("\0", "")[:100000]]
        names = ["e.toml", "p.toml", "f.toml", "t.csv"]
        planned, wrong = self.refused_or([*words, "--dry-run"], folder, [0, 1], names)
        if wrong or planned.code == 2:
            return wrong
        cells = planned.stdout.count("\n") - 2
        if cells > FEW_CELLS or '"emulated"' in planned.stdout or " emulated" in planned.stdout or " gpu" in planned.stdout:
            return []
        words += ["--set", f"cell_limit_s={LIMIT_S}"]
        done, wrong = self.refused_or(words, folder, [0, 1], names)
        if wrong or done.code == 2:
            return wrong
        results = os.listdir(f"{folder}/results-out")
        if len(results) != 1:
            return [f"results: {results}: {done}"]
        rows, wrong = self.program.rows(folder, f"results-out/{results[0]}")
        if (done.code == 1) != any(row["status"] != "ok" for row in rows):
            wrong.append(f"{[row['status'] for row in rows]}, but {done}")
        return wrong

    def trace(self, choice, folder):
        words = ["trace", "info", choice.choice(["t.csv", "t.csv", "t.csv.gz", *SHAPES])]
        words += ["--duration", choice.choice(["1", "5", "0", "1e9", "nan", "-1", "x"])]
        for line in some_keys(choice, "trace", choice.randrange(3), 0.3):
            words += ["--set", line.replace(" = ", "=").replace("\0", "")[:100000]]
        if choice.random() < 0.3:
            words[1] = "cv"
        names = ["t.csv", "--duration", "harness: trace: ", *(f"harness: {key}: " for key, _ in tables()["trace"])]
        return self.refused_or(words, folder, [0], names)[1]

    def claims(self, choice, folder):
        write(folder, "good.h5", self.good)
        words = ["claims", "good.h5", "--claims-file", "c.toml"]
        words += choice.choice([[], ["--json"], ["--strict"], ["--id", "*" * 2000 + "b"], ["--id", "a.*"]])
        return self.refused_or(words, folder, [0, 1], ["c.toml", "good.h5", "--id"])[1]

    def goodput(self, choice, folder):
        words = ["profile", "--profiles", "f.toml", "--goodput", choice.choice(["1", "100", "100,50", "nan", "1e9", "x"])]
        words += ["--goodput-requests", "100", "-o", "new.toml"]
        return self.refused_or(words, folder, [0, 1], ["f.toml", "--goodput"])[1]
