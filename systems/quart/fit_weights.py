#!/usr/bin/env python3
"""Fits the weights of QUART's attention to simulated chains, writes them as attention.toml has them, and prints how well they and
simpler rules predict the CV of other chains (README.md, "The attention"):

    fit_weights.py FILE [--compare FILE] [--seed N] [--stages N] [--hidden N] [--training RUNS] [--held-out RUNS]

Needs the built program, numpy and h5py. The same arguments give the same runs, and with the same numpy the same file."""

import argparse
import json
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

import h5py
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
FEATURES = ["predecessor", "log_cv", "utilisation", "one_over_replicas"]
LEAK = 0.2  # as attention_pass.h has it
LEAST_CV, LARGEST_CV = 0.01, 100  # as attention_features.h has them
SETS = {"training": 0, "held_out": 1, "test": 2}  # two sets of runs share no random number
RATE_RPS = 100  # only its ratio to the stages' times matters
DURATION_S, WARM_UP_S = 20, 2
STEPS = 1500
JITTERS = {"none": 0.0, "uniform": 0.3 / 3**0.5, "exponential": 1.0}  # the CV of a visit's time
EXPERIMENT = """[workload]
pipelines = "./{name}-chain.toml"
traces = "gamma"
rates_rps = {rate}
duration_s = {duration}
seeds = {seed}
[trace.gamma]
cv = {cv!r}
[cluster]
workers = {workers}
profiles = "./{name}-profiles.toml"
jitter = "{jitter}"
jitter_fraction = 0.3
[serving]
queue = "module"
commit = "late"
[[system]]
name = "naive"
"""


@dataclass(frozen=True)
class Samples:
    """Stages with a predecessor, a row each: what the network is told, the logarithm of the CV that it is to predict, and what the
    errors are sorted by. Of the two neighbours the first is the predecessor; the second, the successor, may not be there."""

    own: np.ndarray  # features
    others: np.ndarray  # features of the neighbours
    cv: np.ndarray  # of the neighbours
    there: np.ndarray  # whether there is such a neighbour
    log_cv: np.ndarray
    input_cv: np.ndarray  # of the distribution of the gaps at the chain's entry
    service_cv: np.ndarray
    stage: np.ndarray  # place in the chain, from 0


def samples_of(cv, utilisation, replicas, input_cv=1.0, service_cv=0.0):
    """Returns the samples of one chain, from the stages' measured CVs, loads and numbers of replicas."""
    cv = np.clip(cv, LEAST_CV, LARGEST_CV)
    features = np.stack([0 * cv, np.log(cv), np.clip(utilisation, 0, 1), 1 / np.asarray(replicas)], axis=1)
    behind = np.append(features[2:], np.zeros((1, len(FEATURES))), axis=0)
    stage = np.arange(1, len(cv))
    return Samples(own=features[1:] * [0, 0, 1, 1], others=np.stack([features[:-1] + [1, 0, 0, 0], behind], axis=1),
                   cv=np.stack([cv[:-1], np.append(cv[2:], 1)], axis=1), there=np.stack([stage > 0, stage < stage[-1]], axis=1),
                   log_cv=features[1:, 1], input_cv=0 * stage + input_cv, service_cv=0 * stage + service_cv, stage=stage)


def joined(parts):
    return Samples(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Samples)))


def write_run(folder, name, rng, jitter, stages):
    """Draws a chain and writes its experiment. Returns what is known of it beforehand."""
    alike, count = rng.random() < 0.5, stages or rng.integers(2, 11)
    load, replicas = rng.uniform(0.2, 0.95, count), rng.integers(1, 9, count)
    if alike:
        load[:], replicas[:] = load[0], replicas[0]
    input_cv = 0.1 * 80**rng.random()
    modules = [f"stage-{i}" for i in range(count)]
    links = [f"pres = {json.dumps(modules[max(i - 1, 0):i])}\nsubs = {json.dumps(modules[i + 1:i + 2])}\n" for i in range(count)]
    tables = {"chain": "slo_ms = 1e7\n", "profiles": 'device = "server"\n',  # an SLO without effect: naive drops nothing
              "run": EXPERIMENT.format(name=name, rate=RATE_RPS, duration=DURATION_S, seed=rng.integers(2**31), cv=input_cv,
                                       workers=replicas.sum(), jitter=jitter)}
    for module, link, own_load, own_replicas in zip(modules, links, load.tolist(), replicas.tolist()):
        tables["chain"] += f'[[module]]\nname = "{module}"\nmodel = "{module}"\n{link}'
        tables["profiles"] += f'[[profile]]\nmodel = "{module}"\nlatency_ms = [{own_load * own_replicas * 1000 / RATE_RPS!r}]\n'
        tables["run"] += f"[module.{module}]\nworkers = {own_replicas}\n"
    for kind, text in tables.items():
        (folder / f"{name}-{kind}.toml").write_text(text, encoding="utf-8")
    return load, replicas, input_cv, JITTERS[jitter]


def measured(path, load, replicas, input_cv, service_cv):
    """Returns the samples of a run without its first tenth; None if the gaps of a stage do not vary, or are too few."""
    with h5py.File(path) as file:
        visits = file["cells/0/visits"][:]
    arrived_s = (visits["ended_ns"] - visits["queueing_ns"] - visits["wait_ns"] - visits["exec_ns"]) / 1e9
    counted = (arrived_s >= WARM_UP_S) & (arrived_s < DURATION_S)
    gaps = [np.diff(np.sort(arrived_s[counted & (visits["module"] == module)])) for module in range(len(load))]
    if any(len(own) < 2 or own.std() == 0 for own in gaps):
        return None
    rates = np.array([len(own) for own in gaps]) / (DURATION_S - WARM_UP_S)
    return samples_of([own.std() / own.mean() for own in gaps], rates / RATE_RPS * load, replicas, input_cv, service_cv)


def simulated(program, seed, kind, count, stages=0):
    """Returns the samples of `count` runs of the naive system, which serves visits one by one, from one queue per stage."""
    rng = np.random.default_rng([seed, SETS[kind]])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        runs = [write_run(folder, f"{i}", rng, list(JITTERS)[i % 3], stages) for i in range(count)]
        (folder / "suite.toml").write_text(f"suite = {json.dumps([f'{i}-run.toml' for i in range(count)])}\n", encoding="utf-8")
        words = [str(program), str(folder / "suite.toml"), "--quiet", "-o", str(folder / "out")]
        ran = subprocess.run(words, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise SystemExit(f"fit_weights.py: {program}: exit code {ran.returncode}\n{ran.stdout}{ran.stderr}")
        found = [measured(folder / f"out/{i}-run.h5", *run) for i, run in enumerate(runs)]
    return joined([samples for samples in found if samples is not None])


def parts(numbers):
    """Returns W, a for W x_i, a for W x_j, theta, f and the bias from the one vector that a fit changes."""
    hidden = len(numbers) // 7
    w, a, theta, f, bias = np.split(numbers, hidden * np.array([4, 6, 6, 7]) + [0, 0, 1, 1])
    return w.reshape(hidden, 4), a[:hidden], a[hidden:], theta[0], f, bias[0]


def attend(numbers, samples):
    """Returns W x_i, W x_j, scores, shares, x'_i and the logarithm of the CV (Eq. 4-6)."""
    w, a_own, a_others, theta, f, bias = parts(numbers)
    own, others = samples.own @ w.T, samples.others @ w.T
    scores = (own @ a_own)[:, None] + others @ a_others
    exponents = np.where(samples.there, np.where(scores > 0, scores, LEAK * scores) + theta * samples.cv, -np.inf)
    shares = np.exp(exponents - exponents.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    updated = (shares[:, :, None] * others).sum(axis=1)
    return own, others, scores, shares, updated, updated @ f + bias


def predicted_cv(numbers, samples):
    return np.clip(np.exp(attend(numbers, samples)[-1]), LEAST_CV, LARGEST_CV)


def loss_and_gradient(numbers, samples):
    """Returns the mean of the squared errors of log CV and its derivatives, by the chain rule from f back to W."""
    _, a_own, a_others, _, f, _ = parts(numbers)
    own, others, scores, shares, updated, log_cv = attend(numbers, samples)
    error = log_cv - samples.log_cv
    d_log_cv = 2 * error / len(error)
    d_shares = d_log_cv[:, None] * (others @ f)
    d_exponents = shares * (d_shares - (shares * d_shares).sum(axis=1, keepdims=True))
    d_scores = d_exponents * np.where(scores > 0, 1, LEAK)
    d_own_score = d_scores.sum(axis=1)
    d_others = (d_log_cv[:, None] * shares)[:, :, None] * f + d_scores[:, :, None] * a_others
    d_w = np.tensordot(d_others, samples.others, axes=([0, 1], [0, 1])) + np.outer(a_own, d_own_score @ samples.own)
    d_theta = (d_exponents * samples.cv).sum()
    d_a = [d_own_score @ own, np.tensordot(d_scores, others, axes=2)]
    return error @ error / len(error), np.concatenate([d_w.ravel(), *d_a, [d_theta], d_log_cv @ updated, [d_log_cv.sum()]])


def first_numbers(hidden, seed):
    """Returns normal numbers of a small spread; theta and bias are 0."""
    numbers = 0.3 * np.random.default_rng([seed, len(SETS)]).normal(size=7 * hidden + 2)
    numbers[[6 * hidden, -1]] = 0
    return numbers


def fitted(samples, hidden, seed, steps=STEPS):
    """Fits by least squares with Adam (Kingma and Ba, ICLR 2015), over all samples in each step."""
    numbers = first_numbers(hidden, seed)
    mean, square = np.zeros_like(numbers), np.zeros_like(numbers)
    for step in range(1, steps + 1):
        gradient = loss_and_gradient(numbers, samples)[1]
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        rate = 0.01 if step <= steps * 3 // 5 else 0.002
        numbers -= rate * mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return numbers


def simple_rules(samples):
    """Returns the CVs that simpler rules predict. QNA is Whitt's departure formula (1983), told the CV of the service times; the best
    constant is the geometric mean of what is to be predicted."""
    utilisation2, over_root = samples.others[:, 0, 2]**2, np.sqrt(samples.others[:, 0, 3])
    before = samples.cv[:, 0]
    qna = 1 + (1 - utilisation2) * (before**2 - 1) + utilisation2 * over_root * (samples.service_cv**2 - 1)
    logs = np.where(samples.there, np.log(samples.cv), 0).sum(axis=1)
    constant = np.exp(samples.log_cv.mean())
    return {"QNA": np.sqrt(np.maximum(qna, LEAST_CV**2)), "predecessor": before,
            "mean of neighbours": np.exp(logs / samples.there.sum(axis=1)), "constant": np.full_like(before, constant)}


def errors(cv, log_cv):
    """Returns the mean of |predicted / measured - 1|, and the root of the mean squared error of the logarithm; 0 for no samples."""
    by = np.log(cv) - log_cv if len(cv) else np.zeros(1)
    return np.abs(np.expm1(by)).mean(), np.sqrt((by**2).mean())


def error_table(rules, samples):
    """Yields the lines of a Markdown table of errors: over all samples, by input CV, by how execution times scatter, of the second
    stages, where the CV changes most, and of the last stages, whose only neighbour is their predecessor."""
    columns = {"all": samples.stage > 0}
    for name, least, end in (("0.1-0.3", 0, 0.3), ("0.3-1", 0.3, 1), ("1-2", 1, 2), ("2-4", 2, 4), ("4-8", 4, np.inf)):
        columns[name] = (samples.input_cv >= least) & (samples.input_cv < end)
    columns |= {name: samples.service_cv == cv for name, cv in zip(("as profiled", "+- 30 %", "exponential"), JITTERS.values())}
    columns |= {"second stages": samples.stage == 1, "last stages": ~samples.there[:, 1]}
    yield f"| mean relative error | {' | '.join(columns)} | log RMS |"
    yield "|---" * (len(columns) + 2) + "|"
    for name, cv in rules.items():
        relative = [100 * errors(cv[rows], samples.log_cv[rows])[0] for rows in columns.values()]
        yield f"| {name} | {' | '.join(f'{error:.1f} %' for error in relative)} | {errors(cv, samples.log_cv)[1]:.3f} |"
    yield f"| samples | {' | '.join(str(rows.sum()) for rows in columns.values())} | |"


def toml_list(numbers):
    words = [repr(number) for number in numbers.tolist()]
    return "[" + ",\n  ".join(", ".join(words[i:i + 4]) for i in range(0, len(words), 4)) + "]"


def weights_text(numbers, stages, given, origin):
    """Returns the text of the file: the options that make it, the weights, and the runs that they were fitted to."""
    w, a_own, a_others, theta, f, bias = parts(numbers)
    weights = {"stages": stages, "features": json.dumps(FEATURES), "hidden": len(f), "theta": float(theta), "bias": float(bias),
               "w": toml_list(w.ravel()), "a": toml_list(np.append(a_own, a_others)), "f": toml_list(f)}
    lines = ["# Weights of QUART's attention (section 5.2, Eq. 4-6), fitted to simulated chains; systems/quart/README.md says how.",
             f"# The command that makes this file:\n#     systems/quart/fit_weights.py FILE {given}",
             *(f"{key} = {value}" for key, value in weights.items()),
             "\n# Errors: root of the mean squared error of the logarithm; mean of |predicted / measured - 1|.\n[fitted]",
             *(f"{key} = {value}" for key, value in origin.items())]
    return "\n".join(lines) + "\n"


def read_weights(path, stages):
    """Returns the numbers of a file, which must be for any chains or for those of so many stages; 0: only files for any chains."""
    kept = tomllib.loads(path.read_text(encoding="utf-8"))
    for key, allowed in {"features": [FEATURES], "stages": sorted({0, stages})}.items():
        if kept[key] not in allowed:
            raise SystemExit(f"fit_weights.py: {path}: {key}: found {kept[key]}; allowed: {allowed}")
    return np.array([*kept["w"], *kept["a"], kept["theta"], *kept["f"], kept["bias"]], dtype=float)


def options_of(words):
    parser = argparse.ArgumentParser(prog="fit_weights.py", description="Fits the weights of QUART's attention.")
    parser.add_argument("file", type=Path, metavar="FILE", help="gets the weights, TOML")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="print the errors of this file's weights, too")
    parser.add_argument("--seed", type=int, default=1, help="of the simulated runs and the first weights (%(default)s)")
    parser.add_argument("--stages", type=int, default=0, help="of all chains, and then for no others; 0: 2 to 10 (%(default)s)")
    parser.add_argument("--hidden", type=int, default=6, help="components of W x (%(default)s)")
    parser.add_argument("--training", type=int, default=1000, metavar="RUNS", help="to fit to (%(default)s)")
    parser.add_argument("--held-out", type=int, default=500, metavar="RUNS", help="to judge by (%(default)s)")
    parser.add_argument("--harness", type=Path, default=ROOT / "build/release/bin/harness", help="simulates the runs")
    options = parser.parse_args(words)
    if options.seed < 0 or options.stages not in {0, *range(2, 65)} or min(options.hidden, options.training, options.held_out) < 1:
        parser.error("allowed: --seed from 0 on; --stages 0, or 2 to 64; --hidden, --training and --held-out from 1 on")
    return options


def main(words):
    options = options_of(words)
    compared = {options.compare: read_weights(options.compare, options.stages)} if options.compare else {}
    sets = {"training": options.training, "held_out": options.held_out}
    samples = {name: simulated(options.harness, options.seed, name, runs, options.stages) for name, runs in sets.items()}
    numbers = fitted(samples["training"], options.hidden, options.seed)
    origin = {"seed": options.seed, "steps": STEPS, "requests_per_run": RATE_RPS * DURATION_S}
    for name, runs in sets.items():
        relative, log_rms = errors(predicted_cv(numbers, samples[name]), samples[name].log_cv)
        origin |= {f"{name}_runs": runs, f"{name}_samples": len(samples[name].stage),
                   f"{name}_log_rms": f"{log_rms:.4f}", f"{name}_relative": f"{relative:.4f}"}
    given = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in vars(options).items() if isinstance(value, int))
    options.file.write_text(weights_text(numbers, options.stages, given, origin), encoding="utf-8")
    rules = {name: predicted_cv(own, samples["held_out"]) for name, own in ({"attention": numbers} | compared).items()}
    print("\n".join(error_table(rules | simple_rules(samples["held_out"]), samples["held_out"])))


if __name__ == "__main__":
    main(sys.argv[1:])
