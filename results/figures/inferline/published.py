"""What InferLine's text says of its figures' axes, each with its section. The text lost its figures, and gives no point of the others."""

# Figure 3, section 2.1: ResNet152 by device: (largest batch, or None where it is not given, requests/s of one replica).
RESNET152 = "resnet152-alone"
THROUGHPUT = {"k80": (32, 50.6), "vcpu": (None, 0.6)}
# Figure 9, section 4.3: the cost falls steeply between these SLOs, in ms.
STEEP_FALL_MS = (100, 150)
# Offered rates, in requests/s, by figure: the peak (section 6); from the planned rate to the highest (7.2 and 8).
DEMAND_RPS = {6: (300,), 10: (150, 250), "14b": (50, 100)}
# Section 7.1: the coarse-grained pipeline suffers a period of this miss rate, in %.
MISSED = {6: 100}
# Figure 6(b), section 7.1: the rate of a trace of this shape falls after this time, in s from the start of its sample.
FALL_SHAPE, FALL_S = "autoscale-dual", 1000
# Figure 14(b), section 8: from the beginning of the rise until the queues have drained, in s.
DRAINED_S = 300
WORDS = {
    6: "the peak of 300 requests/s (section 6), a time of 100 % missed, and the fall of the second load after 1000 s, counted from its sample's start (7.1)",
    10: "150 requests/s planned, 250 offered (section 7.2)",
    "14b": "from 50 to 100 requests/s, and nearly 300 s until the queues have drained (section 8)",
}


def words_of(number):
    """A sentence for captions; empty where the text gives nothing that an axis shows."""
    return f" Paper: {WORDS[number]}." if number in WORDS else ""
