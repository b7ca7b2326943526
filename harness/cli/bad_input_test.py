"""Bad input of every kind: the right exit code, exactly one line that says what is wrong, and nothing written.

    bad_input_test.py HARNESS
"""
import gzip
import os
import subprocess
import sys
import tempfile

from program_testing import SMALL, Failures, environment, finish, run, write

HEAD = '[workload]\npipelines = ["tm"]\ntraces = ["poisson"]\n'
SYSTEM = '[[system]]\nname = "naive"\n'


def trace(fields, name="t"):
    return f'[workload]\npipelines = ["tm"]\ntraces = ["{name}"]\n[trace.{name}]\n{fields}\n' + SYSTEM


# (what is wrong, the experiment's text, words that the line must have)
EXPERIMENTS = [
    ("empty file", "", ["workload"]),
    ("not TOML", "[workload\n", ["e.toml:1:"]),
    ("a value is missing", "name =\n", ["e.toml:1:"]),
    ("a key twice", 'name = "a"\nname = "b"\n', ["e.toml:2:"]),
    ("bytes that are not UTF-8", b'name = "\xff\xfe"\n', ["e.toml:1:"]),
    ("a zero byte", b'name = "a\0b"\n', ["e.toml:1:"]),
    ("nothing but brackets", "[" * 3000, ["e.toml"]),
    ("an unknown table", SMALL + "[clutser]\nworkers = 2\n", ["clutser", "did you mean 'cluster'"]),
    ("an unknown top-level key", "nme = 1\n" + SMALL, ["e.toml:1:", "did you mean 'name'"]),
    ("a runtime that is not there", 'runtime = "tpu"\n' + SMALL, ["e.toml:1: runtime", "simulated"]),
    ("a runtime twice", 'runtime = ["emulated", "emulated"]\n' + SMALL, ["e.toml:1: runtime", "twice"]),
    ("a negative limit", "cell_limit_s = -1\n" + SMALL, ["e.toml:1: cell_limit_s", "-1"]),
    ("a library that is a folder", SMALL + 'library = "."\n', ["e.toml:7: system.library = ", "found a folder"]),
    ("a library with a zero byte", SMALL + 'library = "\\u0000"\n', ["e.toml:7: system.library = ", "\\x00: found a path with a zero byte"]),
    ("a trace with a zero byte", trace('file = "e.toml\\u0000t"'), ["e.toml:5: trace.t.file = ", "\\x00t: found a path with a zero byte"]),
    ("profiles in a folder without any", SMALL + '[cluster]\nprofiles = "/proc"\n', ["e.toml:8: cluster.profiles = ", "found a folder without a .txt file"]),
    ("an unknown live key", SMALL + "[live]\nspinn = true\n", ["e.toml:8: live.spinn", "did you mean 'spin'"]),
    ("half a GPU on each rank", SMALL + "[live]\ngpus_per_rank = 0.5\n", ["e.toml:8: live.gpus_per_rank", "0.5"]),
    ("a fault that is not known", SMALL + '[[fault]]\nkind = "fire"\n', ["e.toml:8: fault.kind", "stop, slow, delay, loss"]),
    ("a fault outside the cluster", SMALL + '[[fault]]\nkind = "stop"\nat_s = 1\nfor_s = 1\ngpu = 64\n',
     ["e.toml:11: fault.gpu", "GPU 64 of a cluster of 64"]),
    ("a fault that is no list", SMALL + '[fault]\nkind = "stop"\n', ["fault", "[[fault]]"]),
    ("a table that is a number", "cluster = 3\n" + SMALL, ["e.toml:1: cluster", "a table"]),
    ("an unknown workload key", HEAD + "load = 2\n" + SYSTEM, ["e.toml:4: workload.load:", "did you mean 'loads'"]),
    ("no pipelines", '[workload]\ntraces = ["poisson"]\n' + SYSTEM, ["workload.pipelines"]),
    ("no traces", '[workload]\npipelines = ["tm"]\n' + SYSTEM, ["workload.traces"]),
    ("an empty axis", HEAD + "seeds = []\n" + SYSTEM, ["e.toml:4: workload.seeds", "empty"]),
    ("an empty list of pipelines", HEAD.replace('["tm"]', "[]") + SYSTEM, ["workload.pipelines", "empty"]),
    ("a pipeline twice", HEAD.replace('["tm"]', '["tm", "tm"]') + SYSTEM, ["workload.pipelines", "twice"]),
    ("an unknown pipeline", HEAD.replace('"tm"', '"tmm"') + SYSTEM, ["e.toml:2:", "did you mean 'tm'"]),
    ("a pipeline that is a number", HEAD.replace('"tm"', "7") + SYSTEM, ["workload.pipelines", "7"]),
    ("an unknown trace", HEAD.replace("poisson", "poison") + SYSTEM, ["e.toml:3:", "did you mean 'poisson'"]),
    ("a load of zero", HEAD + "loads = [0]\n" + SYSTEM, ["e.toml:4: workload.loads"]),
    ("a negative load", HEAD + "loads = [1, -0.5]\n" + SYSTEM, ["-0.5"]),
    ("a load that is not a number", HEAD + "loads = [nan]\n" + SYSTEM, ["nan"]),
    ("an infinite load", HEAD + "loads = [inf]\n" + SYSTEM, ["inf"]),
    ("a load that is a text", HEAD + 'loads = ["high"]\n' + SYSTEM, ['"high"']),
    ("a load twice", HEAD + "loads = [1, 1.0]\n" + SYSTEM, ["twice"]),
    ("loads and rates", HEAD + "loads = [1]\nrates_rps = [10]\n" + SYSTEM, ["both loads and rates_rps"]),
    ("a seed that is negative", HEAD + "seeds = [-1]\n" + SYSTEM, ["workload.seeds", "-1"]),
    ("a seed that is a fraction", HEAD + "seeds = [1.5]\n" + SYSTEM, ["workload.seeds", "1.5"]),
    ("an SLO of zero", HEAD + "slo_ms = [0]\n" + SYSTEM, ["workload.slo_ms"]),
    ("a date for an SLO", HEAD + "slo_ms = 2020-01-01\n" + SYSTEM, ["e.toml:4:"]),
    ("a negative duration", HEAD + "duration_s = -1\n" + SYSTEM, ["e.toml:4:", "duration_s", "-1"]),
    ("a duration that is a list", HEAD + "duration_s = [1]\n" + SYSTEM, ["duration_s"]),
    ("no length for a generated trace", HEAD + "duration_s = 0\n" + SYSTEM, ["duration_s"]),
    ("a recorded rate for a generated trace", HEAD + "rates_rps = [0]\n" + SYSTEM, ["poisson"]),
    ("zero workers", SMALL + "[cluster]\nworkers = 0\n", ["e.toml:8: cluster.workers", "found 0"]),
    ("half a worker", SMALL + "[cluster]\nworkers = 1.5\n", ["cluster.workers", "1.5"]),
    ("workers as a text", SMALL + '[cluster]\nworkers = "many"\n', ["cluster.workers", '"many"']),
    ("unknown profiles", SMALL + '[cluster]\nprofiles = "shepherd"\n', ["cluster.profiles", "shepherd-v100"]),
    ("profiles without the models", SMALL + '[cluster]\nprofiles = "loki-gtx1080ti"\n', ["no profile of"]),
    ("profiles that are not there", SMALL + '[cluster]\nprofiles = "gone.toml"\n',
     ["e.toml:8: cluster.profiles = gone.toml: "]),
    ("a scale that is not a number", SMALL + "[cluster]\nprofile_scale = nan\n", ["cluster.profile_scale", "nan"]),
    ("a jitter that is not known", SMALL + '[cluster]\njitter = "gauss"\n', ["cluster.jitter", "one of none"]),
    ("a delay out of range", SMALL + "[cluster]\nnetwork_delay_ms = -1\n", ["cluster.network_delay_ms"]),
    ("an unknown serving key", SMALL + '[serving]\ncomit = "late"\n', ["serving.comit", "did you mean 'commit'"]),
    ("a commit that is not known", SMALL + '[serving]\ncommit = "never"\n', ["serving.commit", "early, late"]),
    ("a sizing factor below one", SMALL + "[planner]\nsizing_factor = 0.5\n", ["planner.sizing_factor", "0.5"]),
    ("a list where a sweep is meant", SMALL + "[planner]\nsizing_factor = [1, 2]\n", ["[[sweep]]"]),
    ("autoscaling of all workers", SMALL + "[planner]\nautoscale = true\n", ["planner.autoscale", "rate"]),
    ("a small start that stays small", SMALL + "[planner]\ninitial_workers = 1\n",
     ["e.toml:8: planner.initial_workers: found 1 with naive, which keeps its first plan"]),
    ("an unknown module", SMALL + "[module.face]\nbatch = 2\n", ["module.face.batch", "unknown module"]),
    ("a module's unknown key", SMALL + "[module.face_recognition]\nbatsch = 2\n", ["did you mean 'batch'"]),
    ("a batch above the profile's", SMALL + "[module.face_recognition]\nbatch = 1000\n", ["face_recognition", "1000"]),
    ("keys in the wrong place of module", SMALL + "[module]\nbatch = 2\n", ["module.batch", "module.NAME"]),
    ("no system", HEAD, ["system"]),
    ("a system that is a table", HEAD + '[system]\nname = "naive"\n', ["[[system]]"]),
    ("a system without a name", HEAD + '[[system]]\nvariant = "x"\n', ["system.name"]),
    ("an unknown system", HEAD + '[[system]]\nname = "prad"\n', ["e.toml:5: system.name", "did you mean 'pard'"]),
    ("a system twice", SMALL + SYSTEM, ["system.name", "twice"]),
    ("a variant twice", HEAD + (SYSTEM + 'variant = "v"\n') * 2, ["twice"]),
    ("a variant twice on one workload", HEAD + SYSTEM + 'only = { traces = "poisson" }\n' + SYSTEM, ["twice on tm with poisson"]),
    ("an entry for a trace that is not there", HEAD + SYSTEM + 'only = { traces = ["posson"] }\n',
     ["e.toml:6: system.only.traces", "did you mean 'poisson'"]),
    ("a figure that is a number", "figures = [8]\n" + SMALL, ["e.toml:1: figures", "found 8"]),
    ("an unknown key of a system", SMALL + 'param = {}\n', ["system.param", "did you mean 'params'"]),
    ("an unknown parameter", HEAD + '[[system]]\nname = "pard"\nparams = { lamda = 0.1 }\n', ["did you mean 'lambda'"]),
    ("a parameter out of range", HEAD + '[[system]]\nname = "pard"\nparams = { lambda = 2 }\n', ["lambda", "0 to 1"]),
    ("a parameter of another system", SMALL + 'set = { "pard.lambda" = 0.1 }\n', ["pard.lambda", "parameters of naive"]),
    ("a system with a load of its own", SMALL + 'set = { "trace.poisson.duration_s" = 2 }\n', ["same load"]),
    ("an unknown section set", SMALL + 'set = { "sevring.commit" = "late" }\n', ["did you mean 'serving'"]),
    ("a key set without a section", SMALL + 'set = { commit = "late" }\n', ["commit"]),
    ("a sweep without a key", SMALL + "[[sweep]]\nvalues = [1]\n", ["sweep.key"]),
    ("a sweep without values", SMALL + '[[sweep]]\nkey = "planner.sizing_factor"\n', ["sweep.values: missing"]),
    ("an empty sweep", SMALL + '[[sweep]]\nkey = "planner.sizing_factor"\nvalues = []\n', ["empty"]),
    ("a sweep of an unknown key", SMALL + '[[sweep]]\nkey = "planner.sizing"\nvalues = [2]\n', ["unknown key 'sizing'"]),
    ("a sweep of a wrong value", SMALL + '[[sweep]]\nkey = "planner.sizing_factor"\nvalues = [2, 0]\n', ["found 0"]),
    ("a sweep with a value twice", SMALL + '[[sweep]]\nkey = "planner.max_batch"\nvalues = [2, 2]\n', ["twice"]),
    ("two sweeps of a key", SMALL + '[[sweep]]\nkey = "planner.max_batch"\nvalues = [2]\n' * 2, ["two sweeps"]),
    ("a sweep of a system that is not there", SMALL + '[[sweep]]\nkey = "pard.lambda"\nvalues = [0.1]\n',
     ["e.toml:8: sweep.key: found pard.lambda", "naive"]),
    ("a sweep of the workload", SMALL + '[[sweep]]\nkey = "workload.seeds"\nvalues = [1]\n', ["axes already"]),
    ("a sweep of a key that a system sets",
     SMALL + 'set = { "planner.max_batch" = 3 }\n[[sweep]]\nkey = "planner.max_batch"\nvalues = [2]\n', ["system naive sets"]),
    ("more cells than allowed",
     HEAD + f"seeds = {list(range(2000))}\nloads = {[i + 1 for i in range(501)]}\n" + SYSTEM, ["cells", "1000000"]),
    ("rows that are a number", SMALL + "[record]\nrows = 1\n", ["record.rows", "a number", "true, false, or cells"]),
    ("an unknown record key", SMALL + "[record]\nrow = true\n", ["did you mean 'rows'"]),
    ("a trace without a shape", trace("cv = 2"), ["trace.t.shape"]),
    ("a trace that is not used", SMALL + "[trace.poison]\ncv = 2\n",
     ["e.toml:7: trace.poison:", "did you mean 'poisson'"]),
    ("an unknown shape", trace('shape = "posson"'), ["e.toml:5:", "posson"]),
    ("an unknown field of a trace", trace('shape = "gamma"\ncvv = 2'), ["did you mean 'cv'"]),
    ("a CV of zero", trace('shape = "gamma"\ncv = 0'), ["e.toml:6: trace.t.cv"]),
    ("a step that ends before it begins", trace('shape = "step"\nstep_from = 0.9\nstep_to = 0.1'), ["step_to"]),
    ("a generated trace with a file", trace('shape = "gamma"\nfile = "x.csv"'), ["file"]),
    ("a trace file that is not there", trace('file = "gone.csv"'), ["gone.csv"]),
    ("a trace file that is a folder", trace('file = "."'), ["folder"]),
    ("an empty trace file", trace('file = "empty.csv"'), ["empty.csv"]),
    ("send times that are texts", trace('file = "words.txt"\nformat = "times"'), ["words.txt:2:"]),
    ("numbers that may be gaps", trace('file = "back.txt"'), ["back.txt"]),
    ("a log without a unit", trace('file = "log.csv"'), ["log.csv"]),
    ("counts below zero", trace('file = "negative.csv"\nformat = "counts"'), ["negative.csv"]),
    ("a column that is not there", trace('file = "counts.csv"\nformat = "counts"\ncolumn = "nothing"'), ["nothing"]),
    ("a column that is a number and a name", trace('file = "functions.csv"\ntime_unit = "s"\ncolumn = "2"'),
     ["functions.csv:1: column: found '2', which fits columns 2 (time), 4 (2); allowed: \"4\""]),
    ("times as counts", trace('file = "functions.csv"\ntime_unit = "s"\ncolumn = "time"'), ["functions.csv:1: column: found times"]),
    ("a rate as a counter", trace('file = "rates.csv"\nformat = "counter"'), ["rates.csv:1: column: found a rate"]),
    ("a mean as counts", trace('file = "rates.csv"\ncolumn = "avg_requests"'), ["rates.csv:1: column:", "'avg_requests'"]),
    ("ends as arrivals", trace('file = "ends.csv"\ntime_column = "end_s"'), ["ends.csv:1: time_column:", "end_s less duration"]),
    ("times with and without an offset", trace('file = "offsets.csv"'), ["offsets.csv:3: time:", "an offset from UTC"]),
    ("a truncated gzip file", trace('file = "cut.csv.gz"\nformat = "counts"'), ["cut.csv.gz"]),
    ("an unknown function", trace('file = "azure.csv"\nformat = "azure_functions"\ncolumn = "zzz"'), ["zzz"]),
    ("a slice outside the file", trace('file = "counts.csv"\nformat = "counts"\nfrom_s = 5000'), ["from_s"]),
    ("a pipeline with a cycle", HEAD.replace('"tm"', '"cycle.toml"') + SYSTEM, ["cycle.toml"]),
    ("a pipeline with two entries", HEAD.replace('"tm"', '"entries.toml"') + SYSTEM, ["entries.toml"]),
    ("a pipeline with an unknown module", HEAD.replace('"tm"', '"stray.toml"') + SYSTEM, ["stray.toml"]),
    ("a pipeline without modules", HEAD.replace('"tm"', '"none.toml"') + SYSTEM, ["none.toml"]),
    ("a pipeline that is not TOML", HEAD.replace('"tm"', '"torn.toml"') + SYSTEM, ["torn.toml:1:"]),
    ("a pipeline file that is not there", HEAD.replace('"tm"', '"gone.toml"') + SYSTEM,
     ["e.toml:2: workload.pipelines = gone.toml: "]),
    ("profiles with a negative latency", SMALL + '[cluster]\nprofiles = "negative.toml"\n', ["negative.toml"]),
    ("profiles that are not TOML", SMALL + '[cluster]\nprofiles = "torn.toml"\n', ["torn.toml:1:"]),
]

FILES = {
    "empty.csv": "",
    "words.txt": "0.5\nhello\n",
    "back.txt": "0.5\n0.4\n",
    "log.csv": "timestamp,model\n0,a\n310,b\n",
    "negative.csv": "second,count\n0,5\n1,-3\n",
    "counts.csv": "second,count\n" + "".join(f"{i},10\n" for i in range(100)),
    "functions.csv": "name,time,1,2\na,0,5,3\na,60,7,4\n",
    "rates.csv": "time_s,requests/s,avg_requests\n0,5,2\n60,7,3\n",
    "ends.csv": "end_s,duration,model\n5,2,a\n7,3,b\n",
    "offsets.csv": "time,model\n2024-05-01T10:00:00Z,a\n2024-05-01 10:00:02,b\n",
    "cut.csv.gz": gzip.compress(b"second,count\n" + b"0,5\n" * 5000)[:-20],
    "azure.csv": "hash_func,day," + ",".join(str(i) for i in range(1, 1441)) + "\nabc,1," + ",".join(["1"] * 1440) + "\n",
    "torn.toml": "modules = [\n",
    "none.toml": 'name = "none"\nslo_ms = 100\n',
    "cycle.toml": 'name = "cycle"\nslo_ms = 100\n'
                  '[[module]]\nname = "a"\nmodel = "m"\npres = ["b"]\nsubs = ["b"]\n'
                  '[[module]]\nname = "b"\nmodel = "m"\npres = ["a"]\nsubs = ["a"]\n',
    "entries.toml": 'name = "entries"\nslo_ms = 100\n'
                    '[[module]]\nname = "a"\nmodel = "m"\npres = []\nsubs = ["c"]\n'
                    '[[module]]\nname = "b"\nmodel = "m"\npres = []\nsubs = ["c"]\n'
                    '[[module]]\nname = "c"\nmodel = "m"\npres = ["a", "b"]\nsubs = []\n',
    "stray.toml": 'name = "stray"\nslo_ms = 100\n[[module]]\nname = "a"\nmodel = "m"\npres = []\nsubs = ["x"]\n',
    "negative.toml": 'description = "d"\n[[profile]]\nmodel = "m"\ndevice = "d"\nsource = "s"\nlatency_ms = [1, -2]\n',
    "text.h5": "this is not HDF5\n",
    "torn.h5": b"\x89HDF\r\n\x1a\n" + b"\0" * 64,
}

# (what is wrong, arguments, words that the line must have)
COMMANDS = [
    ("no arguments", [], ["no experiment file"]),
    ("an unknown option", ["good.toml", "--sett", "a=b"], ["--sett"]),
    ("an option without end", ["good.toml", "--" + "x" * 100000], ["--xx", "see harness --help"]),
    ("an option that would steer a terminal", ["good.toml", "--\x1b[2J\u202e"], ["\\x1b[2J"]),
    ("a file without end", ["show", "x" * 100000], ["xxx"]),
    ("an option without its value", ["good.toml", "--set"], ["--set"]),
    ("two experiments", ["good.toml", "good.toml"], ["good.toml"]),
    ("an experiment that is not there", ["gone.toml"], ["gone.toml"]),
    ("an experiment that is a folder", ["."], ["."]),
    ("--set without a value", ["good.toml", "--set", "planner.max_batch"], ["--set", "KEY=VALUE"]),
    ("--set without a key", ["good.toml", "--set", "=3"], ["--set", "KEY=VALUE"]),
    ("--set of an unknown key", ["good.toml", "--set", "planner.maxbatch=3"], ["--set: planner.maxbatch", "max_batch"]),
    ("--set of a key without its table", ["good.toml", "--set", "sizing_factor=2"],
     ["--set: ", "'planner.sizing_factor'"]),
    ("--set of a system without parameters", ["good.toml", "--set", "naive.x=1"], ["--set: naive.x", "no parameters"]),
    ("--set of a pipeline that is not there", ["good.toml", "--set", "workload.pipelines=a.toml"],
     ["--set: workload.pipelines = a.toml: found no such file"]),
    ("--set of a wrong value", ["good.toml", "--set", "cluster.workers=none"], ["--set: cluster.workers", '"none"']),
    ("--set that is not TOML", ["good.toml", "--set", "workload.seeds=[1,"], ["--set: workload.seeds"]),
    ("--set of two values", ["good.toml", "--set", "workload.seeds=1\nx=2"], ["--set: workload.seeds"]),
    ("--set below a value", ["good.toml", "--set", "workload.pipelines.x=2"], ["--set", "a table"]),
    ("--set below a list of tables", ["good.toml", "--set", "system.name=pard"], ["--set", "a table"]),
    ("results that are not there", ["show", "gone.h5"], ["gone.h5"]),
    ("results that are a text", ["show", "text.h5"], ["text.h5"]),
    ("results that are torn", ["show", "torn.h5"], ["torn.h5"]),
    ("results that are a folder", ["show", "."], ["folder"]),
    ("an unknown column", ["show", "text.h5", "--columns", "godput_rps"], ["goodput_rps"]),
    ("figures of no results", ["figures", "gone.h5"], ["gone.h5"]),
    ("a timeline of no results", ["timeline", "gone.h5", "--cell", "0", "-o", "t"], ["gone.h5"]),
    ("a timeline of no cell", ["timeline", "text.h5", "--cell", "x", "-o", "t"], ["--cell"]),
    ("a timeline of no time", ["timeline", "text.h5", "--cell", "0", "-o", "t", "--from", "3x"], ["--from", "found '3x'", "31.2s"]),
    ("a timeline that ends first", ["timeline", "text.h5", "--cell", "0", "-o", "t", "--from", "2s", "--to", "500ms"],
     ["--to", "found '500ms'", "after --from"]),
    ("collecting from nowhere", ["collect", "gone.cells"], ["gone.cells"]),
    ("collecting from another folder", ["collect", "gone"], [".cells"]),
    ("an experiment beside a command", ["good.toml", "show", "text.h5"], ["good.toml", "show"]),
    ("a run's option beside a command", ["--fresh", "list", "systems"], ["--fresh", "list"]),
    ("a slip in a command", ["shwo", "text.h5"], ["unknown command 'shwo', did you mean 'show'?"]),
    ("a slip in a command with options", ["comapre", "a.h5", "b.h5", "--json"], ["did you mean 'compare'?"]),
    ("a word that is like no command", ["gone"], ["unknown command 'gone'", "FILE.toml", "doctor"]),
    ("a core that is not there", ["good.toml", "--set", "runtime=emulated", "--set", "live.spin=true", "--set",
                                  "live.spin_core=999999"], ["--set: live.spin_core", "core 999999", "rank 0 may use"]),
    ("--set of a fault that is not there", ["good.toml", "--set", "fault.crash.on=false"], ["--set: fault"]),
    ("listing the unknown", ["list", "planets"], ["planets", "systems, pipelines"]),
    ("an empty folder for the results", ["good.toml", "-o", ""], ["an empty value at -o"]),
    ("an empty folder in one word", ["good.toml", "--output="], ["an empty value at --output="]),
    ("an empty folder of figures", ["figures", "text.h5", "-o", ""], ["an empty value at -o"]),
    ("an empty file", [""], ["an empty value at first argument"]),
    ("--fresh over something else", ["good.toml", "-o", "way", "--fresh"], ["way/good.h5", "--fresh replaces results"]),
    ("results of something else in the way", ["good.toml", "-o", "way"], ["way/good.h5"]),
    ("a cell of something else in the way", ["good.toml", "-o", "cell"], ["cell/good.cells/0123456789abcdef.h5"]),
]


def full_output(harness, folder):
    """Standard output that cannot be written: exit code 3."""
    failures = Failures()
    for arguments in (["good.toml", "--dry-run"], ["list", "systems"], ["--help"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness, *arguments], cwd=folder, env=environment(), stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        if done.returncode != 3 or len(done.stderr.splitlines()) != 1:
            failures.append(f"{arguments} to a full disk: exit code {done.returncode}: {done.stderr.strip()}")
    return failures


def environment_cases(harness, folder):
    """The folder cannot take the results: exit code 3."""
    import resource
    failures = Failures()
    write(folder, "afile", "x")
    failures.refused("the output folder is a file", [harness, "good.toml", "-o", "afile"], folder, ["afile"], 3)
    failures.refused("the output folder is below a file", [harness, "good.toml", "-o", "afile/x"], folder, ["afile"], 3)
    failures.refused("the output folder is in /proc", [harness, "good.toml", "-o", "/proc/results"], folder, ["/proc"], 3)
    done = subprocess.run([harness, "list", "pipelines"], cwd=folder, env=environment(HARNESS_HOME="/gone"),
                          capture_output=True, text=True)
    if done.returncode != 3 or "/gone/workloads: not found; set HARNESS_HOME" not in done.stderr:
        failures.append(f"no workloads: exit code {done.returncode}: {done.stderr.strip()}")
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    failures.refused("no room for anything", [harness, "good.toml", "-o", "full"], folder, ["full"], 3, preexec_fn=full)
    later = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (70000, 70000))
    failures.refused("the disk is full when a cell is written", [harness, "rows.toml", "-o", "full", "--quiet"], folder,
                     ["full/rows"], 3, preexec_fn=later)
    return failures


def what_was_read(harness, folder):
    """A run says what its trace was read as, and warns of what is not sent; --quiet leaves the warning."""
    write(folder, "log.toml", trace('file = "counts.csv"\nfrom_s = 90'))
    read, warning = "trace t: counts in column 'count', bins of 1 s by column 'second'", "warning: trace t: the file ends 10 s after"
    found = []
    for words, file, expected in ((["--dry-run"], "stdout", (True, True)), ([], "stderr", (True, True)),
                                  (["--fresh", "--quiet"], "stderr", (False, True))):
        said = getattr(run([harness, "log.toml", "-o", "read", *words], folder), file)
        if (read in said, warning in said) != expected:
            found.append(f"what was read, {words}: {said}")
    return found


def main():
    harness = os.path.abspath(sys.argv[1])
    failures = Failures()
    cases = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            write(folder, name, text)
        write(folder, "good.toml", SMALL)
        write(folder, "rows.toml", SMALL)
        write(folder, "way/good.h5", FILES["text.h5"])
        write(folder, "cell/good.cells/0123456789abcdef.h5", FILES["torn.h5"])
        for what, text, words in EXPERIMENTS:
            write(folder, "e.toml", text)
            failures.refused(what, [harness, "e.toml", "-o", "out"], folder, words)
        for what, arguments, words in COMMANDS:
            failures.refused(what, [harness, *arguments], folder, words)
        failures += environment_cases(harness, folder) + full_output(harness, folder) + what_was_read(harness, folder)
        cases = len(EXPERIMENTS) + len(COMMANDS) + 9
    print(f"{cases} cases")
    finish(failures)


if __name__ == "__main__":
    main()
