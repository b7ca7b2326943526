"""Where a page goes: never over a results file, whole or not at all, and errors in the words of the other commands."""

import contextlib
import errno
import io
import os
import sys
from pathlib import Path

import h5py


def take_any_names():
    """A name of a file may be no text; it is printed as far as it is."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class BadOutput(Exception):
    """The page would replace something that is no page."""


def is_results_file(path):
    """Also one that is damaged."""
    with open(path, "rb") as file:
        return file.read(12) == b"harness file" or h5py.is_hdf5(path)


def checked_output(path, inputs):
    """Where the page goes, links followed: a new file or a file that it may replace."""
    target = Path(os.path.realpath(path))
    allowed = "allowed: a new file, or a page to replace"
    if not target.exists():
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "cannot create: No such file or directory", str(path))
        return target
    if target.is_dir():
        raise BadOutput(f"--output: found the folder {path}, {allowed}")
    if not target.is_file():
        raise BadOutput(f"--output: found {path}, which is no regular file, {allowed}")
    if any(os.path.samefile(target, each) for each in inputs):
        raise BadOutput(f"--output: found {path}, which the page is to be made of, {allowed}")
    if is_results_file(target):
        raise BadOutput(f"--output: found {path}, which is a results file, {allowed}")
    with open(target, "rb") as file:
        if file.read(15).lower() not in (b"", b"<!doctype html>"):
            raise BadOutput(f"--output: found {path}, which is no page, {allowed}")
    return target


def write(path, text):
    """Whole or not at all."""
    unfinished = path.with_name(f".page-{os.getpid()}.tmp")
    try:
        with open(unfinished, "xb") as file:
            file.write(text)
        os.replace(unfinished, path)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def line_of(error):
    """An error of the system as the program's other commands tell it."""
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) and error.filename else str(error)
