"""Runs and other commands without enough memory, disk, files, processes or time, and without standard files."""
import os
import resource
import signal
import subprocess

from attacks.program import end_all, judged, write

EXPERIMENT = """[workload]
pipelines = ["tm"]
traces = ["poisson"]
seeds = [1, 2, 3]
duration_s = 3
[cluster]
workers = 8
[[system]]
name = "naive"
[[system]]
name = "pard"
"""
NOBODY = 65534
OTHER_COMMANDS = (["show", "whole.h5"], ["show", "whole.h5", "--csv"], ["e.toml", "--dry-run"], ["list", "pipelines"], ["list", "systems"],
                  ["compare", "whole.h5", "whole.h5"], ["trace", "info", "tweet"], ["--help"], ["replay", "whole.h5"])


def without(closed):
    def close():
        os.setsid()
        for descriptor in closed:
            os.close(descriptor)
    return close


class Limits:
    """The results of a run left alone."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        write(folder, "e.toml", EXPERIMENT.replace("[[system]]", "[record]\nreplay = true\n[[system]]", 1))
        assert program.run(["e.toml", "--quiet", "-o", "replay"], folder).code == 0
        with open(f"{folder}/replay/e.h5", "rb") as file:
            self.whole = file.read()
        write(folder, "e.toml", EXPERIMENT)
        assert program.run(["e.toml", "--quiet"], folder).code == 0
        self.rows, wrong = program.rows(folder, "results-out/e.h5")
        assert not wrong, wrong
        self.least_memory = self.least(resource.RLIMIT_AS, 1 << 20, 1 << 31)
        self.least_files = self.least(resource.RLIMIT_NOFILE, 1, 64)

    def least(self, kind, low, high):
        """With less, the program's libraries cannot be loaded."""
        while high - low > max(1, low // 50):
            middle = (low + high) // 2
            done = self.program.run(["--version"], self.folder, limits={kind: middle})
            low, high = (low, middle) if done.stdout or done.stderr.startswith("harness: ") else (middle, high)
        return high

    def attack(self, choice, folder):
        write(folder, "e.toml", EXPERIMENT)
        write(folder, "whole.h5", self.whole)
        kinds = [self.memory, self.size, self.files, self.time, self.descriptors, self.unread]
        if os.getuid() == 0:
            kinds += [self.disk, self.nobody]
        return choice.choice(kinds)(choice, folder)

    def words(self, choice):
        return choice.choice([["e.toml", "--quiet"], ["e.toml", "--quiet"], *OTHER_COMMANDS])

    def under(self, choice, folder, limits, codes=(0, 3), **options):
        words = self.words(choice)
        done = self.program.run(words, folder, limits=limits, **options)
        wrong = judged(done, [0, 1, 3] if words[0] == "e.toml" and 3 in codes else codes)
        return wrong or self.finishes(folder, words)

    def finishes(self, folder, words):
        """Without the limit the same command finishes the run, and the results are right."""
        if words != ["e.toml", "--quiet"]:
            return []
        done = self.program.run([*words, "--rerun-failed"], folder)
        wrong = judged(done, [0])
        if wrong:
            return wrong
        rows, wrong = self.program.rows(folder, "results-out/e.h5")
        return wrong if rows == self.rows else [*wrong, "rows differ from those of a run left alone"]

    def memory(self, choice, folder):
        return self.under(choice, folder, {resource.RLIMIT_AS: int(self.least_memory * choice.choice([1.05, choice.uniform(1.05, 2)]))})

    def size(self, choice, folder):
        return self.under(choice, folder, {resource.RLIMIT_FSIZE: choice.choice([0, choice.randrange(5000), choice.randrange(400000)])})

    def files(self, choice, folder):
        return self.under(choice, folder, {resource.RLIMIT_NOFILE: choice.randrange(self.least_files, 80)})

    def time(self, choice, folder):
        """A limit of processor time ends a run as SIGTERM does, or kills it: either way the rest can be finished."""
        words = ["e.toml", "--quiet", "--set", "workload.duration_s=300"]
        done = self.program.run(words, folder, limits={resource.RLIMIT_CPU: 1})
        if done.code not in (0, 3, -signal.SIGXCPU, -signal.SIGKILL):
            return judged(done, [0, 3])
        return judged(self.program.run([*words[:2], "--fresh"], folder), [0]) or self.finishes(folder, words[:2])

    def descriptors(self, choice, folder):
        closed = choice.sample([0, 1, 2], choice.randrange(1, 4))
        words = self.words(choice)
        process = subprocess.Popen(self.program.command(words), cwd=folder, env=self.program.environment, preexec_fn=without(closed),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            code = process.wait(60)
        except subprocess.TimeoutExpired:
            code = "none: it hangs"
        finally:
            end_all(process)
        return [f"{words} without descriptors {closed}: exit code {code}"] if code != 0 else self.finishes(folder, words)

    def unread(self, choice, folder):
        """Standard output is full, or a pipe that nobody reads."""
        read, end = os.pipe()
        os.close(read)
        try:
            with open("/dev/full", "w") as full:
                return self.under(choice, folder, None, (0, 3), stdout=choice.choice([full, end]))
        finally:
            os.close(end)

    def disk(self, choice, folder):
        """A disk of a few pages."""
        place = os.path.join(folder, "results-out")
        os.mkdir(place)
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={choice.randrange(4, 600)}k", "tmpfs", place], capture_output=True)
        if mounted.returncode != 0:
            return self.size(choice, folder)
        try:
            words = ["e.toml", "--quiet"]
            done = self.program.run(words, folder)
            wrong = judged(done, [0, 2, 3], ["e.toml"])
            subprocess.run(["mount", "-o", "remount,size=50m", place], check=True)
            return wrong or self.finishes(folder, words)
        finally:
            subprocess.run(["umount", place], check=False)

    def nobody(self, choice, folder):
        """Another user, who may not write, or not start threads."""
        os.chmod(folder, 0o755)
        if self.program.run(["--version"], folder, user=NOBODY).code != 0:
            return self.files(choice, folder)
        limits = {resource.RLIMIT_NPROC: choice.randrange(1, 4)} if choice.random() < 0.5 else None
        if choice.random() < 0.5:
            os.chmod(folder, 0o777)
        return self.under(choice, folder, limits, user=NOBODY)
