"""Logs that were misread once or are common: as what each is read, or why it is refused."""

import io
import os
import re
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from logs_testing import LogTables, counter, counts, data_of, read, refused, times  # noqa: E402


def minutes_of(header, values):
    """Returns a minute a row, from 10:00 on, with these values."""
    return header + "\n" + "".join(f"2024-05-01 10:{minute:02d},{value}\n" for minute, value in enumerate(values))


MAY_BE = "which may be 1013 or 1.013"
LOGGED = "2026-01-02 03:04:05,072 INFO root: a\n2026-01-02 03:04:05,900 INFO root: b, c\n2026-01-02 03:04:07,001 INFO root: d\n"

NUMBERS = (
    # Dots that may part thousands, commas before decimals.
    refused("dotted_counts", minutes_of("time,requests", ["1.013", "7", "2.500"]), MAY_BE),
    refused("dotted_counts_say_what_helps", minutes_of("time,requests", ["1.013", "7"]),
            '1013 where the dot parts thousands, or a line "# decimal = ."'),
    refused("dotted_counter", minutes_of("time,requests_total", ["1.013", "1.020"]), MAY_BE, format="counter"),
    counts("decimal_counts", "# decimal = .\n" + minutes_of("time,requests", ["1.013", "7"]), [1.013, 7], 60,
           "counts in column 'requests'"),
    counts("other_decimals", minutes_of("time,requests", ["1.013", "7.5"]), [1.013, 7.5], 60, "counts"),
    counts("below_one", minutes_of("time,requests", ["0.125", "1.013"]), [0.125, 1.013], 60, "counts"),
    counts("four_digits", minutes_of("time,requests", ["1.013", "1500"]), [1.013, 1500], 60, "counts"),
    counts("decimal_rates", minutes_of("time,rps", ["1.013", "2.500"]), [60.78, 150], 60, "requests per s"),
    refused("odd_decimal_remark", "# decimal = ,\ncount\n5\n", "'.', a point before decimals", bin_s=1),
    refused("two_dots", "arrival_ms;model\n1.013.250;a\n1.014.000;b\n", "without separators of thousands"),
    refused("two_dots_later", "arrival_ms;model\n1.013;a\n1.014.000;b\n", "without separators of thousands"),
    refused("decimal_comma", "arrival_s;model\n0,5;a\n", "with a point before decimals"),
    refused("gaps_beside_decimal_commas", "gap_ms;dauer\n1.013;0,35\n2.500;0,4\n", "since commas stand"),
    refused("dots_beside_decimal_commas", "arrival_ms;dauer\n1.013;0,35\n2.500;0,4\n", MAY_BE + ", since commas stand before decimals",
            format="times"),
    times("dots_beside_points", "arrival_s;dauer\n1.013;0.35\n2.500;0.4\n", [1.013, 2.5], "(s)", format="times"),
    times("dots_in_times", "arrival_s,model\n1.013,a\n2.500,b\n", [1.013, 2.5], "(s)"),
    times("no_digit_before_the_point", "arrival_s,model\n.25,a\n1.,b\n", [0.25, 1], "(s)"),
    times("quoted_numbers", '"arrival_s","model"\n"0.25","a"\n"0.5","b"\n', [0.25, 0.5], "(s)"),
    # Digits that were lost.
    refused("six_digits", "1.76e+09\n1.76e+09\n", "times of 6 significant digits, steps of 10000 s"),
    refused("six_digits_that_rise", "ts,model\n1.76e+09,a\n1.76001e+09,b\n", "steps of 10000 s"),
    refused("six_digits_of_ms", "timestamp,model\n1.71456E+12,a\n1.71456E+12,b\n", "steps of 10000 s"),
    refused("six_digits_beside_others", "time_s,model\n999999,a\n1.00001e+06,b\n", "steps of 10 s"),
    times("all_digits_with_exponent", "ts,m\n1.714557600e+09,a\n1.714557601e+09,b\n", [0, 1], "(s, from"),
    times("small_exponent", "arrival_s,m\n0,a\n1e-3,b\n1.5e+01,c\n", [0, 0.001, 15], "(s)"),
    # Counters.
    counter("counter", minutes_of("time,requests_total", ["10000", "10150", "10150", "10160"]), [150, 0, 10], 60,
            "differences of the counter in column 'requests_total', bins of 60 s by column 'time'", format="counter"),
    counter("counter_reset", minutes_of("time,a_total,other", ["100,1", "150,1", "20,1", "25,1"]), [50, 20, 5], 60, "(1 reset)",
            format="counter"),
    counter("counters_added_up", minutes_of("time,x,y", ["100,5", "150,7", "20,8"]), [52, 21], 60,
            "differences of the counter in column 'x', column 'y' (1 reset)", format="counter", column="x,y"),
    counter("counter_without_times", "7\n9\n9\n", [2, 0], 15, "bins of 15 s", format="counter", bin_s=15),
    refused("no_counter", minutes_of("time,requests", ["9", "5", "8", "2", "7", "1"]), "a counter that falls in 3 of 6 rows",
            format="counter"),
    refused("one_row_of_a_counter", minutes_of("time,requests_total", ["9"]), "no data", format="counter"),
    refused("counter_hint", minutes_of("timestamp,http_requests_total", ["10000", "10150"]),
            'allowed: format = "counter" (http_requests_total: the requests so far), column ='),
    refused("cumulative", minutes_of("time,cumulative_count", ["10", "15", "21", "22"]), "a total that never falls",
            column="cumulative_count"),
    refused("total_with_a_reset", minutes_of("time,Requests Counter", ["10", "15", "21", "22", "27", "30", "31", "40", "3", "9", "12"]),
            "a total that hardly ever falls", column="2"),
    refused("counter_called_count", minutes_of("time,count", range(10000, 10140, 7)), "numbers that never fall"),
    counts("counter_said_to_be_counts", minutes_of("time,count", ["1", "3", "6", "8"]), [1, 3, 6, 8], 60, "counts"),
)

TIMES = (
    # Milliseconds behind a comma.
    times("python_logging", LOGGED, [0, 0.828, 1.929], "column 1 (dates"),
    times("python_logging_dashes", "2026-01-02 03:04:05,900 - a - INFO\n2026-01-02 03:04:06,000 - b - c\n", [0, 0.1], "column 1"),
    times("python_logging_csv", "2026-01-02 03:04:05,072,INFO,5\n2026-01-02 03:04:05,900,INFO,6\n", [0, 0.828], "column 1",
          time_column="1"),
    times("comma_with_names", "asctime,level\n2026-01-02 03:04:05,172,INFO\n2026-01-02 03:04:05,900,INFO\n", [0, 0.728], "'asctime'"),
    times("column_with_names", "time,status\n2026-01-02 03:04:05,200\n2026-01-02 03:04:06,404\n", [0, 1], "'time'"),
    times("comma_in_quotes", 'time,level\n"2026-01-02 03:04:05,172",I\n"2026-01-02 03:04:05,900",W\n', [0, 0.728], "'time'"),
    times("comma_between_semicolons", "2026-01-02 03:04:05,172;I\n2026-01-02T03:04:05,900;W\n", [0, 0.728], "column 1"),
    times("comma_alone", "2026-01-02 03:04:05,072\n2026-01-02 03:04:05,100\n", [0, 0.028], "the column"),
    refused("digits_or_status", "2024-05-01 10:00:00,200,GET\n2024-05-01 10:00:03,404,GET\n",
            "'2024-05-01 10:00:00,200', where 200 may be milliseconds or a column; allowed: a first line"),
    counts("counts_of_three_digits", "2024-05-01 10:00:00,200\n2024-05-01 10:01:00,404\n", [200, 404], 60, "bins of 60 s", column="2"),
    # The end of summer time.
    refused("hour_twice", "time,m\n2024-10-27 02:59:59,a\n2024-10-27 02:00:01,b\n2024-10-27 02:30:00,c\n",
            "3598 s before the row above, where hardly any falls: an hour that comes twice"),
    refused("hour_twice_of_a_few", "time,m\n2024-11-03 01:40:00,a\n2024-11-03 01:20:00,b\n2024-11-03 02:30:00,c\n",
            "1200 s before the row above"),
    refused("hour_twice_of_threads", "time,m\n2024-10-27 02:59:59.9,a\n2024-10-27 02:59:59.8,a\n2024-10-27 02:00:01,b\n",
            "3598.8 s before the row above"),
    times("few_out_of_order_on_a_weekday", "time,m\n2024-11-04 01:40:00,a\n2024-11-04 01:20:00,b\n2024-11-04 02:30:00,c\n", [0, 1200, 4200],
          "sorted (1"),
    times("hour_twice_sorted", "time,m\n2024-10-27 02:59:59,a\n2024-10-27 02:00:01,b\n", [0, 3598], "sorted", format="times"),
    times("hour_twice_with_offsets", "time,m\n2024-10-27T02:59:59+02:00,a\n2024-10-27T02:00:01+01:00,b\n", [0, 2],
          "(dates, from the first on), each line a request; 2"),
    times("out_of_order", "time,m\n2024-10-27 02:00:09,a\n2024-10-27 02:00:01,b\n2024-10-27 02:00:10,c\n", [0, 8, 9], "sorted (1"),
    times("much_out_of_order", "time,m\n2024-10-27 02:59:59,a\n2024-10-27 02:00:01,b\n2024-10-27 01:00:00,c\n", [0, 3601, 7199],
          "sorted (2"),
    times("hours_out_of_order_in_utc", "time,m\n2024-10-27T02:59:59Z,a\n2024-10-27T02:00:01Z,b\n", [0, 3598], "sorted (1"),
    # What programs and web servers log.
    times("nginx",
          '::1 - - [10/Oct/2023:13:55:36 -0700] "GET /a HTTP/1.1" 200 2326 "-" "curl, 8"\n'
          '::1 - bob [10/Oct/2023:20:55:39 +0000] "GET /b" 200 5 "-" "x; y"\n', [0, 3], "times in brackets (dates"),
    times("envoy", '[2024-05-01T10:00:00.123Z] "GET /a" 200 - 0 5\n[2024-05-01T10:00:01.500Z] "GET /b" 200 - 0 5\n', [0, 1.377],
          "brackets"),
    times("journal", "2024-05-01T10:00:00+0200 host a[12]: GET /a\n2024-05-01T08:00:03+0000 host a[12]: GET /b\n", [0, 3], "column 1"),
    times("commas_in_words", "2024-05-01 10:00:00 GET /a,b\n2024-05-01 10:00:04 GET /c\n", [0, 4], "column 1"),
    times("bars", "2024-05-01 10:00:00.5 | INFO | a:b - c\n2024-05-01 10:00:02 | INFO | d\n", [0, 1.5], "column 1"),
    times("slashes", "2024/05/01 10:00:00 [error] 12#12: a\n2024/05/01 10:00:02 [error] 12#12: b\n", [0, 2], "column 1"),
    times("addresses", "2024-05-01 10:00:00 10.0.0.1 GET /\n2024-05-01 10:00:02 10.0.0.2 GET /\n", [0, 2], "column 1"),
    refused("line_without_a_time", LOGGED + "Traceback (most recent call last):\n",
            "t.csv:4: column 1: found 'Traceback (most recent call last):'; allowed: a date and time"),
    refused("summaries",
            "2024-05-01 10:00:00 INFO 5 requests\n2024-05-01 10:00:10 INFO 7 requests\n2024-05-01 10:00:20 INFO 2 requests\n"
            "2024-05-01 10:00:30 INFO 5 requests\n", "lines that are equally far apart"),
    refused("counts_behind_names", "2024-01-05 10:00 web1 120\n2024-01-05 10:00 web2 80\n2024-01-05 10:01 web1 130\n",
            "words with numbers that may count requests"),
    refused("named_counts_with_a_gap",
            "2024-01-05 10:00 gw requests=120 errors=0\n2024-01-05 10:01 gw requests=80 errors=1\n"
            "2024-01-05 10:04 gw requests=90 errors=0\n", "words with numbers that may count requests"),
    refused("counts_before_names", "2024-01-05 10:00 INFO 5 requests\n2024-01-05 10:03 INFO 7 requests\n",
            "words with numbers that may count requests"),
    refused("three_even_lines", "2024-01-05 10:00 a x\n2024-01-05 10:01 b y\n2024-01-05 10:02 c z\n", "lines that are equally far apart"),
    times("statuses", "2024-05-01 10:00:00 GET /a 200\n2024-05-01 10:00:04 POST /b 404\n", [0, 4], "column 1"),
    refused("numbers_that_are_no_zones", "2024-01-05 18:15:46 -12 dropped a\n2024-01-05 18:15:47 -11 dropped b\n", "columns without names"),
    refused("count_after_brackets", "[2024-05-01T10:00:00Z] 5\n[2024-05-01T10:01:00Z] 7\n", "2 columns without names"),
    refused("counts_beside_milliseconds", "2024-05-01 10:00:00.123 5\n2024-05-01 10:00:01.500 7\n", "2 columns without names"),
    refused("bracket_that_does_not_close", "a [10/Oct/2023:13:55:36 -0700\n", "columns without names"),
    refused("half_days", "2024-05-01 01:00:00 PM GET\n2024-05-01 02:00:00 PM GET\n", "hours from 00 to 23"),
    refused("half_days_in_a_column", "time,half,x\n2024-05-01 01:00:00,PM,a\n", "hours from 00 to 23"),
    times("between_bars", "1714557600|a\n1714557601|b\n", [0, 1], "column 1 (s"),
    counts("year_first_slashes", "Timestamp,RequestCount\n2024/05/01 10:00,5\n2024/05/01 10:01,7\n", [5, 7], 60, "bins of 60 s"),
    # Tables of other programs.
    refused("index_without_a_name", ",0\n2024-05-01 10:00:00,5\n2024-05-01 10:01:00,7\n", 'column = "2"'),
    counts("index_without_a_name_read", ",0\n2024-05-01 10:00:00,5\n2024-05-01 10:01:00,7\n", [5, 7], 60, "bins of 60 s by column ''",
           column="2"),
    counts("excel", "\ufefftime;requests\r\n2024-05-01 10:00;1013\r\n2024-05-01 10:01;7\r\n\r\n", [1013, 7], 60, "column 'requests'"),
    times("open_telemetry",
          "id,startTimeUnixNano,endTimeUnixNano\na,1714557600123456789,1714557600223456789\nb,1714557601123456789,1714557601223456789\n",
          [0, 1], "'startTimeUnixNano' (ns"),
    times("vegeta", "1714557600123456789,200,31,,x\n1714557600323456789,200,7,,y\n", [0, 0.2], "(ns", time_column="1"),
    refused("other_remarks", "// a\narrival_s,m\n0.5,a\n", "remarks begin with #"),
    refused("old_line_ends", "arrival_s,m\r0.5,a\r", "lines that end in CR alone"),
    refused("json_list", '[\n{"timestamp": 5}\n]\n', "a list of JSON"),
    times("comma_at_the_end", "arrival_s,model,\n0.5,a,\n1,b,\n", [0.5, 1], "'arrival_s'"),
    refused("name_that_is_empty", ",time,\n7,2024-05-01 10:00:00,8\n", 'column = "1"'),
    counts("nanoseconds_beside_counts", "time,count\n1714557600000000000,5\n1714557660000000000,7\n", [5, 7], 60, "bins of 60 s by"),
    # The reader in C++ refused objects of any keys.
    times("json", '{"ts": "2024-05-01T10:00:00Z", "model": "a"}\n', [0], "times in column 'ts' (dates"),
)


def on_minutes(header, *values):
    """Returns a minute a row with these values."""
    return minutes_of(header, values)


HTTP = ("2024-05-01 10:00:00 INFO Started server\n2024-05-01 10:00:05 INFO h:5 \"GET / HTTP/1.1\" 200\n"
        "2024-05-01 10:00:09 INFO h:5 \"GET / HTTP/1.1\" 200\n")
VLLM = "".join(f"2024-05-01 10:00:0{at},100 INFO {what} request cmpl-{one}\n" for at, what, one in (
    (0, "Received", "1a2"), (1, "Added", "1a2"), (2, "Received", "1b3"), (5, "Finished", "1a2")))
DAYS = "date," + ",".join(f"{hour:02d}" for hour in range(24)) + "\n2024-05-01," + "3," * 23 + "4\n2024-05-02," + "5," * 23 + "6\n"
OF_DAYS = [*[3] * 23, 4, *[5] * 23, 6]
MINUTES = ",".join(map(str, range(1, 61)))
LINES = f"f,{','.join(['3'] * 60)}\ng,{','.join(['4'] * 60)}\n"

READ = (
    # The times of the lines stand among their words.
    times("syslog_5424", "<165>1 2024-05-01T10:00:00.003Z h a 1 I - GET /a\n<165>1 2024-05-01T10:00:02.503Z h a 1 I - GET /b\n", [0, 2.5],
          "times in the words"),
    times("logfmt", "time=2024-05-01T10:00:00.1Z level=INFO msg=x\ntime=2024-05-01T10:00:02.1Z level=INFO msg=y\n", [0, 2], "words"),
    times("level_first", "INFO  2024-05-01 10:00:00,123 [main] a - GET\nINFO  2024-05-01 10:00:02,123 [main] a - GET\n", [0, 2], "words"),
    times("rails", 'Started GET "/a" at 2024-05-01 10:00:00 +0200\nStarted GET "/b" at 2024-05-01 08:00:02 +0000\n', [0, 2], "words"),
    times("apache_errors", "[Wed May 01 10:00:00.25 2024] [core:error] x\n[Wed May 01 10:00:01.5 2024] [core:error] y\n", [0, 1.25],
          "brackets"),
    times("shell", "Wed May  1 10:00:00 UTC 2024 GET /a\nWed May  1 10:00:02 UTC 2024 GET /b\n", [0, 2], "column 1"),
    times("mail", 'time,model\n"Wed, 01 May 2024 10:00:00 GMT",a\n"Wed, 01 May 2024 12:00:02 +0200",b\n', [0, 2], "'time'"),
    times("basic_iso", "time,model\n20240501T100000Z,a\n20240501T100003Z,b\n", [0, 3], "'time'"),
    # Dates as people write them.
    counts("german", '"Time";"Requests"\n"01.05.2024 10:00:00";12\n"01.05.2024 10:01:00";13\n', [12, 13], 60, "'Requests'"),
    times("day_that_is_no_month", "time,model\n05/01/2024 11:59:00 PM,a\n05/13/2024 12:01 AM,b\n", [0, 11 * 86400 + 120], "'time'"),
    times("month_that_is_no_day", "date,time,model\n13/05/2024,10:00:00,a\n13/05/2024,10:00:02,b\n", [0, 2], "'date time'"),
    times("half_days_of_iso", "time,model\n2024-05-01 11:00:00 AM,a\n2024-05-01 01:00:00 PM,b\n", [0, 7200], "'time'"),
    counts("one_digit_of_the_hour", "time,requests\n2024-05-01 9:59,5\n2024-05-01 10:00,6\n", [5, 6], 60, "60 s"),
    # Names of rates and bins.
    counts("value_per_s", on_minutes('"Time","Value (req/s)"', 1.5, 2), [90, 120], 60, "requests per s"),
    counts("reqpm", on_minutes("Time,Requests (reqpm)", 12, 13), [12, 13], 60, "requests per minute"),
    counts("hours_that_begin_again", "hour,requests\n22,5\n23,6\n0,7\n1,8\n", [5, 6, 7, 8], 3600, "bins of 3600 s"),
    counts("dates_and_hours", "date,hour,requests\n2024-05-01,23,5\n2024-05-02,0,7\n", [5, 7], 3600, "by column 'date, hour'"),
    counts("period_that_is_missing", "period,count\n1,5\n2,7\n4,3\n", [5, 7, 0, 3], 1, "1 of 4 bins missing", bin_s=1, holes="zero"),
    # Empty fields.
    counts("empty_as_zero", on_minutes("time,requests", 5, "", 6), [5, 0, 6], 60, "1 row with empty fields (0)", holes="zero"),
    counts("empty_between", on_minutes("time,requests", 5, "null", 6), [5, 5.5, 6], 60, "1 of 3 bins missing", holes="interpolate"),
    counts("empty_left_out", on_minutes("time,requests", 5, "-", 6), [5, 6], 60, "1 of 3 bins missing", holes="cut"),
    # Many numbers on a line.
    counts("days_of_hours", DAYS, OF_DAYS, 3600, "counts on 2 lines, day after day", format="counts", bin_s=3600),
    counts("functions_on_lines", LINES, [7] * 60, 60, "lines added up", format="counts", bin_s=60),
    counts("function_on_a_line", LINES, [4] * 60, 60, "on one line", format="counts", bin_s=60, where="1=g"),
    counts("below_numbers", f"id,{MINUTES}\n{LINES}", [7] * 60, 60, "lines added up", format="counts", bin_s=60),
    counts("below_names", ",".join(f"m{at}" for at in range(30)) + "\n" + "3," * 29 + "3\n", [3] * 30, 60, "on one line", format="counts",
           bin_s=60),
    counts("columns_of_functions", "day,time,0,1,2\n0,0,5,2,1\n0,60,7,0,2\n", [8, 9], 60, "'2'", column="#3-5", time_column="time",
           time_unit="s"),
    # Packings.
    counts("utf_16", "\ufefftime,requests\r\n2024-05-01 10:00,5\r\n2024-05-01 10:01,6\r\n".encode("utf-16-le"), [5, 6], 60, "60 s"),
)

NO_ADVICE = (
    refused("day_or_month", "time,model\n05/01/2024 10:00,a\n", 'whose day may stand before or behind its month; allowed: a line "# dates'),
    refused("half_days_of_words", "05/01/2024 10:00:00 PM GET\n05/01/2024 10:00:02 PM GET\n", "hours from 00 to 23"),
    refused("zones", "2024-10-27 00:30:00 CEST GET /a\n2024-10-27 04:30:00 CET GET /a\n", "several zones, CEST and CET"),
    refused("id_or_count", ",".join(["17", *["3"] * 1440]) + "\n", "of which the first may be an id"),
    refused("days_with_a_hole", DAYS.replace("05-02", "05-03"), "not 86400 s apart", format="counts", bin_s=3600),
    refused("functions_as_columns", "time_s," + ",".join(f"f{at}" for at in range(30)) + "\n0" + ",3" * 30 + "\n60" + ",3" * 30 + "\n",
            'column = "#2-31"'),
    refused("empty_field", on_minutes("time,requests", 5, "", 6), 'an empty field; allowed: a number from 0 to 1e+12; or holes = "zero"'),
    refused("hour_twice_of_bins", "time,requests\n2024-10-27 01:00,5\n2024-10-27 02:00,6\n2024-10-27 02:00,7\n", "clocks show twice"),
    refused("functions_again", "HashOwner,HashApp,HashFunction,Trigger," + ",".join(map(str, range(1, 1441))) + "\no,a,f,h" + ",1" * 1440
            + "\nHashOwner,HashApp,HashFunction,Trigger," + ",".join(map(str, range(1, 1441))) + "\n", "t.csv:3: found the header again"),
    refused("prometheus", '{"status":"success","data":{"resultType":"matrix","result":[{"values":[[1714557600,"1"]]}]}}\n',
            ".data.result[0].values[]"),
    refused("list_in_an_object", '{"Label": "a", "Points": [{"t": 5}]}\n', "jq -c '.Points[]' FILE"),
    refused("lists_in_a_list", '[[{"t": 5}], [{"t": 6}]]\n', "jq -c '.[][]' FILE"),
)

# What a message advises, a key or a command, gives the right number.
FOLLOWED = (
    ("http", HTTP, {}, [0, 4]),
    ("ids_in_words", VLLM, {}, [0, 2]),
    ("events", "time_s,event\n0.5,arrival\n0.9,departure\n1.5,arrival\n", {}, [0.5, 1.5]),
    ("kinds", '{"ts":1714557600.5,"msg":"request started"}\n{"ts":1714557601.5,"msg":"request finished"}\n', {}, [0]),
    ("codes", "time_us,event_type\n604046279,0\n604046280,1\n", {}, [604.046279]),
    ("header_again", "# a\ntime_s,model\n0.5,a\ntime_s,model\n2,a\n", {}, [0.5, 2]),
    ("header_again_llm", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,1,2\nTIMESTAMP,ContextTokens,GeneratedTokens\n"
     "2023-11-16 18:15:47,1,2\n", {}, [0, 1]),
    ("total", on_minutes("time,requests", 5, 6) + "Total,11\n", {}, [5, 6]),
    ("total_of_one_field", "time_s,model\n0.5,a\n1,b\nTotal: 2 rows\n", {}, [0.5, 1]),
    ("end_of_a_line_in_quotes", 'time,prompt,model\n2024-05-01 10:00:00,"a\nb, c",a\n2024-05-01 10:00:02,"x",a\n', {}, [0, 2]),
    ("comma_behind_rows", "time,requests\n2024-05-01 10:00,5,\n2024-05-01 10:01,6,\n", {}, [5, 6]),
    ("title", "Requests\n\ntime,requests\n2024-05-01 10:00,5\n2024-05-01 10:01,6\n", {}, [5, 6]),
    ("separator_of_excel", "sep=;\ntime;requests\n2024-05-01 10:00;5\n2024-05-01 10:01;6\n", {}, [5, 6]),
    ("ruled", "| time | requests |\n|---|---|\n| 2024-05-01 10:00:00 | 5 |\n| 2024-05-01 10:01:00 | 6 |\n", {}, [5, 6]),
    ("units", on_minutes("time,rps", "1.5 req/s", "2 req/s"), {}, [90, 120]),
    ("decimal_comma", "time_s;requests\n0;12,5\n60;13,5\n", {}, [12.5, 13.5]),
)


def followed(message, text, keys):
    """Returns the text and keys that a message advises: by its command, or by its value of a key."""
    key = re.search(r'(where) = "([^"]*)"', message)
    if key:
        return text, {**keys, key[1]: key[2]}
    command = re.search(r"\(((?:sed|grep|awk|python3) .*?) FILE", message)[1]
    return subprocess.run(["bash", "-c", command + " /dev/stdin"], input=data_of(text), capture_output=True, check=True).stdout, keys


class KindsOfLogs(LogTables):
    def test_read(self):
        self.check_all(READ)

    def test_refused(self):
        self.check_all(NO_ADVICE)

    def test_what_is_advised_works(self):
        for name, text, keys, values in FOLLOWED:
            with self.subTest(name):
                kept, keys = followed(self.refusal(text, **keys), text, keys)
                trace = read(kept, **keys)
                self.assertEqual([*trace.counts.tolist(), *(trace.times_ns / 1e9).tolist()], values)

    def test_archives(self):
        for names, message in ((("a.csv", "__MACOSX/._a.csv"), ""), (("a.csv", "b.csv"), "an archive of one file"),
                               (("xl/workbook.xml",), "Excel")):
            archive = io.BytesIO()
            with zipfile.ZipFile(archive, "w") as file:
                for name in names:
                    file.writestr(name, "0.5\n1\n")
            if message:
                self.assertIn(message, self.refusal(archive.getvalue()))
            else:
                self.assertEqual(len(read(archive.getvalue()).times_ns), 2)

    def test_numbers(self):
        self.check_all(NUMBERS)

    def test_times(self):
        self.check_all(TIMES)


if __name__ == "__main__":
    unittest.main()
