"""Logs that would be read as another quantity: rates as counts, ends or times as arrivals or
counts, local times as UTC, one column for another."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from logs_testing import LogTables, counts, refused, times  # noqa: E402

RATE = "rate(http_requests_total[5m])"
NO_COUNT = "found by its name neither requests of a bin nor a rate of them in column '"
BY_NAME = 'in a column named for it (requests, rps, "requests per minute")'
PER_SECOND = [3600, 5400, 1800]  # 180 s at 60/s on average: 10,800


def three(column):
    """Returns three minutes of 60, 90 and 30."""
    return f"time,{column}\n2024-05-01 10:00:00,60\n2024-05-01 10:01:00,90\n2024-05-01 10:02:00,30\n"


def rate(name, column, values, /, **keys):
    return counts(name, three(column), values, 60, "requests per ", **keys)


RATES = (
    rate("throughput", "Throughput (req/s)", PER_SECOND),
    rate("throughput_by_name", "Throughput (req/s)", PER_SECOND, format="counts"),
    rate("of_a_counter", RATE, PER_SECOND),
    rate("of_a_counter_as_counts", RATE, PER_SECOND, format="counts"),
    rate("of_a_counter_chosen", RATE, PER_SECOND, column="2"),
    rate("per_minute", "rpm", [60, 90, 30]),
    rate("per_hour", "requests per hour", [1, 1.5, 0.5]),
    refused("rate_as_counter", three(RATE),
            "column: found a rate, which is no counter, in column 'rate(http_requests_total[5m])'; allowed: format = \"counts\"",
            format="counter"),
    refused("rps_as_counter", three("total_rps"), "no counter", format="counter", column="total_rps"),
    refused("thousands", three("krps"), "times beside krps, by name neither requests of a bin nor a rate of them"),
    refused("thousands_chosen", three("krps"), NO_COUNT + "krps'; allowed: requests of a bin or a rate " + BY_NAME, column="krps"),
    refused("thousands_as_counts", three("requests(k)"), NO_COUNT, format="counts"),
    refused("thousands_as_a_counter", three("requests(k)"), NO_COUNT, format="counter"),
    refused("gauge", three("active_requests"), BY_NAME),
    refused("gauge_chosen", three("users"), NO_COUNT, column="users"),
    refused("mean", three("avg_requests"), NO_COUNT, column="2"),
    refused("bytes", three("request_bytes"), NO_COUNT, column="request_bytes"),
    refused("latency", three("latency_ms"), NO_COUNT, column="2"),
    refused("uneven_rates", "time,tps\n2024-05-01 10:00:00,60\n2024-05-01 10:00:59,90\n", BY_NAME),
    refused("rates_without_times", "krps\n60\n90\n", BY_NAME),
    refused("state_in_a_log", "arrival_s,model,active_requests\n0.5,a,3\n0.75,b,4\n", BY_NAME),
    times("state_in_a_log_read", "arrival_s,model,active_requests\n0.5,a,3\n0.75,b,4\n", [0.5, 0.75], "'arrival_s'", format="times"),
    times("duration_in_a_log", "arrival_s,ttft_ms\n0.5,3\n0.75,4\n", [0.5, 0.75], "'arrival_s'"),
    counts("counts_beside_others", "time,requests,error_rate,p99_ms\n2024-05-01 10:00,5,0.1,7\n2024-05-01 10:01,6,0,8\n", [5, 6], 60,
           "'requests'"),
    times("speed_in_a_log", "arrival_s,output_throughput\n0.5,31.5\n0.75,29\n", [0.5, 0.75], "'arrival_s'"),
    # Numbers with fractions count nothing, unless a name says so.
    # The reader in C++ knew no format = "rates".
    refused("rates_without_names", "0,1.33,8.6,a\n600,0,0,\n1200,0.27,6.0,b\n",
            "column: found '1.33' in column 2, which may be a rate; allowed: "
            'format = "rates" with rate_unit (s, minute, hour or day), or whole numbers', column="2", time_column="1", time_unit="s"),
    counts("rates_with_names", "time_s,rps,cv,shape\n0,1.33,8.6,a\n600,0,0,\n1200,0.27,6.0,b\n", [798, 0, 162], 600,
           "requests per s in column 'rps'"),
    refused("fractions_of_a_counter", three("value") + "2024-05-01 10:03:00,30.5\n", "'30.5' in column 'value'", format="counter"),
    refused("fractions_alone", "0.5\n1.5\n0.25\n", "'0.5' in the column, which may be a rate", format="counts", bin_s=1),
    counts("fractions_by_name", "requests\n0.5\n1.5\n0.25\n", [0.5, 1.5, 0.25], 1, "'requests'", bin_s=1),
    counts("whole_numbers_with_points", three("value") + "2024-05-01 10:03:00,30.0\n", [60, 90, 30, 30], 60, "'value'", column="value"),
)

FUNCTIONS = "day,time,0,1,2\n0,0,5,,1\n0,60,7,,2\n0,120,3,3,0\n"

COLUMNS = (
    refused("number_and_name", FUNCTIONS, "column: found '2', which fits columns 2 (time), 5 (2); allowed: \"5\"", column="2",
            time_column="time", time_unit="s"),
    counts("position", FUNCTIONS, [1, 2, 0], 60, "column '2'", column="5", time_column="time", time_unit="s"),
    counts("name_that_is_no_position", FUNCTIONS, [5, 7, 3], 60, "column '0'", column="0", time_column="time", time_unit="s"),
    refused("positions_that_are_names_too", "time_s,3,2,x\n0,1,2,3\n60,1,2,3\n",
            "'3', which fits columns 2 (3), 3 (2); allowed: one of #2, #3", column="3"),
    counts("position_alone", "time_s,3,2,x\n0,1,2,3\n60,1,2,4\n", [1, 1], 60, "column '3'", column="#2"),
    counts("range_of_positions", "time_s,3,2,x\n0,1,2,3\n60,1,2,4\n", [6, 7], 60, "column '3', column '2', column 'x'", column="#2-4"),
    counts("name_at_its_position", "time_s,2\n0,7\n60,8\n", [7, 8], 60, "column '2'", column="2"),
    refused("name_twice", "time_s,a,a\n0,1,2\n60,1,2\n", "'a', which fits columns 2 (a), 3 (a); allowed: one of 2, 3", column="a"),
    refused("time_twice", "t_s,t_s,m\n0,1,a\n", "'t_s', which fits columns 1 (t_s), 2 (t_s); allowed: one of 1, 2", time_column="t_s"),
    refused("requests_twice", "time_s,requests,requests\n0,1,2\n60,1,2\n", "2 columns of counts; allowed: column = one of 2, 3"),
    refused("time_number_and_name", "2,time_s,n\n0,5,2\n",
            "time_column: found '2', which fits columns 1 (2), 2 (time_s); allowed: one of 1, time_s", time_column="2"),
    # The times are no counts, whoever says so.
    refused("times_chosen", FUNCTIONS, "column: found times in column 'time'", column="time", time_unit="s"),
    refused("times_chosen_twice", "a,b\n0,5\n60,6\n", "found times in column 'a'", column="a", time_column="a", time_unit="s"),
    refused("counts_chosen_as_times", "requests\n0\n60\n", "found times in column 'requests'", format="counts", time_column="requests",
            bin_s=60),
    refused("times_by_position", "time,n\n5,1\n5,2\n", "found times in column 'time'", column="1", bin_s=1),
    refused("times_as_a_counter", "time_s,n\n5,1\n6,2\n", "found times in column 'time_s'", format="counter", column="1"),
    refused("times_beside_times", "time_s,start_s,n\n5,1,2\n6,2,2\n", "found times in column 'start_s'", column="start_s"),
    refused("gaps_chosen", "time_s,gap_ms\n5,1\n6,2\n", "found times in column 'gap_ms'", column="2"),
    refused("ends_chosen", "n,end_timestamp\n5,1714557600\n6,1714557660\n", NO_COUNT, column="2"),
    refused("since_1970", "x,y\n1714557600,7\n1714557660,8\n", "found times in column 'x'", column="x", bin_s=60),
    refused("even_without_names", "0,5\n60,7\n120,4\n", "numbers that rise by 60 in column 1, as times do", column="1", bin_s=60),
    refused("even_counter_without_names", "0,5\n60,7\n120,4\n", "rise by 60 in column 1", format="counter", column="1", bin_s=60),
    counts("ramp_before_times", "10,0\n20,60\n30,120\n", [10, 20, 30], 60, "column 1", column="1", time_column="2", time_unit="s"),
)

CONTRADICTIONS = (
    refused("unit", "arrival_ms,m\n5,a\n7,b\n", "time_unit: found s for column 'arrival_ms', whose name says ms; allowed: no such key",
            time_unit="s"),
    refused("unit_of_gaps", "gap_ms\n5\n7\n", "found s for column 'gap_ms'", time_unit="s"),
    times("same_unit", "arrival_ms,m\n5,a\n7,b\n", [0.005, 0.007], "(ms)", time_unit="ms"),
    times("unit_by_size", "time_s,m\n1714557600005,a\n1714557600007,b\n", [0, 0.002], "'time_s'", time_unit="ms"),
    refused("counts_as_times", "requests\n5\n7\n", "time_column: found numbers of requests in column 'requests'; allowed: times",
            format="times"),
    refused("rates_as_times", "rps,m\n5,a\n7,b\n", "found numbers of requests in column 'rps'", format="times", time_column="rps"),
    times("arrivals_as_times", "arrivals\n0.5\n7\n", [0.5, 7], "(s)", format="times", time_unit="s"),
    counts("seconds_of_minutes", "minute,n\n0,7\n60,8\n", [7, 8], 60, "bins of 60 s", time_unit="s"),
    refused("counts_as_gaps", "count\n5\n7\n", "found numbers of requests", format="gaps"),
    refused("gaps_as_times", "gap_s\n5\n7\n", "format: found gaps in column 'gap_s'; allowed: format = \"gaps\"", format="times"),
    # A name that says nothing is no count until somebody says so.
    refused("short_names", three("lat"), BY_NAME),
    refused("other_names", three("temperature"), BY_NAME),
    refused("failures", three("requests_failed"), BY_NAME),
    refused("statuses", three("count_5xx"), BY_NAME),
    refused("one_status", three("requests_503"), BY_NAME),
)

INVOCATIONS = "app,end_timestamp,duration\na,10.25,8\nb,11,0.5\n"

ENDS = (
    # The reader in C++ refused these three; now the durations beside ends give the starts.
    times("chosen", INVOCATIONS, [2.25, 10.5], "starts in column 'end_timestamp' less column 'duration' (s)",
          time_column="end_timestamp", time_unit="s"),
    times("chosen_by_position", INVOCATIONS, [2.25, 10.5], "less column 'duration'", time_column="2", time_unit="s"),
    times("found_dates", "stop_time,latency_ms,m\n2024-05-01 10:00:00.5,3,a\n2024-05-01 10:00:01,7,b\n", [0, 0.496],
          "less column 'latency_ms' (ms)"),
    refused("beside_starts", "start_s,end_s,m\n0,1,a\n2,2,b\n", 'allowed: time_column = "start_s"', time_column="end_s"),
    times("starts", "start_s,end_s,m\n0,1,a\n2,2,b\n", [0, 2], "'start_s'", time_column="start_s"),
    refused("alone", "finished_at,m\n2024-05-01 10:00:00,a\n2024-05-01 10:00:01,b\n", "allowed: the times at which requests arrived",
            time_column="finished_at"),
    refused("response_times", "request_id,response_time,latency_ms\n1,5,3\n", "found ends of requests", time_column="response_time",
            time_unit="s", format="times"),
    counts("of_bins", "window_end,requests\n2024-05-01 10:01,5\n2024-05-01 10:02,6\n", [5, 6], 60, "'requests'"),
)

BELOW_ONES = "without an offset from UTC below dates with one; allowed: an offset (+02:00, Z)"

OFFSETS = (
    refused("missing", "timestamp,m\n2024-05-01T10:00:00+02:00,a\n2024-05-01 10:00:02,b\n",
            "t.csv:3: timestamp: found '2024-05-01 10:00:02' " + BELOW_ONES),
    refused("missing_said", "timestamp,m\n2024-05-01T10:00:00Z,a\n2024-05-01 10:00:02,b\n", BELOW_ONES, format="times"),
    refused("added", "2024-05-01 10:00:00\n2024-05-01 10:00:02 UTC\n",
            "t.csv:2: column 1: found '2024-05-01 10:00:02 UTC' with an offset from UTC below dates without one"),
    refused("of_bins", "time,n\n2024-05-01 10:00Z,1\n2024-05-01 10:01,2\n", "t.csv:3: time: found"),
    refused("of_bins_without_names", "2024-05-01 10:00Z,1\n2024-05-01 10:01,2\n", BELOW_ONES, column="2"),
    refused("of_web_servers", 'a - [10/Oct/2023:13:55:36 -0700] "GET /a" 2\nb - [10/Oct/2023:13:55:39] "GET /b" 5\n', BELOW_ONES),
    refused("in_lines_of_words", "2024-05-01T10:00:00+0200 a: x\n2024-05-01T10:00:03 a: y\n", BELOW_ONES),
    refused("in_two_columns", "date,time,m\n2024-05-01,10:00:00Z,a\n2024-05-01,10:00:03,b\n", BELOW_ONES),
    refused("beside_compact_dates", "time,m\n2024-05-01T10:00:00Z,a\n20240501100003,b\n", BELOW_ONES),
    refused("beside_dates_alone", "time,m\n2024-05-01T10:00:00Z,a\n2024-05-02,b\n", BELOW_ONES),
    refused("published", "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-01 10:00:00,1,2\n2024-05-01 10:00:01+00:00,1,2\n",
            "t.csv:3: TIMESTAMP: found '2024-05-01 10:00:01+00:00' with an offset"),
    refused("published_columns_twice", "TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n", "each once"),
    refused("published_keys_twice", '{"timestamp": 5, "input_length": 1, "output_length": 2, "timestamp": 6}\n', '"timestamp" twice'),
    times("of_several_zones", "time,m\n2024-05-01T10:00:00+02:00,a\n2024-05-01T08:00:03Z,b\n", [0, 3], "'time'"),
)


class MisreadLogs(LogTables):
    def test_rates(self):
        self.check_all(RATES)

    def test_columns(self):
        self.check_all(COLUMNS)

    def test_contradictions(self):
        self.check_all(CONTRADICTIONS)

    def test_ends(self):
        self.check_all(ENDS)

    def test_offsets(self):
        self.check_all(OFFSETS)


if __name__ == "__main__":
    unittest.main()
