"""What the tests of logs share: tables of logs as users bring them, and the check of each."""

import gzip
import os
import sys
import unittest
from typing import NamedTuple

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import logs  # noqa: E402

NEAR = 1e-9


class Log(NamedTuple):
    """A log, and what is made of it: values, or the refusal."""

    name: str
    text: str | bytes
    keys: dict
    message: str  # part of the reading, or of the refusal
    format: str = ""  # empty: refused
    values: tuple | list = ()  # seconds, or requests in a bin
    bin_s: float = 0


def refused(name, text, message, **keys):
    return Log(name, text, keys, message)


def times(name, text, values, message, **keys):
    return Log(name, text, keys, message, "times", values, 1)


def gaps(name, text, values, message, **keys):
    return Log(name, text, keys, message, "gaps", values, 1)


def counts(name, text, values, bin_s, message, /, **keys):
    return Log(name, text, keys, message, "counts", values, bin_s)


def counter(name, text, values, bin_s, message, /, **keys):
    return Log(name, text, keys, message, "counter", values, bin_s)


def data_of(text):
    return text if isinstance(text, bytes) else text.encode()


def packed(text):
    return gzip.compress(data_of(text), mtime=0)


def read(text, **keys):
    return logs.read("t.csv", data_of(text), keys)


class LogTables(unittest.TestCase):
    def refusal(self, text, **keys):
        """Returns the line that refuses the log."""
        with self.assertRaises(logs.BadInput) as caught:
            read(text, **keys)
        return str(caught.exception)

    def check_all(self, table):
        """Checks each log, plain and gzipped: read as it says, or refused with what helps."""
        self.assertEqual(len({log.name for log in table}), len(table), "each name once")
        for log in table:
            for is_packed in (False, True):
                with self.subTest(log.name, packed=is_packed):
                    self.check(log, packed(log.text) if is_packed else log.text)

    def check(self, log, data):
        if not log.format:
            self.assertIn(log.message, self.refusal(data, **log.keys))
            return
        trace = read(data, **log.keys)
        self.assertEqual(trace.format, log.format)
        self.assertIn(log.message, trace.reading)
        found = [*trace.counts.tolist(), *(trace.times_ns / 1e9).tolist()]
        self.assertEqual(len(found), len(log.values), found)
        for place, (value, expected) in enumerate(zip(found, log.values, strict=True)):
            self.assertAlmostEqual(value, expected, delta=NEAR, msg=place)
        self.assertEqual(trace.bin_s, log.bin_s)
