"""The steps of ci/gpu-node, in their order. Each takes the node, and whether it goes on after an interruption; it returns a note for
the summary, or raises Failed or NotHere."""

import re
import shutil
from collections import Counter
from pathlib import Path

import bundle as bundles
import commands
import report
from prefix import outside
from problems import Failed, NotHere
from runner import Step

TOOLS = ("cmake", "ninja", "g++")


def look_around(node, _again):
    """What the machine is; what it lacks."""
    shell = node.shell
    lines = [f"device {node.device}; prefix {node.prefix or '(none)'}; bundle {node.bundle or '(none)'}; {node.jobs} jobs"]
    if node.bundle:
        lines.append(str(bundles.facts(node.bundle)))
    for command in (["uname", "-sr"], ["cmake", "--version"], ["g++", "--version"], ["nvcc", "--version"],
                    ["nvidia-smi", "--query-gpu=index,name,driver_version,memory.total,clocks.sm,clocks.max.sm", "--format=csv"],
                    ["git", "log", "-1", "--format=%H %s"]):
        lines += [f"$ {' '.join(command)}", shell.output(command).strip() or "(nothing)"]
    torch = node.torch_python()
    lines.append(f"Python with torch: {torch or '(none)'}")
    (node.out / "environment.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lacks = lacking(node, torch)
    if lacks:
        raise Failed("; ".join(lacks))
    return "no GPU is asked for" if node.device == "cpu" else f"{len(node.gpus())} x {node.gpus()[0]}"


def lacking(node, torch):
    """All that the machine has not, so that it can be brought at once. With a bundle nothing is built."""
    no_gpu = node.device == "cuda" and not node.gpus()
    gpu = ["nvidia-smi shows no GPU (--device cpu tries the steps without one)"] if no_gpu else []
    if node.bundle:
        return gpu
    path = node.shell.env["PATH"]
    lacks = [f"no {tool}" for tool in TOOLS if not shutil.which(tool, path=path)]
    try:
        node.python()
    except Failed as why:
        lacks.append(str(why))
    if node.device == "cuda":
        if not (node.shell.env.get("CUDACXX") or shutil.which("nvcc", path=path + ":/usr/local/cuda/bin")):
            lacks.append("no nvcc in PATH or /usr/local/cuda/bin; name one by CUDACXX")
        if not torch:
            lacks.append("no Python with torch; name one by HARNESS_TORCH_PYTHON")
    return lacks + gpu


def configure(node):
    """(note, whether NCCL was found)."""
    node.shell.run(commands.configure(node))
    log = node.shell.log.read_text(encoding="utf-8", errors="replace")
    found = re.findall(r"LibTorch: (\w+)(?:, with CUDA: (\w+))?; CUDA: (\w+); NCCL: (\w+)", log)
    torch, torch_cuda, cuda, nccl = (word in ("ON", "TRUE", "1") for word in (found[-1] if found else [""] * 4))
    if not torch:
        raise Failed("CMake found no LibTorch")
    if node.device == "cuda" and not (cuda and torch_cuda):
        raise Failed("LibTorch is one without CUDA" if cuda else "CMake found no CUDA compiler")
    if node.prefix:
        cache = (node.build / "CMakeCache.txt").read_text(encoding="utf-8")
        elsewhere = outside(node.prefix, cache)
        if elsewhere:
            return f"{len(elsewhere)} libraries are not of the prefix: {elsewhere[0]}", nccl
        return "all libraries of the prefix" + ("" if nccl else ", no NCCL"), nccl
    return "" if nccl else "no NCCL", nccl


def build(node, _again, targets=None):
    """`targets`: paths in the build folder; None: those of the sizes."""
    note = "the bundle's"
    if not node.bundle:
        note, has_nccl = configure(node)
        targets = node.sizes.targets if targets is None else [each for each in targets if has_nccl or "nccl" not in each]
        node.shell.run(commands.build(node, targets))
    devices = node.shell.output(commands.list_devices(node))
    (node.out / "devices.txt").write_text(devices, encoding="utf-8")
    if not re.search(rf"^{node.sizes.device} +usable", devices, re.MULTILINE):
        raise Failed(f"harness list devices shows no usable {node.sizes.device}: {devices.strip() or 'it failed'}")
    return note


def build_targets(node, _again, targets):
    """Some of the build's targets, by their paths in its folder, and notes them: what lies there may be of other sources."""
    note = build(node, False, targets)
    built = node.out / "built.txt"
    before = built.read_text(encoding="utf-8").splitlines() if built.exists() else []
    built.write_text("\n".join(sorted({*before, *targets})) + "\n", encoding="utf-8")
    return note


def are_built(node, targets):
    """Of a bundle what it lacks cannot be had: it is left out."""
    if node.bundle:
        return node.harness.exists()
    built = node.out / "built.txt"
    noted = built.read_text(encoding="utf-8").splitlines() if built.exists() else []
    return all(each in noted and ((node.build / each).exists() or "nccl" in each) for each in targets)


def is_built(node):
    return node.harness.exists()


def tests(node, _again):
    junit = node.out / "tests.xml"
    junit.unlink(missing_ok=True)
    folder = node.build / node.sizes.tests
    node.shell.run(["ctest", "--test-dir", folder, "-L", "unit", "-j", 2 * node.jobs, "--output-junit", junit,
                    "--no-tests=error", "--test-output-size-passed", 1 << 20, "--test-output-size-failed", 1 << 20],
                   codes=range(256))
    if not junit.exists():
        raise Failed("ctest wrote no report")
    return judged_tests(node, *report.test_counts(junit))


def test_programs(node, _again, targets):
    """Programs of unit tests, each as one process; those of what the build has not found are left out."""
    (node.out / "tests").mkdir(exist_ok=True)
    run, failed, reasons = 0, [], Counter()
    for target in (each for each in targets if (node.build / each).exists()):
        command = commands.unit_tests(node, target)
        junit = Path(command[1].split(":", 1)[1])
        junit.unlink(missing_ok=True)
        code = node.shell.run(command, codes=range(-64, 256))
        counts = report.test_counts(junit) if junit.exists() else (0, [], {})
        run += counts[0]
        failed += counts[1] or ([f"{Path(target).name} (exit code {code})"] if code or not counts[0] else [])
        reasons.update(counts[2])
    return judged_tests(node, run, failed, reasons)


def judged_tests(node, run, failed, reasons):
    lines = [f"{count:>5}  {reason}" for reason, count in reasons.most_common()]
    (node.out / "skipped.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    want = report.skipped_for_want_of_gpu(reasons)
    note = f"{run} tests, {sum(reasons.values())} cases skipped, {want} for want of a GPU"
    if failed or run == 0:
        raise Failed(f"{note}; {len(failed)} failed: {', '.join(failed[:5])}")
    if want and node.device == "cuda":
        raise Failed(note)
    return note


def cuda_tool(node, name):
    """Where a tool of the CUDA toolkit is. NotHere without it, or without a GPU."""
    if node.device != "cuda":
        raise NotHere("no GPU is asked for")
    tool = shutil.which(name, path=node.shell.env["PATH"] + ":/usr/local/cuda/bin")
    if not tool:
        raise NotHere(f"{name} was not found")
    return tool


def sanitizer(node, again):
    """compute-sanitizer over whatever launches kernels; the tools for races and for unset memory only where no library
    of others runs beside it."""
    layer = node.build / "harness" / "gpu"
    own = sorted(path for path in layer.glob("cuda/*_test") if not path.name.startswith("fake_"))
    others = sorted([*(path for path in layer.glob("nccl/*_test") if not path.name.startswith("fake_")),
                     *layer.glob("torch/*cuda*_test")])
    jobs = [("memcheck", program) for program in own + others]
    jobs += [(name, program) for name in ("racecheck", "synccheck", "initcheck") for program in own]
    # The clock's error grows with what the tool adds to each call.
    return sanitized(node, again, [(name, program, "--gtest_filter=-CudaClock.*") for name, program in jobs])


def sanitized(node, again, jobs):
    """`jobs`: (tool of compute-sanitizer, program, its words...)."""
    tool = cuda_tool(node, "compute-sanitizer")
    passed_file = node.out / "sanitizer.txt"
    passed = passed_file.read_text(encoding="utf-8").splitlines() if again and passed_file.exists() else []
    failures = []
    for name, program, *words in jobs:
        line = f"{name} {program.name}"
        if line in passed:
            continue
        code = node.shell.run(commands.sanitize(tool, name, program, *words), codes=range(-64, 256))
        if code == 0:
            passed.append(line)
            passed_file.write_text("\n".join(passed) + "\n", encoding="utf-8")
        else:
            failures.append(line)
    if failures or not jobs:
        raise Failed(f"{len(failures)} of {len(jobs)} runs found something: {', '.join(failures[:4])}")
    return f"{len(jobs)} runs, nothing found"


def bench(node, _again):
    folder = node.out / "bench"
    folder.mkdir(exist_ok=True)
    lines, failures = [], []
    for name in node.sizes.benches:
        result = folder / f"{name}.json"
        result.unlink(missing_ok=True)
        try:
            node.shell.run(commands.bench(node, name))
            lines += report.bench_lines(result)
            if node.sizes.is_judged:
                failures += report.bench_faults(result)
        except Failed as why:
            failures.append(f"{name}: {why}")
    (node.out / "bench.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if failures:
        raise Failed("; ".join(failures))
    return f"{len(lines)} benchmarks of {len(node.sizes.benches)} programs"


def kernel_counters(node, _again):
    """Nsight Compute on one launch of the assembly kernel, as text: what bounds it."""
    tool = cuda_tool(node, "ncu")
    text = node.out / "ncu.txt"
    node.shell.run(commands.ncu(node, tool), stdout=text)
    found = re.findall(r"((?:Compute \(SM\)|DRAM) Throughput) +% +([\d.,]+)", text.read_text(encoding="utf-8"))
    if not found:
        raise Failed("ncu saw no launch of the kernel, or was not let to count (ncu.txt)")
    return ", ".join(f"{name} {share} %" for name, share in found)


def one_model(model, height, width):
    return "--model", model, "--image-size", f"{height}x{width}"


def measure(node, again, models, options, folder, output, of_model=lambda _: ()):
    """Profiles each (model, height, width) into a file of its own, so that an interrupted step goes on; `output` holds all that
    could be measured. `of_model` gives more options. Returns the models that could not."""
    folder.mkdir(exist_ok=True)
    if not again:
        for path in folder.glob("*.toml"):
            path.unlink()
    failed = []
    for model, height, width in models:
        path = folder / f"{model}.toml"
        if path.exists():
            continue
        part = folder / f"{model}.part.toml"
        code = node.shell.run(commands.profile(node, one_model(model, height, width), (*options, *of_model(model)), part),
                              codes=range(-64, 256))
        if code == 0:
            part.replace(path)
        else:
            failed.append(model)
            part.unlink(missing_ok=True)
    measured = [folder / f"{model}.toml" for model, _, _ in models if (folder / f"{model}.toml").exists()]
    if not measured:
        raise Failed("no model could be measured")
    output.write_text(report.merged(measured), encoding="utf-8")
    return failed


def profile(node, again):
    models = report.models_of(node.sizes.pipelines, node.root)
    node.profiles.unlink(missing_ok=True)
    failed = measure(node, again, models, node.sizes.profile, node.out / "profiles", node.profiles)
    if failed:
        raise Failed(f"{len(failed)} of {len(models)} models could not be measured: {', '.join(failed)}")
    return f"{len(models)} models"


def has_profiles(node):
    return node.profiles.exists()


def exit_counts(node):
    """{model: exit points}, as SHEPHERD's Table 4 lists them."""
    listed = report.profiles_of(node.root / "workloads" / "profiles" / "shepherd-v100.toml")
    return {model: listed[model]["exit_points"] for model in node.sizes.exit_models}


def exit_points(node, again):
    output = node.out / "exit-points.toml"
    points = exit_counts(node)
    sizes = [(model, 224, 224) for model in points]
    failed = measure(node, again, sizes, node.sizes.exit_profile, node.out / "exit-points", output,
                     lambda model: ("--exit-points", points[model]))
    table, overhead, delay = report.exit_table(report.profiles_of(output))
    (node.out / "exit-points.txt").write_text(table, encoding="utf-8")
    note = f"means over {len(sizes) - len(failed)} models: execution {overhead:.2%}, preemption {delay:.2%} of a batch"
    if failed:
        raise Failed(f"{note}; not measured: {', '.join(failed)}")
    if node.sizes.is_judged and max(overhead, delay) >= 0.05:
        raise Failed(f"{note}; asked: under 5 %")
    return note


def experiment(node, again, name, settings, ranks=1, folder=None, profiles=None):
    """Runs experiments/gpu/NAME.toml with these settings and the node's profiles, or others; returns the results."""
    command, results = commands.gpu_experiment(node, again, name, settings, ranks, folder, profiles)
    return run_experiment(node, command, results)


def run_experiment(node, command, results):
    """Leaves `harness show` of the results beside them."""
    node.shell.run(command)
    node.shell.run(commands.show(node, results), stdout=results.with_name(f"{results.stem}-show.txt"))
    return results


def one_gpu(node, again):
    experiment(node, again, "one-gpu", node.sizes.one_gpu)


def has_one_gpu(node):
    return (node.out / "one-gpu.h5").exists()


def last_line(path):
    lines = path.read_text(encoding="utf-8").strip().splitlines()
    return lines[-1] if lines else "nothing was compared"


def asked(node, tolerance):
    """The tolerance where measurements are judged."""
    return tolerance if node.sizes.is_judged else node.sizes.tolerance


def compare_runtimes(node, results, tolerance, keeps_visits=False):
    """harness compare --fidelity, as text and JUnit; its exit code decides. Where the results keep their visits also with the batch times
    that the devices had, which says whether that made the difference, and decides nothing."""
    text = results.with_name(f"{results.stem}-fidelity.txt")
    code = node.shell.run(commands.compare(node, results, tolerance), codes=(0, 1, 2), stdout=text)
    note = f"{last_line(text)} (goodput: {tolerance})"
    if keeps_visits:
        measured = results.with_name(f"{results.stem}-measured-times.txt")
        node.shell.run(commands.compare_at_measured_times(node, results, tolerance), codes=(0, 1, 2), stdout=measured)
        note += f"; with measured batch times: {last_line(measured)}"
    if code == 2 or (code == 1 and node.sizes.is_judged):
        raise Failed(note)
    return note


def fidelity(node, _again):
    return compare_runtimes(node, node.out / "one-gpu.h5", node.sizes.tolerance, keeps_visits=True)


def regress(node, again):
    """With the baseline's profiles, so that the load and the plans are the baseline's; and today's profiles beside them."""
    folder = node.baseline()
    if not (folder / "regress.h5").exists():
        raise NotHere(f"no baseline of this GPU in results/baselines/gpu/{folder.name} (ci/gpu-node renew makes one)")
    base = folder / "profiles.toml"
    results = experiment(node, again, "regress", node.sizes.one_gpu, profiles=base)
    code = node.shell.run([node.harness, "compare", folder / "regress.h5", results, "--tolerance", "slo_attainment=0.02",
                           "--tolerance", "latency_ms_p50=10%", "--tolerance", "latency_ms_p99=20%", "--junit",
                           node.out / "regress.xml"], codes=(0, 1, 2), stdout=node.out / "regress.txt")
    slower = report.slower_models(report.profiles_of(base), report.profiles_of(node.profiles), 0.05)
    (node.out / "slower.txt").write_text("".join(line + "\n" for line in slower), encoding="utf-8")
    if code == 2:
        raise Failed("not comparable with the baseline (regress.txt)")
    if not code and not slower:
        return f"as results/baselines/gpu/{folder.name}"
    note = (f"{'a regression (regress.txt)' if code else 'goodput as before'}; "
            f"{len(slower)} latencies more than 5 % longer{': ' + slower[0] if slower else ''}")
    if node.sizes.is_judged:
        raise Failed(note)
    return note


def saturation(node, again):
    results = experiment(node, again, "saturation", node.sizes.saturation)
    return compare_runtimes(node, results, asked(node, "3%"))


def eight_gpus(node, again):
    if node.device == "cuda" and len(node.gpus()) < node.sizes.node_gpus:
        raise NotHere(f"{len(node.gpus())} GPUs, {node.sizes.node_gpus} are needed")
    results = experiment(node, again, "node", node.sizes.node, ranks=2)
    return compare_runtimes(node, results, asked(node, "5%"))


def nccl_one(node, again, profiles=None):
    if node.device != "cuda":
        raise NotHere("no GPU is asked for")
    results = experiment(node, again, "nccl-one", (), profiles=profiles)
    return compare_runtimes(node, results, asked(node, "5%"))


def nccl_pair(node, again):
    if len(node.gpus()) < 2 or node.device != "cuda":
        raise NotHere("fewer than 2 GPUs are asked for")
    results = experiment(node, again, "nccl-pair", (), ranks=3)
    return compare_runtimes(node, results, asked(node, "5%"))


def make_baseline(node, again, folder):
    """The profiles that the step `profile` has measured, and experiments/gpu/regress.toml run with them."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(node.profiles, folder / "profiles.toml")
    results = experiment(node, again, "regress", node.sizes.one_gpu, profiles=folder / "profiles.toml")
    node.shell.run(commands.write_baseline(node, results, folder / "regress.h5"))
    return f"{folder}: profiles.toml and regress.h5"


def figures(node, _again):
    for results in [*sorted(node.out.glob("*.h5")), *node.out.glob("exit-points.txt")]:
        node.shell.run([node.harness, "figures", results, "-o", node.out / "figures" / results.stem])
    drawn = len(list((node.out / "figures").rglob("*.png")))
    if not drawn:
        raise Failed("nothing was drawn")
    return f"{drawn} figures"


STEPS = [
    Step("environment", "what the machine is, and what it lacks", look_around),
    Step("build", "the program, its tests and benchmarks", build, ("environment",), is_built),
    Step("tests", "unit tests", tests, ("build",)),
    Step("sanitizer", "compute-sanitizer over the tests of CUDA", sanitizer, ("build",)),
    Step("bench", "benchmarks of the device", bench, ("build",)),
    Step("profile", "latencies of the models that the experiments need", profile, ("build",), has_profiles, True),
    Step("one-gpu", "experiments/gpu/one-gpu.toml", one_gpu, ("profile",), has_one_gpu, True),
    Step("fidelity", "its simulated goodput against the measured", fidelity, ("one-gpu",)),
    Step("regress", "experiments/gpu/regress.toml against this GPU's baseline", regress, ("profile",)),
    Step("saturation", "experiments/gpu/saturation.toml", saturation, ("profile",)),
    Step("exit-points", "what preemption costs (SHEPHERD, Figure 12)", exit_points, ("build",)),
    Step("nccl-one", "experiments/gpu/nccl-one.toml: NCCL beside the batches of one GPU", nccl_one, ("profile",)),
    Step("nccl-pair", "experiments/gpu/nccl-pair.toml: tensors between two GPUs", nccl_pair, ("profile",)),
    Step("node", "experiments/gpu/node.toml: tm and lv on eight GPUs", eight_gpus, ("profile",)),
    Step("figures", "figures of the experiments", figures, ("one-gpu",)),
]
