"""Results files made to harm, each with a right checksum: refused with one line that names the file, or shown without what
a terminal would obey.

    hostile_results_test.py HARNESS
"""
import os
import resource
import shutil
import struct
import sys
import tempfile

import h5py
from program_testing import SMALL, Failures, edited, finish, run, write
from seal import BLOCK, block_of, is_sealed

MAX_BYTES = 3 << 30  # of memory that the program may ask for
TABLE = "cells/0/replay"


def external_link(file, folder):
    del file["cells/0"]
    file["cells/0"] = h5py.ExternalLink(os.path.join(folder, "good.h5"), "/cells/0")


def external_storage(file, folder):
    rows = file[TABLE][:]
    with open(os.path.join(folder, "rows.bin"), "wb") as secret:
        secret.write(rows.tobytes())
    del file[TABLE]
    made = file.create_dataset(TABLE, shape=rows.shape, dtype=rows.dtype,
                               external=[(os.path.join(folder, "rows.bin"), 0, rows.nbytes)])
    assert (made[:] == rows).all()


def virtual(file, folder):
    shape, dtype = file[TABLE].shape, file[TABLE].dtype
    layout = h5py.VirtualLayout(shape=shape, dtype=dtype)
    layout[:] = h5py.VirtualSource(os.path.join(folder, "good.h5"), TABLE, shape=shape, dtype=dtype)
    del file[TABLE]
    file.create_virtual_dataset(TABLE, layout)


def many_rows(table, chunks):
    def make(file, _):
        dtype = file[table].dtype
        del file[table]
        file.create_dataset(table, shape=(10**15,), dtype=dtype, chunks=chunks, compression="gzip" if chunks else None)
    return make


def two_dimensions(file, _):
    rows = file[TABLE][:]
    del file[TABLE]
    file[TABLE] = rows.reshape(1, -1)


def uncompressed(file, _):
    rows = file["summary"][:]
    del file["summary"]
    file.create_dataset("summary", data=rows, dtype=rows.dtype)


REFUSED = {
    "external link": external_link,
    "external storage": external_storage,
    "virtual": virtual,
    "1e15 rows": many_rows(TABLE, (1024,)),
    "1e15 rows of the summary": many_rows("summary", (1024,)),
    "two dimensions": two_dimensions,
}


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MAX_BYTES, MAX_BYTES))


def changed_copy(folder, name, make):
    path = shutil.copy(os.path.join(folder, "good.h5"), os.path.join(folder, name))
    with edited(path) as file:
        make(file, folder)
    return name


def check_refused(harness, folder, failures):
    for what, make in REFUSED.items():
        name = changed_copy(folder, what.replace(" ", "-") + ".h5", make)
        command = [harness, "show" if "summary" in what else "replay", name]
        if what in ("external link", "external storage", "virtual"):  # before a program that would follow them sees it
            for reader in ("figures", "report"):
                failures.refused(f"{reader} of {what}", [harness, reader, name], folder, [f"{name}: /", "found a link, or rows"])
        failures.refused(what, command, folder, [f"{name}: found a truncated or damaged HDF5 file"], preexec_fn=limited)
        # As a cell's file: what is copied must not come from elsewhere.
        os.makedirs(os.path.join(folder, "hostile.cells"), exist_ok=True)
        shutil.copy(os.path.join(folder, name), os.path.join(folder, "hostile.cells", "0.h5"))
        done = run([harness, "collect", "hostile.cells"], folder, preexec_fn=limited)
        if done.returncode == 0 or done.returncode == 2 and "hostile.cells/0.h5" in done.stderr:
            continue
        failures.append(f"collect of {what}: {done.returncode} {done.stdout}{done.stderr}")


def long_texts(data):
    """Places of lengths of texts: each before the address of a heap."""
    for place in range(BLOCK, len(data) - 16):
        address = BLOCK + struct.unpack_from("<Q", data, place + 4)[0]
        if data[address:address + 4] == b"GCOL":
            yield place


def check_long_texts(harness, folder, failures):
    """Each text in turn claims to have 1 GB."""
    changed_copy(folder, "long.h5", uncompressed)
    with open(os.path.join(folder, "long.h5"), "rb") as file:
        data = file.read()
    places = list(long_texts(data))
    if len(places) < 10:
        failures.append(f"only {len(places)} texts")
    for place in places:
        changed = bytearray(data)
        struct.pack_into("<I", changed, place, 1 << 30)
        content = bytes(changed[BLOCK:])
        write(folder, "long.h5", block_of(content) + content)
        done = run([harness, "compare", "long.h5", "good.h5"], folder, preexec_fn=limited)
        # Nothing asks for each of them.
        if done.returncode not in (0, 2, 3) or (done.returncode == 2 and not done.stderr.startswith("harness: long.h5: ")):
            failures.append(f"text at {place}: {done.returncode} {done.stdout[:300]}{done.stderr[:300]}")


def check_control_characters(harness, folder, failures):
    """Names that would clear a terminal, in whatever prints them."""
    hostile = "a\x1b[2J\x9b\x7f\r".encode("utf8")

    def rename(file, _):
        rows = file["summary"][:]
        for column in ("system", "variant", "pipeline", "trace", "why", "parameters", "status", "fingerprint"):
            rows[column] = hostile
        file["summary"][...] = rows
    changed_copy(folder, "names.h5", rename)
    changed_copy(folder, "more.h5", rename)
    for command in (["show", "names.h5"], ["show", "names.h5", "--csv"], ["show", "names.h5", "--json"],
                    ["show", "names.h5", "--models"], ["show", "names.h5", "--paired", "goodput_rps"],
                    ["compare", "names.h5", "more.h5"], ["compare", "names.h5", "good.h5"], ["diff", "names.h5", "more.h5"],
                    ["replay", "names.h5"], ["replay", "names.h5", "good.h5"], ["claims", "names.h5"],
                    ["explain", "names.h5", "--worst", "1"], ["explain", "names.h5", "--at", "1s", "--json"], ["figures", "names.h5", "-o", "figures"],
                    ["timeline", "names.h5", "--cell", "0", "-o", "t"], ["report", "names.h5", "more.h5", "-o", "names.html"]):
        done = run([harness, *command], folder)
        text = done.stdout + done.stderr
        if any(c in text for c in "\x1b\x9b\x7f\r"):
            failures.append(f"{command}: prints control characters: {text[:400]!r}")
        if done.returncode < 0:
            failures.append(f"{command}: {done.returncode}")


def main():
    harness, failures = sys.argv[1], Failures()
    with tempfile.TemporaryDirectory() as folder:
        done = run([harness, write(folder, "good.toml", SMALL + "[record]\nreplay = true\n"), "-o", ".", "--quiet"], folder)
        failures.expect("the run", done, 0)
        failures.expect("its replay", run([harness, "replay", "good.h5"], folder), 0)
        if not is_sealed(os.path.join(folder, "good.h5")):
            failures.append("the program's checksum is not that of results/seal.py")
        for check in (check_refused, check_long_texts, check_control_characters):
            check(harness, folder, failures)
    finish(failures)


if __name__ == "__main__":
    main()
