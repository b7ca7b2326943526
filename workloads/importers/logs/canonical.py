"""The one form of a trace that the program reads: what it is in TOML, then its numbers."""

import hashlib
import os
import secrets
import stat
from contextlib import contextmanager, suppress

import numpy as np

from .messages import Place, bad_input, quoted, raw, shown

BEGINNING = b"# harness trace 1\n"
RESULTS = (b"harness file", b"\x89HDF")  # what files of results begin with
TOML_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x20), 0x7f)} | {ord('"'): '\\"', ord("\\"): "\\\\"}
TOML_ESCAPES |= {code: f"\\\\x{code & 0xff:02x}" for code in range(0xdc80, 0xdd00)}  # bytes that are no UTF-8


def toml_of(value):
    """Returns a text, number, truth value or list of texts as TOML."""
    if isinstance(value, str):
        text = value.translate(TOML_ESCAPES).encode("utf-8", "replace").decode()
        return f'"{text}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_of, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def arrays_of(trace):
    """Returns the arrays of a trace in the order of the file."""
    arrays = [("<i8", trace.times_ns)]
    if trace.tokens is not None:
        arrays.append(("<u4", trace.tokens))
    if trace.module_names:
        arrays.append(("<i4", trace.modules))
    arrays.append(("<f8", trace.counts) if trace.rates is None else ("<f4", trace.rates))
    return [np.ascontiguousarray(array, kind) for kind, array in arrays if array.size]


def pieces_of(trace, parts, source, source_sha256):
    """Yields the bytes of the file; `source` is the path of the log."""
    arrays, checksum = arrays_of(trace), hashlib.sha256()
    for array in arrays:
        checksum.update(array)
    is_of_functions = trace.rates is not None
    header = {
        "format": trace.format, "parts": parts, "bin_s": float(trace.bin_s), "reading": shown(trace.read),
        "notes": trace.notes, "source": shown(raw(os.path.basename(source))), "source_sha256": source_sha256,
        "requests": len(trace.times_ns), "bins": trace.rates.shape[1] if is_of_functions else len(trace.counts),
        "functions": len(trace.rates) if is_of_functions else 0, "has_tokens": trace.tokens is not None,
        "modules": trace.module_names, "sha256": checksum.hexdigest()}
    yield BEGINNING + "".join(f"{key} = {toml_of(value)}\n" for key, value in header.items()).encode() + b"---\n"
    yield from arrays


def is_special(path):
    """Returns whether the path names something that a rename must not replace, such as
    /dev/stdout."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    is_file = stat.S_ISREG(mode) or stat.S_ISLNK(mode) or stat.S_ISDIR(mode)
    return not is_file or os.fsencode(path).startswith((b"/dev/", b"/proc/"))


@contextmanager
def opened(path):
    """Gives a pipe or a device to write."""
    with open(os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY), "wb") as file:
        os.set_blocking(file.fileno(), True)
        yield file


@contextmanager
def replaced(path):
    """Gives a file to write that becomes `path` where all goes well; else nothing is left of it."""
    temporary = f"{path}.{secrets.token_hex(8)}.tmp"  # other machines may write the same file
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def refuse_output(path):
    """Raises BadInput for a name that no trace is written to: of a packed file, or of results, which
    took long to make."""
    if path.endswith(".gz"):
        raise bad_input(Place(key="-o"), quoted(raw(path)), "a name without .gz: an imported trace is not packed")
    if os.path.isfile(path):
        with open(path, "rb") as file:
            if file.read(16).startswith(RESULTS):
                raise bad_input(Place(raw(path)), "a results file, which no trace replaces", "another name")


def write(path, trace, parts, source, source_sha256):
    """Writes the trace, always to the same bytes. Raises OSError with this name."""
    try:
        with (opened if is_special(path) else replaced)(path) as file:
            for piece in pieces_of(trace, parts, source, source_sha256):
                file.write(piece)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
