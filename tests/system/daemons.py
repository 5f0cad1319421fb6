"""Real daemons as child processes, and plain HTTP to them, for the system tests.

The programs come from $LOADSTONE_BIN (default build/release/bin). Every daemon takes a free
loopback port and says it on stdout; each is ended by its process id.
"""
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("LOADSTONE_BIN", ROOT / "build/release/bin")).resolve()
DEADLINE_S = float(os.environ.get("LOADSTONE_TEST_DEADLINE", "60"))


def wait_for(what, question, deadline_s=DEADLINE_S):
    """Asks until the answer is true, and returns it; fails by name after the deadline."""
    until = time.monotonic() + deadline_s
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < until, f"{what}: not within {deadline_s} s"
        time.sleep(0.05)


class Daemon:
    """A program that serves until it is told to stop."""

    def __init__(self, program, arguments, folder, name=None):
        self.name = name or program
        self.out_path = pathlib.Path(folder) / f"{self.name}.out"
        self.log_path = pathlib.Path(folder) / f"{self.name}.log"
        with open(self.out_path, "wb") as out, open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([BIN / program, *map(str, arguments)], stdout=out, stderr=log,
                                            stdin=subprocess.DEVNULL, cwd=folder)
        self.url = wait_for(f"{self.name} to be ready", self._find_url)

    def _find_url(self):
        assert self.process.poll() is None, f"{self.name} ended: {self.log()}"
        found = re.search(r"(https?://\S+?)/?(\s.*)?\n", self.out_path.read_text())
        return found and found.group(1)

    def log(self):
        return self.log_path.read_text(errors="replace")

    def is_running(self):
        return self.process.poll() is None

    def stop(self, how=signal.SIGTERM):
        """Ends it; its exit code must be 0 unless it was killed."""
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"{self.name} did not stop: {self.log()[-2000:]}")
        code = self.process.returncode
        assert code == 0 or how == signal.SIGKILL, f"{self.name} ended with {code}: {self.log()[-4000:]}"


@contextlib.contextmanager
def running(*daemons):
    """Stops the daemons, last first, whatever happens in between."""
    try:
        yield daemons
    finally:
        for daemon in reversed(daemons):
            daemon.stop()


def start_controller(folder, *arguments, **settings):
    folder = pathlib.Path(folder)
    conf = folder / "controller.conf"
    settings = {"name": "test", "data_dir": folder / "data", "archive_dir": folder / "archive", **settings}
    conf.write_text("[controller]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))
    return Daemon("loadstone-controller", ["-c", conf, "--port", 0, *arguments], folder)


def start_driver(folder, controller, name="driver1", *arguments):
    driver = Daemon("loadstone-driver", ["--controller", controller.url, "--name", name, "--port", 0, *arguments],
                    folder, name)
    wait_for(f"{name} to be known", lambda: name in alive_drivers(controller))
    return driver


def start_target(folder, *arguments):
    return Daemon("loadstone-target", ["--port", 0, *arguments], folder)


def alive_drivers(controller):
    return [row["name"] for row in get(controller, "/api/v1/drivers")["drivers"] if row["state"] == "alive"]


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.headers = headers
        self.body = body

    @property
    def text(self):
        return self.body.decode()

    @property
    def json(self):
        return json.loads(self.body)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


def call(daemon, method, path, body=None, headers=None):
    """One request; an error status is an answer like any other."""
    url = daemon if isinstance(daemon, str) else daemon.url
    data = body.encode() if isinstance(body, str) else body
    request = urllib.request.Request(url + path, data=data, method=method, headers=headers or {})
    try:
        with _opener.open(request, timeout=30) as answer:
            return Answer(answer.status, answer.headers, answer.read())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read())


def get(daemon, path):
    answer = call(daemon, "GET", path)
    assert answer.status == 200, f"GET {path}: {answer.status} {answer.body[:500]}"
    return answer.json


def submit(controller, xml):
    answer = call(controller, "POST", "/api/v1/workloads", xml)
    assert answer.status == 201, answer.text
    return answer.json["id"]


def workload(controller, workload_id):
    return get(controller, f"/api/v1/workloads/{workload_id}")


def wait_end(controller, workload_id, deadline_s=DEADLINE_S):
    """The workload's detail once it has ended."""
    def ended():
        detail = workload(controller, workload_id)
        return detail if detail["state"] in ("finished", "failed", "terminated", "cancelled") else None
    return wait_for(f"{workload_id} to end", ended, deadline_s)


def run_cli(*arguments, program="loadstone", check=None, env=None, **more):
    """Runs the command line; check is the exit code it must have."""
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, timeout=DEADLINE_S * 2,
                          env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, **more)
    if check is not None:
        assert done.returncode == check, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done
