"""What names of columns say; times beside counts: bins as long as they are apart, or refused."""

import os
import random
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from logs_testing import NEAR, LogTables, read  # noqa: E402
from logs import names  # noqa: E402
from logs.messages import text_of  # noqa: E402

# (kind, unit in s of all of them or None where it is of no account, names)
MEANINGS = (
    (names.RATE, 1,
     ("rps", "qps", "RPS", "avg_rps", "read_rps", "rate", "arrival_rate", "request_rate", "req/s", "Throughput (req/s)",
      "Request rate (req/s)", "Total requests/sec", "RequestsPerSecond", "requests per second", "rate(http_requests_total[5m])",
      "irate(http_requests_total[1m])", 'sum(rate(http_requests_total{code="200"}[5m]))', "rate(http_request_duration_seconds_count[5m])")),
    (names.RATE, 60,
     ("rpm", "qpm", "requests/min", "hits_per_min", "requests per minute", "avg rpm", "arrival rate per minute", "calls/minute")),
    (names.RATE, 3600, ("requests per hour", "invocations/h")),
    (names.RATE, 86400, ("queries per day",)),
    (names.AGGREGATE, None,
     ("krps", "kRPS", "tps", "iops", "ops/s", "Hz", "requests (k)", "requests in thousands", "kreq/s", "requests_per_10s", "requests_5m",
      "requests/m", "requests_sec", "requests_min", "requests_max", "avg_requests", "mean requests", "p99_rps", "max_rps", "peak rps",
      "rps_5m", "target_rps", "requests_pct", "% of requests", "request ratio", "num_requests_waiting", "active_requests",
      "requests in flight", "concurrent requests", "users", "connections", "concurrency", "error_rate", "success rate", "failed_rps",
      "requests_failed", "count_5xx", "error_count", "requests_403", "cancelled_requests", "completed requests per second", "tokens_total",
      "throughput", "requests per user", "images/s", "avg", "rate(node_cpu_seconds_total[5m])", "avg(rate(http_requests_total[5m]))",
      "deriv(x[5m]) rate", "rate(http_request_duration_seconds_sum[5m])", "rate(a_requests_total[5m])/rate(b_total[5m])",
      "sum(rate(http_requests_total[5m]))*60", "rate(http_request_errors_total[5m])")),
    # The reader in C++ took it for no rate.
    (names.RATE, 60, ("increase(http_requests_total[1m])",)),
    (names.COUNT, None,
     ("count", "requests", "Request Count", "num_requests", "n", "invocations", "arrivals", "number of requests", "requests per interval",
      "hits")),
    # What they count is not what arrived, or not only.
    (names.UNKNOWN, None, ("value", "completed_requests", "requests_total", "requests_2xx", "2")),
    # What one request has.
    (names.QUANTITY, None,
     ("latency_ms", "avg_latency", "tokens", "tokens/s", "request_bytes", "response_time_ms", "end_timestamp", "finish_ms", "max_tokens",
      "output_throughput", "cpu_percent")),
    (names.ATTRIBUTE, None, ("model", "status_200", "request_number", "done", "completed")),
    (names.OTHER_TIME, None, ("request_time", "ttft_ms", "request_ms", "window_time")),
    (names.GAP, None, ("inter_arrival_ms", "gap")),
    (names.TIME, None, ("time", "request_ts", "arrival_ms", "start time (s)")),
)


class NamesOfColumns(unittest.TestCase):
    def test_a_name_says_what_its_numbers_are(self):
        for kind, unit_s, columns in MEANINGS:
            for column in columns:
                with self.subTest(column):
                    found, found_unit_s = names.meaning_of(column)
                    self.assertEqual(found, kind)
                    if unit_s:
                        self.assertEqual(found_unit_s, unit_s)

    def test_ends_are_told_from_beginnings(self):
        for column in ("end_timestamp", "endTimeUnixNano", "finished_at", "completion time", "stop_time", "response_ts", "t_end", "done",
                       "closed_at", "departure"):
            self.assertTrue(names.names_end(column), column)
        for column in ("start_timestamp", "time", "arrival", "frontend_time", "backend start", "sent"):
            self.assertFalse(names.names_end(column), column)

    def test_no_rate_is_called_a_counter(self):
        for column in ("http_requests_total", "Requests Counter"):
            self.assertTrue(names.names_counter(column), column)
        for column in ("rate(http_requests_total[5m])", "total rps"):
            self.assertFalse(names.names_counter(column), column)


ROWS = 50


def timed_rows(first, step, are_stamps):
    """Returns rows "time,count": times `step` apart from `first` on, or stamps a minute apart."""
    return [(f"2024-02-29 18:{row:02d}:00.5" if are_stamps else text_of(first + row * step)) + f",{row}\n" for row in range(ROWS)]


def spoilt(rows, at, how):
    """Returns the rows with one missing, twice or in another's place."""
    if how == 0:
        return rows[:at] + rows[at + 1:]
    if how == 1:
        return [*rows[:at], rows[at - 1], *rows[at + 1:]]
    return [*rows[:at], rows[at + 1], rows[at], *rows[at + 2:]]


class TimesBesideCounts(LogTables):
    def check_header(self, header, step, are_stamps, chance):
        """Checks that rows are read as recorded, and spoilt ones refused at their line."""
        unit_s = {"t_ms,n\n": 1e-3, "minute,n\n": 60}.get(header)
        keys = {"format": "counts"}
        if not are_stamps and not unit_s:
            keys["time_unit"] = "s"
        if not header and not are_stamps:
            keys["bin_s"] = step
        rows = timed_rows(0 if unit_s or chance.random() < 0.5 else 1.7e9, step, are_stamps)
        trace, length_s = read(header + "".join(rows), **keys), step * (unit_s or 1)
        self.assertEqual(trace.counts.tolist(), list(range(ROWS)))
        self.assertAlmostEqual(trace.bin_s, 60 if are_stamps else length_s, delta=NEAR * length_s)
        for how in (0, 1, 2) * 7:
            at = chance.randrange(2, ROWS - 1)  # neither of the first two, nor the last
            wrong = header + "".join(spoilt(rows, at, how))
            line = self.refusal(wrong, **keys)
            for words in (f"t.csv:{at + (2 if header else 1)}:", " after ", "in order"):
                self.assertIn(words, line, wrong)

    def test_rows_that_are_missing_twice_or_out_of_order_are_refused(self):
        chance = random.Random(25)
        for header in ("time,n\n", "Timestamp,n\n", "minute,n\n", "t_ms,n\n", ""):
            for are_stamps in (False, True):
                for step in (0.1, 1.0, 60.0, 1000.0):
                    with self.subTest(header=header, are_stamps=are_stamps, step=step):
                        self.check_header(header, step, are_stamps, chance)


if __name__ == "__main__":
    unittest.main()
