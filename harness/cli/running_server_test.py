"""runtime = "server", harness profile --server and harness doctor with a small server of KServe's protocol, made here: what is
recorded of good and bad answers, and what is said of a server that is not as the experiment expects.

    running_server_test.py HARNESS
"""
import http.server
import json
import os
import sys
import tempfile
import threading
import time
import tomllib
from pathlib import Path

import h5py

from program_testing import Failures, finish, run, write

SECRET = "Bearer 7d0c1b"
EXPERIMENT = """runtime = ["simulated", "server"]
[workload]
pipelines = ["pipeline.toml"]
traces = ["constant"]
rates_rps = [50]
duration_s = 1
[cluster]
workers = 1
profiles = "profile.toml"
[planner]
max_batch = 4
[serving]
queue = "module"
[server]
url = "{url}"
[[system]]
name = "{system}"
"""
PIPELINE = 'slo_ms = 500\n[[module]]\nname = "one"\nmodel = "m"\n'
PROFILE = 'device = "d"\n[[profile]]\nmodel = "m"\nlatency_ms = [2, 2.5, 3, 3.5]\n'
METADATA = {"name": "one", "versions": ["1"], "platform": "p", "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1, 2]}],
            "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1, 2]}]}
CONFIG = {"name": "one", "max_batch_size": 4, "dynamic_batching": {}, "instance_group": [{"kind": "KIND_CPU", "count": 1}]}


class Server(http.server.ThreadingHTTPServer):
    """One model that takes 2 ms for each request, one after the other, without batches."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.lock = threading.Lock()
        self.inferences = 0
        self.headers = set()
        self.bad_every, self.bad = 0, (503, b"")  # every so many inferences: this status and body
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self, status, body):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        answers = {"/v2": {"name": "small", "version": "1.0", "extensions": ["model_configuration"]}, "/v2/health/ready": b"",
                   "/v2/models/one": METADATA, "/v2/models/one/ready": b"", "/v2/models/one/config": CONFIG}
        found = self.path in answers
        self.answer(200 if found else 404, answers[self.path] if found else {"error": "unknown model"})

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        server = self.server
        if self.path == "/predict":
            server.headers.add((self.headers.get("Content-Type"), raw))
            return self.answer(200, b"any")
        sent = json.loads(raw)
        with server.lock:
            server.inferences += 1
            server.headers.add(self.headers.get("Authorization"))
            bad = server.bad_every and server.inferences % server.bad_every == 0
            time.sleep(0.002)
        rows = sent["inputs"][0]["shape"][0]
        output = {"name": "y", "datatype": "FP32", "shape": [rows, 2], "data": [0, 0] * rows}
        self.answer(*server.bad if bad else (200, {"model_name": "one", "outputs": [output]}))


def rows_of(folder):
    with h5py.File(os.path.join(folder, "out/e.h5")) as file:
        return {row["runtime"].decode(): row for row in file["summary"][:]}, {
            row["runtime"].decode(): file[f"cells/{row['cell']}/modules"][:] for row in file["summary"][:] if row["status"] == b"ok"}


def ran(harness, folder, url, *more, system="naive"):
    write(folder, "e.toml", EXPERIMENT.format(url=url, system=system))
    return run(["env", f"HARNESS_SERVER_HEADERS=Authorization: {SECRET}", harness, "e.toml", "--fresh", "-o", "out", *more], folder)


def check_good_run(failures, harness, folder, server):
    done = ran(harness, folder, server.url)
    failures.expect("a run", done, 0, ["2 cells"])
    rows, _ = rows_of(folder)
    live, simulated = rows["server"], rows["simulated"]
    if (live["sent"], live["in_time"], live["drop_rate"]) != (simulated["sent"], simulated["sent"], 0):
        failures.append(f"sent {live['sent']} of {simulated['sent']}, {live['in_time']} in time")
    if not 2 <= live["latency_ms_p50"] < 400 or live["queueing_ms_mean"] == live["queueing_ms_mean"]:
        failures.append(f"median latency {live['latency_ms_p50']}, queueing {live['queueing_ms_mean']}")
    if server.headers != {SECRET}:
        failures.append(f"headers that arrived: {server.headers}")
    written = b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())
    if SECRET.encode() in written or SECRET in done.stdout + done.stderr:
        failures.append("the secret header is in what was written or printed")


def check_bad_answers(failures, harness, folder, server):
    for status, body, reason in ((503, b"full", "server_refused"), (500, b"broken", "server_error"), (200, b"{}", "bad_answer")):
        server.inferences, server.bad_every, server.bad = 0, 5, (status, body)
        done = ran(harness, folder, server.url)
        server.bad_every = 0
        failures.expect(reason, done, 0, ["one: answered " if status != 200 else "an answer without the model's outputs"])
        rows, modules = rows_of(folder)
        row, dropped = rows["server"], modules["server"]["dropped_" + reason].sum()
        if not dropped or row["dropped"] != dropped or row["in_time"] + row["dropped"] + row["late"] != row["sent"]:
            failures.append(f"{reason}: {dropped} of {row['dropped']} dropped, {row['in_time']} in time of {row['sent']}")


def check_plain_post(failures, harness, folder, server):
    write(folder, "body.txt", "a picture")
    settings = [word for key in ("server.protocol=post", f"server.url={server.url}/", "server.content_type=text/plain",
                                 "module.one.remote=predict", "server.body_file=body.txt") for word in ("--set", key)]
    server.headers.clear()
    failures.expect("a plain POST", ran(harness, folder, server.url, *settings), 0, ["2 cells"])
    row = rows_of(folder)[0]["server"]
    if server.headers != {("text/plain", b"a picture")} or row["in_time"] != row["sent"]:
        failures.append(f"a plain POST: {server.headers} arrived, {row['in_time']} of {row['sent']} in time")
    again = run([harness, "e.toml", "-o", "out", *settings], folder)
    failures.expect("the same again", again, 0, ["complete already"])
    write(folder, "body.txt", "another picture")
    failures.expect("another body", run([harness, "e.toml", "-o", "out", *settings], folder), 2, ["--fresh"])


def check_bad_input(failures, harness, folder, server):
    """What no server could make good ends with 2, and nothing is written."""
    write(folder, "e.toml", EXPERIMENT.format(url=server.url, system="naive"))
    for key, words in (("server.url=h:1", "server.url: the server's URL cannot be used"),
                       ("server.url='http://me:secret@h:1'", "it has a user or password"),
                       ("server.body_file=nowhere.json", "server.body_file")):
        settings = ["--set", "server.protocol=post", "--set", key]
        failures.refused(key, [harness, "e.toml", "-o", "out", *settings], folder, [words])
    failures.refused("headers", ["env", "HARNESS_SERVER_HEADERS=no header", harness, "e.toml", "-o", "out"], folder,
                     ["HARNESS_SERVER_HEADERS:1: no header (its text is not shown)"])


def check_other_servers(failures, harness, folder, server):
    """The cell on the server is skipped, with the reason; doctor says the same."""
    for more, system, words in (
            (["module.one.remote=two"], "naive", f"{server.url}/v2/models/two: answered 404: {{\"error\": \"unknown model\"}}"),
            (["triton.preferred_batch_size='2'"], "triton", "the server has preferred_batch_size (none), the cell 2"),
            (["triton.default_timeout_us=7"], "triton", "the server has default_timeout_us 0, the cell 7"),
            (["triton.max_batch_size=2"], "triton", "the server has max_batch_size 4, the cell 2"),
            (["triton.max_queue_delay_us=500"], "triton", "the server has max_queue_delay_us 0, the cell 500"),
            (["cluster.workers=2"], "triton", "the server has instances 1, the cell 2"),
            (["planner.max_batch=3"], "triton", "the server has max_batch_size 4, the cell 3"),
            (["server.url=http://127.0.0.1:9"], "naive", "Couldn't connect")):
        settings = [word for one in more for word in ("--set", one)]
        failures.expect(f"{more}", ran(harness, folder, server.url, *settings, system=system), 1, [words])
        if rows_of(folder)[0]["server"]["status"] != b"skipped":
            failures.append(f"{more}: the cell is not skipped")
        failures.expect(f"doctor {more}", run([harness, "doctor", "e.toml", *settings], folder), 1, ["fail  server: ", words])
    same = ["--set", "triton.preferred_batch_size='4'"]  # the maximum: the same as no size
    failures.expect("the server's policy", ran(harness, folder, server.url, *same, system="triton"), 0, ["2 cells"])
    failures.expect("doctor", run([harness, "doctor", "e.toml", "--set", f"server.url={server.url}"], folder), 0,
                    [f"ok    server: {server.url}/v2/models/one/infer: answers"])


def check_profile(failures, harness, folder, server):
    command = [harness, "profile", "--server", server.url, "--model", "one", "--limit-s", "5", "-o", "measured.toml"]
    done = run([*command, "--batches", "1,2"], folder)
    failures.expect("profile", done, 0, ["one on small 1.0", "a request alone takes its client"])
    profile = tomllib.loads(Path(folder, "measured.toml").read_text(encoding="utf-8"))["profile"][0]
    one, two = profile["latency_ms"]
    # Two requests, one after the other, are a batch of 2 here.
    if not 2 <= one < 50 or not 1.5 < two / one < 3:
        failures.append(f"latencies {one} and {two} ms")
    failures.expect("check", run([harness, "check", "measured.toml"], folder), 0, ["profiles of 1 model: one; on small 1.0"])
    for what, words, code, said in (("a large batch", [*command, "--batches", "1,8"], 2, "--batches: found 8; allowed: at most 4"),
                                    ("twice", [*command[:5], "one,one", *command[6:]], 2, "--model: found one twice"),
                                    ("no batches", [*command, "--max-batch", "0"], 2, "--max-batch: found 0"),
                                    ("no model", [*command[:4], *command[6:]], 2, "--model: missing"),
                                    ("another model", [*command[:5], "two", *command[6:]], 3, "unknown model"),
                                    ("no server", [harness, "profile", "--server", "http://127.0.0.1:9", *command[4:]], 3, "connect"),
                                    ("no URL", [harness, "profile", "--server", "h:1", *command[4:]], 2, "allowed: http://")):
        failures.refused(what, words, folder, [said], code)


def main(harness):
    failures = Failures()
    server = Server()
    for check in (check_good_run, check_bad_answers, check_plain_post, check_bad_input, check_other_servers, check_profile):
        with tempfile.TemporaryDirectory() as folder:
            write(folder, "pipeline.toml", PIPELINE)
            write(folder, "profile.toml", PROFILE)
            check(failures, harness, folder, server)
    finish(failures)


if __name__ == "__main__":
    main(sys.argv[1])
