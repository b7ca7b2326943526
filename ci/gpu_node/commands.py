"""The commands of the steps, each a list of words: what a step runs, and what `visit --list` prints."""

from pathlib import Path


def configure(node):
    options = [f"-DHARNESS_PYTHON={node.python()}"]
    if not (node.build / "CMakeCache.txt").exists():  # a build that is there keeps its flags: nothing is compiled anew
        options.append("-DHARNESS_WERROR=OFF")
    if node.prefix:
        # The node's own h5cc would name the node's own HDF5.
        options += [f"-DCMAKE_PREFIX_PATH={node.prefix / 'usr'}", "-DHDF5_C_COMPILER_EXECUTABLE=false"]
    if node.torch_python():
        options.append(f"-DHARNESS_TORCH_PYTHON={node.torch_python()}")
    return ["cmake", "--preset", node.sizes.preset, *options]


def build(node, targets):
    return ["cmake", "--build", node.build, "-j", node.jobs, *(["--target", *targets] if targets else [])]


def list_devices(node):
    return [node.harness, "list", "devices"]


def unit_tests(node, target):
    """A program of unit tests as one process: on a GPU each process takes a second before its first call."""
    return [node.build / target, f"--gtest_output=xml:{node.out / 'tests' / Path(target).name}.xml"]


def bench(node, name):
    return [node.build / "bench" / name, f"--benchmark_filter={node.sizes.bench_filter}",
            f"--benchmark_min_time={node.sizes.bench_s}", f"--benchmark_out={node.out / 'bench' / name}.json",
            "--benchmark_out_format=json"]


def ncu(node, tool):
    return [tool, "--set", "full", "--kernel-name", "regex:assemble", "--launch-skip", 2, "--launch-count", 1,
            node.build / "bench" / "assembly_cuda_bench", "--benchmark_filter=assemble_on_gpu/32/", "--benchmark_min_time=0.001"]


def sanitize(tool, name, program, *words):
    """Tests fail calls on purpose, and libraries probe: a call that fails is no finding."""
    options = ["--report-api-errors", "no"] if name == "memcheck" else []
    return [tool, "--tool", name, *options, "--error-exitcode", 97, "--print-limit", 20, program, *words]


def profile(node, which, options, output):
    return [node.harness, "profile", "--device", node.sizes.device, *which, *options, "-o", output]


def experiment(node, path, settings, folder, again, ranks=1):
    """Of experiments/; finished cells of an interrupted run are kept."""
    launch = ["mpirun", "-n", ranks, "--bind-to", "none"] if ranks > 1 else []
    words = [word for setting in settings for word in ("--set", setting)]
    return [*launch, node.harness, node.root / "experiments" / path, *words, "-o", folder, "--quiet", *([] if again else ["--fresh"])]


def gpu_experiment(node, again, name, settings, ranks=1, folder=None, profiles=None):
    """(command, results) of experiments/gpu/NAME.toml; the profiles are those that the step `profile` has measured, or others."""
    folder = folder or node.out
    settings = (f"cluster.profiles={profiles or node.profiles}", *settings)
    return experiment(node, f"gpu/{name}.toml", settings, folder, again, ranks), folder / f"{name}.h5"


def show(node, results):
    return [node.harness, "show", results]


def compare(node, results, tolerance):
    return [node.harness, "compare", "--fidelity", results, "--tolerance", f"slo_attainment={tolerance}", "--junit",
            results.with_name(f"{results.stem}-fidelity.xml")]


def compare_at_measured_times(node, results, tolerance):
    return [node.harness, "compare", "--fidelity", results, "--measured-times", "--folder", "experiments/gpu", "--tolerance",
            f"slo_attainment={tolerance}"]


def write_baseline(node, results, baseline):
    return [node.python(), node.root / "ci" / "write_baseline.py", results, baseline]
