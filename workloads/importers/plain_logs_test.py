"""Logs and counts as users bring them: what each is read as, or the option that helps."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from logs_testing import LogTables, counts, gaps, refused, times  # noqa: E402


def stamped(columns):
    """Returns four minutes with these columns."""
    return "".join(f"2024-05-01 10:0{minute},{columns}\n" for minute in range(4))


MINUTES = "2024-05-01 10:00:00,3\n2024-05-01 10:01:00,5\n2024-05-01 10:02:00,4\n"

# Each line is a request.
REQUESTS = (
    times("gateway", "timestamp,model,latency_ms\n2024-05-01T10:00:00.5Z,a,31\n2024-05-01T10:00:02Z,b,7\n", [0, 1.5],
          "times in column 'timestamp' (dates, from the first on)"),
    times("tokens", "arrival_s,model,tokens\n0.25,a,100\n0.5,b,2000\n", [0.25, 0.5], "column 'arrival_s' (s)"),
    times("milliseconds", "Arrival Time (ms);user id\n1500;7\n2500;8\n", [1.5, 2.5], "(ms)"),
    times("epoch_ms", "ts\tstatus\n1714557600123\t200\n1714557601123\t500\n", [0, 1], "(ms, from the first on)"),
    times("epoch_ns", "1714557600123456789\n1714557600123456790\n", [0, 1e-9], "(ns"),
    times("epoch_us", "time,id\n1714557600123456,1\n1714557600123457,2\n", [0, 1e-6], "(us"),
    times("epoch_s", "1714557600.25\n1714557601.5\n", [0, 1.25], "(s, from"),
    times("zone", "started_at,ip\n2024-05-01 10:00:00+02:00,x\n2024-05-01 08:00:01 UTC,y\n", [0, 1], "dates"),
    times("unsorted", "start_s,model\n3,a\n1,b\n2,c\n", [1, 2, 3],
          "sorted (1 came before the one above); 3 requests over 3 s, longest gap 1 s"),
    times("without_header", "2024-05-01 10:00:00,GET,/a\n2024-05-01 10:00:09,GET,/b\n", [0, 9], "column 1"),
    refused("without_unit", "timestamp,model\n0,a\n3053,b\n",
            "time_unit: found times without a unit in column 'timestamp'; allowed: time_unit = \"s\""),
    times("with_unit", "timestamp,model\n0,a\n3053,b\n", [0, 3.053], "(ms)", time_unit="ms"),
    refused("two_times", "arrival_s,start_s,model\n0,1,a\n", "time_column = one of arrival_s, start_s"),
    times("chosen_time", "arrival_s,start_s,model\n0,1,a\n2,2,a\n", [1, 2], "'start_s'", time_column="start_s"),
    times("chosen_odd_name", "when it came,x\n0.5,1\n2,2\n", [0.5, 2], "'when it came'", time_column="1", time_unit="s", format="times"),
    refused("request_time", "request_time,status\n0.031,200\n0.007,200\n", "no column of times, gaps or counts among request_time, status"),
    refused("times_beside_numbers", "time_s,value\n0,3\n1,5\n", 'column = "value" (requests of a bin), or format = "times"'),
    times("send_times", "# time_unit = s\n1\n2\n", [1, 2], "the column (s)"),
    times("fractions_that_rise", "0.5\n1\n2.25\n", [0.5, 1, 2.25], "(s)"),
)

# Each line is a bin.
BINS = (
    counts("minutes", "timestamp,requests\n" + MINUTES, [3, 5, 4], 60,
           "counts in column 'requests', bins of 60 s by column 'timestamp'; 12 requests over 180 s, 0 of 3"),
    counts("five_minutes", "time,count\n1714557600,30\n1714557900,0\n1714558200,31\n", [30, 0, 31], 300,
           "bins of 300 s by column 'time'; 61 requests over 900 s, 1 of 3 bins empty"),
    counts("minute_numbers", "minute,n\n0,7\n1,8\n", [7, 8], 60, "by column 'minute'"),
    counts("requests_length", "Time,Requests,Requests Length\n2024-05-01,5,900\n2024-05-02,6,800\n", [5, 6], 86400, "column 'Requests'"),
    counts("rate", "time_s,rps\n0,1.5\n10,2\n", [15, 20], 10, "requests per s in column 'rps'"),
    counts("per_minute", "date,requests_per_minute\n" + MINUTES, [3, 5, 4], 60, "requests per minute in"),
    refused("other_bin", "timestamp,requests\n" + MINUTES, "bin_s: found 1 beside rows that are 60 s apart in column 'timestamp'", bin_s=1),
    refused("left_out", "timestamp,requests\n2024-05-01 10:00,1\n2024-05-01 10:01,1\n2024-05-01 10:03,1\n",
            "where no request came, the count 0"),
    refused("no_bin", "count\n5\n6\n", "bin_s: found counts without the length of their bins"),
    counts("bin_said", "count\n5\n6\n", [5, 6], 2, "bins of 2 s;", bin_s=2),
    refused("index_without_unit", "bin,count\n0,5\n1,6\n", "bin_s: found bins 1 apart"),
    refused("rising", "1\n2\n3\n", 'format = "times" (each line a request'),
    counts("rising_counts", "1\n2\n3\n", [1, 2, 3], 1, "counts in the column", format="counts", bin_s=1),
    counts("whole_and_falling", "4\n12\n7\n", [4, 12, 7], 60, "bins of 60 s", bin_s=60),
    refused("row_of_counts", "1 2 3 4 5\n", "one bin a line"),
    refused("no_names", "1,2,3\n4,5,6\n", "column = N"),
)

# Values that are no bare numbers, names that hide counts, totals, indices.
MISREAD_ONCE = (
    refused("values_with_units", '"Time","Value"\n' + stamped('"7.0 req/s"'), 'column = "Value"'),
    refused("thousands", '"Time","Value"\n' + stamped('"1,007"'), 'column = "Value"'),
    refused("empty_values", "Time,Value\n" + stamped(""), 'column = "Value"'),
    refused("completed_requests", "timestamp,completed_requests\n" + stamped("7"), 'column = "completed_requests"'),
    refused("status_columns", "timestamp,status_200,status_500\n" + stamped("7,1"), "equally far apart beside numbers alone"),
    refused("by_service", "timestamp,service a\n" + stamped("7"), "equally far apart"),
    refused("counter",
            "timestamp,requests_total\n2024-05-01 10:00,10000\n2024-05-01 10:01,10007\n2024-05-01 10:02,10009\n2024-05-01 10:03,10020\n",
            "a total that never falls", column="requests_total"),
    refused("row_numbers", "n,arrival_s\n0,0.5\n1,2\n2,2.5\n3,7\n", "row for every bin", bin_s=1),
    refused("row_numbers_even", "n,arrival_s\n0,0\n1,1\n2,2\n3,3\n", "numbers of rows in column 'n'"),
    times("request_number", "request_number,arrival_s\n0,0.5\n1,2\n", [0.5, 2], "'arrival_s'"),
    refused("requests_min", "time,requests_min,requests_max\n" + stamped("1,9"), "beside requests_min, requests_max"),
    refused("durations", "method,time_ms\nGET,12\nGET,19\nPOST,13\nGET,40\nGET,11\n", "numbers that rise and fall in column 'time_ms'"),
    counts("minute_since_1970", "minute,requests\n1714557600,5\n1714557660,6\n", [5, 6], 60, "bins of 60 s by column 'minute'"),
    refused("unit_and_size", "time_ms,model\n1714557600,a\n1714557660,b\n", "time_unit: found numbers since 1970 in s"),
    counts("compact_dates", "timestamp,requests\n2024010500,5\n2024010501,6\n", [5, 6], 3600, "3600 s"),
    times("date_and_time", "date,time,model\n2024-05-01,10:00:01,a\n2024-05-01,10:00:03,b\n", [0, 2], "'date time'"),
    times("blank_between", "2024-05-01 10:00:01 GET\n2024-05-01 10:00:09 GET\n", [0, 8], "column 1"),
    refused("dates_alone", "date,model\n2024-05-01,a\n2024-05-01,b\n", "dates without a time of day"),
    counts("two_rates", "time,read_rps,write_rps\n" + stamped("1,2"), [180, 180, 180, 180], 60, "requests per s",
           column="read_rps,write_rps"),
    refused("twice", "time,n\n" + stamped("1"), "'n' twice", column="n,n"),
    refused("odd_name_of_times", "window_start,requests\n2024-05-01 10:00,5\n2024-05-01 10:10,6\n",
            "bin_s: found 60 beside rows that are 600 s apart in column 'window_start'", bin_s=60),
    refused("gap_without_header", "2024-05-01 10:00,1\n2024-05-01 10:01,1\n2024-05-01 10:05,1\n2024-05-01 10:09,1\n",
            "where no request came, the count 0", column="2", bin_s=60),
    refused("other_dates", "timestamp,requests\n1/5/24 10:00,5\n1/5/24 10:01,6\n",
            "timestamp: found '1/5/24 10:00'; allowed: a date and time (ISO 8601)", bin_s=60),
    refused("other_dates_of_requests", "timestamp,model\n1/5/24 10:00,a\n1/5/24 10:01,b\n",
            "timestamp: found '1/5/24 10:00'; allowed: a date and time (ISO 8601)"),
    refused("total_row", "time,requests\n" + stamped("5") + "Total,20\n", "time: found 'Total'"),
    refused("empty_line", "# bin_s = 1\ncount\n5\n\n6\n", "an empty line above"),
    counts("name_above_dates", "timestamp,0\n" + stamped("5"), [5, 5, 5, 5], 60, "by column 'timestamp'", column="2"),
    times("access_log", "time,request,status\n2024-05-01 10:00:00,GET /a,200\n2024-05-01 10:00:07,GET /b,200\n", [0, 7], "'time'"),
    times("quotes_in_quotes", 'time,note,model\n2024-05-01 10:00:00,"a ""b"", c",m\n', [0], "'time'"),
    times("name_with_blanks", "arrival time (s)\n0.5\n1\n", [0.5, 1], "'arrival time (s)'"),
    times("pandas_index", ",timestamp,model\n0,2024-05-01 10:00:00,a\n1,2024-05-01 10:00:03,b\n", [0, 3], "'timestamp'"),
    times("late_clock", "arrival_s,model\n345678.5,a\n345679,b\n", [345678.5, 345679], "the first at 345678.5 s"),
    # The reader in C++ allowed whole milliseconds alone; now a unit can be said.
    refused("seconds_as_json", '{"timestamp": 0.072, "input_length": 5, "output_length": 6}\n', "found times without a unit"),
    times("seconds_as_json_with_unit", '{"timestamp": 0.072, "input_length": 5, "output_length": 6}\n', [0.072], "(s)", time_unit="s"),
    refused("no_such_day", "time,requests\n2024-02-30 10:00,5\n2024-03-01 10:00,6\n", "time: found '2024-02-30"),
    times("chosen_without_names", "GET,0.5\nPUT,0.75\n", [0.5, 0.75], "column 2 (s)", time_column="2"),
    counts("counter_said_to_count",
           "timestamp,requests_total\n2024-05-01 10:00,1\n2024-05-01 10:01,2\n2024-05-01 10:02,4\n2024-05-01 10:03,5\n", [1, 2, 4, 5], 60,
           "bins of 60 s", format="counts", column="requests_total"),
    refused("beyond_nanoseconds", "time,model\n9999999999,a\n", "times without a unit"),
    refused("beyond_later", "1714557600.5\n9999999999.5\n", "from 0 to 9e+09"),
)

GAPS = (
    refused("gaps", "0.5\n0.25\n1\n", 'format = "gaps"'),
    gaps("gaps_said", "0.5\n0.25\n1\n", [0.5, 0.75, 1.75], "gaps in the column (s)", format="gaps"),
    gaps("gaps_named", "id,inter_arrival_ms\n1,500\n2,250\n", [0.5, 0.75], "(ms)"),
)

NEITHER = (
    refused("separators", "time;value,1\n0;2,5\n", "commas, semicolons or tabs together"),
    refused("no_times", "model,tokens\na,1\n", "time_column = NAME"),
)


class PlainLogs(LogTables):
    def test_requests(self):
        self.check_all(REQUESTS)

    def test_bins(self):
        self.check_all(BINS)

    def test_misread_once(self):
        self.check_all(MISREAD_ONCE)

    def test_gaps(self):
        self.check_all(GAPS)

    def test_neither(self):
        self.check_all(NEITHER)


if __name__ == "__main__":
    unittest.main()
