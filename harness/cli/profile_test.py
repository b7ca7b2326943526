"""harness profile, harness list devices and models: what is written, that a simulation takes it, and bad input.

    profile_test.py HARNESS [WRITE_TEST_MODELS]
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

from program_testing import SMALL, Failures, environment, finish, run, write

ONE_MODULE = """slo_ms = 1000
[[module]]
name = "only"
model = "lenet"
"""
SIMULATED = """[workload]
pipelines = ["one.toml"]
traces = ["poisson"]
rates_rps = [20]
duration_s = 5
[cluster]
workers = 2
profiles = "lenet.toml"
[[system]]
name = "naive"
"""

# (what is wrong, arguments after `profile`, words of the one line)
BAD = [
    ("no model", ["-o", "p.toml"], ["--model", "--pipeline or --file"]),
    ("an unknown device", ["--device", "tpu", "--model", "a", "-o", "p.toml"], ["--device", "'tpu'", "cuda:N"]),
    ("a GPU without a number", ["--device", "cuda:x", "--model", "a", "-o", "p.toml"], ["'cuda:x'"]),
    ("a processor with a number", ["--device", "cpu:0", "--model", "a", "-o", "p.toml"], ["'cpu:0'"]),
    ("batches that fall", ["--model", "a", "--batches", "1,4,2", "-o", "p.toml"], ["--batches", "rise from 1"]),
    ("batches without 1", ["--model", "a", "--batches", "2,4", "-o", "p.toml"], ["--batches", "rise from 1"]),
    ("a batch that is none", ["--model", "a", "--batches", "1,x", "-o", "p.toml"], ["--batches"]),
    ("a huge batch", ["--model", "a", "--max-batch", "5000", "-o", "p.toml"], ["--max-batch", "1 to 4096"]),
    ("both kinds of batches", ["--model", "a", "--max-batch", "4", "--batches", "1", "-o", "p.toml"], ["--batches"]),
    ("an interval of nothing", ["--model", "a", "--half-width", "0", "-o", "p.toml"], ["--half-width", "above 0"]),
    ("an interval that is no number", ["--model", "a", "--half-width", "nan", "-o", "p.toml"], ["--half-width"]),
    ("no time", ["--model", "a", "--limit-s", "0", "-o", "p.toml"], ["--limit-s"]),
    ("no threads", ["--model", "a", "--threads", "0", "-o", "p.toml"], ["--threads", "1 to 1024"]),
    ("an image of one side", ["--model", "a", "--image-size", "224", "-o", "p.toml"], ["--image-size", "HEIGHTxWIDTH"]),
    ("an image of nothing", ["--model", "a", "--image-size", "0x9", "-o", "p.toml"], ["--image-size"]),
    ("half an exit point", ["--model", "a", "--exit-points", "0.5", "-o", "p.toml"], ["--exit-points", "all"]),
    ("an unknown pipeline", ["--pipeline", "tmm", "-o", "p.toml"], ["did you mean tm?"]),
    ("a file and a pipeline", ["--pipeline", "tm", "--file", "m.pt", "-o", "p.toml"], ["--file"]),
    ("a file without its input", ["--file", "m.pt", "-o", "p.toml"], ["--input", "HEIGHTxWIDTH"]),
    ("a file for two models", ["--file", "m.pt", "--input", "8x8", "--model", "a,b", "-o", "p.toml"], ["one --model"]),
    ("a model of two words", ["--model", "a b", "-o", "p.toml"], ["--model", "without spaces"]),
    ("no TOML file", ["--model", "a", "-o", "p.txt"], ["--output", ".toml"]),
    ("no output", ["--model", "a"], ["--output"]),
    ("goodput under no SLO", ["--model", "a", "--goodput", "0", "-o", "p.toml"], ["--goodput", "found 0", "above 0"]),
    ("SLOs that fall", ["--model", "a", "--goodput", "250,100", "-o", "p.toml"], ["--goodput", "do not rise"]),
    ("more than all in time", ["--model", "a", "--goodput", "9", "--goodput-share", "1.5", "-o", "p.toml"],
     ["--goodput-share", "found 1.5", "at most 1"]),
    ("few requests", ["--model", "a", "--goodput", "9", "--goodput-requests", "9", "-o", "p.toml"], ["--goodput-requests"]),
    ("a share of nothing", ["--model", "a", "--goodput-share", "0.5", "-o", "p.toml"], ["--goodput"]),
    ("an existing set for nothing", ["--profiles", "shepherd-v100", "-o", "p.toml"], ["--profiles", "no --goodput"]),
    ("an existing set and a model", ["--profiles", "shepherd-v100", "--model", "a", "-o", "p.toml"], ["--model"]),
    ("an unknown set", ["--profiles", "shepherd-v10", "--goodput", "9", "-o", "p.toml"], ["did you mean shepherd-v100?"]),
    ("an existing set without its folder of output", ["--profiles", "shepherd-v100", "--goodput", "9", "-o", "p.txt"],
     ["--output", ".toml"]),
]


def check_bad_input(harness, folder):
    failures = Failures()
    for what, arguments, words in BAD:
        device = [] if "--device" in arguments else ["--device", "null"]
        failures.refused(what, [harness, "profile", *device, *arguments], folder, words)
    failures.refused("a folder that is not there",
                     [harness, "profile", "--device", "null", "--model", "a", "-o", "nowhere/p.toml"], folder, ["nowhere"], 3)
    return failures


def profile_of(path, model):
    with open(path, "rb") as file:
        return {each["model"]: each for each in tomllib.load(file)["profile"]}[model]


def check_null(harness, folder):
    """The device that computes nothing: two models, one file; any size, exit points that nothing can use."""
    done = run([harness, "profile", "--device", "null", "--model", "a,b", "--batches", "1,2,5", "-o", "null.toml",
                "--exit-points", "3", "--limit-s", "1"], folder)
    if done.returncode != 0 or done.stderr:
        return [f"null: exit code {done.returncode}: {done.stderr}"]
    failures = []
    for model in ("a", "b"):
        profile = profile_of(os.path.join(folder, "null.toml"), model)
        if profile["batch"] != [1, 2, 5] or len(profile["latency_ms"]) != 3 or profile["exit_points"] != 3:
            failures.append(f"null: {profile}")
        if profile["measured"]["repeats"] < 10 or len(profile["measured"]["p99_ms"]) != 3:
            failures.append(f"null: {profile}")
    if "a on null" not in done.stdout or "3 exit points" not in done.stdout or (
            "exit points of 2 models" not in done.stdout.splitlines()[-2]):
        failures.append(f"null: {done.stdout}")
    path = os.path.join(os.path.realpath(folder), "null.toml")
    if done.stdout.splitlines()[-1] != f"null.toml: 2 profiles; experiments take it with --set cluster.profiles={path}":
        failures.append(f"null: the last line: {done.stdout}")
    done = run([harness, "profile", "--device", "null", "--model", "a", "--max-batch", "1", "--limit-s", "1", "-o",
                "/dev/stdout"], folder)
    if done.returncode != 0 or tomllib.loads(done.stdout)["profile"][0]["batch"] != [1]:
        failures.append(f"to standard output: {done.stdout} {done.stderr}")
    return failures


def check_goodput(harness, folder):
    """Found for an existing set, in place, twice the same; for a set just measured; seen in the list."""
    write(folder, "set.toml", """# kept
device = "d"
[[profile]]
model = "m"  # this too
alpha_ms = 1
beta_ms = 10
max_batch = 32
""")
    path = os.path.join(folder, "set.toml")
    command = [harness, "profile", "--profiles", "set.toml", "--goodput", "8,50,100", "-o", "set.toml"]
    done = run(command, folder)
    if done.returncode != 0 or not done.stdout.splitlines()[1].startswith("m "):
        return [f"goodput: exit code {done.returncode}: {done.stdout} {done.stderr}"]
    with open(path, encoding="utf-8") as file:
        first = file.read()
    failures = []
    set_ = tomllib.loads(first)
    rates = set_["profile"][0]["goodput_rps"]
    # 8 ms are too short for one; a batch of 32 takes 42 ms.
    if set_["profile"][0]["goodput_slo_ms"] != [8, 50, 100] or not (0 == rates[0] < rates[1] <= rates[2] <= 32 / 0.042 + 0.01):
        failures.append(f"goodput: {set_}")
    if "# kept\n" not in first or "# this too\n" not in first or "99 % of 20000 requests in time, seed 1" not in (
            set_["goodput_source"]):
        failures.append(f"goodput: {first}")
    run(command, folder)
    with open(path, encoding="utf-8") as file:
        if file.read() != first:
            failures.append("goodput: another result the second time")
    done = run([harness, "profile", "--device", "null", "--model", "a,b", "--batches", "1,2", "--limit-s", "1", "--goodput",
                "1", "--goodput-requests", "500", "--goodput-share", "0.9", "-o", "measured.toml"], folder)
    for model in ("a", "b"):
        if done.returncode != 0 or profile_of(os.path.join(folder, "measured.toml"), model)["goodput_rps"][0] <= 0:
            failures.append(f"goodput of a set just measured: {done.stdout} {done.stderr}")
    done = run([harness, "profile", "--profiles", "set.toml", "--goodput", "50", "-o", "/dev/stdout"], folder)
    if done.returncode != 0 or tomllib.loads(done.stdout)["profile"][0]["goodput_slo_ms"] != [50]:
        failures.append(f"goodput to standard output: {done.stdout} {done.stderr}")
    done = run([harness, "list", "profiles"], folder)
    if not re.search(r"resnet18 .* ms at 128; .* requests/s under 50, 100, 250, 500 ms", done.stdout):
        failures.append(f"list profiles: {done.stdout}")
    return failures


def check_kinds(harness, folder):
    """Two kinds of devices measured into one set, one after the other, and a plan over both."""
    failures = Failures()
    profile = [harness, "profile", "--device", "null", "--model", "lenet", "--batches", "1,2", "--limit-s", "1", "--add", "-o", "kinds.toml"]
    for name in ("slow", "fast"):
        done = run([*profile, "--device-name", name], folder)
        if done.returncode != 0 or done.stderr:
            failures.append(f"kinds: {name}: exit code {done.returncode}: {done.stderr}")
    failures.refused("a kind again", [*profile, "--device-name", "slow"], folder, ["kinds.toml", "'lenet' on slow", "--device-name"])
    failures.refused("goodput of several", [*profile, "--goodput", "9"], folder, ["--add", "--goodput"])
    write(folder, "none.toml", "pipelines = 1\n")
    failures.refused("no set", [*profile[:-1], "none.toml"], folder, ["none.toml:1", "pipelines"])
    kinds = "".join(f'[[cluster.device]]\nname = "{name}"\ncount = 4\nusd_per_h = {price}\n' for name, price in (("slow", 1), ("fast", 2)))
    write(folder, "one.toml", ONE_MODULE)
    write(folder, "k.toml", SIMULATED.replace("workers = 2", "").replace("lenet.toml", "kinds.toml").replace("naive", "inferline") + kinds)
    done = run([harness, "k.toml"], folder)
    if done.returncode != 0:
        failures.append(f"a plan over two kinds: exit code {done.returncode}: {done.stderr}")
    shown = run([harness, "show", "results-out/k.h5", "--plans", "--columns", "x"], folder)
    if shown.returncode != 2:
        failures.append(f"plans of chosen columns: exit code {shown.returncode}")
    shown = run([harness, "show", "results-out/k.h5", "--plans", "--csv"], folder)
    if ",only,slow,1,1," not in shown.stdout:
        failures.append(f"a plan over two kinds: the cheaper one carries the load: {shown.stdout}{shown.stderr}")
    return failures


def check_cpu(harness, folder):
    """LibTorch on the processor: medians between their quantiles, and a simulation that runs with the file."""
    done = run([harness, "profile", "--model", "lenet", "--batches", "1,2,4,8", "--exit-points", "1", "--limit-s", "3",
                "--half-width", "0.05", "-o", "lenet.toml"], folder)
    if done.returncode != 0:
        return [f"cpu: exit code {done.returncode}: {done.stdout} {done.stderr}"]
    failures = []
    profile = profile_of(os.path.join(folder, "lenet.toml"), "lenet")
    measured = profile["measured"]
    for low, median, high in zip(measured["p10_ms"], profile["latency_ms"], measured["p99_ms"], strict=True):
        if not 0 < low <= median <= high:
            failures.append(f"cpu: quantiles out of order: {profile}")
    if profile["memory_mb"] <= 0 or profile["load_ms"] <= 0 or profile["exit_points"] != 1:
        failures.append(f"cpu: {profile}")
    if measured["stopped_by"] == "narrow" and max(
            half / median for half, median in zip(measured["half_width_ms"], profile["latency_ms"])) > 0.05001:
        failures.append(f"cpu: wider than asked for: {profile}")
    write(folder, "one.toml", ONE_MODULE)
    write(folder, "e.toml", SIMULATED)
    done = run([harness, "e.toml"], folder)
    if done.returncode != 0:
        failures.append(f"a simulation with it: exit code {done.returncode}: {done.stderr}")
    return failures


def check_cpu_failures(harness, folder):
    """Bad models: nothing is written when none is good, the good ones when one fails."""
    failures = Failures()
    write(folder, "mine.pt", b"this is no TorchScript")
    for what, arguments, word in (
        ("no such model", ["--model", "lenett"], "lenet"),
        ("no such file", ["--file", "nowhere.pt", "--input", "8x8"], "nowhere.pt: found no such file"),
        ("no such file, nor a size", ["--file", "nowhere.pt"], "nowhere.pt: found no such file"),
        ("no TorchScript", ["--file", "mine.pt", "--input", "8x8"], "torch.jit.script(model).save(FILE)"),
    ):
        failures.refused(what, [harness, "profile", *arguments, "-o", "bad.toml"], folder, [word])
    return failures


def check_files(harness, write_models, folder):
    """A TorchScript file with images that it takes, and with others: that is what was asked for, not the machine."""
    made = run([write_models, folder], folder)
    if made.returncode != 0:
        return [made.stderr]
    profile = [harness, "profile", "--file", "fixed.pt", "--batches", "1,2", "--limit-s", "1", "-o", "fixed.toml", "--input"]
    done = run([*profile, "16x12"], folder)
    words = "device cpu: model fixed of fixed.pt, batch 1: compute failed: on an input of [1, 3, 16, 12]: "
    failures = []
    if done.returncode != 2 or words not in done.stderr or os.path.exists(os.path.join(folder, "fixed.toml")):
        failures.append(f"a file that takes other images: exit code {done.returncode}: {done.stderr}")
    done = run([*profile, "8x8", "--exit-points", "all"], folder)
    if done.returncode != 0 or "warning: --exit-points changes nothing: fixed.pt is a TorchScript" not in done.stdout:
        failures.append(f"a file: exit code {done.returncode}: {done.stderr}")
    return failures


def check_partial(harness, folder):
    """One model of two fails, and a run that is killed: the other model stays."""
    failures = []
    done = run([harness, "profile", "--model", "inception_v3,lenet", "--input", "32x32", "--batches", "1,2", "--limit-s",
                "1", "-o", "part.toml"], folder)
    lines = done.stderr.splitlines()
    if done.returncode != 1 or len(lines) != 1 or "inception_v3 is left out: " not in lines[0]:
        failures.append(f"a model that fails: exit code {done.returncode}: {done.stdout} {done.stderr}")
    elif profile_of(os.path.join(folder, "part.toml"), "lenet")["batch"] != [1, 2]:
        failures.append("a model that fails: the other is not in the file")
    path = os.path.join(folder, "killed.toml")
    process = subprocess.Popen([harness, "profile", "--model", "lenet,resnet18", "--batches", "1", "--half-width", "1e-9",
                                "--limit-s", "1", "-o", path], cwd=folder, env=environment(), stdout=subprocess.DEVNULL)
    while process.poll() is None and not os.path.exists(path):
        time.sleep(0.005)
    process.kill()
    process.wait(timeout=60)
    if profile_of(path, "lenet")["measured"]["stopped_by"] not in ("time", "rounds"):
        failures.append("a run that is killed: what it had measured is not there")
    return failures


def check_list(harness, folder):
    """{device: usable}, and what is wrong with the list."""
    done = run([harness, "list", "devices"], folder)
    found = dict(re.findall(r"^(\S+) +(usable|not here) +\S", done.stdout, re.MULTILINE))
    if done.returncode != 0 or not {"cpu", "null"} <= set(found) or found["null"] != "usable":
        return {}, Failures([f"list devices: {done.stdout} {done.stderr}"])
    return found, Failures()


def check_moved(harness, folder):
    """The program and its module of devices, moved together, then with a damaged module."""
    module, = glob.glob(os.path.join(os.path.dirname(harness), "..", "lib", "libharness_torch_devices.so"))
    moved = os.path.join(folder, "moved")
    for file, place in ((harness, "bin"), (module, "lib")):
        os.makedirs(os.path.join(moved, place))
        shutil.copy(file, os.path.join(moved, place))
    found, failures = check_list(os.path.join(moved, "bin", "harness"), folder)
    if found.get("cpu") != "usable":
        failures.append(f"a module that was moved with its program: {found}")
    write(moved, "lib/libharness_torch_devices.so", "no library")
    done = run([os.path.join(moved, "bin", "harness"), "list", "devices"], folder)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("cpu ", "cuda "))]
    if len(lines) != 2 or any("moved/lib/libharness_torch_devices.so: cannot be loaded: " not in line for line in lines):
        failures.append(f"a module that cannot be loaded: {done.stdout} {done.stderr}")
    return failures


def check_list_models(harness, folder, has_torch):
    done = run([harness, "list", "models"], folder)
    found = re.findall(r"^(\S+) +(\d+) x (\d+) +(\d+) +(\d+|-)  \S", done.stdout, re.MULTILINE)
    models = {name: tuple(rest) for name, *rest in found}
    if not has_torch:
        return [] if done.returncode == 2 and "LibTorch" in done.stderr else [f"list models: {done.stdout} {done.stderr}"]
    # torchvision's ResNet-18, and the exit points of SHEPHERD's Table 4.
    if done.returncode != 0 or models.get("resnet18") != ("224", "224", "11689512", "40") or "a token" not in done.stdout:
        return [f"list models: {done.stdout} {done.stderr}"]
    return []


def check_no_list(harness, folder):
    """Neither a list nor one that there is; help of its own."""
    failures = Failures()
    known = "one of systems, pipelines, profiles, variants, devices, models"
    for words, found in ((["list"], "list: missing"), (["list", "model"], "list: found 'model'"),
                         (["list", "models", "more"], "list: found 'more'")):
        failures.refused(words, [harness, *words], folder, [found, known])
    done = run([harness, "list", "--help"], folder)
    if "harness list models" not in done.stdout or "quickstart" in done.stdout:
        failures.append(f"list --help: {done.stdout}")
    return failures


def check_import(harness, folder):
    """What other tools measured is refused as a trace and as a set, with the command that makes a set of it; a run takes that set."""
    failures = Failures()
    write(folder, "plain.csv", "model,batch,latency_ms\nlenet,1,5\nlenet,64,70\n")
    write(folder, "one.toml", 'slo_ms = 100\n[[module]]\nname = "a"\nmodel = "lenet"\n')
    write(folder, "e.toml", SMALL.replace('pipelines = ["tm"]', 'pipelines = ["one.toml"]'))
    advice = "harness profile import FILE -o SET.toml"
    failures.refused("a trace", [harness, "trace", "info", "plain.csv"], folder, [advice])
    failures.refused("a file", [harness, "check", "plain.csv"], folder, [advice])
    failures.refused("a set", [harness, "e.toml", "--dry-run", "--set", "cluster.profiles=plain.csv"], folder, [advice])
    imported = [harness, "profile", "import", "plain.csv", "-o", "SET.toml"]
    failures.refused("no device", imported, folder, ["plain.csv: found no name of the device; allowed: --device NAME"])
    failures.refused("no output", imported[:-2], folder, ["--output is required"])
    done = run([*imported, "--device", "L4"], folder)
    failures.expect("an import", done, 0)
    gap = "latencies of batches between 1 and 64 were not measured"
    if "SET.toml: profiles of 1 model: lenet; on L4" not in done.stdout or gap not in done.stdout:
        failures.append(f"an import: {done.stdout}")
    done = run([harness, "e.toml", "--dry-run", "--set", "cluster.profiles=SET.toml"], folder)
    failures.expect("a run of what was imported", done, 0, [f"profile of lenet on L4: {gap}", "one: a is planned with batches of up to"])
    return failures


def main():
    harness = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        write(folder, "kept.toml", SMALL)
        devices, failures = check_list(harness, folder)
        failures += check_bad_input(harness, folder) + check_null(harness, folder) + check_no_list(harness, folder)
        failures += check_goodput(harness, folder) + check_kinds(harness, folder) + check_import(harness, folder)
        failures += check_list_models(harness, folder, devices.get("cpu") == "usable")
        if devices.get("cpu") == "usable":
            failures += check_cpu(harness, folder) + check_cpu_failures(harness, folder) + check_moved(harness, folder)
            failures += check_files(harness, os.path.abspath(sys.argv[2]), folder) + check_partial(harness, folder)
        else:
            failures.expect("cpu without LibTorch", run([harness, "profile", "--model", "lenet", "-o", "p.toml"], folder), 2,
                            ["LibTorch"])
            print("cpu: skipped, this build has no LibTorch")
    finish(failures)


if __name__ == "__main__":
    main()
