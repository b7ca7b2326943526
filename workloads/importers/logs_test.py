"""Logs of others: each number by hand, each advice tried."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import tomllib
import unittest
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import logs  # noqa: E402
from logs.messages import text_of  # noqa: E402
from logs.names import meaning_of  # noqa: E402
from logs.times import read_timestamp, stamps_of  # noqa: E402

COUNTS = "time,n\n2024-05-01 10:00,4\n2024-05-01 10:01,6\n2024-05-01 10:03,8\n2024-05-01 10:04,7\n"
SPANS = "traceid,span,timestamp_ms\na,1,1000\nb,1,1500\na,2,900\nb,2,4000\n"
METRICS = "metric_name,timestamp,metric_value\nhttp_reqs,1714557600,1\nvus,1714557601,5\nhttp_reqs,1714557602,1\n"
ENDS = "app,end_timestamp,duration\na,10.25,8\nb,11,0.5\n"


CONTAINER = ("2024-05-01T10:00:00.1Z stdout P GET /a\n2024-05-01T10:00:00.2Z stdout F  HTTP/1.1 200\n"
             "2024-05-01T10:00:01Z stderr F GET /b 200\n")
DOCKER = "".join(json.dumps({"log": log, "stream": "stdout", "time": f"2024-05-01T10:00:0{at}Z"}) + "\n"
                 for at, log in enumerate(("GET /a", " 200\n", "GET /b 200\n")))
STARTED = ('{"level":"info","msg":"started"}\n{"ts":1714557600.5,"msg":"req","level":"info"}\n'
           '{"ts":1714557601.5,"msg":"req","model":"a","level":"info"}\n')
BURST = "Timestamp,Model,Request tokens,Response tokens,Log Type\n5,x,472,18,API log\n6,x,10,0,Conversation log\n"
FUNCTIONS = "HashOwner,HashApp,HashFunction,Trigger" + "".join(f",{n + 1}" for n in range(1440)) + "\n"


def read(text, parts="load", **keys):
    return logs.read("t.csv", text if isinstance(text, bytes) else text.encode(), keys, parts)


def advised(message, key="where"):
    """Returns the value of a key that a message advises, in both ways alike."""
    match = re.search(rf'{key} = "([^"]*)" \(--{key.replace("_", "-")} ([^)]*)\)', message)
    assert match[2] in (match[1], f"'{match[1]}'"), message
    return match[1]


def by_command(message, text, otherwise):
    """Returns what the command in a message makes of the text; `otherwise` is used where jq is
    missing."""
    command = re.search(r"\(((?:jq|grep) .*?) FILE\)", message)[1]
    if command.startswith("jq") and not shutil.which("jq"):
        return otherwise(text)
    command = command.replace("KEY", "events").replace("jq -c .[]", "jq -c '.[]'")
    return subprocess.run(command, shell=True, input=text, capture_output=True, text=True, check=True).stdout


class LogTest(unittest.TestCase):
    def seconds(self, text, **keys):
        return (read(text, **keys).times_ns / 1e9).tolist()

    def counts(self, text, **keys):
        return read(text, **keys).counts.tolist()

    def refusal(self, text, parts="load", **keys):
        with self.assertRaises(logs.BadInput) as caught:
            read(text, parts, **keys)
        return str(caught.exception)


class Texts(LogTest):
    def test_numbers_are_written_with_as_few_characters_as_tell_them_apart(self):
        for value, text in ((60, "60"), (1e9, "1e+09"), (100000, "1e+05"), (0.1, "0.1"), (1e-4, "1e-04"), (0.00123, "0.00123"),
                            (2.000000001, "2.000000001"), (0, "0"), (123456, "123456"), (-1.5, "-1.5"), (1e22, "1e+22")):
            self.assertEqual(text_of(value), text)

    def test_dates_of_all_forms_are_one_moment(self):
        noon = 1714564800 * 10**9
        for text in ("2024-05-01 12:00:00", "2024-05-01T12:00Z", "2024/05/01 14:00:00+02:00", "20240501120000",
                     "01/May/2024:12:00:00 +0000",
                     "2024-05-01 12:00:00,000", "2024-05-01T06:30:00-0530", "2024050112"):
            self.assertEqual(read_timestamp(text), noon, text)
        for text in ("2024-02-30", "2024-13-01", "2024-05-01 24:00:00", "20240501", "2024-05-01 12:00:00.", "01.05.2024 12:00"):
            self.assertIsNone(read_timestamp(text), text)

    def test_columns_of_dates_are_read_as_single_ones(self):
        texts = ["2024-05-01 12:00:00", "2024-05-01 12:00:00.123456", "x", "2024-05-01T12:00:00+02:00", "20240501120000",
                 "2024-02-30 10:00:00",
                 "19990501120000", "01/May/2024:12:00:00 +0000", "01/Jun/2024:12:00:00 +0000", "é", ""]
        ns, exists, _ = stamps_of(texts)
        for text, one, good in zip(texts, ns.tolist(), exists.tolist(), strict=True):
            self.assertEqual(read_timestamp(text), one if good else None, text)

    def test_names_say_what_numbers_are(self):
        self.assertEqual(meaning_of("rate(http_requests_total[5m])"), ("rate", 1.0))
        self.assertEqual(meaning_of('sum by (job) (irate(http_requests_total{a="b"}[1m]))'), ("rate", 1.0))
        self.assertEqual(meaning_of("increase(http_requests_total[5m])"), ("rate", 300.0))
        self.assertEqual(meaning_of("increase(http_errors_total[5m])")[0], "aggregate")
        self.assertEqual(meaning_of("requests per 5 minutes"), ("rate", 300.0))
        self.assertEqual(meaning_of("Requests per 10 s"), ("rate", 10.0))
        self.assertNotEqual(meaning_of("errors per 5 minutes")[0], "rate")


class Plain(LogTest):
    def test_times(self):
        self.assertEqual(self.seconds("0.5\n# a remark\n1\r\n\n1\n2.000000001"), [0.5, 1, 1, 2.000000001])
        trace = read("start_s,model\n3,a\n1,b\n2,a\n")
        self.assertEqual((trace.times_ns / 1e9).tolist(), [1, 2, 3])
        self.assertEqual([trace.module_names[code] for code in trace.modules], ["b", "a", "a"])
        self.assertEqual(trace.reading, "times in column 'start_s' (s), each line a request, sorted (1 came before the one above); "
                         "3 requests over 3 s, longest gap 1 s")

    def test_numbers_since_1970_keep_all_digits(self):
        self.assertEqual(read("1714557600123456789\n1714557600123456790\n").times_ns.tolist(), [0, 1])

    def test_counts(self):
        trace = read("time,requests\n2024-05-01 10:00:00,60\n2024-05-01 10:01:00,90\n")
        self.assertEqual((trace.counts.tolist(), trace.bin_s), ([60, 90], 60))

    def test_the_message_has_both_readings(self):
        self.assertEqual(self.refusal("1\n2\n3\n"),
                         't.csv:1: format: found whole numbers that rise, without a name; allowed: format = "times" '
                         '(each line a request, its time in time_unit or s), or format = "counts" with bin_s '
                         "(each line the requests of a bin)")

    def test_what_is_left_behind_is_said(self):
        self.assertEqual(read("time,model,latency_ms,status\n2024-05-01 10:00:00,a,5,200\n").notes,
                         ["not kept of each request: latency_ms, status",
                          "failed requests, of which status may tell, are requests as others"])
        self.assertEqual(read("Timestamp,Model,Request tokens,Response tokens\n5,x,472,18\n6,x,10,0\n").notes,
                         ["not kept of each request: Model",
                          "1 of 2 requests have no Response tokens (failures): they are requests as others"])
        self.assertEqual(read("0.5,a\n1.5,b\n", time_column="1").notes, ["not kept of each request: column 2"])
        self.assertEqual(read("2024-05-01 10:00:00 GET /a 500\n").notes, ["not kept of each request: the words of its line"])
        self.assertEqual(read("time,requests,errors\n2024-05-01 10:00,60,1\n2024-05-01 10:01,90,2\n").notes,
                         ["not kept of each bin: errors"])
        self.assertEqual(read("gap_ms,user\n5,a\n6,b\n").notes, ["not kept of each request: user"])
        self.assertEqual(read('{"timestamp": 0, "input_length": 6, "output_length": 5, "hash_ids": [1]}\n').notes,
                         ["not kept of each request: hash_ids"])


class Advice(LogTest):
    """What a message advises gives the right number, or a better message."""

    def check(self, text, part, keys, **others):
        """The message has this part; `keys` do what it says, and give these others of a Trace."""
        self.assertIn(part, self.refusal(text))
        trace = read(text, **keys)
        for name, value in others.items():
            found = (trace.times_ns / 1e9).tolist() if name == "seconds" else getattr(trace, name)
            self.assertEqual(found.tolist() if isinstance(found, np.ndarray) else found, value, text)

    def test_columns_without_names(self):
        for text in ("1\n2\n3\n", "# a remark\n1\n2\n3\n"):
            self.check(text, 'format = "times"', {"format": "times", "time_unit": "ms"}, seconds=[0.001, 0.002, 0.003])
            self.check(text, 'format = "counts" with bin_s', {"format": "counts", "bin_s": 60}, counts=[1, 2, 3], bin_s=60)
        self.check("3\n1\n2\n", 'format = "gaps"', {"format": "gaps"}, seconds=[3, 4, 6])
        self.assertIn('bin_s = X, or a line "# bin_s = X"', self.refusal("3\n1\n2\n", format="counts"))
        self.assertEqual(read("# bin_s = 5\n3\n1\n2\n", format="counts").bin_s, 5)
        rows = "2024-05-01 10:00:00,5\n2024-05-01 10:01:00,7\n"
        self.check(rows, "column = N (requests of a bin", {"column": "2"}, counts=[5, 7], bin_s=60)
        self.check(rows, "time_column = N (each line", {"time_column": "1"}, seconds=[0, 60])
        self.check(rows, 'of rates with format = "rates"', {"column": "2", "format": "rates", "rate_unit": "s"}, counts=[300, 420])

    def test_times_beside_unknown_numbers(self):
        rows = "2024-05-01 10:00:00,5\n2024-05-01 10:01:00,7\n"
        self.check("time,value\n" + rows, 'column = "value"', {"column": "value"}, counts=[5, 7])
        self.check("time,value\n" + rows, 'format = "times"', {"format": "times"}, seconds=[0, 60])
        self.check("time,requests_total\n" + rows, 'format = "counter"', {"format": "counter"}, counts=[2])
        self.check("time,x,requests_a\n" + rows.replace(",", ",1,"), 'column = "requests_a"', {"column": "requests_a"}, counts=[5, 7])
        totals = "time,n\n" + "".join(f"2024-05-01 10:{at:02d},{10 + at * at}\n" for at in range(20))
        self.check(totals, 'format = "counter"', {"format": "counter"}, bin_s=60, counts=[2 * at + 1 for at in range(19)])
        self.check(totals, 'format = "counts"', {"format": "counts"}, bin_s=60, counts=[10 + at * at for at in range(20)])

    def test_units(self):
        self.check("time,model\n5,a\n6,b\n", 'time_unit = "s", "ms"', {"time_unit": "ms"}, seconds=[0.005, 0.006])
        self.check("time_s,model\n1714557600500,a\n", "time_unit, which says", {"time_unit": "ms"}, seconds=[0])
        self.check("bin,requests\n0,5\n2,7\n", "bin_s = X", {"bin_s": 2}, counts=[5, 7])
        self.check("bin,requests\n0,5\n2,7\n", "or time_unit", {"time_unit": "s"}, counts=[5, 7], bin_s=2)

    def test_dots_that_may_part_thousands(self):
        text = "time,requests\n2024-05-01 10:00:00,1.500\n2024-05-01 10:01:00,1.250\n"
        self.assertIn("which may be 1500 or 1.500; allowed: 1500 where", self.refusal(text))
        self.assertEqual(self.counts("# decimal = .\n" + text), [1.5, 1.25])
        self.assertEqual(self.counts(text.replace(".", "")), [1500, 1250])

    def test_clocks_that_go_back(self):
        stamps = [f"2024-10-27 {hour:02d}:{minute:02d}:00" for hour in (1, 2, 2, 3) for minute in (7, 18, 44)]
        text = "time,model\n" + "".join(stamp + ",a\n" for stamp in stamps)
        self.check(text, 'format = "times", which sorts them', {"format": "times"})
        with_offset = "time,model\n" + "".join(f"{stamp}+0{2 - (at >= 6)}:00,a\n" for at, stamp in enumerate(stamps))
        self.assertEqual(self.seconds(with_offset)[6] - self.seconds(with_offset)[5], 23 * 60)
        self.check("time_s,model\n5,a\n3,b\n6,c\n2,d\n", 'format = "times" (each line a request at that time)', {"format": "times"},
                   seconds=[2, 3, 5, 6])
        self.assertIn("times with all their digits", self.refusal("time,model\n1.71456e+09,a\n1.71457e+09,b\n"))

    def test_columns_of_the_same_name(self):
        text = "day,time,0,1,2\n0,0,5,,1\n0,60,7,,2\n0,120,,3,0\n"  # of Huawei's functions
        keys = {"time_column": "time", "time_unit": "s"}
        self.assertIn('fits columns 2 (time), 5 (2); allowed: "5"', self.refusal(text, column="2", **keys))
        self.assertEqual(self.counts(text, column="5", **keys), [1, 2, 0])
        self.assertIn("one of ", self.refusal("time,created_at,model\n5,6,a\n", time_unit="s"))

    def test_ends(self):
        text = "finished_at,model,timestamp\n2024-05-01 10:00:05,a,2024-05-01 10:00:00\n2024-05-01 10:00:06,a,2024-05-01 10:00:04\n"
        self.assertEqual(self.seconds(text), [0, 4])
        self.assertIn('time_column = "timestamp"', self.refusal(text, time_column="finished_at"))
        self.assertIn("the times at which requests arrived", self.refusal("finished_at,model\n2024-05-01 10:00:05,a\n"))


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


    def test_the_advice_for_fractions_works(self):
        self.assertIn('format = "rates"', self.refusal(self.TEXT))
        self.assertIn('format = "rates" with rate_unit', self.refusal(self.TEXT, column="2", time_column="1", time_unit="s"))
        self.assertIn('allowed: format = "rates"', self.refusal("time_s,model\n0,a\n", rate_unit="s"))


class Published(LogTest):
    def test_keys_are_used_or_refused(self):
        self.assertEqual(read(BURST, where="Log Type=API log").times_ns.tolist(), [0])
        self.assertIn("where Log Type=API log", read(BURST, where="Log Type=API log").reading)
        for key, value in (("group_by", "Model"), ("holes", "zero"), ("rate_unit", "s"), ("column", "2"), ("time_unit", "s")):
            self.assertIn(f"{key}: found {key} with format", self.refusal(BURST, **{key: value}))
        self.assertEqual(self.seconds(BURST, format="times", time_unit="s", group_by="Model"), [5])  # as the message advises

    def test_functions(self):
        rows = {"g": [5, 0, 0.1], "f": [1, 2, 4], "none": [0, 0, 0]}
        text = FUNCTIONS + "".join(f"o,a,{name},http," + ",".join(map(str, row)) + ",0" * 1437 + "\n" for name, row in rows.items())
        trace = read(text, "functions")
        expected = [[row[0] * 1440 / sum(row), row[1] * 1440 / sum(row), row[2] * 1440 / sum(row)] for row in (rows["f"], rows["g"])]
        self.assertEqual((trace.rates[:, :3] == np.array(expected, np.float32)).tolist(), [[True] * 3] * 2)
        self.assertEqual((trace.rates.shape, trace.bin_s), ((2, 1440), 60))
        self.assertEqual(len(read(text, "functions", column="f").rates), 1)
        self.assertIn("no invocations", self.refusal(text, "functions", column="none"))
        self.assertIn("a file of another format; allowed: azure_functions", self.refusal("1\n", "functions"))
        self.assertIn("a file of format burstgpt", self.refusal(BURST, "functions"))

    def test_modules(self):
        trace = read("time_s,model\n5,a\n3,b\n4,a\n", "modules")
        self.assertEqual((trace.times_ns / 1e9).tolist(), [3, 4, 5])
        self.assertEqual([trace.module_names[code] for code in trace.modules], ["b", "a", "a"])
        self.assertEqual(read("time_s,svc\n5,a\n", "modules", column="svc").module_names, ["a"])
        self.assertEqual(read('{"time_s": 5, "svc": "a"}\n', "modules", column="svc").module_names, ["a"])
        self.assertIn("no column 'module' or 'model'", self.refusal("time_s,svc\n5,a\n", "modules"))
        message = self.refusal("time_s,model,module\n5,a,b\n", "modules")
        self.assertIn("column = one of model, module", message)
        self.assertEqual(read("time_s,model,module\n5,a,b\n", "modules", column="module").module_names, ["b"])
        self.assertIn("times in column", self.refusal("time_s,svc\n5,a\n", "modules", column="time_s"))
        self.assertIn("no data; allowed: at least one request", self.refusal("", "modules"))


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
        trace = read('{"arrival_s": 0.5, "prompt_tokens": 20, "completion_tokens": 8}\n'
                     '{"arrival_s": 0.25, "prompt_tokens": 21, "completion_tokens": 9}\n')
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
        text = ('{"metric": "http_reqs", "data": {"time": "2024-05-01T10:00:0%dZ", "value": 1}}\n'
                '{"metric": "vus", "data": {"time": "2024-05-01T10:00:00Z"}}\n')
        text = text % 0 + text % 3
        self.assertEqual(self.seconds(text, where=advised(self.refusal(text))), [0, 3])

    def test_columns_are_the_keys_of_all_objects(self):
        trace = read(STARTED, where=advised(self.refusal(STARTED)))
        self.assertEqual((trace.times_ns.tolist(), trace.module_names), ([0, 10**9], ["", "a"]))
        self.assertIn("t.csv:1: found no ts in this line", self.refusal(STARTED))

    def test_rows_without_a_time_are_left_out_by_the_command(self):
        text = '{"@time":"2024-05-01T10:00:00Z","model":"a"}\n{"@time":null,"model":"a"}\n{"@time":"2024-05-01T10:00:02Z","model":"b"}\n'
        message = self.refusal(text, time_column="@time")
        self.assertIn("t.csv:2: found no @time in this line", message)
        kept = by_command(message, text, lambda text: "".join(line for line in text.splitlines(True) if "null" not in line))
        self.assertEqual(self.seconds(kept, time_column="@time"), [0, 2])

    def test_a_line_of_words_before_objects(self):
        text = "listening on :80\n" + STARTED.split("\n", 1)[1]
        message = self.refusal(text)
        self.assertIn("an object of JSON a line, as line 2 is", message)
        self.assertEqual(self.seconds(by_command(message, text, None)), [0, 1])
        text = STARTED.split("\n", 1)[1] + "bye\n"
        self.assertEqual(self.seconds(by_command(self.refusal(text), text, None)), [0, 1])

    def test_a_last_line_that_is_cut_off(self):
        self.assertIn("t.csv:2: found '{\"ts\": 17145'", self.refusal('{"ts": 1714557600.5}\n{"ts": 17145'))
        text = '{"timestamp": 0, "input_length": 6, "output_length": 5}\n'
        self.assertIn("t.csv:2: found ", self.refusal(text + text[:-4]))
        for text in ("time_s,model\n1,a\n2", "2024-05-01 10:00:00 GET\n2024-05-0"):
            self.assertRegex(self.refusal(text), "^t.csv:[23]: ")

    def test_json_that_is_no_line_an_object(self):
        objects = [{"time": "2024-05-01T10:00:00Z", "model": "a"}, {"time": "2024-05-01T10:00:03Z", "model": "b"}]
        lines = "".join(json.dumps(one) + "\n" for one in objects)
        for text in (json.dumps(objects), json.dumps({"events": objects}),
                     json.dumps(objects[0], indent=1) + "\n" + json.dumps(objects[1], indent=1)):
            self.assertEqual(self.seconds(by_command(self.refusal(text), text, lambda _: lines)), [0, 3])
        self.assertIn("jq -r .KEY FILE", self.refusal('{"x": 5}\n', format="mooncake"))
        column = by_command("(jq -r .time FILE)", lines, lambda _: "".join(one["time"] + "\n" for one in objects))
        self.assertEqual(self.seconds(column), [0, 3])


class Holes(LogTest):
    def test_a_hole_is_refused_and_each_advice_works(self):
        self.assertIn('or holes = "zero", "interpolate" or "cut" (--holes)', self.refusal(COUNTS, column="n"))
        for holes, counts in (("zero", [4, 6, 0, 8, 7]), ("interpolate", [4, 6, 7, 8, 7]), ("cut", [4, 6, 8, 7])):
            trace = read(COUNTS, column="n", holes=holes)
            self.assertEqual((trace.counts.tolist(), trace.bin_s), (counts, 60))
            self.assertIn("1 of 5 bins missing", trace.reading)

    def test_what_is_no_hole_stays_refused(self):
        self.assertIn("a file of counts", self.refusal("time_s,model\n0,a\n", holes="zero"))
        self.assertNotIn("--holes", self.refusal("time,n\n2024-05-01 10:00,4\n2024-05-01 10:01,6\n2024-05-01 10:00,8\n", column="n"))
        self.assertIn("in order", self.refusal("time,n\n2024-05-01 10:00,4\n2024-05-01 10:01,6\n2024-05-01 10:01,8\n", column="n",
                                               holes="zero"))
        self.assertIn("in order", self.refusal("time,n\n0,4\n60,6\n120,8\n210,7\n", column="n", holes="zero", time_unit="s"))


class KeysWithoutEffect(LogTest):
    """Each key changes what is read, or is refused: nothing passes in silence."""

    FILES = {
        "times": "arrival_s,model\n1,a\n2.5,b\n7,a\n", "gaps": "gap_s,model\n1,a\n2,b\n",
        "counts": "time_s,requests,b\n0,4,1\n60,6,2\n120,3,7\n", "counter": "time_s,total\n0,4\n60,9\n120,11\n",
        "burstgpt": "Timestamp,Model,Request tokens,Response tokens\n5,x,472,18\n6,y,10,1\n",
        "azure_llm": "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46,374,44\n2023-11-16 18:15:49,3,4\n",
        "mooncake": '{"timestamp": 0, "input_length": 6, "output_length": 5}\n{"timestamp": 2, "input_length": 7, "output_length": 8}\n'}
    KEYS = {"column": ("b", "2"), "time_column": ("2", "model"), "time_unit": ("ms",), "rate_unit": ("minute",),
            "where": ("model=a", "b=1", "Model=x"), "group_by": ("model", "2", "1")}

    def outcome(self, text, keys):
        try:
            trace = read(text, **keys)
        except logs.BadInput as refusal:
            return str(refusal)
        return trace.times_ns.tolist(), trace.counts.tolist()

    def test_each_key_of_each_format(self):
        for format, text in self.FILES.items():
            for key, values in self.KEYS.items():
                standard = self.outcome(text, {"format": format})
                self.assertNotIsInstance(standard, str, format)
                with self.subTest(format=format, key=key):  # a value may choose what stands there anyway
                    self.assertTrue(any(self.outcome(text, {"format": format, key: value}) != standard for value in values))


class SeveralSeries(LogTest):
    """Bins are those of the file, not of the rows that `where` leaves."""

    MINUTES = "time,model,requests\n" + "".join(f"2024-05-01 10:{at:02d}:00,a,2\n" + (f"2024-05-01 10:{at:02d}:00,b,300\n" if at in (5, 10, 20) else "")
                                               for at in range(30))

    def test_bins_that_a_series_lacks_are_missing(self):
        self.assertIn('rows for 3 of 30 bins; allowed: all of them; or holes = "zero"', self.refusal(self.MINUTES, where="model=b"))
        trace = read(self.MINUTES, where="model=b", holes="zero")
        self.assertEqual((trace.bin_s, len(trace.counts), trace.counts.sum(), trace.counts[[5, 10, 20]].tolist()), (60, 30, 900, [300] * 3))
        self.assertIn("27 of 30 bins missing (0)", trace.reading)
        self.assertEqual(self.counts(self.MINUTES, where="model=b", holes="cut"), [300] * 3)
        self.assertEqual(len(self.counts(self.MINUTES, where="model=a")), 30)
        self.assertEqual(len(self.counts(self.MINUTES, where="model=b", holes="zero", bin_s=60)), 30)

    def test_irregular_holes_with_the_length_of_a_bin(self):
        text = "time,requests\n2024-05-01 10:00,1\n2024-05-01 10:05,2\n2024-05-01 10:07,3\n"
        self.assertEqual(self.counts(text, holes="zero", bin_s=60), [1, 0, 0, 0, 0, 2, 0, 3])

    def test_rows_from_the_last_to_the_first(self):
        rows = [f"2024-05-01 10:0{at}:00,{count}" for at, count in enumerate((5, 3, 8, 2))]
        self.assertIn("(sed 1q FILE; sed 1d FILE | tac)", self.refusal("\n".join(["time,requests", *rows[::-1]]) + "\n"))
        self.assertEqual(self.counts("\n".join(["time,requests", *rows]) + "\n"), [5, 3, 8, 2])

    def test_an_empty_field_takes_no_other_with_it(self):
        text = "time,a_requests,b_requests\n2024-05-01 10:00,1,5\n2024-05-01 10:01,,600\n2024-05-01 10:02,3,7\n"
        self.assertIn("in line 3; allowed: holes = \"zero\"", self.refusal(text, column="#2-3", holes="interpolate"))
        self.assertEqual(self.counts(text, column="#2-3", holes="zero"), [6, 600, 10])
        self.assertEqual(self.counts(text, column="a_requests", holes="interpolate"), [1, 2, 3])

    def test_a_total_is_not_added_to_its_parts(self):
        rows = "".join(f"2024-05-01 10:0{at},{at + 4},{9 - at},13\n" for at in range(5))
        self.assertNotIn("added up", self.refusal("time,llama,gpt,total\n" + rows))

    def test_ends_of_bins_and_days_of_the_week(self):
        rows = "".join(f"2024-05-01 10:0{2 * at}:00,2024-05-01 10:0{2 * at + 1}:00,10{at}\n" for at in range(4))
        self.assertIn("bins of 60 s whose rows are 120 s apart", self.refusal("from,to,requests\n" + rows))
        self.assertEqual(self.counts("from,to,requests\n" + rows, holes="zero", bin_s=60), [100, 0, 101, 0, 102, 0, 103])
        self.assertEqual(self.counts("from,exported,requests\n" + rows), [100, 101, 102, 103])
        self.assertEqual(self.counts("from,to,requests\n" + rows.replace("1:00,10", "2:00,10").replace("3:00,10", "4:00,10")
                                     .replace("5:00,10", "6:00,10").replace("7:00,10", "8:00,10")), [100, 101, 102, 103])
        hours = "".join(f"{day},{hour},5\n" for day in ("Mon", "Wed") for hour in range(24))
        self.assertIn("days of the week", self.refusal("weekday,hour,requests\n" + hours))

    def test_requests_of_a_bin_are_not_grouped_to_one(self):
        self.assertIn("group_by beside requests of a bin", self.refusal(self.MINUTES, group_by="time"))

    def test_what_where_leaves_out_is_not_said_to_be_left(self):
        trace = read("time,status\n2024-05-01 10:00:00,200\n2024-05-01 10:00:01,500\n", where="status=200")
        self.assertEqual([note for note in trace.notes if "failed" in note], [])


class Clocks(LogTest):
    def test_day_hour_and_minute_are_one_time(self):
        trace = read("day,hour,minute,requests\n1,23,58,3\n1,23,59,5\n2,0,0,4\n")
        self.assertEqual((trace.counts.tolist(), trace.bin_s), ([3, 5, 4], 60))
        self.assertEqual(read("day,hour,requests\n2024-05-01,23,3\n2024-05-02,0,5\n").bin_s, 3600)
        self.assertEqual(self.seconds("hour,minute,second,model\n0,1,5,a\n0,2,0,b\n"), [65, 120])

    def test_a_year_that_is_missing(self):
        for text in ("Feb  6 12:14:14 host app[3]: request done\n", "time,model\nMay 01 10:00:00,a\n", "I0206 12:14:14.5 1 a.cc:5] x\n",
                     "06/Feb 12:14:14 a b\n", "<13>Feb  6 12:14:14 host x\n", "Mon Feb  6 12:14:14 host x\n", "02/06 12:14:14 x y\n",
                     "Feb 06, 12:14:14 x\n", '{"ts":"Feb  6 12:14:14","m":"a"}\n'):
            self.assertIn("a date whose year is missing", self.refusal(text))
        for text in ("time,model\n10:00:00,a\n", "10:00:00.5 GET /a\n10:00:01 GET /b\n"):
            self.assertIn("a time of day whose date is missing", self.refusal(text))
        self.assertEqual(self.seconds("Mon Feb  6 12:14:14 2024 host x\n"), [0])

    def test_the_command_that_gives_a_year_works(self):
        for first, second in (("Feb  6 12:14:14 host x", "Feb 16 12:14:14 host x"),
                              ("<13>Feb  6 12:14:14 host x", "<13>Feb 16 12:14:14 host x"),
                              ("I0206 12:14:14.5 1 a.cc:5] x", "I0216 12:14:14.5 1 a.cc:5] y"), ("02/06 12:14:14 x", "02/16 12:14:14 y"),
                              ("INFO 02-06 12:14:14 [a.py:5] x", "INFO 02-16 12:14:14 [a.py:5] y"),
                              ("06/Feb 12:14:14 a b", "16/Feb 12:14:14 a b"),
                              ("Mon Feb  6 12:14:14 host x", "Thu Feb 16 12:14:14 host x")):
            text = f"{first}\n{second}\n"
            command = re.search("sed -E '(.*?)' FILE", self.refusal(text))[1].replace("YEAR", "2024")
            dated = subprocess.run(["sed", "-E", command], input=text, capture_output=True, text=True, check=True).stdout
            self.assertEqual(self.seconds(dated), [0, 10 * 86400], dated)

    def test_a_year_that_begins(self):
        self.assertIn("nearly a year before", self.refusal("time,model\n2024-12-31 23:59:59,a\n2024-01-01 00:00:01,b\n"))


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
        self.assertEqual(self.seconds(SPANS, group_by=advised(self.refusal(SPANS), "group_by")), [0.9, 1.5])
        self.assertIn('format = "times"', self.refusal(SPANS, group_by="traceid", format="counts", column="span"))

    def test_lines_of_one_request(self):
        text = "request_id,event,timestamp_ms\na,start,1000\na,end,1500\nb,start,1700\n"
        message = self.refusal(text)
        self.assertEqual(self.seconds(text, group_by=advised(message, "group_by")), [1, 1.7])
        self.assertIn('or format = "times"', message)
        self.assertEqual(self.seconds(text, format="times"), [1, 1.5, 1.7])

    def test_a_group_has_the_module_of_its_first_line(self):
        trace = read("traceid,model,time_s\na,x,5\nb,z,4\na,y,3\n", group_by="traceid")
        self.assertEqual([trace.module_names[code] for code in trace.modules], ["y", "z"])

    def test_spans_of_jaeger(self):
        text = json.dumps({"data": [{"traceID": trace, "spans": [{"startTime": 1714557600000000 + at} for at in starts]}
                                    for trace, starts in (("a", (200, 0)), ("b", (700, 900)))]})
        message = self.refusal(text)
        self.assertIn("spans of Jaeger", message)
        self.assertEqual(self.seconds(by_command(message, text, lambda _: "1714557600000000\n1714557600000700\n")), [0, 0.0007])

    def test_spans_of_opentelemetry(self):
        spans = [{"traceId": trace, "startTimeUnixNano": str(1714557600000000000 + at)}
                 for trace, at in (("a", 2000), ("a", 0), ("b", 5000))]
        text = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
        message = self.refusal(text)
        self.assertIn("spans of OpenTelemetry", message)
        times = by_command(message, text, lambda _: "1714557600000000000\n1714557600000005000\n")
        self.assertAlmostEqual(self.seconds(times)[-1], 5e-6, delta=3e-7)  # jq's numbers have 53 bits

    def test_metrics_are_refused_and_the_advice_works(self):
        self.assertEqual(self.seconds(METRICS, where=advised(self.refusal(METRICS))), [0, 2])
        self.assertIn("no row with metric_name=x", self.refusal(METRICS, where="metric_name=x"))

    def test_metrics_in_objects(self):
        text = "".join(json.dumps(one) + "\n" for one in (
            {"type": "Metric", "data": {"name": "http_reqs"}, "metric": "http_reqs"},
            {"type": "Metric", "data": {"name": "vus"}, "metric": "vus"},
            *({"metric": metric, "type": "Point", "data": {"time": f"2024-05-01T10:00:0{at}Z", "value": value}}
              for at, metric, value in ((0, "http_reqs", 1), (1, "vus", 3), (2, "http_reqs", 1)))))
        first = advised(self.refusal(text))
        second = advised(self.refusal(text, where=first))
        self.assertEqual((first, second), ("metric=http_reqs", "metric=http_reqs,type=Point"))
        self.assertEqual(self.seconds(text, where=second), [0, 2])
        self.assertIn("2 metrics", self.refusal(text, where="type=Point"))

    def test_several_series(self):
        text = "Timestamp,User Count,Type,Name,Requests/s\n" + "".join(
            f"171455760{at},5,GET,/a,{3 + at}\n171455760{at},5,,Aggregated,{4 + at}\n" for at in range(2))
        self.assertEqual(self.counts(text, where=advised(self.refusal(text))), [4, 5])
        text = "minute,service,requests\n" + "".join(f"2024-05-01 10:0{at},{name},{at}\n" for at in range(3) for name in "ab")
        self.assertEqual(self.counts(text, where=advised(self.refusal(text))), [0, 1, 2])

    def test_lines_that_go_on(self):
        text = "2024-05-01 10:00:00 ERROR x\n  at com.foo\n2024-05-01 10:00:01 INFO y\n"
        kept = by_command(self.refusal(text).replace(" FILE ", " FILE)("), text, None)
        self.assertEqual(self.seconds(kept), [0, 1])

    def test_several_conditions(self):
        text = "time_s,model,user\n0,a,x\n1,b,x\n2,a,y\n3,a,x\n"
        for where in ("model=a,user=x", ["model=a", "user=x"], "model=a, user=x"):
            self.assertEqual(self.seconds(text, where=where), [0, 3])
        self.assertEqual(self.seconds('time_s,url\n0,"/a,b"\n1,/c\n', where="url=/a,b"), [0])
        self.assertIn("COLUMN=VALUE", self.refusal(text, where="model"))

    def test_parts_of_lines(self):
        for tag in ("stdout F", "stderr F"):
            self.assertEqual(self.seconds(CONTAINER.replace("stdout P", tag)), [0, 0.1, 0.9])
        self.assertAlmostEqual(self.seconds(CONTAINER, where=advised(self.refusal(CONTAINER)))[1], 0.8)
        message = self.refusal(DOCKER)
        self.assertIn("1 part of lines", message)
        kept = by_command(message, DOCKER, lambda text: "".join(text.splitlines(True)[1:]))
        self.assertEqual(self.seconds(kept), [0, 1])
        self.assertEqual(self.seconds(DOCKER.replace("\\n", "")), [0, 1, 2])  # no line has an end
        text = '{"log":"a","logtag":"P","time":"2024-05-01T10:00:00Z"}\n{"log":"b","logtag":"F","time":"2024-05-01T10:00:01Z"}\n'
        self.assertEqual(self.seconds(text, where=advised(self.refusal(text))), [0])
        objects = [{"log": "a", "partial_message": "true", "partial_last": "false"},
                   {"log": "b", "partial_message": "true", "partial_last": "true"},
                   {"log": "c"}]
        rows = [json.dumps(one | {"time": f"2024-05-01T10:00:0{at}Z"}) + "\n" for at, one in enumerate(objects)]
        kept = by_command(self.refusal("".join(rows)), "".join(rows), lambda _: "".join(rows[1:]))
        self.assertEqual(kept.count("\n"), 2)
        rows = [row.replace("partial_message", "CONTAINER_PARTIAL_MESSAGE").replace("partial_last", "x") for row in rows]
        self.assertEqual(self.seconds(by_command(self.refusal("".join(rows)), "".join(rows), lambda _: rows[2])), [0])

    def test_two_times_in_a_row(self):
        rows = "2024-05-01 10:00:00,2024-05-01 10:00:01,a\n2024-05-01 10:00:05,2024-05-01 10:00:09,b\n"
        for names in ("received,sent,model\n", "timestamp,logged,model\n", "log_time,request_time,model\n", "received_at,sent_at,model\n",
                      ""):
            message = self.refusal(names + rows)
            self.assertIn("time_column = one of ", message)
            first, second = re.search("time_column = one of ([^,]+), ([^,]+)", message).groups()
            self.assertEqual(sorted(self.seconds(names + rows, time_column=name)[1] for name in (first, second)), [5, 8])
        self.assertEqual(self.seconds("start_time,end_time,model\n" + rows), [0, 5])
        self.assertEqual(self.seconds("arrival_time,log_time,model\n" + rows), [0, 5])
        self.assertEqual(self.seconds("timestamp,logged,model\n" + rows.replace("10:00:09", "10:00:06")), [0, 5])  # the same load
        self.assertIn("two times", self.refusal("received_s,sent_s\n0.5,0.7\n1.5,1.9\n"))

    def test_two_times_among_words(self):
        text = ("2024-05-01T10:00:00.5Z INFO request received at 2024-05-01T09:59:58Z\n"
                "2024-05-01T10:00:05.25Z INFO request received at 2024-05-01T10:00:00Z\n")
        self.assertIn("'2024-05-01T10:00:00.5Z' and '2024-05-01T09:59:58Z'", self.refusal(text))
        self.assertEqual(self.seconds(text, format="times"), [0, 4.75])
        text = ('2024-05-01T10:00:00.5Z h - [01/May/2024:10:00:00 +0000] "GET /"\n'
                '2024-05-01T10:00:01.75Z h - [01/May/2024:10:00:01 +0000] "GET /"\n')
        self.assertIn("two times", self.refusal(text))
        self.assertEqual(self.seconds(text.replace(".75", ".5")), [0, 1])


class Packed(LogTest):
    def test_all_packings_that_python_knows(self):
        text = b"0.5\n1\n"
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as file:
            file.writestr("a.csv", text)
        for data in (gzip.compress(text), bz2.compress(text), lzma.compress(text), archive.getvalue(),
                     gzip.compress(b"0.5\n") + gzip.compress(b"1\n")):
            self.assertEqual(self.seconds(data), [0.5, 1])

    def test_what_was_imported_already(self):
        text = b"# harness trace 1\nformat"
        self.assertIn("imported already; allowed: the log itself; or name this file as it is", self.refusal(text))
        self.assertIn("or unpack this file and name it", self.refusal(gzip.compress(text)))

    def test_broken_ones(self):
        self.assertIn("truncated gzip data", self.refusal(gzip.compress(b"0.5\n1\n")[:-6]))
        self.assertIn("corrupt bz2 data", self.refusal(b"BZh123"))

    def test_packages_that_are_missing_are_named(self):
        for package, data in (("zstandard", b"\x28\xb5\x2f\xfd123"), ("pyarrow", b"PAR1123")):
            try:
                __import__(package)
            except ImportError:
                self.assertIn(f"env/bin/pip install numpy {package};", self.refusal(data))


class Large(LogTest):
    def test_pieces_of_a_file_are_read_as_one(self):
        times = np.arange(1_200_000) / 1000
        text = "# time_unit = s\n" + "\n".join(map("{:.3f}".format, times)) + "\n"
        self.assertEqual(read(text).times_ns.tolist(), (np.arange(1_200_000) * 10**6).tolist())
        broken = text.replace("\n1199.000\n", "\nx\n")
        self.assertEqual(self.refusal(broken), "t.csv:1199002: send time: found 'x'; allowed: a number from 0 to 1e+09")


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.fsencode(folder.name)

    def path(self, name):
        return os.path.join(self.folder, os.fsencode(name))

    def write(self, name, text):
        with open(self.path(name), "wb") as file:
            file.write(text.encode())

    def run_program(self, *words, folder=None):
        done = subprocess.run([sys.executable, os.path.join(HERE, "traces.py"), *words], cwd=folder or self.folder, capture_output=True,
                              check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def parsed(self, name):
        """Returns the header of a trace and its bytes behind it."""
        with open(self.path(name), "rb") as file:
            data = file.read()
        header, _, numbers = data.partition(b"\n---\n")
        self.assertEqual(header.split(b"\n")[0], b"# harness trace 1")
        said = tomllib.loads(header.decode())
        self.assertEqual(said["sha256"], hashlib.sha256(numbers).hexdigest())
        self.assertEqual([*said], ["format", "parts", "bin_s", "reading", "notes", "source", "source_sha256", "requests", "bins",
                                   "functions",
                                   "has_tokens", "modules", "sha256"])
        return said, numbers

    def test_times_with_modules(self):
        text = 'time_s,model,user\n3,"a ""é\\",x\n1,b,y\n'
        self.write("in.csv", text)
        self.assertEqual(self.run_program("in.csv", "-o", "out"),
                         (0, "in.csv: read as times in column 'time_s' (s), each line a request, sorted "
                         "(1 came before the one above); 2 requests over 3 s, longest gap 2 s\nnote: not kept of each request: user\n", ""))
        said, numbers = self.parsed(b"out")
        self.assertEqual((said["requests"], said["bins"], said["functions"], said["has_tokens"], said["modules"], said["bin_s"],
                          said["format"],
                          said["parts"], said["source"], said["notes"], said["source_sha256"]),
                         (2, 0, 0, False, ['a ""é\\', "b"], 1.0, "times", "load", "in.csv", ["not kept of each request: user"],
                          hashlib.sha256(text.encode()).hexdigest()))
        self.assertNotIn("requests over", said["reading"])
        self.assertEqual(numbers, np.array([10**9, 3 * 10**9], "<i8").tobytes() + np.array([1, 0], "<i4").tobytes())
        self.assertEqual(stat.S_IMODE(os.stat(self.path(b"out")).st_mode) & 0o600, 0o600)

    def test_tokens_and_counts_and_functions(self):
        self.write("burst.csv", BURST)
        self.run_program("burst.csv", "-o", "tokens")
        said, numbers = self.parsed(b"tokens")
        self.assertEqual((said["has_tokens"], numbers),
                         (True, np.array([0, 10**9], "<i8").tobytes() + np.array([472, 18, 10, 0], "<u4").tobytes()))
        self.write("counts.csv", "time,n\n0,3\n60,4\n")
        words = ("--column=n", "--time-unit=s", "--time-column=time")
        self.assertEqual(self.run_program("counts.csv", "--output=counts", *words)[0], 0)
        said, numbers = self.parsed(b"counts")
        self.assertEqual((said["requests"], said["bins"], said["bin_s"], numbers), (0, 2, 60.0, np.array([3, 4], "<f8").tobytes()))
        self.run_program("counts.csv", "-o", "again", *words)
        self.assertEqual(self.parsed(b"again"), (said, numbers))
        self.write("functions.csv", FUNCTIONS + "o,a,f,http,1,2" + ",0" * 1438 + "\n")
        self.assertEqual(self.run_program("functions.csv", "-o", "functions", "--parts=functions")[0], 0)
        said, numbers = self.parsed(b"functions")
        self.assertEqual((said["functions"], said["bins"], said["parts"]), (1, 1440, "functions"))
        self.assertEqual(np.frombuffer(numbers, "<f4")[:3].tolist(), [480, 960, 0])

    def test_refusals_are_one_line_and_leave_nothing(self):
        self.write("in.csv", "1\n2\n3\n")
        places = ["--place", "time_unit", "e.toml", "7", "trace.t.time_unit", "--place", "holes", "", "0", "--holes", "--place", "where",
                  "", "0", "--where"]
        for words, line in ((["in.csv"], "in.csv:1: format: found whole numbers that rise"),
                            (["in.csv", "--name=a/b"], "a/b:1: format: found "),
                            (["in.csv", "--time-unit=y", *places], "e.toml:7: trace.t.time_unit: found 'y'"),
                            (["in.csv", "--format=times", "--holes=cut", *places], "--holes: found holes with format"),
                            (["none.csv"], "none.csv: found no such file"), ([b"\xff.csv"], "\\xff.csv: found no such file"),
                            ([".", ], ".: found a folder"), (["in.csv", "--bin-s=x"], "argument --bin-s"),
                            (["in.csv", "--bin-s=-1"], "bin_s: found -1"),
                            (["in.csv", "--parts=x"], "argument --parts"), (["in.csv", "--odd"], "unrecognized"),
                            (["in.csv", "--output=in.csv"], "-o: found the log itself"),
                            (["none.csv", "--output=a.gz"],
                             "-o: found 'a.gz'; allowed: a name without .gz: an imported trace is not packed")):
            code, said, error = self.run_program("-o", "out", *words)
            self.assertEqual((code, said, error.count("\n"), error[-1:]), (2, "", 1, "\n"), words)
            self.assertTrue(error.startswith(line), error)
        self.assertEqual(os.listdir(self.folder), [b"in.csv"])

    def test_what_cannot_be_written(self):
        self.write("in.csv", "0.5\n1\n")
        for out in ("none/out", "/dev/full"):
            code, said, error = self.run_program("in.csv", "-o", out)
            self.assertEqual((code, said, error.count("\n")), (3, "", 1))
            self.assertTrue(error.startswith(out + ": cannot write: "), error)
        self.assertEqual(self.run_program("in.csv", "-o", "/dev/null")[0], 0)
        self.write("results", "harness file, 1\n")
        self.assertEqual(self.run_program("in.csv", "-o", "results")[0], 2)
        self.assertEqual(sorted(os.listdir(self.folder)), [b"in.csv", b"results"])

    def test_names_are_bytes(self):
        self.write("in.csv", "0.5\n1\n")
        os.rename(self.path(b"in.csv"), self.path(b"\xff\n.csv"))
        code, said, _ = self.run_program("--output=out", "--", b"\xff\n.csv")
        self.assertEqual((code, said[:12]), (0, "\\xff\\x0a.csv"))
        self.assertEqual(self.parsed(b"out")[0]["source"], "\\xff\\x0a.csv")
        os.rename(self.path(b"out"), self.path(b"again"))
        self.assertIn("imported already", self.run_program("again", "-o", "out")[2])

    def test_a_missing_numpy_is_named(self):
        os.mkdir(self.path(b"numpy"))
        self.write("numpy/__init__.py", "raise ModuleNotFoundError('none', name='numpy')\n")
        done = subprocess.run([sys.executable, os.path.join(HERE, "traces.py"), "x", "-o", "y"], capture_output=True, check=False,
                              env={**os.environ, "PYTHONPATH": os.fsdecode(self.folder)})
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (3, 1))
        self.assertIn(b"env/bin/pip install numpy;", done.stderr)


if __name__ == "__main__":
    unittest.main()
