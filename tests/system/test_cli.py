"""The command line against real daemons: what it prints, and its exit codes."""
import json
import os
import pathlib
import re
import signal
import socket
import subprocess

import pytest

import daemons
from bad_workloads import BAD

WORKLOAD = """<workload name="cli-{name}" description="{name}">
  <storage type="mock" config="{storage}" />
  <workflow>
    <workstage name="main">
      <work name="main" workers="2" {limit} afr="0">
        <operation type="read" ratio="50" config="containers=u(1,2);objects=u(1,10)" />
        <operation type="write" ratio="50" config="containers=u(1,2);objects=u(1,10);sizes=c(4)KB" />
      </work>
    </workstage>
  </workflow>
</workload>
"""

S3_WORKLOAD = """<workload name="s3-run">
  <storage type="s3" config="accesskey=k;secretkey=very-secret-key;endpoint=http://127.0.0.1:{port};path_style_access=true" />
  <workflow>
    <workstage name="init"><work type="init" workers="1" config="cprefix=run;containers=r(1,2)" /></workstage>
    <workstage name="prepare">
      <work type="prepare" workers="2" config="cprefix=run;containers=r(1,2);objects=r(1,10);sizes=c(64)KB" />
    </workstage>
    <workstage name="main">
      <work name="main" workers="4" totalOps="200">
        <operation type="read" ratio="80" config="cprefix=run;containers=u(1,2);objects=u(1,10)" />
        <operation type="write" ratio="20" config="cprefix=run;containers=u(1,2);objects=u(11,20);sizes=c(64)KB" />
      </work>
    </workstage>
    <workstage name="cleanup">
      <work type="cleanup" workers="1" config="cprefix=run;containers=r(1,2);objects=r(1,20)" />
    </workstage>
    <workstage name="dispose"><work type="dispose" workers="1" config="cprefix=run;containers=r(1,2)" /></workstage>
  </workflow>
</workload>
"""

CLOSED_PORT = "127.0.0.1:1"


@pytest.fixture(scope="module")
def controller(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli")
    controller = daemons.start_controller(folder)
    with daemons.running(controller, daemons.start_driver(folder, controller)):
        yield controller


@pytest.fixture
def cli(controller):
    def run(*arguments, **more):
        return daemons.run_cli(*arguments, "--controller", controller.url, **more)
    return run


@pytest.fixture
def workload_file(tmp_path):
    def write(name="short", limit='totalOps="100"', storage="delay=1"):
        path = tmp_path / f"{name}.xml"
        path.write_text(WORKLOAD.format(name=name, limit=limit, storage=storage))
        return path
    return write


# ---- without a controller


def test_help_names_every_command():
    text = daemons.run_cli("help", check=0).stdout
    for command in "submit validate run info list show watch results cancel drivers help version".split():
        assert re.search(rf"^  {command} ", text, re.M), command
        assert "usage: loadstone " + command in daemons.run_cli(command, "--help", check=0).stdout
    assert daemons.run_cli("--help", check=0).stdout == text
    assert re.fullmatch(r"loadstone \d+\.\d+\.\d+\n", daemons.run_cli("version", check=0).stdout)
    assert json.loads(daemons.run_cli("version", "--json", check=0).stdout)["name"] == "loadstone"


@pytest.mark.parametrize("arguments", [
    [], ["nonsense"], ["submit"], ["show", "w1", "w2"], ["list", "--limit", "0"], ["list", "--limit", "x"], ["list", "--limit"],
    ["list", "--state", "odd"], ["info", "--watch"], ["run"], ["submit", "a.xml", "b.xml"], ["show", "--json=1", "w1"],
    ["help", "nonsense"], ["run", "x.xml", "--drivers", "65"],
])
def test_wrong_usage_is_2_and_goes_to_stderr(arguments):
    done = daemons.run_cli(*arguments, check=2)
    assert done.stderr and not done.stdout


def test_validate_names_file_and_line(tmp_path, workload_file):
    good = workload_file()
    assert "ok" in daemons.run_cli("validate", good, check=0).stdout
    for name, (text, line, words) in BAD.items():
        path = tmp_path / "bad.xml"
        path.write_bytes(text.encode("latin-1"))
        done = daemons.run_cli("validate", path, good, check=3)
        first = done.stdout.splitlines()[0]
        assert first.startswith(f"{path}:{line}: error: " if line else str(path)), (name, done.stdout)
        assert words.lower() in done.stdout.lower(), (name, done.stdout)
        rows = json.loads(daemons.run_cli("validate", "--json", path, good, check=3).stdout)
        assert [row["ok"] for row in rows] == [False, True]
        assert any(row["severity"] == "error" for row in rows[0]["diagnostics"])
    daemons.run_cli("validate", tmp_path / "none.xml", check=6)


def test_no_controller_is_4(tmp_path, workload_file):
    for arguments in ["info"], ["list"], ["drivers"], ["show", "w1"], ["results", "w1"], ["cancel", "w1"], ["submit", workload_file()]:
        done = daemons.run_cli(*arguments, "--controller", CLOSED_PORT, check=4)
        assert "does not answer" in done.stderr
    assert daemons.run_cli("info", env={"LOADSTONE_CONTROLLER": CLOSED_PORT}).returncode == 4
    daemons.run_cli("submit", tmp_path / "none.xml", "--controller", CLOSED_PORT, check=6)


# ---- with one


def test_submit_watch_prints_progress_and_results(cli, workload_file):
    done = cli("submit", workload_file(limit='runtime="2"'), "--watch", check=0)
    workload_id = re.search(r"^Accepted with ID: (w\d+)$", done.stdout, re.M).group(1)
    assert re.search(rf"^{workload_id} s1-main 1/1 running \ds/2s  \d+ op/s  .*B/s  p99 .*s  0 errors$", done.stdout, re.M)
    assert f"{workload_id} finished: 1 of 1 stages done" in done.stdout
    assert "\r" not in done.stdout and "\033" not in done.stdout
    assert "General report" in done.stdout and "Response time" in done.stdout

    table = cli("results", workload_id, check=0).stdout
    row = re.search(r"^s1-main +read +(\d+) .* 100\.00%  completed$", table, re.M)
    assert row, table
    document = json.loads(cli("results", workload_id, "--json", check=0).stdout)
    assert document["results"][0]["op_count"] == int(row.group(1))
    assert json.loads(cli("results", workload_id, "--json", "--stage", "s9-none", check=0).stdout)["results"] == []
    assert workload_id in cli("list", "--state", "ended", check=0).stdout
    shown = cli("show", workload_id, check=0).stdout
    assert "s1-main" in shown and "completed" in shown and "driver1" in shown
    assert json.loads(cli("show", workload_id, "--json", check=0).stdout)["state"] == "finished"


def test_a_failed_workload_is_1_and_shows_its_errors(cli, workload_file):
    done = cli("submit", workload_file("failing", storage="errors=1"), "--watch", "--quiet", check=1)
    assert "Errors" in done.stdout and "failed" in done.stdout


def test_a_refused_workload_is_3_with_every_place(cli, tmp_path):
    path = tmp_path / "bad.xml"
    path.write_text(BAD["ratio sum"][0])
    done = cli("submit", path, check=3)
    assert f"{path}:3: error: work" in done.stderr and "90" in done.stderr
    assert not done.stdout


def test_cancel_ends_a_running_workload(cli, controller, workload_file):
    workload_id = json.loads(cli("submit", workload_file(limit='runtime="300"'), "--json", check=0).stdout)["id"]
    daemons.wait_for("running", lambda: daemons.workload(controller, workload_id)["state"] == "processing")
    assert workload_id in cli("cancel", workload_id, check=0).stdout
    assert daemons.wait_end(controller, workload_id)["state"] == "cancelled"
    assert cli("watch", workload_id, "--quiet").returncode == 1
    assert "ended" in cli("cancel", workload_id, check=5).stderr


def test_unknown_workloads_are_5(cli):
    for command in "show", "watch", "results", "cancel":
        assert "w4711" in cli(command, "w4711", check=5).stderr
        cli(command, "../info", check=5)


def test_info_and_drivers_show_who_is_there(cli, controller):
    assert "driver1" in cli("drivers", check=0).stdout
    assert json.loads(cli("drivers", "--json", check=0).stdout)["drivers"][0]["state"] == "alive"
    text = cli("info", check=0).stdout
    assert "Drivers: 1" in text and "driver1" in text and "Active workloads: 0" in text
    assert json.loads(cli("info", "--json", check=0).stdout)["drivers"][0]["name"] == "driver1"
    here = controller.url.removeprefix("http://")
    assert "Drivers: 1" in daemons.run_cli("info", f"someone:secret@{here}", check=0).stdout
    assert "Drivers: 1" in daemons.run_cli("info", here, check=0).stdout


def test_cli_answers_as_cosbench(controller, workload_file):
    here = controller.url.removeprefix("http://")
    done = daemons.run_cli("submit", workload_file(limit='runtime="300"'), f"anonymous:cosbench@{here}", program="cli", check=0)
    workload_id = re.fullmatch(r"Accepted with ID: (w\d+)\n", done.stdout).group(1)
    text = daemons.run_cli("info", here, program="cli", check=0).stdout
    assert text.startswith("Drivers:\ndriver1\thttp") and f"{workload_id}\t" in text
    assert re.match(rf"{workload_id}\t.*\t(PROCESSING|CANCELLED)$", daemons.run_cli("cancel", workload_id, here, program="cli", check=0).stdout)
    assert daemons.wait_end(controller, workload_id)["state"] == "cancelled"


# ---- run


def leftovers(parent):
    return [path.name for path in pathlib.Path(parent).glob("loadstone-run-*")]


def children_of(pid):
    return subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True).stdout.split()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_run_does_it_all_and_leaves_nothing(tmp_path):
    path = tmp_path / "s3.xml"
    path.write_text(S3_WORKLOAD.format(port=free_port()))
    done = daemons.run_cli("run", path, "--target", "--drivers", 2, "--json", env={"TMPDIR": str(tmp_path)}, check=0)
    document = json.loads(done.stdout)
    assert document["state"] == "finished"
    rows = {row["label"]: row for row in document["results"]}
    assert rows["read"]["op_count"] + rows["write"]["op_count"] == 200
    assert rows["prepare-write"]["op_count"] == 20 and rows["prepare-write"]["byte_count"] == 20 * 64000
    assert all(row["succ_ratio"] == 1 for row in document["results"])
    assert {driver["driver"] for driver in rows["read"]["drivers"]} == {"driver1", "driver2"}
    assert "very-secret-key" not in done.stderr + done.stdout
    assert leftovers(tmp_path) == []


def test_run_keeps_its_directory_when_asked(tmp_path, workload_file):
    done = daemons.run_cli("run", workload_file(), "--keep", "--quiet", env={"TMPDIR": str(tmp_path)}, check=0)
    kept = re.search(r"^kept: (.*)$", done.stderr, re.M).group(1)
    assert (pathlib.Path(kept) / "data").is_dir() and (pathlib.Path(kept) / "controller.log").is_file()
    assert "General report" in done.stdout


def test_run_refuses_a_bad_file_before_it_starts_anything(tmp_path, workload_file):
    path = tmp_path / "bad.xml"
    path.write_text(BAD["no limit"][0])
    assert f"{path}:3: error" in daemons.run_cli("run", path, env={"TMPDIR": str(tmp_path)}, check=3).stderr
    daemons.run_cli("run", tmp_path / "none.xml", check=6)
    assert "--target" in daemons.run_cli("run", workload_file(), "--target", env={"TMPDIR": str(tmp_path)}, check=2).stderr
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_run_stops_all_when_it_is_interrupted(tmp_path, workload_file, how):
    process = subprocess.Popen([daemons.BIN / "loadstone", "run", workload_file(limit='runtime="300"')], text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)})
    for line in process.stderr:
        if " running " in line:
            break
    children = children_of(process.pid)
    assert len(children) == 2
    process.send_signal(how)
    assert process.wait(60) == 130
    process.stderr.close()
    assert leftovers(tmp_path) == []
    assert not any(pathlib.Path(f"/proc/{child}").exists() for child in children)


def test_run_that_is_killed_takes_its_daemons_along(tmp_path, workload_file):
    process = subprocess.Popen([daemons.BIN / "loadstone", "run", workload_file(limit='runtime="300"')], text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)})
    for line in process.stderr:
        if " running " in line:
            break
    children = children_of(process.pid)
    process.kill()
    process.wait()
    process.stderr.close()

    def gone(child):
        try:
            return pathlib.Path(f"/proc/{child}/stat").read_text().split(")")[1].split()[0] == "Z"
        except FileNotFoundError:
            return True
    daemons.wait_for("the daemons to end", lambda: all(gone(child) for child in children))
    assert len(children) == 2
