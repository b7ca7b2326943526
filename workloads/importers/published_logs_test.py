"""Logs of published formats, the simplest files of times and counts, and files that are no logs: as
what each is read, or the one line that refuses it."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from logs_testing import LogTables, logs, packed, read, refused  # noqa: E402

NS = 1_000_000_000
DAY = 1440  # minutes
BIN = "# bin_s = 1\n"
LLM = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
SOME_TIMES = "".join(f"{time}\n" for time in range(1, 16))
PACKED = packed(SOME_TIMES)


def azure_header(begin="hash_func,day"):
    return begin + "".join(f",{minute}" for minute in range(1, DAY + 1)) + "\n"


def azure_row(begin, first):
    """Returns a row with `first` in the first minute and 1 in the last."""
    return f"{begin},{first}" + ",0" * (DAY - 2) + ",1\n"


def flipped(data):
    """Returns the data with some bits of the byte in the middle changed."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1:]


REFUSED = (
    refused("empty", "", "no data"),
    refused("only_remarks", "# a\n\n  \n", "no data"),
    refused("only_header", "time,count\n", "no data", format="counts"),
    refused("binary", b"\x7fELF\x00\x00\x01", "binary data"),
    refused("garbage", b"\x80\x81\xfe\xff\n1\n", "t.csv:1: format: found no column"),
    refused("text", "1\ntwo\n", "t.csv:2: send time: found 'two'", format="times"),
    refused("nan", "1\nnan\n", "t.csv:2: send time: found 'nan'", format="times"),
    refused("infinite", "inf\n", "found 'inf'", format="times"),
    refused("huge_number", "1e999\n", "found '1e999'", format="times"),
    refused("negative", "-0.5\n", "t.csv:1: send time: found '-0.5'", format="times"),
    refused("negative_gap", "1\n-3\n2\n", "t.csv:2: column 1: found '-3'", format="gaps"),
    refused("too_late", "5\n2e9\n", "from 0 to 1e+09", format="times"),
    refused("too_far_apart", "1e9\n5e9\n", "at most 1e9 s from the first", format="times"),
    refused("two_numbers", "1 2\n", "time_column = one of 1 to 2", format="times"),
    refused("trailing", "1s\n", "found '1s'", format="times"),
    refused("hexadecimal", "0x10\n", "found '0x10'", format="times"),
    refused("utf16", b"1\x00\n\x00", "binary data"),
    refused("long_line", "1" * (2 << 20), "longer than 1 MiB", format="times"),
    refused("counts_text", "a,n\n1,x\n", "t.csv:2: count in column 'n': found 'x'", format="counts"),
    refused("counts_nan_first", "0,nan\n", "found 'nan'", format="counts"),
    refused("counts_nan", "a,n\n0,NaN\n", "found 'NaN'", format="counts"),
    refused("counts_negative", "a,n\n1,-4\n", "found '-4'", format="counts"),
    refused("counts_missing", "a,n\n1,\n", "an empty field", format="counts"),
    refused("counts_absurd", "a,n\n1,1e15\n", "from 0 to 1e+12", format="counts"),
    refused("counts_ragged", "a,n\n1,2\n1,2,3\n", "t.csv:3: found 3 fields; allowed: 2", format="counts"),
    refused("no_such_column", "a,b\n1,2\n", "column: found 'c'; allowed: a, b", format="counts", column="c"),
    refused("column_zero", "a,b\n1,2\n", "from 1 to 2", format="counts", column="0"),
    refused("column_three", "a,b\n1,2\n", "from 1 to 2", format="counts", column="3"),
    refused("bad_bin", "# bin_s = soon\n1\n", "t.csv:1: bin_s: found 'soon'", format="counts"),
    refused("zero_bin", "# bin_s = 0\n1\n", "bin_s: found '0'", format="counts"),
    refused("azure_header", "hash_func,day,1,2,3\nx,1,1,2,3\n", "t.csv:1: header"),
    refused("azure_no_rows", azure_header(), "no data"),
    refused("azure_short_row", azure_header() + "x,1,4\n", "t.csv:2: found 3 fields; allowed: 1442"),
    refused("azure_day", azure_header() + azure_row("x,400", 1), "day: found '400'"),
    refused("azure_day_fraction", azure_header() + azure_row("x,1.5", 1), "day: found '1.5'"),
    refused("azure_count", azure_header() + azure_row("x,1", -3), "minute 1: found '-3'"),
    refused("azure_function", azure_header() + azure_row("x,1", 1), "column: found 'y', which fits 0", column="y"),
    refused("azure_ambiguous", azure_header() + azure_row("xa,1", 1) + azure_row("xb,1", 1), "which fits 2 functions", column="x"),
    refused("llm_header", "TIMESTAMP,Tokens\n", "t.csv:1: header", format="azure_llm"),
    refused("llm_time", LLM + "yesterday,1,2\n", "t.csv:2: TIMESTAMP: found 'yesterday'"),
    refused("llm_month", LLM + "2023-13-16 18:15:46,1,2\n", "TIMESTAMP"),
    refused("llm_fraction", LLM + "2023-11-16 18:15:46.,1,2\n", "TIMESTAMP"),
    refused("llm_unsorted", LLM + "2023-11-16 18:15:46,1,2\n2023-11-16 18:15:45,1,2\n", "t.csv:3: TIMESTAMP"),
    refused("llm_tokens", LLM + "2023-11-16 18:15:46,-1,2\n", "ContextTokens: found '-1'"),
    refused("llm_fields", LLM + "2023-11-16 18:15:46,1\n", "2 fields"),
    refused("gzip_truncated", PACKED[:-6], "truncated gzip"),
    refused("gzip_header_only", PACKED[:5], "truncated gzip"),
    refused("gzip_corrupt", flipped(PACKED), "gzip"),
    refused("gzip_trailing", PACKED + b"more", "after the end of the gzip data"),
)


class Times(LogTables):
    def times_ns(self, text, **keys):
        return read(text, **keys).times_ns.tolist()

    def test_a_line_is_a_time(self):
        trace = read("0.5\n# a remark\n1\r\n\n1\n2.000000001")
        self.assertEqual((trace.format, trace.times_ns.tolist()), ("times", [500_000_000, NS, NS, 2_000_000_001]))

    def test_gzipped_files(self):
        self.assertEqual(self.times_ns(packed("0.5\n1\n")), [500_000_000, NS])
        two_members = packed("1\n") + packed("2\n")
        self.assertEqual(self.times_ns(two_members, format="times"), [NS, 2 * NS])

    def test_latencies_of_batches_are_refused(self):
        for text in ("model,batch,latency_ms\nm,1,5.2\n", "Batch Size;P50 (ms)\n1;5\n2;6\n"):
            line = self.refusal(text)
            self.assertIn("latencies of batches", line)
            self.assertIn("harness profile import FILE -o SET.toml", line)

    def test_a_log_of_requests_is_no_table_of_latencies(self):
        for text in ("ts,model,batch_size,latency_ms\n0.1,m,4,9\n", "time_ms,batch,latency\n1,1,3\n5,1,3\n",
                     "created_at,batch,e2e_latency\n2024-05-01T10:00:00Z,1,3\n", "request_time,batch,latency\n1,1,3\n",
                     "received,batch,latency_ms\n1,1,3\n"):
            try:
                read(text)
            except logs.BadInput as error:
                self.assertNotIn("latencies of batches", str(error))


class Counts(LogTables):
    def counts(self, text, **keys):
        return read(text, **keys).counts.tolist()

    def test_any_column_may_have_them(self):
        text = BIN + "timestamp,data,other\n0,21.0,1\n1000,34,2\n"
        self.assertEqual(self.counts(text, column="data"), [21, 34])
        self.assertEqual(self.counts(text, format="counts", column="2"), [21, 34])
        self.assertEqual(self.counts(text, format="counts", column="data,3"), [22, 36])
        self.assertEqual(self.counts(BIN + "7,1\n8,2\n", format="counts", column="1"), [7, 8])
        self.assertEqual(self.counts(BIN + '"a","n"\n"x,y","5"\n'), [5])

    def test_columns_that_are_no_times_may_stand_beside_them(self):
        self.assertEqual(self.counts(BIN + "timeouts,n\n5,1\n5,2\n3,3\n"), [1, 2, 3])
        self.assertEqual(self.counts(BIN + "date,n\nMon,1\nMon,2\n"), [1, 2])
        self.assertEqual(self.counts(BIN + "5,1\n9,2\n3,3\n3,4\n", format="counts"), [1, 2, 3, 4])

    def test_the_bin_is_said_by_a_key_or_the_file(self):
        hourly = read("# bin_s = 3600\n5\n6\n")
        self.assertEqual((hourly.format, hourly.bin_s), ("counts", 3600))
        self.assertEqual(read("# bin_s = 3600\n5\n", bin_s=10).bin_s, 10)
        self.assertEqual(read("count\n5\n7\n", bin_s=10).bin_s, 10)

    def test_what_the_program_writes_is_read(self):
        trace = read(packed("# title\n# bin_s = 0.1\n# decimal = .\ncount\n1\n0\n2.5\n"))
        self.assertEqual((trace.bin_s, trace.counts.tolist()), (0.1, [1, 0, 2.5]))
        self.assertEqual(self.counts("# title\n# bin_s = 60\n# decimal = .\ncount\n1.013\n2.125\n"), [1.013, 2.125])
        for counts in (range(1, 6), range(10, 220, 7)):  # as numbers of rows, as a counter
            self.assertEqual(self.counts("# title\n# bin_s = 60\ncount\n" + "".join(f"{count}\n" for count in counts)), [*counts])


class Published(LogTables):
    def test_burstgpt(self):
        trace = read("Timestamp,Model,Request tokens,Response tokens,Log Type\n5,x,472,18,API log\n45,y,7,9,API log\n")
        self.assertEqual((trace.format, trace.times_ns.tolist()), ("burstgpt", [0, 40 * NS]))
        self.assertEqual(trace.tokens.tolist(), [[472, 18], [7, 9]])

    def test_mooncake(self):
        trace = read('{"input_length":5,"output_length":6,"timestamp":1000}\n'
                     '{"timestamp": 4053, "input_length": 7, "output_length": 8, "hash_ids": [1, 2]}\n')
        self.assertEqual((trace.format, trace.times_ns.tolist()), ("mooncake", [0, 3_053_000_000]))
        self.assertEqual(trace.tokens.tolist(), [[5, 6], [7, 8]])

    def test_azure_llm_from_the_first_time_on(self):
        trace = read("TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 23:59:59.6805900,374,44\r\n"
                     "2023-11-17 00:00:00.6805900,396,109\r\n2023-11-17 00:01:00,1,2")
        self.assertEqual((trace.format, trace.times_ns.tolist()), ("azure_llm", [0, NS, 60_319_410_000]))
        over_a_leap_day = read(LLM + "2024-02-28 00:00:00,1,1\n2024-03-01 00:00:00,1,1\n")
        self.assertEqual(over_a_leap_day.times_ns[1], 2 * 86400 * NS)

    def test_azure_functions_are_added_up_and_missing_days_kept(self):
        text = azure_header() + azure_row("aa1,1", 5) + azure_row("bb2,1", 7) + azure_row("aa1,3", 9)
        trace = read(text)
        self.assertEqual((trace.format, trace.bin_s, len(trace.counts)), ("azure_functions", 60, 3 * DAY))
        self.assertEqual(trace.counts[[0, DAY - 1, DAY, 2 * DAY]].tolist(), [12, 2, 0, 9])
        self.assertEqual(read(text, column="bb").counts[0], 7)
        self.assertEqual(read(text, column="aa1,bb").counts[0], 12)

    def test_azure_functions_as_published(self):
        text = azure_header("HashOwner,HashApp,HashFunction,Trigger") + azure_row("o,a,f,http", 4) + azure_row("o,a,g,timer", 6)
        self.assertEqual(read(text).counts[0], 10)
        self.assertEqual(read(text, column="g").counts[0], 6)

    def test_a_second_row_of_a_function_and_day_is_refused(self):
        text = azure_header() + azure_row("aa1,1", 5) + azure_row("bb2,1", 7)
        line = self.refusal(text + azure_row("aa1,1", 5))
        for words in ("t.csv:4: ", "aa1, 1", "once"):
            self.assertIn(words, line)
        read(text + azure_row("aa1,2", 5))


class NoLogs(LogTables):
    def test_each_is_refused_with_one_clear_line(self):
        for log in REFUSED:
            with self.subTest(log.name):
                line = self.refusal(log.text, **log.keys)
                self.assertIn(log.message, line)
                self.assertTrue(line.startswith("t.csv:"), line)
                self.assertIn("allowed: ", line)
                self.assertNotIn("\n", line)
                self.assertLess(len(line.encode("utf-8", "replace")), 400)


if __name__ == "__main__":
    unittest.main()
