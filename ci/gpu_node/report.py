"""What the steps read from the files that they leave: test reports, benchmarks, profiles; and the archive of it all."""

import io
import json
import re
import tarfile
import tomllib
import xml.etree.ElementTree
from collections import Counter

from problems import Failed

# How a test says that it skips for want of a GPU (harness/gpu/cuda/cuda_gpus.h: why_no_cuda_device).
WANT_OF_GPU = re.compile(r"no GPU|no CUDA|driver version|driver shows no device|device is (un)?available", re.IGNORECASE)


def test_counts(junit):
    """(run, failed names, Counter of the reasons of skipped cases) of a JUnit report: CTest's, in which a program that is one
    entry may skip some of its cases, so what the programs printed counts; or GoogleTest's own."""
    cases = xml.etree.ElementTree.parse(junit).getroot().iter("testcase")
    run, failed, reasons = 0, [], Counter()
    for case in cases:
        run += 1
        if case.get("status") == "fail" or case.find("failure") is not None:
            failed.append(case.get("name"))
        text = "\n".join(part.text or "" for part in case.iter("system-out"))
        found = re.findall(r": Skipped\n(.*)", text)
        found += [each.get("message").partition("\n")[2] for each in case.iter("skipped") if "\n" in each.get("message", "")]
        reasons.update(line.strip() or "no reason" for line in found)
        if not found and case.get("status") in ("notrun", "disabled", "skipped"):
            reasons["no reason"] += 1
    return run, failed, reasons


def skipped_for_want_of_gpu(reasons):
    return sum(count for reason, count in reasons.items() if WANT_OF_GPU.search(reason))


def bench_lines(report):
    """A line for each benchmark of a Google Benchmark report; Failed when one has failed or there is none."""
    lines = []
    for bench in json.loads(report.read_text(encoding="utf-8")).get("benchmarks", []):
        if bench.get("error_occurred"):
            raise Failed(f"{bench['name']}: {bench.get('error_message', 'an error')}")
        known = {"real_time", "cpu_time", "iterations", "repetitions", "repetition_index", "family_index",
                 "per_family_instance_index", "threads"}
        counters = [f"{key}={value:.4g}" for key, value in bench.items() if isinstance(value, (int, float)) and key not in known]
        lines.append(" ".join([f"{bench['name']} {bench['real_time']:.4g} {bench['time_unit']}", *counters]))
    if not lines:
        raise Failed(f"{report.name}: no benchmark in it")
    return lines


def bench_faults(report):
    """What of a benchmark report of a GPU falls short of what is asked, a line each: 97 % of a bare loop and 20 us of the host's
    work for a batch of a worker that submits full batches ahead, as in a run, without exit points; 80 % of a copy's bandwidth for
    batches of 32 and more. What a worker loses that submits when a batch has ended (`_late`) stands in the report alone."""
    faults = []
    for bench in json.loads(report.read_text(encoding="utf-8")).get("benchmarks", []):
        name = bench["name"]
        if name.startswith("saturate_cuda/") and name.split("/")[1].endswith("_worker"):
            host_us = bench["submit_us"] + bench["handling_us"]
            if bench["of_bare"] < 0.97:
                faults.append(f"{name}: {bench['of_bare']:.1%} of a bare loop, asked 97 %")
            if host_us >= 20:
                faults.append(f"{name}: {host_us:.1f} us of the host's work for a batch, asked under 20")
        if name.startswith("assemble_on_gpu/") and int(name.split("/")[1]) >= 32 and bench["of_copy"] < 0.8:
            faults.append(f"{name}: {bench['of_copy']:.1%} of a copy's bandwidth, asked 80 %")
    return faults


def models_of(pipelines, root):
    """[(model, height, width)] of the pipelines: each model with the largest images that it gets."""
    found = {}
    for pipeline in pipelines:
        path = root / "workloads" / "pipelines" / f"{pipeline}.toml"
        for module in tomllib.loads(path.read_text(encoding="utf-8"))["module"]:
            height, width = module["input_size"]
            before = found.get(module["model"], (0, 0))
            if height * width > before[0] * before[1]:
                found[module["model"]] = (height, width)
    return [(model, *size) for model, size in found.items()]


def merged(paths):
    """One set of profiles of several with a model each; what stands above the profiles is that of the first."""
    parts = []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        begin = text.index("[[profile]]")
        parts.append(text[begin if parts else 0:].strip())
    return "\n\n".join(parts) + "\n"


def profiles_of(path):
    return {each["model"]: each for each in tomllib.loads(path.read_text(encoding="utf-8"))["profile"]}


def slower_models(base, now, tolerance):
    """["MODEL at BATCH: +x %"]: what takes longer by more than `tolerance` of the baseline's median, or is missing."""
    slower = []
    for model, before in base.items():
        if model not in now:
            slower.append(f"{model} is missing")
            continue
        latency = dict(zip(now[model]["batch"], now[model]["latency_ms"]))
        for batch, old in zip(before["batch"], before["latency_ms"]):
            if batch not in latency:
                slower.append(f"{model} at {batch} is missing")
            elif latency[batch] > old * (1 + tolerance):
                slower.append(f"{model} at {batch}: {latency[batch] / old - 1:+.1%}")
    return slower


def exit_table(profiles):
    """(the table as text, mean overhead, mean delay): SHEPHERD's Figure 12, as shares of a batch's time."""
    rows = [(model, profile["exit_points"], profile["measured"]["exit_overhead"], profile["measured"]["preemption_delay"])
            for model, profile in profiles.items()]
    overhead, delay = (sum(row[column] for row in rows) / len(rows) for column in (2, 3))
    lines = [f"{'model':<14} {'exit points':>11} {'exit overhead':>16} {'preemption delay':>17}"]
    lines += [f"{model:<14} {points:>11} {extra:>16.2%} {wait:>17.2%}" for model, points, extra, wait in rows]
    lines.append(f"{'mean':<14} {'':>11} {overhead:>16.2%} {delay:>17.2%}")
    return "\n".join(lines) + "\n", overhead, delay


# In the order in which they go into the archive while it has room.
PACKED = ["summary.txt", "state.json", "environment.txt", "profiles.toml", "exit-points.toml", "exit-points.txt", "*.xml", "*.txt",
          "bench/*.json", "baseline/*/*", "*.h5", "cut/*.*", "*.toml", "profiles/*.toml", "exit-points/*.toml", "tests/*.xml",
          "figures/**/*", "logs/*.log"]
LOG_BYTES = 200_000


def pack(folder, archive, limit_bytes):
    """Packs what is worth bringing back, logs from their ends; returns the names left out for want of room."""
    files = dict.fromkeys(path for pattern in PACKED for path in sorted(folder.glob(pattern)) if path.is_file())
    left_out, size = [], 0
    temporary = archive.with_name(archive.name + ".tmp")
    with tarfile.open(temporary, "w:xz", preset=3) as tar:
        for path in files:
            content = path.read_bytes()
            if path.suffix == ".log":
                content = content[-LOG_BYTES:]
            # What compresses at all compresses by more than half; HDF5 and PNG files hardly do.
            cost = len(content) if path.suffix in (".h5", ".png") else len(content) // 2
            if size + cost > limit_bytes:
                left_out.append(path.relative_to(folder).as_posix())
                continue
            size += cost
            entry = tarfile.TarInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime, entry.mode = len(content), int(path.stat().st_mtime), 0o644
            tar.addfile(entry, io.BytesIO(content))
    temporary.replace(archive)
    return left_out
