"""Logs of others: each number by hand, each advice tried."""

import bz2
import gzip
import io
import lzma
import os
import re
import sys
import unittest
import zipfile

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import logs  # noqa: E402
from logs.messages import text_of  # noqa: E402
from logs.names import meaning_of  # noqa: E402
from logs.times import read_timestamp, stamps_of  # noqa: E402

COUNTS = "time,n\n2024-05-01 10:00,4\n2024-05-01 10:01,6\n2024-05-01 10:03,8\n2024-05-01 10:04,7\n"
SPANS = "traceid,span,timestamp_ms\na,1,1000\nb,1,1500\na,2,900\nb,2,4000\n"
METRICS = "metric_name,timestamp,metric_value\nhttp_reqs,1714557600,1\nvus,1714557601,5\nhttp_reqs,1714557602,1\n"
ENDS = "app,end_timestamp,duration\na,10.25,8\nb,11,0.5\n"


def read(text, **keys):
    return logs.read("t.csv", text if isinstance(text, bytes) else text.encode(), keys)


class LogTest(unittest.TestCase):
    def seconds(self, text, **keys):
        return (read(text, **keys).times_ns / 1e9).tolist()

    def counts(self, text, **keys):
        return read(text, **keys).counts.tolist()

    def refusal(self, text, **keys):
        with self.assertRaises(logs.BadInput) as caught:
            read(text, **keys)
        return str(caught.exception)


class Texts(LogTest):
    def test_numbers_are_written_with_as_few_characters_as_tell_them_apart(self):
        for value, text in ((60, "60"), (1e9, "1e+09"), (100000, "1e+05"), (0.1, "0.1"), (1e-4, "1e-04"), (0.00123, "0.00123"),
                            (2.000000001, "2.000000001"), (0, "0"), (123456, "123456"), (-1.5, "-1.5"), (1e22, "1e+22")):
            self.assertEqual(text_of(value), text)

    def test_dates_of_all_forms_are_one_moment(self):
        noon = 1714564800 * 10**9
        for text in ("2024-05-01 12:00:00", "2024-05-01T12:00Z", "2024/05/01 14:00:00+02:00", "20240501120000", "01/May/2024:12:00:00 +0000",
                     "2024-05-01 12:00:00,000", "2024-05-01T06:30:00-0530", "2024050112"):
            self.assertEqual(read_timestamp(text), noon, text)
        for text in ("2024-02-30", "2024-13-01", "2024-05-01 24:00:00", "20240501", "2024-05-01 12:00:00.", "01.05.2024 12:00"):
            self.assertIsNone(read_timestamp(text), text)

    def test_columns_of_dates_are_read_as_single_ones(self):
        texts = ["2024-05-01 12:00:00", "2024-05-01 12:00:00.123456", "x", "2024-05-01T12:00:00+02:00", "20240501120000", "2024-02-30 10:00:00",
                 "19990501120000", "01/May/2024:12:00:00 +0000", "01/Jun/2024:12:00:00 +0000", "é", ""]
        ns, exists, _ = stamps_of(texts)
        for text, one, good in zip(texts, ns.tolist(), exists.tolist(), strict=True):
            self.assertEqual(read_timestamp(text), one if good else None, text)

    def test_names_say_what_numbers_are(self):
        self.assertEqual(meaning_of("rate(http_requests_total[5m])"), ("rate", 1.0))
        self.assertEqual(meaning_of('sum by (job) (irate(http_requests_total{a="b"}[1m]))'), ("rate", 1.0))
        self.assertEqual(meaning_of("increase(http_requests_total[5m])"), ("rate", 300.0))
        self.assertEqual(meaning_of("increase(http_errors_total[5m])")[0], "aggregate")


class Plain(LogTest):
    def test_times(self):
        self.assertEqual(self.seconds("0.5\n# a remark\n1\r\n\n1\n2.000000001"), [0.5, 1, 1, 2.000000001])
        trace = read("start_s,model\n3,a\n1,b\n2,a\n")
        self.assertEqual((trace.times_ns / 1e9).tolist(), [1, 2, 3])
        self.assertEqual([trace.module_names[code] for code in trace.modules], ["b", "a", "a"])
        self.assertEqual(trace.reading, "times in column 'start_s' (s), each line a request, sorted (1 came before the one above); 3 requests "
                         "over 3 s, longest gap 1 s")

    def test_numbers_since_1970_keep_all_digits(self):
        self.assertEqual(read("1714557600123456789\n1714557600123456790\n").times_ns.tolist(), [0, 1])

    def test_counts(self):
        trace = read("time,requests\n2024-05-01 10:00:00,60\n2024-05-01 10:01:00,90\n")
        self.assertEqual((trace.counts.tolist(), trace.bin_s), ([60, 90], 60))

    def test_the_message_has_both_readings(self):
        self.assertEqual(self.refusal("1\n2\n3\n"), 't.csv:1: format: found whole numbers that rise, without a name; allowed: format = "times" '
                         '(each line a request, its time in time_unit or s), or format = "counts" with bin_s (each line the requests of a bin)')

    def test_what_is_left_behind_is_said(self):
        self.assertEqual(read("time,model,latency_ms,status\n2024-05-01 10:00:00,a,5,200\n").notes,
                         ["not kept of each request: latency_ms, status", "failed requests, of which status may tell, are requests as others"])
        self.assertEqual(read("Timestamp,Model,Request tokens,Response tokens\n5,x,472,18\n6,x,10,0\n").notes,
                         ["1 of 2 requests have no Response tokens (failures): they are requests as others"])


class Rates(LogTest):
    TEXT = "0,1.33,a\n600,0,b\n1200,0.27,b\n"

    def test_the_user_says_that_numbers_are_rates(self):
        keys = {"format": "rates", "column": "2", "time_column": "1", "time_unit": "s"}
        self.assertIn('rate_unit = "s"', self.refusal(self.TEXT, **keys))
        for rate, each in zip(self.counts(self.TEXT, **keys, rate_unit="s"), (798, 0, 162), strict=True):
            self.assertAlmostEqual(rate, each)
        for rate, each in zip(self.counts(self.TEXT, **keys, rate_unit="minute"), (13.3, 0, 2.7), strict=True):
            self.assertAlmostEqual(rate, each)

    def test_names_that_say_otherwise_are_no_rates(self):
        for name in ("krps", "latency_ms", "failed_rate"):
            self.assertIn("no rate of requests", self.refusal(f"time_s,{name}\n0,1\n60,2\n", format="rates", rate_unit="s", column=name))
        self.assertIn("whose name says s", self.refusal("time_s,rps\n0,1\n60,2\n", format="rates", rate_unit="minute"))

    def test_an_increase_is_per_its_span(self):
        self.assertEqual(self.counts("time,increase(http_requests_total[5m])\n2024-05-01 10:00,60\n2024-05-01 10:01,90\n"), [12, 18])


class Ends(LogTest):
    def test_ends_less_durations_are_starts(self):
        self.assertEqual(self.seconds(ENDS, time_unit="s"), [2.25, 10.5])
        self.assertEqual(self.seconds(ENDS, time_unit="s", time_column="end_timestamp"), [2.25, 10.5])
        self.assertIn('time_unit = "s"', self.refusal(ENDS))

    def test_each_column_has_its_unit(self):
        text = "finished_at,duration_ms\n2024-05-01 10:00:02,1500\n2024-05-01 10:00:03,250\n"
        self.assertEqual(self.seconds(text), [0, 2.25])

    def test_a_name_that_may_be_a_duration_is_no_end(self):
        self.assertIn("ends of requests", self.refusal("response_time,latency_ms\n5,3\n", time_column="response_time", time_unit="s"))


class JsonLines(LogTest):
    def test_tokens_are_kept(self):
        trace = read('{"arrival_s": 0.5, "prompt_tokens": 20, "completion_tokens": 8}\n{"arrival_s": 0.25, "prompt_tokens": 21, "completion_tokens": 9}\n')
        self.assertEqual((trace.times_ns / 1e9).tolist(), [0.25, 0.5])
        self.assertEqual(trace.tokens.tolist(), [[21, 9], [20, 8]])

    def test_mooncakes_times_may_be_said_to_be_seconds(self):
        text = '{"timestamp": 0, "input_length": 6, "output_length": 5}\n{"timestamp": 3, "input_length": 2, "output_length": 8}\n'
        self.assertEqual(self.seconds(text), [0, 0.003])
        self.assertEqual(self.seconds(text, time_unit="s"), [0, 3])

    def test_a_fraction_of_no_unit_is_refused_and_the_advice_works(self):
        text = '{"timestamp": 0.072, "input_length": 5, "output_length": 6}\n'
        self.assertIn('time_unit = "s"', self.refusal(text))
        self.assertEqual(self.seconds(text, time_unit="s"), [0.072])

    def test_objects_in_objects(self):
        text = '{"metric": "http_reqs", "data": {"time": "2024-05-01T10:00:0%dZ", "value": 1}}\n{"metric": "vus", "data": {"time": "2024-05-01T10:00:00Z"}}\n'
        advice = re.search("--where ([^ ]+)", self.refusal(text % 0 + text % 3))[1]
        self.assertEqual(self.seconds(text % 0 + text % 3, where=advice), [0, 3])


class Holes(LogTest):
    def test_a_hole_is_refused_and_each_advice_works(self):
        self.assertIn("or --holes zero, interpolate or cut", self.refusal(COUNTS, column="n"))
        for holes, counts in (("zero", [4, 6, 0, 8, 7]), ("interpolate", [4, 6, 7, 8, 7]), ("cut", [4, 6, 8, 7])):
            trace = read(COUNTS, column="n", holes=holes)
            self.assertEqual((trace.counts.tolist(), trace.bin_s), (counts, 60))
            self.assertIn("1 of 5 bins missing", trace.reading)

    def test_what_is_no_hole_stays_refused(self):
        self.assertNotIn("--holes", self.refusal("time,n\n2024-05-01 10:00,4\n2024-05-01 10:01,6\n2024-05-01 10:00,8\n", column="n"))
        self.assertIn("in order", self.refusal("time,n\n2024-05-01 10:00,4\n2024-05-01 10:01,6\n2024-05-01 10:01,8\n", column="n", holes="zero"))
        self.assertIn("in order", self.refusal("time,n\n0,4\n60,6\n120,8\n210,7\n", column="n", holes="zero", time_unit="s"))


class Clocks(LogTest):
    def test_day_hour_and_minute_are_one_time(self):
        trace = read("day,hour,minute,requests\n1,23,58,3\n1,23,59,5\n2,0,0,4\n")
        self.assertEqual((trace.counts.tolist(), trace.bin_s), ([3, 5, 4], 60))
        self.assertEqual(read("day,hour,requests\n2024-05-01,23,3\n2024-05-02,0,5\n").bin_s, 3600)
        self.assertEqual(self.seconds("hour,minute,second,model\n0,1,5,a\n0,2,0,b\n"), [65, 120])

    def test_a_year_that_is_missing(self):
        for text in ("Feb  6 12:14:14 host app[3]: request done\n", "time,model\nMay 01 10:00:00,a\n", "I0206 12:14:14.5 1 a.cc:5] x\n"):
            self.assertIn("a date whose year is missing", self.refusal(text))


class OneLine(LogTest):
    def test_counts_on_one_line(self):
        line = ",".join(["3", "4"] * 720) + "\n"
        numbered = ",".join(map(str, range(1, 1441))) + "\n" + line
        for text in (line, numbered):
            self.assertIn('format = "counts" with bin_s', self.refusal(text))
            trace = read(text, format="counts", bin_s=60)
            self.assertEqual((len(trace.counts), trace.counts.sum(), trace.bin_s), (1440, 5040, 60))


class Shapes(LogTest):
    def test_spans_are_refused_and_the_advice_works(self):
        advice = re.search("--group-by ([^ ]+)", self.refusal(SPANS))[1]
        self.assertEqual(self.seconds(SPANS, group_by=advice), [0.9, 1.5])

    def test_spans_of_jaeger(self):
        self.assertIn("spans of Jaeger", self.refusal('{"data":[{"traceID":"t1","spans":[{"startTime":1714557600000000}]}]}'))
        self.assertEqual(self.seconds("1714557600000000\n1714557600000200\n"), [0, 0.0002])  # as the advice gives them

    def test_metrics_are_refused_and_the_advice_works(self):
        advice = re.search("--where ([^ ]+)", self.refusal(METRICS))[1]
        self.assertEqual(self.seconds(METRICS, where=advice), [0, 2])
        self.assertIn("no row with metric_name=x", self.refusal(METRICS, where="metric_name=x"))


class Packed(LogTest):
    def test_all_packings_that_python_knows(self):
        text = b"0.5\n1\n"
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("a.csv", text)
        for data in (gzip.compress(text), bz2.compress(text), lzma.compress(text), archive.getvalue(), gzip.compress(b"0.5\n") + gzip.compress(b"1\n")):
            self.assertEqual(self.seconds(data), [0.5, 1])

    def test_broken_ones(self):
        self.assertIn("truncated gzip data", self.refusal(gzip.compress(b"0.5\n1\n")[:-6]))
        self.assertIn("corrupt bz2 data", self.refusal(b"BZh123"))

    def test_packages_that_are_missing_are_named(self):
        for package, data in (("zstandard", b"\x28\xb5\x2f\xfd123"), ("pyarrow", b"PAR1123")):
            try:
                __import__(package)
            except ImportError:
                self.assertIn(f"python3 -m pip install {package}", self.refusal(data))


class Large(LogTest):
    def test_pieces_of_a_file_are_read_as_one(self):
        times = np.arange(1_200_000) / 1000
        text = "# time_unit = s\n" + "\n".join(map("{:.3f}".format, times)) + "\n"
        self.assertEqual(read(text).times_ns.tolist(), (np.arange(1_200_000) * 10**6).tolist())
        broken = text.replace("\n1199.000\n", "\nx\n")
        self.assertEqual(self.refusal(broken), "t.csv:1199002: send time: found 'x'; allowed: a number from 0 to 1e+09")


if __name__ == "__main__":
    unittest.main()
