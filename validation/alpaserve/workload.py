"""The load of AlpaServe's two measurements (alpa-projects/mms, gen_data_simulator_align.py and equal_model_case.py at bbecd1d,
suite.py at a212d71), generated as there: times in seconds."""

import random

import numpy as np

MODELS, DURATION_S, CV = 24, 200, 4
RATE_RPS = 4.739722751559026  # of model 0; 40 requests/s in all


def gamma_arrivals():
    """Set 1: (time, model) in order. A gamma renewal process each; numpy's legacy generator, seeded by the model's number."""
    requests = []
    for model in range(MODELS):
        rate = RATE_RPS * (model + 1) ** -0.5
        draw, at = np.random.RandomState(model), 0.0
        while True:
            at += draw.gamma(1 / CV**2, CV**2 / rate)
            if at >= DURATION_S:
                break
            requests.append((at, model))
    return sorted(requests)


def poisson_arrivals(seed, rate=8.0, count=480):
    """Set 2: times of one of its models, by Python's generator."""
    draw, at, times = random.Random(seed), 0.0, []
    for _ in range(count):
        at += draw.expovariate(rate)
        times.append(at)
    return times


def counted(requests):
    """How many requests at each end do not count."""
    return int(10 / (requests[-1][0] - requests[0][0]) * len(requests))
