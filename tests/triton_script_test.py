"""ci/triton and ci/setup --servers: what they refuse, and how a server starts, answers and stops. The server is a substitute."""

import os
import shutil
import socket
import subprocess
import sys
import unittest

from gpu_node_test import ROOT, Folder

TRITON = "build/servers/pytriton/tritonserver"
STUB = "triton_python_backend_stub"
REPOSITORY = ROOT / "experiments/server/repository"
# A script of this name is a process of this name, which the real one is too.
SERVER = f"#!{sys.executable}" + """
import http.server, sys
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/v2/health/ready" else 404)
        self.end_headers()
given = dict(word[2:].split("=") for word in sys.argv[1:])
print(given, flush=True)
http.server.HTTPServer((given["http-address"], int(given["http-port"])), Ready).serve_forever()
"""


def free_port():
    """The first of three in a row."""
    while True:
        with socket.socket() as one, socket.socket() as two, socket.socket() as three:
            one.bind(("127.0.0.1", 0))
            port = one.getsockname()[1]
            try:
                two.bind(("127.0.0.1", port + 1))
                three.bind(("127.0.0.1", port + 2))
                return port
            except (OSError, OverflowError):
                continue


class Triton(Folder):

    def setUp(self):
        super().setUp()
        shutil.copytree(ROOT / "ci", self.folder / "ci")

    def install(self, server=SERVER):
        for path, text in ((f"{TRITON}/backends/python/{STUB}", ""), (f"{TRITON}/bin/tritonserver", server)):
            self.write(path, text).chmod(0o755)

    def triton(self, *words):
        done = subprocess.run([str(self.folder / "ci/triton"), *map(str, words)], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def refused(self, code, message, *words):
        self.assertEqual(self.triton(*words), (code, "", f"ci/triton: {message}\n"))

    def test_refuses_other_words(self):
        self.refused(2, "found ''; allowed: start REPOSITORY [--port N] [--core K], stop, or status")
        self.refused(2, "found 'start'; allowed: start REPOSITORY [--port N] [--core K], stop, or status", "start")
        self.refused(2, "found '--gpu 1'; allowed: --port N, --core K, or nothing", "start", REPOSITORY, "--gpu", 1)
        for port in (0, 65534, "a", "123456789123456789123"):
            self.refused(2, f"--port: found '{port}'; allowed: 1 to 65533", "start", REPOSITORY, "--port", port)
        self.refused(2, "--core: found '4096'; allowed: a core of this machine", "start", REPOSITORY, "--core", 4096)

    def test_refuses_a_repository_without_models_and_a_server_that_is_not_there(self):
        (self.folder / "empty/1").mkdir(parents=True)
        self.refused(2, f"{self.folder}/empty has no model: no folder MODEL/VERSION is there", "start", "empty")
        self.refused(3, "Triton is not there; ci/setup --servers installs it", "start", REPOSITORY)
        for word in ("stop", "status"):
            self.refused(1, "no server runs", word)

    def test_refuses_a_taken_port(self):
        self.install()
        port = free_port()
        with socket.create_server(("127.0.0.1", port + 2)):
            self.refused(1, f"--port: port {port + 2} is taken; start needs {port} to {port + 2}", "start", REPOSITORY, "--port", port)

    def test_starts_one_server_and_stops_it(self):
        self.install()
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        started = self.triton("start", REPOSITORY, "--port", port, "--core", min(os.sched_getaffinity(0)))
        self.addCleanup(self.triton, "stop")
        self.assertEqual(started, (0, f"Triton is ready at {url}; ci/triton stop stops it\n", ""))
        log = (self.folder / "build/servers/triton.log").read_text(encoding="utf-8")
        for listens in ("http", "grpc", "metrics"):
            self.assertIn(f"'{listens}-address': '127.0.0.1'", log)
        self.assertIn(f"'grpc-port': '{port + 1}', 'metrics-port': '{port + 2}'", log)
        self.assertRegex(self.triton("status")[1], rf"^Triton runs at {url} \(process \d+\)\n$")
        self.refused(1, f"the server at {url} runs already; ci/triton stop stops it", "start", REPOSITORY)
        self.assertEqual(self.triton("stop"), (0, "Triton has stopped\n", ""))
        self.refused(1, "no server runs", "status")

    def test_shows_the_log_of_a_server_that_ends(self):
        self.install("#!/bin/sh\necho no such backend; exit 1\n")
        self.assertEqual(self.triton("start", REPOSITORY, "--port", free_port()), (1, "", "no such backend\nci/triton: the server did not become "
                         "ready (all of its log in build/servers/triton.log)\n"))

    def test_the_models_are_one_program(self):
        programs = {path.resolve() for path in REPOSITORY.glob("*/1/model.py")}
        self.assertEqual((len(list(REPOSITORY.glob("*/config.pbtxt"))), len(programs)), (3, 1))

    def setup_servers(self):
        """All packages are there, and what pip would install."""
        for name in ("dpkg-query", "apt-get"):
            self.program(f"tools/{name}", "printf installed")
        for package in ("nvidia_pytriton-0.7.0", "numpy-1.26.4"):
            (self.folder / f"build/servers/{package}.dist-info").mkdir(parents=True, exist_ok=True)
        for folder in (f"{TRITON}/backends/python", "build/servers/numpy"):
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
        env = dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}")
        return subprocess.run([str(self.folder / "ci/setup"), "--servers"], env=env, capture_output=True, text=True, check=False)

    def test_setup_puts_the_backend_of_this_python_in_place(self):
        self.write(f"{TRITON}/python_backend_stubs/2.7/{STUB}")
        done = self.setup_servers()
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"^ci/setup: --servers: found Python 3\.\d+; Triton's Python backend has: 2.7\n$")
        version = done.stderr.split("; ")[0].split()[-1]
        self.write(f"{TRITON}/python_backend_stubs/{version}/{STUB}", "this one")
        for _ in range(2):
            done = self.setup_servers()
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual((self.folder / TRITON / "backends/python" / STUB).read_text(encoding="utf-8"), "this one")


if __name__ == "__main__":
    unittest.main()
