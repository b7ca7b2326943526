"""Runs steps one after the other within a time, and remembers on disk which have passed."""

import json
import os
import signal
import subprocess
import time
from dataclasses import asdict, dataclass

from problems import Failed, NotHere, OutOfTime

PASSED, FAILED, NOT_HERE, UNFINISHED, LEFT = "passed", "FAILED", "not here", "unfinished", "left"


@dataclass
class Result:
    verdict: str = LEFT
    seconds: float = 0
    note: str = ""


class Clock:
    """The time that is left; None: without end."""

    def __init__(self, budget_s, now=time.monotonic):
        self._now = now
        self._end = None if budget_s is None else now() + budget_s
        self._step_end = None
        self._stopped = False

    def stop(self):
        self._stopped = True

    def limit_step(self, limit_s):
        """Of the step that begins; None: as long as there is time."""
        self._step_end = None if limit_s is None else self._now() + limit_s

    def why_over(self):
        return "a signal came" if self._stopped else "the time was up"

    def left(self):
        if self._stopped:
            return 0
        ends = [end for end in (self._end, self._step_end) if end is not None]
        return max(0, min(ends) - self._now()) if ends else None

    def is_over(self):
        return self.left() == 0


class Shell:
    """Runs commands of a step into its log, and stops them in order when the time is up."""
    GRACE_S = 20

    def __init__(self, root, env, clock):
        self.root, self.env, self.clock = root, env, clock
        self.log = None

    def run(self, command, codes=(0,), env=None, stdout=None):
        """The exit code, one of `codes`; Failed otherwise. Its standard output goes to the file `stdout` or to the log."""
        command = [str(word) for word in command]
        with open(self.log, "ab") as log:
            log.write(f"$ {' '.join(command)}\n".encode())
            log.flush()
            with open(stdout, "wb") if stdout else open(os.devnull, "wb") as out:
                code = self._wait(command, out if stdout else log, log, dict(self.env, **(env or {})))
            log.write(f"= exit code {code}\n".encode())
        if code not in codes:
            raise Failed(f"{os.path.basename(command[0])} {command[1] if len(command) > 1 else ''}: exit code {code}".rstrip())
        return code

    def _wait(self, command, out, log, env):
        if self.clock.is_over():
            raise OutOfTime
        try:
            process = subprocess.Popen(command, cwd=self.root, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                                       start_new_session=True)
        except OSError as error:
            raise Failed(f"{command[0]}: {error.strerror}") from error
        try:
            while True:
                try:
                    left = self.clock.left()
                    return process.wait(timeout=1 if left is None else min(1, left))
                except subprocess.TimeoutExpired:
                    if self.clock.is_over():
                        raise OutOfTime from None
        finally:
            self._end(process)

    def _end(self, process):
        """Also of what the command started: nothing of it is left to disturb the next one."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(process.pid, number)
                process.wait(timeout=self.GRACE_S)
            except (ProcessLookupError, PermissionError):
                break
            except subprocess.TimeoutExpired:
                pass

    def output(self, command, env=None):
        """Standard output of a short command; "" when it fails."""
        try:
            done = subprocess.run([str(word) for word in command], cwd=self.root, env=dict(self.env, **(env or {})),
                                  capture_output=True, text=True, check=False, timeout=120)
        except (OSError, subprocess.TimeoutExpired):
            return ""
        return done.stdout if done.returncode == 0 else ""


class State:
    """Results by step in `path`. Those of other sources or another device do not count."""

    def __init__(self, path, identity):
        self.path, self.identity = path, identity
        self.results = {}
        try:
            known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        if known.get("identity") == identity:
            self.results = {name: Result(**result) for name, result in known["results"].items()}

    def of(self, name):
        return self.results.get(name, Result())

    def set(self, name, result):
        self.results[name] = result
        text = json.dumps({"identity": self.identity, "results": {key: asdict(each) for key, each in self.results.items()}},
                          indent=1)
        temporary = self.path.with_suffix(".tmp")
        temporary.write_text(text + "\n", encoding="utf-8")
        temporary.replace(self.path)


@dataclass
class Step:
    name: str
    what: str
    run: object  # (node, again) -> note; `again`: this step was unfinished
    needs: tuple = ()
    is_there: object = None  # (node) -> whether what it made is still on this machine; None: always
    is_useful_failed: bool = False  # others can use what it made although it failed
    limit_s: float | None = None  # it is stopped after so long, and the next one begins
    commands: object = None  # (node) -> what it runs, for a list


def run_step(step, node, state, clock):
    before = state.of(step.name)
    again = before.verdict == UNFINISHED
    node.shell.log = node.out / "logs" / f"{step.name}.log"
    with open(node.shell.log, "ab" if again else "wb"):
        pass
    print(f"== {step.name}: {step.what}", flush=True)
    begin = time.monotonic()
    clock.limit_step(step.limit_s)
    try:
        verdict, note = PASSED, step.run(node, again) or ""
    except NotHere as why:
        verdict, note = NOT_HERE, str(why)
    except Failed as why:
        verdict, note = FAILED, str(why)
    except OutOfTime:
        clock.limit_step(None)
        note = f"{clock.why_over()}: run it again" if clock.is_over() else f"its {step.limit_s:.0f} s were up: run it again"
        verdict = UNFINISHED
    clock.limit_step(None)
    seconds = time.monotonic() - begin + (before.seconds if again else 0)
    state.set(step.name, Result(verdict, round(seconds, 1), note))
    if verdict == FAILED or (verdict == UNFINISHED and not clock.is_over()):
        print_tail(node.shell.log)
    print(f"   {verdict}{': ' + note if note else ''}", flush=True)
    return verdict


def print_tail(log, lines=15):
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]:
        print(f"   | {line}")


def is_done(step, node, state):
    return state.of(step.name).verdict == PASSED and (step.is_there is None or step.is_there(node))


def is_usable(step, node, state):
    failed_well = step.is_useful_failed and state.of(step.name).verdict == FAILED and step.is_there(node)
    return failed_well or is_done(step, node, state)


def run_steps(steps, chosen, node, state, clock):
    """Runs the steps named in `chosen`, or all that have not passed. A step is left when what it needs is not there."""
    by_name = {step.name: step for step in steps}
    for step in steps:
        if chosen and step.name not in chosen:
            continue
        if not chosen and is_done(step, node, state):
            continue
        missing = [name for name in step.needs if not is_usable(by_name[name], node, state)]
        if missing:
            state.set(step.name, Result(LEFT, 0, f"needs {', '.join(missing)}"))
        elif clock.is_over():
            if state.of(step.name).verdict == PASSED:
                state.set(step.name, Result(LEFT, 0, clock.why_over()))
        else:
            run_step(step, node, state, clock)


def summary(steps, state):
    rows = [("step", "verdict", "seconds", "")]
    for step in steps:
        result = state.of(step.name)
        rows.append((step.name, result.verdict, f"{result.seconds:.0f}" if result.seconds else "-", result.note))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return "".join(f"{name:<{widths[0]}}  {verdict:<{widths[1]}}  {seconds:>{widths[2]}}  {note}".rstrip() + "\n"
                   for name, verdict, seconds, note in rows)


def exit_code(steps, state):
    verdicts = {state.of(step.name).verdict for step in steps}
    if FAILED in verdicts:
        return 1
    return 3 if verdicts & {UNFINISHED, LEFT} else 0
