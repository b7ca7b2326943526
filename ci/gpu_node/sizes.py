"""How large the steps are: on a GPU, and on processor cores, where they are only tried out."""

from dataclasses import dataclass, replace

# SHEPHERD's Table 4: what its Figure 12 shows.
TABLE_4 = ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152", "resnest50", "resnest101", "resnest200", "resnest269",
           "densenet121", "densenet161", "densenet169", "densenet201", "googlenet", "inception_v3", "rcnn", "bert")

# Settings of a sweep's key put these values in the place of the experiment's.
ONCE, TWICE = "live.repeat=[1]", "live.repeat=[1,2]"


@dataclass(frozen=True)
class Sizes:
    device: str  # as `harness profile --device` has it
    preset: str
    targets: tuple  # what is built; none: everything
    tests: str  # folder of the build whose unit tests run; "": all
    benches: tuple  # the programs below bench/
    bench_filter: str  # which of their benchmarks
    bench_s: float  # least time of each benchmark
    profile: tuple  # options of harness profile
    pipelines: tuple  # whose models are profiled
    exit_models: tuple
    exit_profile: tuple
    one_gpu: tuple  # options of harness, as in the next ones
    saturation: tuple
    node: tuple
    node_gpus: int
    tolerance: str  # of the simulated goodput
    is_judged: bool  # whether the measurements are held to what is asked of them


GPU = Sizes(
    device="cuda:0",
    preset="cuda",
    targets=(),
    tests="",
    benches=("assembly_cuda_bench", "device_bench"),
    bench_filter="-saturate_cpu",
    bench_s=0.5,
    profile=("--max-batch", "64", "--half-width", "0.01", "--limit-s", "40"),
    pipelines=("tm", "lv", "classifier", "detector"),
    exit_models=TABLE_4,
    exit_profile=("--batches", "1,2,4,8,16,32,64,128", "--limit-s", "25"),
    one_gpu=(),
    saturation=(),
    node=(),
    node_gpus=8,
    tolerance="2%",
    is_judged=True,
)

_CPU_RUN = ("gpu.device=cpu", "live.schedule_lag_limit_ms=10000", "live.stall_limit_ms=10000")

CPU = Sizes(
    device="cpu",
    preset="release",
    targets=("harness", "harness/gpu/all", "assembly_bench"),
    tests="harness/gpu",
    benches=("assembly_bench",),
    bench_filter="-saturate_cuda",
    bench_s=0.05,
    profile=("--batches", "1,2", "--half-width", "0.2", "--limit-s", "4"),
    pipelines=("tm", "classifier"),
    exit_models=("resnet18", "googlenet"),
    exit_profile=("--batches", "1,2", "--half-width", "0.2", "--limit-s", "4"),
    one_gpu=(*_CPU_RUN, TWICE, 'workload.pipelines=["classifier"]', "workload.slo_ms=[3000]", "workload.duration_s=1"),
    saturation=(*_CPU_RUN, TWICE, "module.classification.batch=[1,2]", "workload.duration_s=1", "workload.slo_ms=[20000]"),
    node=(*_CPU_RUN, TWICE, 'workload.pipelines=["tm"]', 'workload.traces=["poisson"]', "workload.loads=[0.3]", "workload.slo_ms=[20000]",
          "workload.duration_s=2", "cluster.workers=3", "live.gpus_per_rank=3"),
    node_gpus=0,
    tolerance="1000%",
    is_judged=False,
)

# Of a visit of half an hour (visit.py): as above, and cut where the whole would not fit.
GPU_VISIT = replace(
    GPU,
    exit_profile=("--batches", "1,8,32,128", "--limit-s", "10"),
    saturation=(TWICE, "module.classification.batch=[1,4,16,64]", "workload.duration_s=8"),
)
CPU_VISIT = replace(CPU, benches=("assembly_bench", "device_bench"))
