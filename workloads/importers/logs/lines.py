"""The bytes of a log as text, and its lines, a piece of the file at a time."""

import bz2
import io
import lzma
import zipfile
import zlib

from .messages import BadInput, Place, bad_input

LARGEST = 1 << 29  # bytes, packed or unpacked
LONGEST_LINE = 1 << 20
PIECE = 1 << 23  # bytes that are cut into lines at once
BLANKS = " \t"


def gunzipped(path, data):
    """Returns what gzip data hold, one member after the other. Raises BadInput where they are cut,
    broken or too many."""
    parts, size = [], 0
    while data:
        if not data.startswith(b"\x1f\x8b"):
            raise bad_input(Place(path), "something after the end of the gzip data", "gzip data alone")
        unpacker = zlib.decompressobj(15 + 16)
        try:
            parts.append(unpacker.decompress(data, LARGEST + 1 - size))
        except zlib.error:
            raise bad_input(Place(path), "corrupt gzip data", "an intact gzip file, or plain text") from None
        size += len(parts[-1])
        if size > LARGEST:
            limit = f"{LARGEST >> 20} MiB"
            raise bad_input(Place(path), "gzip data that unpack to more than " + limit, "at most " + limit)
        if not unpacker.eof:
            raise bad_input(Place(path), "truncated gzip data", "a complete gzip file")
        data = unpacker.unused_data
    return b"".join(parts)


def unzipped(path, data):
    """Returns the only file in a zip archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [one for one in archive.infolist() if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
        if any(one.filename.startswith("xl/") for one in files):
            raise bad_input(Place(path), "a workbook of Excel", "one of its sheets as text (save as CSV UTF-8)")
        if len(files) != 1:
            raise bad_input(Place(path), f"a zip archive of {len(files)} files", "an archive of one file: unzip it and name the file")
        with archive.open(files[0]) as file:
            return file.read(LARGEST + 1)


def with_package(package, reader):
    """Returns what reads a file by a package that need not be installed."""
    def read(path, data):
        try:
            return reader(data)
        except ImportError as error:
            raise bad_input(Place(path), f"data that Python's package {package} reads, which cannot be loaded ({error})",
                            "text, plain or in gz, bz2, xz or zip; or the package in an environment: python3 -m venv env; "
                            f"env/bin/pip install numpy {package}; export HARNESS_PYTHON=$PWD/env/bin/python") from None
    return read


def unpacked_zstd(data):
    import zstandard
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True).read(LARGEST + 1)


def text_of_parquet(data):
    import pyarrow.csv
    import pyarrow.parquet
    text = io.BytesIO()
    pyarrow.csv.write_csv(pyarrow.parquet.read_table(io.BytesIO(data)), text)
    return text.getvalue()


# What packed data begin with, how they are called, what reads them.
PACKED = ((b"BZh", "bz2", lambda path, data: bz2.BZ2File(io.BytesIO(data)).read(LARGEST + 1)),
          (b"\xfd7zXZ\0", "xz", lambda path, data: lzma.LZMAFile(io.BytesIO(data)).read(LARGEST + 1)),
          (b"PK\x03\x04", "zip", unzipped),
          (b"\x28\xb5\x2f\xfd", "zstd", with_package("zstandard", unpacked_zstd)),
          (b"PAR1", "Parquet", with_package("pyarrow", text_of_parquet)))


def unpacked(path, data):
    """Returns the bytes of a file, unpacked where they are packed, in UTF-8 where a byte-order mark
    says that they are UTF-16. Raises BadInput where they cannot be."""
    data = opened(path, data)
    if data[257:262] == b"ustar":
        raise bad_input(Place(path), "a tar archive", "one of its files (tar -xf FILE)")
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")) or data.startswith(b"\xff\xfe\0\0"):
        return data
    try:
        return data.decode("utf-16").encode()
    except UnicodeError:
        raise bad_input(Place(path), "broken UTF-16", "text in UTF-8") from None


def opened(path, data):
    """Returns the bytes of a file, unpacked where they are packed."""
    if data.startswith(b"\x1f\x8b"):
        return gunzipped(path, data)
    for beginning, name, reader in PACKED:
        if data.startswith(beginning):
            try:
                text = reader(path, data)
            except (BadInput, MemoryError):
                raise
            except Exception:  # of many kinds, by package
                raise bad_input(Place(path), f"corrupt {name} data", f"an intact {name} file, or plain text") from None
            if len(text) > LARGEST:
                raise bad_input(Place(path), f"{name} data that unpack to more than {LARGEST >> 20} MiB", f"at most {LARGEST >> 20} MiB")
            return text
    return data


def plain(path, data):
    """Returns where the text begins, behind a byte-order mark of UTF-8. Raises BadInput for what is
    no text."""
    allowed = "text in UTF-8, plain or gzipped"
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        raise bad_input(Place(path), "UTF-32 (a byte-order mark)", allowed)
    if data.startswith((b"\x89HDF", b"harness file,")):
        raise bad_input(Place(path), "a results file (HDF5)", allowed + "; `harness show` prints results")
    zero = data.find(b"\0", 0, 4096)
    if zero >= 0:
        if zero % 2 and data[1:40:2].strip(b"\0") == b"":
            allowed += " (iconv -f UTF-16LE -t UTF-8 FILE)"
        raise bad_input(Place(path, data.count(b"\n", 0, zero) + 1), "binary data, a zero byte", allowed)
    return 3 if data.startswith(b"\xef\xbb\xbf") else 0


def is_filled(line):
    """Returns whether the line is neither empty nor a remark."""
    content = line.lstrip(BLANKS)
    return bool(content) and content[0] != "#"


class Lines:
    """The lines of a text. A line ends at LF or CR LF; the last one may lack it."""

    def __init__(self, path, data):
        """Raises BadInput for what is no text."""
        self.path, self.begin = path, plain(path, data)
        self.data = data.replace(b"\0", b"\x01") if b"\0" in data else data  # NumPy's texts end at a zero byte

    def error(self, line, key, found, allowed):
        """Returns the BadInput at this line."""
        return bad_input(Place(self.path, line, key), found, allowed)

    def header_again(self, number, head):
        """Returns the BadInput of a header within the rows."""
        return self.error(number, "", "the header again, as where files were put together",
                          f"one header (awk 'NR <= {head} || $0 != head; NR == {head} {{head = $0}}' FILE), and times that go on")

    def is_last(self, number):
        """Returns whether no filled line follows the one of this number."""
        return self.data.count(b"\n", 0, len(self.data.rstrip())) < number

    def pieces(self, size=PIECE):
        """Yields (number of the first line, lines) of the file. Raises BadInput for a line that is
        too long, behind those before."""
        number, begin = 1, self.begin
        while begin < len(self.data):
            end = self.data.find(b"\n", begin + size)
            end = len(self.data) if end < 0 else end
            text = self.data[begin:end].decode("latin-1")
            lines = (text[:-1] if end == len(self.data) and text.endswith("\n") else text).split("\n")
            long = next((at for at, line in enumerate(lines) if len(line) > LONGEST_LINE), None) if len(text) > LONGEST_LINE else None
            if "\r" in text:
                lines = [line[:-1] if line.endswith("\r") else line for line in lines]
            yield number, lines[:long]
            if long is not None:
                raise self.error(number + long, "", "a line longer than 1 MiB", "shorter lines (of a trace: one bin or request in each)")
            number += len(lines)
            begin = end + 1

    def all(self):
        """Yields (number, line) one by one, with little read ahead."""
        for number, lines in self.pieces(1 << 12):
            yield from enumerate(lines, number)

    def filled(self):
        """Yields (number, line) of those that are neither empty nor remarks."""
        return ((number, line) for number, line in self.all() if is_filled(line))

    def rows(self, skipped=0):
        """Yields (numbers, lines, places in them that follow an empty line) of the filled lines
        behind the first `skipped` ones."""
        is_behind_empty = False
        for first, lines in self.pieces():
            numbers, behind = range(first, first + len(lines)), []
            text = "\n".join(lines)
            if "#" in text or " " in text or "\t" in text or "\n\n" in text or not lines[0] or not lines[-1]:
                kept = []
                for at, line in enumerate(lines):
                    content = line.lstrip(BLANKS)
                    if content and content[0] != "#":
                        if is_behind_empty and len(behind) < 3:
                            behind.append(len(kept))
                        is_behind_empty = False
                        kept.append(at)
                    elif not content:
                        is_behind_empty = True
                if len(kept) < len(lines):
                    numbers, lines = [first + at for at in kept], [lines[at] for at in kept]
            elif is_behind_empty:
                behind, is_behind_empty = [0], False
            cut, skipped = min(skipped, len(lines)), max(0, skipped - len(lines))
            if len(lines) > cut:
                yield numbers[cut:], lines[cut:], [at - cut for at in behind if at >= cut]
