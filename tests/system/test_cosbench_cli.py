"""COSBench's own command line against our controller: curl, called as cli.sh calls it."""
import re
import subprocess

import pytest

import daemons
from bad_workloads import BAD

WORKLOAD = """<?xml version="1.0" encoding="UTF-8" ?>
<workload name="cli-test" description="from cli.sh">
  <storage type="mock" config="delay=1" />
  <workflow>
    <workstage name="main">
      <work name="main" workers="2" runtime="{runtime}">
        <operation type="read" ratio="100" config="containers=u(1,2);objects=u(1,10)" />
      </work>
    </workstage>
  </workflow>
</workload>
"""
JAVA_DATE = r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d \S+ \d{4}"


@pytest.fixture(scope="module")
def controller(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cosbench-cli")
    controller = daemons.start_controller(folder)
    with daemons.running(controller, daemons.start_driver(folder, controller)):
        yield controller


def curl(controller, action, *arguments):
    """Answers (status, text)."""
    url = f"{controller.url}/controller/cli/{action}.action?username=anonymous&password=cosbench"
    done = subprocess.run(["curl", "-s", "-w", "\n%{http_code} %{content_type}", *arguments, url], check=True,
                          capture_output=True, text=True, timeout=60)
    text, _, last = done.stdout.rpartition("\n")
    status, content_type = last.split(" ", 1)
    assert content_type.startswith("text/plain"), content_type
    return int(status), text.rstrip("\n")


def submit(controller, path, action="submit"):
    status, text = curl(controller, action, "-F", f"config=@{path}")
    assert status == 200, text
    return re.fullmatch(r"Accepted with ID: (w\d+)", text).group(1)


@pytest.fixture
def long_workload(tmp_path):
    path = tmp_path / "long.xml"
    path.write_text(WORKLOAD.format(runtime=300))
    return path


def test_submit_answers_the_id_and_the_workload_runs(controller, tmp_path):
    path = tmp_path / "short.xml"
    path.write_text(WORKLOAD.format(runtime=1))
    for action in "submit", "config":
        workload_id = submit(controller, path, action)
        assert daemons.wait_end(controller, workload_id)["state"] == "finished"
        status, text = curl(controller, "workload", "-d", f"id={workload_id}")
        assert status == 200
        assert re.fullmatch(rf"{workload_id}\t{JAVA_DATE}\tFINISHED", text), text


def test_index_lists_drivers_and_active_workloads(controller, long_workload):
    workload_id = submit(controller, long_workload)
    daemons.wait_for("the stage to run", lambda: daemons.workload(controller, workload_id)["current_stage"])
    status, text = curl(controller, "index")
    assert status == 200
    lines = text.split("\n")
    assert lines[0] == "Drivers:"
    assert re.fullmatch(r"driver1\thttp://127\.0\.0\.1:\d+\S*", lines[1])
    assert lines[2] == "Total: 1 drivers"
    assert lines[3] == ""
    assert lines[4] == "Active Workloads:"
    assert re.fullmatch(rf"{workload_id}\t{JAVA_DATE}\tPROCESSING\ts1-main", lines[5]), lines[5]
    assert lines[6] == "Total: 1 active workloads"

    status, text = curl(controller, "cancel", "-d", f"id={workload_id}")
    assert status == 200
    assert re.fullmatch(rf"{workload_id}\t{JAVA_DATE}\t(PROCESSING|CANCELLED)", text), text
    assert daemons.wait_end(controller, workload_id)["state"] == "cancelled"
    status, text = curl(controller, "index")
    assert "Total: 0 active workloads" in text


def test_ids_are_taken_from_the_query_too(controller, long_workload):
    workload_id = submit(controller, long_workload)
    url = f"{controller.url}/controller/cli/workload.action?id={workload_id}"
    done = subprocess.run(["curl", "-s", url], check=True, capture_output=True, text=True)
    assert done.stdout.startswith(f"{workload_id}\t")
    url = f"{controller.url}/controller/cli/cancel.action?id={workload_id}"
    subprocess.run(["curl", "-s", "-X", "POST", url], check=True, capture_output=True)
    assert daemons.wait_end(controller, workload_id)["state"] == "cancelled"


def test_unknown_and_missing_ids_are_errors(controller):
    for action in "workload", "cancel":
        assert curl(controller, action, "-d", "id=w99999")[0] == 404
        assert curl(controller, action, "-d", "id=../etc/passwd")[0] == 404
        assert curl(controller, action, "-d", "other=1")[0] == 400
    assert curl(controller, "submit", "-F", "other=x")[0] == 400
    assert curl(controller, "submit", "-d", "")[0] == 400


@pytest.mark.parametrize("name", sorted(set(BAD) - {"binary"}))
def test_a_bad_workload_is_refused_with_a_reason(controller, tmp_path, name):
    text, line, words = BAD[name]
    path = tmp_path / "bad.xml"
    path.write_text(text)
    status, answer = curl(controller, "submit", "-F", f"config=@{path}")
    assert 400 <= status < 500
    assert words in answer.lower() or words in answer
    if line:
        assert re.search(rf"\b{line}\b", answer), answer
    assert "Accepted" not in answer


def test_a_reason_does_not_read_files(controller, tmp_path):
    path = tmp_path / "entity.xml"
    path.write_text(BAD["external entity"][0])
    _, answer = curl(controller, "submit", "-F", f"config=@{path}")
    with open("/etc/hostname", encoding="utf-8") as secret:
        assert secret.read().strip() not in answer
