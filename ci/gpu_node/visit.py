"""A short visit to a GPU node: blocks of steps in order of value, each for a call of its own. They are the steps of
`ci/gpu-node run`, some of them cut, and each builds only what it needs."""

import shlex
from dataclasses import dataclass, replace

import commands
import report
import steps
from runner import Step
from sizes import ONCE

# What block 1 measures first, so that experiments can run before the step `profile`: (models, options, settings of quickstart-torch).
_FIRST = {
    "cuda": (("--pipeline", "classifier"), ("--max-batch", "16", "--limit-s", "30"),
             ("gpu.device=cuda", 'workload.pipelines=["classifier"]', "cluster.workers=1", "planner.max_batch=16")),
    "cpu": (("--pipeline", "small"), ("--batches", "1,2,4", "--half-width", "0.2", "--limit-s", "4"),
            ("workload.duration_s=2", "live.schedule_lag_limit_ms=10000", "live.stall_limit_ms=10000")),
}

_PROGRAM = ("bin/harness",)
_KERNEL_TESTS, _NCCL_TESTS = "harness/gpu/cuda/assemble_batch_test", "harness/gpu/nccl/nccl_lane_test"
_TESTS = {
    "cuda": (_KERNEL_TESTS, "harness/gpu/gpu_devices_test", _NCCL_TESTS, "harness/gpu/torch/cuda_device_test"),
    "cpu": ("harness/gpu/assembly_test", "harness/gpu/gpu_devices_test", "harness/gpu/torch/torch_device_test"),
}


@dataclass(frozen=True)
class Block:
    what: str
    steps: tuple


def first_profiles(node):
    return node.out / "first.toml"


def first_profile_command(node):
    which, options, _ = _FIRST[node.device]
    return commands.profile(node, which, options, first_profiles(node))


def first_profile(node, _again):
    node.shell.run(first_profile_command(node))


def quickstart_command(node, again):
    settings = (f"cluster.profiles={first_profiles(node)}", *_FIRST[node.device][2])
    return commands.experiment(node, "quickstart-torch.toml", settings, node.out, again)


def quickstart(node, again):
    steps.run_experiment(node, quickstart_command(node, again), node.out / "quickstart-torch.h5")


def cut_settings(node):
    return (*node.sizes.one_gpu, ONCE)


def cut_results(node):
    return node.out / "cut" / "one-gpu.h5"


def cut_one_gpu(node, again):
    steps.experiment(node, again, "one-gpu", cut_settings(node), folder=cut_results(node).parent)


def cut_fidelity(node, _again):
    return steps.compare_runtimes(node, cut_results(node), node.sizes.tolerance, keeps_visits=True)


def baseline_folder(node):
    """To be copied to results/baselines/gpu: what a visit leaves goes into its archive."""
    return node.out / "baseline" / node.baseline().name


def baseline(node, again):
    return steps.make_baseline(node, again, baseline_folder(node))


def sanitizer_jobs(node):
    """Those of NCCL come last: its kernels may take the tools long."""
    filtered = "--gtest_filter=-CudaClock.*"
    exits = commands.profile(node, ("--model", "resnet18"), ("--exit-points", 4, "--batches", 1, "--half-width", 0.5, "--limit-s", 5),
                             node.out / "sanitized.toml")
    kernels, nccl = ([(tool, node.build / each, filtered) for tool in ("memcheck", "racecheck")] for each in (_KERNEL_TESTS, _NCCL_TESTS))
    return [*kernels, ("memcheck", *exits), *nccl]


def sanitizer(node, _again):
    """What has passed stays. Without NCCL there is no program of its tests."""
    return steps.sanitized(node, True, [job for job in sanitizer_jobs(node) if job[1].exists()])


def build_step(cuda, cpu):

    def targets(node):
        return cuda if node.device == "cuda" else cpu

    def listed(node):
        built = [] if node.bundle else [commands.configure(node), commands.build(node, targets(node))]
        return [*built, commands.list_devices(node)]

    return Step("build", "what this block runs", lambda node, again: steps.build_targets(node, again, targets(node)),
                ("environment",), lambda node: steps.are_built(node, targets(node)), limit_s=500, commands=listed)


def experiment_commands(name, settings=lambda _: (), tolerance=None, ranks=1, folder=lambda node: node.out,
                        profiles=lambda node: node.profiles):
    """Those of steps.experiment() and, with a tolerance, steps.compare_runtimes()."""

    def listed(node):
        command, results = commands.gpu_experiment(node, True, name, settings(node), ranks, folder(node), profiles(node))
        compared = [commands.compare(node, results, steps.asked(node, tolerance))] if tolerance else []
        return [command, commands.show(node, results), *compared]

    return listed


def fidelity_commands(results):
    return lambda node: [commands.compare(node, results(node), node.sizes.tolerance),
                         commands.compare_at_measured_times(node, results(node), node.sizes.tolerance)]


def profile_commands(node):
    models = report.models_of(node.sizes.pipelines, node.root)
    return [commands.profile(node, steps.one_model(*each), node.sizes.profile, node.out / "profiles" / f"{each[0]}.toml")
            for each in models]


def exit_commands(node):
    return [commands.profile(node, steps.one_model(model, 224, 224), (*node.sizes.exit_profile, "--exit-points", points),
                             node.out / "exit-points" / f"{model}.toml") for model, points in steps.exit_counts(node).items()]


def baseline_commands(node):
    folder = baseline_folder(node)
    return [*experiment_commands("regress", lambda _: node.sizes.one_gpu, profiles=lambda _: folder / "profiles.toml")(node),
            commands.write_baseline(node, node.out / "regress.h5", folder / "regress.h5")]


def known(name, limit_s, listed=None, **changes):
    """A step of `ci/gpu-node run`."""
    step = next(step for step in steps.STEPS if step.name == name)
    return replace(step, limit_s=limit_s, commands=listed, **changes)


ENVIRONMENT = known("environment", 60)
BUILD = build_step(_PROGRAM, _PROGRAM)
# What is measured stays, also where a model failed: a later call tries that one again.
PROFILE = known("profile", 420, profile_commands, run=lambda node, _: steps.profile(node, True))

BLOCKS = {
    "1": Block("Does it run, and right: kernels, clock, devices, NCCL on one GPU, an experiment", (
        ENVIRONMENT,
        build_step(_PROGRAM + _TESTS["cuda"], _PROGRAM + _TESTS["cpu"]),
        Step("tests", "unit tests of the device", lambda node, again: steps.test_programs(node, again, _TESTS[node.device]), ("build",),
             limit_s=150, commands=lambda node: [commands.unit_tests(node, each) for each in _TESTS[node.device]]),
        Step("first-profile", "latencies of the first experiments' models", first_profile, ("build",),
             lambda node: first_profiles(node).exists(), limit_s=90, commands=lambda node: [first_profile_command(node)]),
        Step("quickstart", "experiments/quickstart-torch.toml on this device", quickstart, ("first-profile",), limit_s=120,
             commands=lambda node: [quickstart_command(node, True), commands.show(node, node.out / "quickstart-torch.h5")]),
        known("nccl-one", 120, experiment_commands("nccl-one", tolerance="5%", profiles=first_profiles), needs=("first-profile",),
              run=lambda node, again: steps.nccl_one(node, again, first_profiles(node))),
    )),
    "2": Block("What a batch costs beside its network: benchmarks, and what bounds the assembly kernel", (
        ENVIRONMENT,
        build_step((*_PROGRAM, "bench/assembly_cuda_bench", "bench/device_bench"), (*_PROGRAM, "bench/assembly_bench", "bench/device_bench")),
        known("bench", 300, lambda node: [commands.bench(node, each) for each in node.sizes.benches]),
        Step("ncu", "Nsight Compute on the assembly kernel", steps.kernel_counters, ("build",), limit_s=120,
             commands=lambda node: [commands.ncu(node, "ncu")]),
    )),
    "3": Block("Profiles, and how true the simulation is: one-gpu.toml with one measurement of each cell", (
        ENVIRONMENT, BUILD, PROFILE,
        Step("one-gpu-cut", "experiments/gpu/one-gpu.toml, each cell once", cut_one_gpu, ("profile",),
             lambda node: cut_results(node).exists(), is_useful_failed=True, limit_s=240,
             commands=experiment_commands("one-gpu", cut_settings, folder=lambda node: cut_results(node).parent)),
        Step("fidelity-cut", "its simulated goodput against the measured", cut_fidelity, ("one-gpu-cut",), limit_s=60,
             commands=fidelity_commands(cut_results)),
    )),
    "4": Block("This GPU's baseline, a saturated worker by batch size, what preemption costs", (
        ENVIRONMENT, BUILD, PROFILE,
        Step("baseline", "regress.toml as this GPU's baseline, to be copied to results/baselines/gpu", baseline, ("profile",),
             lambda node: (baseline_folder(node) / "regress.h5").exists(), limit_s=200, commands=baseline_commands),
        known("saturation", 150, experiment_commands("saturation", lambda node: node.sizes.saturation, tolerance="3%")),
        known("exit-points", 320, exit_commands, run=lambda node, _: steps.exit_points(node, True)),
    )),
    "5": Block("compute-sanitizer over the project's own kernels, NCCL, and a model with exit points", (
        ENVIRONMENT,
        build_step((*_PROGRAM, _KERNEL_TESTS, _NCCL_TESTS), _PROGRAM),
        Step("sanitizer", "memcheck and racecheck", sanitizer, ("build",), limit_s=480,
             commands=lambda node: [commands.sanitize("compute-sanitizer", *job) for job in sanitizer_jobs(node)]),
    )),
    "6": Block("The rest of one-gpu.toml, five measurements of each cell; NCCL between two GPUs where there are two", (
        ENVIRONMENT, BUILD, PROFILE,
        known("one-gpu", 480, experiment_commands("one-gpu", lambda node: node.sizes.one_gpu)),
        known("fidelity", 60, fidelity_commands(lambda node: node.out / "one-gpu.h5")),
        known("nccl-pair", 400, experiment_commands("nccl-pair", tolerance="5%", ranks=3)),
    )),
}


def listing(node):
    """What to bring, and the commands of each block, as they can be typed in the repository's folder."""
    with_bundle = f" --bundle {node.bundle}" if node.bundle else ""
    lines = ["Bring: these sources, and the bundle that `ci/gpu-node pack` makes, for --bundle: the node needs a Python with the torch of",
             "that build, and nothing is built there. Without it the node has g++, CMake, Ninja, nvcc, and a Python with torch, h5py, numpy",
             "and matplotlib; where it lacks libraries, bring the archive of `ci/gpu-node fetch` for --prefix. For later blocks bring",
             "results-out/gpu-visit, or an earlier visit's archive unpacked to results-out; and the folder build, or the block builds again."]
    for number, block in BLOCKS.items():
        lines += ["", f"{number}  {block.what}", f"   ci/gpu-node visit {number} --out DIR{with_bundle}"]
        for step in block.steps:
            lines.append(f"   {step.name}{f' (at most {step.limit_s:.0f} s)' if step.limit_s else ''}")
            words = [shlex.join(str(word) for word in command) for command in (step.commands(node) if step.commands else [])]
            lines += ["       " + text.replace(f"{node.root}/", "") for text in words]
    return "\n".join(lines)
