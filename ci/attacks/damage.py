"""Damaged results files: flipped bits, missing, added, moved and overwritten bytes. None may be accepted."""
import os
import shutil
import signal

from attacks.program import judged, stopped_run, write

EXPERIMENT = """[workload]
pipelines = ["tm"]
traces = ["poisson"]
seeds = [1, 2]
duration_s = 0.5
[cluster]
workers = 4
[record]
replay = true
states = true
[[system]]
name = "naive"
[[system]]
name = "pard"
"""
CLAIM = """[[claim]]
id = "a.b"
kind = "paper"
paper = "pard"
section = "5"
statement = "s"
paper_value = "1"
experiment = "whole"
expression = "goodput_rps[pard] / goodput_rps[naive]"
expect = "> 0"
"""
WHOLE = "out/whole.h5"


def flip(data, choice):
    for _ in range(choice.choice([1, 1, 1, 2, 8])):
        data[choice.randrange(len(data))] ^= 1 << choice.randrange(8)


def cut(data, choice):
    del data[choice.choice([0, 1, 511, 512, 513, len(data) - 1, choice.randrange(len(data))]):]


def append(data, choice):
    data += choice.choice([b"\0", b"\n", bytes(choice.randrange(1, 5000)), choice.randbytes(choice.randrange(1, 5000)), data[:]])


def overwrite(data, choice):
    begin = choice.randrange(len(data))
    length = min(choice.choice([1, 4, 8, 64, 512, 4096]), len(data) - begin)
    data[begin:begin + length] = choice.choice([bytes(length), b"\xff" * length, choice.randbytes(length)])


def move(data, choice):
    length = choice.choice([1, 8, 512, 4096])
    source, target = choice.randrange(len(data)), choice.randrange(len(data))
    data[target:target + length] = data[source:source + length]


def insert(data, choice):
    place = choice.randrange(len(data))
    data[place:place] = choice.randbytes(choice.choice([1, 8, 512]))


def remove(data, choice):
    place = choice.randrange(len(data))
    del data[place:place + choice.choice([1, 8, 512, 4096])]


DAMAGES = (flip, flip, flip, cut, append, overwrite, move, insert, remove)


def damaged(data, choice):
    """Other bytes than those."""
    while True:
        other = bytearray(data)
        choice.choice(DAMAGES)(other, choice)
        if other != data:
            return bytes(other)


class Damage:
    """Complete and unfinished results, made once."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        write(folder, "whole.toml", EXPERIMENT)
        write(folder, "claims.toml", CLAIM)
        made = program.run(["whole.toml", "-o", "out", "--quiet"], folder)
        assert made.code == 0, made
        self.make_cells()
        self.files = {}
        for root, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(root, name)
                with open(path, "rb") as file:
                    self.files[os.path.relpath(path, folder)] = file.read()

    def make_cells(self):
        """Stops a run that has finished some cells."""
        for seeds in (24, 48, 96, 192):
            write(self.folder, "part.toml", EXPERIMENT.replace("[1, 2]", str(list(range(seeds)))))
            command = self.program.command(["part.toml", "-o", "part", "--fresh", "--quiet"])
            code, stderr, cells = stopped_run(command, self.folder, "part/part", 2, signal.SIGTERM)
            if code == 3 and cells > 1:
                return
        raise AssertionError(f"a run cannot be stopped: exit code {code}: {stderr}")

    def commands_of(self, path):
        """What reads that file."""
        if path == WHOLE:
            return [["show", WHOLE], ["show", WHOLE, "--csv"], ["show", WHOLE, "--json"], ["show", WHOLE, "--models"],
                    ["show", WHOLE, "--paired", "drop_rate", "--baseline", "naive"], ["compare", WHOLE, "good.h5"],
                    ["compare", "good.h5", WHOLE], ["compare", "--fidelity", WHOLE], ["claims", WHOLE, "--claims-file", "claims.toml"],
                    ["claims", "--folder", "out", "--claims-file", "claims.toml"], ["replay", WHOLE], ["replay", WHOLE, "good.h5"],
                    ["explain", WHOLE, "--cell", "0", "--worst", "3"], ["explain", WHOLE, "--cell", "1", "--at", "1s"],
                    ["replay", "good.h5", WHOLE], ["whole.toml", "-o", "out"], ["whole.toml", "-o", "out", "--rerun-failed"],
                    ["whole.toml", "-o", "out", "--dry-run"], ["collect", "out/whole.cells"], ["figures", WHOLE, "-o", "figures"]]
        return [["show", path], ["show", path, "--csv"], ["compare", path, path], ["collect", "part/part.cells"],
                ["part.toml", "-o", "part"], ["part.toml", "-o", "part", "--quiet", "--rerun-failed"]]

    def copy(self, folder):
        for path, data in self.files.items():
            write(folder, path, data)
        write(folder, "good.h5", self.files[WHOLE])

    def attack(self, choice, folder):
        self.copy(folder)
        if choice.random() < 0.1:
            return self.companion(choice, folder)
        cells = [path for path in sorted(self.files) if path.endswith(".h5") and path != WHOLE]
        path = choice.choice([WHOLE, choice.choice(cells)])
        write(folder, path, damaged(self.files[path], choice))
        words = choice.choice(self.commands_of(path))
        if words == ["collect", "out/whole.cells"]:
            shutil.copytree(os.path.join(folder, "part/part.cells"), os.path.join(folder, "out/whole.cells"))
        if words[-1] == "--dry-run":  # does not read results
            return judged(self.program.run(words, folder), [0, 2], [path])
        return judged(self.program.run(words, folder), [2], [path])

    def companion(self, choice, folder):
        """The other files of a folder of cells hold anything at all."""
        cell = choice.choice([path for path in self.files if path.startswith("part/part.cells") and path.endswith(".h5")])
        others = [path for path in self.files if path.startswith("part/part.cells") and not path.endswith(".h5")]
        path = choice.choice([*others, cell[:-3] + ".crash", "part/part.cells/fresh", "part/part.cells/before/" + os.path.basename(cell)])
        if choice.random() < 0.5:
            os.remove(os.path.join(folder, cell))
        data = choice.choice([b"", b"\x1b[2J\x07\x00\n", choice.randbytes(2000), b"x" * 100000,
                              damaged(self.files.get(path) or b"[workload]\n", choice)])
        write(folder, path, data)
        words = choice.choice([["part.toml", "-o", "part"], ["collect", "part/part.cells"], ["part.toml", "-o", "part", "--rerun-failed"]])
        wrong = judged(self.program.run(words, folder), [0, 1, 2], ["part/part.cells"])
        return wrong
