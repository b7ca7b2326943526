"""The steps of ci/gpu-node, in their order. Each takes the node, and whether it goes on after an interruption; it returns a note for
the summary, or raises Failed or NotHere."""

import re
import shutil

import report
from prefix import outside
from problems import Failed, NotHere
from runner import Step

TOOLS = ("cmake", "ninja", "g++")


def look_around(node, _again):
    """What the machine is; what it lacks."""
    shell = node.shell
    lines = [f"device {node.device}; prefix {node.prefix or '(none)'}; {node.jobs} jobs"]
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
    """All that the machine has not, so that it can be brought at once."""
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
        if not node.gpus():
            lacks.append("nvidia-smi shows no GPU (ci/gpu-node run --device cpu tries the steps without one)")
    return lacks


def configure(node):
    options = [f"-DHARNESS_PYTHON={node.python()}", "-DHARNESS_WERROR=OFF"]
    if node.prefix:
        # The node's own h5cc would name the node's own HDF5.
        options += [f"-DCMAKE_PREFIX_PATH={node.prefix / 'usr'}", "-DHDF5_C_COMPILER_EXECUTABLE=false"]
    if node.torch_python():
        options.append(f"-DHARNESS_TORCH_PYTHON={node.torch_python()}")
    node.shell.run(["cmake", "--preset", node.sizes.preset, *options])
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
            return f"{len(elsewhere)} libraries are not of the prefix: {elsewhere[0]}"
        return "all libraries of the prefix" + ("" if nccl else ", no NCCL")
    return "" if nccl else "no NCCL"


def build(node, _again):
    note = configure(node)
    targets = ["--target", *node.sizes.targets] if node.sizes.targets else []
    node.shell.run(["cmake", "--build", node.build, "-j", node.jobs, *targets])
    devices = node.shell.output([node.harness, "list", "devices"])
    (node.out / "devices.txt").write_text(devices, encoding="utf-8")
    if not re.search(rf"^{node.sizes.device} +usable", devices, re.MULTILINE):
        raise Failed(f"harness list devices shows no usable {node.sizes.device}: {devices.strip() or 'it failed'}")
    return note


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
    run, failed, reasons = report.test_counts(junit)
    lines = [f"{count:>5}  {reason}" for reason, count in reasons.most_common()]
    (node.out / "skipped.txt").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    want = report.skipped_for_want_of_gpu(reasons)
    note = f"{run} tests, {sum(reasons.values())} cases skipped, {want} for want of a GPU"
    if failed or run == 0:
        raise Failed(f"{note}; {len(failed)} failed: {', '.join(failed[:5])}")
    if want and node.device == "cuda":
        raise Failed(note)
    return note


def sanitizer(node, again):
    """compute-sanitizer over whatever launches kernels; the tools for races and for unset memory only where no library
    of others runs beside it. Tests fail calls on purpose, and libraries probe: a call that fails is no finding. Nor is the
    clock's error, which grows with what the tool adds to each call."""
    tool = shutil.which("compute-sanitizer", path=node.shell.env["PATH"] + ":/usr/local/cuda/bin")
    if node.device != "cuda":
        raise NotHere("no GPU is asked for")
    if not tool:
        raise NotHere("compute-sanitizer was not found")
    layer = node.build / "harness" / "gpu"
    own = sorted(layer.glob("cuda/*_test"))
    others = sorted([*layer.glob("nccl/*_test"), *layer.glob("torch/*cuda*_test")])
    jobs = [("memcheck", program) for program in own + others]
    jobs += [(name, program) for name in ("racecheck", "synccheck", "initcheck") for program in own]
    passed_file = node.out / "sanitizer.txt"
    passed = passed_file.read_text(encoding="utf-8").splitlines() if again and passed_file.exists() else []
    failures = []
    for name, program in jobs:
        line = f"{name} {program.name}"
        if line in passed:
            continue
        options = ["--report-api-errors", "no"] if name == "memcheck" else []
        code = node.shell.run([tool, "--tool", name, *options, "--error-exitcode", 97, "--print-limit", 20, program,
                               "--gtest_filter=-CudaClock.*"], codes=range(-64, 256))
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
    programs = sorted({path for pattern in node.sizes.benches for path in (node.build / "bench").glob(pattern)})
    if not programs:
        raise Failed("no benchmark was built")
    lines, failures = [], []
    for program in programs:
        result = folder / f"{program.name}.json"
        result.unlink(missing_ok=True)
        try:
            node.shell.run([program, f"--benchmark_min_time={node.sizes.bench_s}", f"--benchmark_out={result}",
                            "--benchmark_out_format=json"])
            lines += report.bench_lines(result)
            if node.sizes.is_judged:
                failures += report.bench_faults(result)
        except Failed as why:
            failures.append(f"{program.name}: {why}")
    (node.out / "bench.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if failures:
        raise Failed("; ".join(failures))
    return f"{len(lines)} benchmarks of {len(programs)} programs"


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
        code = node.shell.run([node.harness, "profile", "--device", node.sizes.device, "--model", model, "--image-size",
                               f"{height}x{width}", *options, *of_model(model), "-o", part], codes=range(-64, 256))
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


def exit_points(node, again):
    output = node.out / "exit-points.toml"
    points = report.profiles_of(node.root / "workloads" / "profiles" / "shepherd-v100.toml")
    sizes = [(model, 224, 224) for model in node.sizes.exit_models]
    failed = measure(node, again, sizes, node.sizes.exit_profile, node.out / "exit-points", output,
                     lambda model: ("--exit-points", points[model]["exit_points"]))
    table, overhead, delay = report.exit_table(report.profiles_of(output))
    (node.out / "exit-points.txt").write_text(table, encoding="utf-8")
    note = f"means over {len(sizes) - len(failed)} models: execution {overhead:.2%}, preemption {delay:.2%} of a batch"
    if failed:
        raise Failed(f"{note}; not measured: {', '.join(failed)}")
    if node.sizes.is_judged and max(overhead, delay) >= 0.05:
        raise Failed(f"{note}; asked: under 5 %")
    return note


def experiment(node, again, name, sizes, ranks=1, launcher=()):
    """Runs experiments/gpu/NAME.toml; finished cells of an interrupted run are kept."""
    path = node.root / "experiments" / "gpu" / f"{name}.toml"
    if node.sizes.edits:
        text = path.read_text(encoding="utf-8")
        for old, new in node.sizes.edits:
            text = text.replace(f"values = {old}", f"values = {new}")
        path = node.out / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
    launch = ["mpirun", "-n", ranks, "--bind-to", "none", *launcher] if ranks > 1 else []
    fresh = [] if again else ["--fresh"]
    node.shell.run([*launch, node.harness, path, *node.settings(sizes), "-o", node.out, "--quiet", *fresh])
    return node.out / f"{name}.h5"


def one_gpu(node, again):
    experiment(node, again, "one-gpu", node.sizes.one_gpu)


def has_one_gpu(node):
    return (node.out / "one-gpu.h5").exists()


def last_line(path):
    lines = path.read_text(encoding="utf-8").strip().splitlines()
    return lines[-1] if lines else "nothing was compared"


def compare_runtimes(node, name, tolerance, keeps_visits=False):
    """harness compare --fidelity, as text and JUnit; its exit code decides. Where the results keep their visits also with the batch times
    that the devices had, which says whether that made the difference, and decides nothing."""
    text = node.out / f"{name}-fidelity.txt"
    code = node.shell.run([node.harness, "compare", "--fidelity", node.out / f"{name}.h5", "--tolerance",
                           f"slo_attainment={tolerance}", "--junit", node.out / f"{name}-fidelity.xml"],
                          codes=(0, 1, 2), stdout=text)
    note = f"{last_line(text)} (goodput: {tolerance})"
    if keeps_visits:
        measured = node.out / f"{name}-measured-times.txt"
        node.shell.run([node.harness, "compare", "--fidelity", node.out / f"{name}.h5", "--measured-times", "--folder",
                        "experiments/gpu", "--tolerance", f"slo_attainment={tolerance}"], codes=(0, 1, 2), stdout=measured)
        note += f"; with measured batch times: {last_line(measured)}"
    if code == 2 or (code == 1 and node.sizes.is_judged):
        raise Failed(note)
    return note


def fidelity(node, _again):
    return compare_runtimes(node, "one-gpu", node.sizes.tolerance, keeps_visits=True)


def regress(node, again):
    """With the baseline's profiles, so that the load and the plans are the baseline's; and today's profiles beside them."""
    folder = node.baseline()
    if not (folder / "regress.h5").exists():
        raise NotHere(f"no baseline of this GPU in results/baselines/gpu/{folder.name} (ci/gpu-node renew makes one)")
    base = folder / "profiles.toml"
    sizes = [*node.sizes.one_gpu, f"cluster.profiles={base}"]
    results = experiment(node, again, "regress", sizes)
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
    experiment(node, again, "saturation", node.sizes.saturation)
    return compare_runtimes(node, "saturation", "3%" if node.sizes.is_judged else node.sizes.tolerance)


def eight_gpus(node, again):
    if node.device == "cuda" and len(node.gpus()) < node.sizes.node_gpus:
        raise NotHere(f"{len(node.gpus())} GPUs, {node.sizes.node_gpus} are needed")
    experiment(node, again, "node", node.sizes.node, ranks=2)
    return compare_runtimes(node, "node", "5%" if node.sizes.is_judged else node.sizes.tolerance)


def figures(node, _again):
    for results in sorted(node.out.glob("*.h5")):
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
    Step("node", "experiments/gpu/node.toml: tm and lv on eight GPUs", eight_gpus, ("profile",)),
    Step("figures", "figures of the experiments", figures, ("one-gpu",)),
]
