"""Queues whose means are known. Times are in units of the caller's service times; a load is offered work / servers."""

from decimal import Decimal, localcontext
from math import exp, factorial, lgamma, log, pi, sqrt

import numpy as np


def poisson(mean, size):
    """P(k) for k < size."""
    return np.array([exp(k * log(mean) - mean - lgamma(k + 1)) for k in range(size)])


def stationary(chain):
    """Of a stochastic matrix."""
    equations = chain.T - np.eye(len(chain))
    equations[-1] = 1
    right = np.zeros(len(chain))
    right[-1] = 1
    return np.linalg.solve(equations, right)


def states(load, servers):
    """How many states hold all but about exp(-50) of the probability: the tail falls as exp(-2 (1 - load) n / load)."""
    return 80 + 12 * servers + int(25 / (1 - load))


def row_from(left, arrivals):
    """Of a chain: `left` stay, `arrivals` come; what lies beyond the last state is in it."""
    row = np.zeros(len(arrivals))
    row[left:] = arrivals[:len(arrivals) - left]
    row[-1] += 1 - row.sum()
    return row


def md1_wait(load, service):
    """M/D/1, Pollaczek-Khinchine."""
    return load * service / (2 * (1 - load))


def erlang_c(load, servers):
    """Probability of waiting in M/M/c."""
    offered = load * servers
    blocked = 1.0  # Erlang B, by its recursion
    for k in range(1, servers + 1):
        blocked = offered * blocked / (k + offered * blocked)
    return blocked / (1 - load * (1 - blocked))


def mmc_wait(load, servers, service):
    """M/M/c, Erlang C: the mean wait."""
    return erlang_c(load, servers) * service / (servers * (1 - load))


def mdc(load, servers, service):
    """M/D/c, Crommelin 1932: the mean wait and the probability of waiting. After a service time all who were in service are
    gone, and those in the system are max(0, n - c) and a Poisson number."""
    size = states(load, servers)
    arrivals = poisson(load * servers, size)
    present = stationary(np.array([row_from(max(0, n - servers), arrivals) for n in range(size)]))
    count = np.arange(size)
    queue = float(present @ np.maximum(0, count - servers))
    return queue * service / (load * servers), float(present[servers:].sum())


def bulk(rate, times):
    """M/D^[1,B]/1: the server takes all who wait, at most B, and one at once when it is idle; times[b - 1] is what b take. The chain
    of those who wait when a batch ends; the mean queue is its integral over a batch, by the mean time from end to end. Returns the
    mean wait, the probability of waiting and the mean latency."""
    most = len(times)
    size = states(rate * times[-1] / most, most)
    arrivals = {time: poisson(rate * time, size) for time in set(times)}
    taken = [min(max(n, 1), most) for n in range(size)]
    left = [max(n, 1) - taken[n] for n in range(size)]
    waiting = stationary(np.array([row_from(left[n], arrivals[times[taken[n] - 1]]) for n in range(size)]))
    lasts = np.array([times[b - 1] for b in taken])
    cycle = float(waiting @ lasts + waiting[0] / rate)
    queue = float(waiting @ (np.array(left) * lasts + rate * lasts**2 / 2)) / cycle
    in_service = float(waiting @ (np.array(taken) * lasts)) / cycle
    return queue / rate, 1 - float(waiting[0]) / rate / cycle, (queue + in_service) / rate


def erlang_sum(rate, x, service):
    """H(x) of M/D/1, Erlang 1909: the work that an arrival finds is at most x with probability (1 - load) H(x). Bounded queues, also
    overloaded ones, have the same H with another constant. The terms alternate, therefore the digits."""
    with localcontext() as context:
        context.prec = 120
        rate, x, service = Decimal(rate), Decimal(x), Decimal(service)
        base, step = (rate * x).exp(), (-rate * service).exp()
        total = sum((-rate * (x - k * service)) ** k / factorial(k) * step**k
                    for k in range(1, int(x / service) + 1) if x > k * service)
        return float(base * (1 + total))


def md1_quantile(load, service, share):
    """M/D/1: the wait that this share of the customers does not exceed."""
    def reached(x):
        return (1 - load) * erlang_sum(load / service, x, service) >= share
    if reached(0):
        return 0.0
    low, high = 0.0, service
    while not reached(high):
        low, high = high, 2 * high
    while high - low > 1e-6 * service:
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def md1_loss(load, service, patience):
    """M/D/1 whose customers leave unserved if they would wait longer than this (M/G/1+D): the share that leaves. An accepted one
    brings work, so 1 - p0 = load p0 H(patience); Barrer 1957, Gavish and Schweitzer 1977."""
    inside = erlang_sum(load / service, patience, service)
    return 1 - inside / (1 + load * inside)


def loss_error(lost, patience, service, customers):
    """The order of the standard error of a simulated loss, rather more. The work lies between 0 and L = patience + service and forgets
    slowest at a load of 1: as reflected Brownian motion there, in 2 (L / service)^2 / pi^2 arrivals. In overload it is
    (1 - lost) / sqrt(n): a nearly constant number is served, of a Poisson number that come."""
    forgets = 2 * ((patience + service) / service / pi) ** 2
    return sqrt(min((1 - lost) ** 2, lost * (1 - lost) * (1 + 2 * forgets)) / customers)


def quantile_factor(share):
    """How many times the relative error of the mean that of a quantile is, both of reflected Brownian motion: from the asymptotic
    variance of the time above it, 2 e (1 - e (1 + L)) with e = 1 - share and L = -log(e), over its density there."""
    beyond = 1 - share
    length = -log(beyond)
    return sqrt((1 - beyond * (1 + length)) / beyond) / length


def relative_error(load, waits, customers, service_scv=0.0):
    """The order of the standard error of a simulated mean wait, relative to it. In heavy traffic it is that of reflected Brownian motion,
    load sqrt(2 (1 + service_scv) / n) / (1 - load) (Whitt 1989); at low loads that of n `waits` exponential waits, if `waits` is the
    share of the customers who wait."""
    return sqrt((2 / waits + 2 * (1 + service_scv) * (load / (1 - load)) ** 2) / customers)
