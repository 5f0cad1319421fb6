"""The controller's HTTP interface: documents, refusals, the page, and input of every bad kind."""
import concurrent.futures
import http.client
import json
import re
import socket
import subprocess
import urllib.parse

import pytest

import daemons
from bad_workloads import BAD
from daemons import call, get

WORKLOAD = """<workload name="{name}" description="of the API's tests">
  <storage type="mock" config="delay=1;password=hidden-word" />
  <workflow>
    <workstage name="first">
      <work name="one" workers="2" totalOps="40">
        <operation type="read" ratio="50" config="containers=u(1,2);objects=u(1,10)" />
        <operation type="write" ratio="50" config="containers=u(1,2);objects=u(1,10);sizes=c(4)KB" />
      </work>
    </workstage>
    <workstage name="second">
      <work name="two" workers="2" runtime="{runtime}">
        <operation type="read" ratio="100" config="containers=u(1,2);objects=u(1,10)" />
      </work>
    </workstage>
  </workflow>
</workload>
"""
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


@pytest.fixture(scope="module")
def web_root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    (folder / "index.html").write_text("<!doctype html><title>page</title>")
    (folder / "app.js").write_text("export const page = 1;\n")
    (folder / "lib").mkdir()
    (folder / "lib" / "chart.css").write_text("body {}\n")
    (folder / ".hidden").write_text("hidden\n")
    (folder.parent / "outside.txt").write_text("kept apart\n")
    return folder


@pytest.fixture(scope="module")
def controller(tmp_path_factory, web_root):
    folder = tmp_path_factory.mktemp("api")
    controller = daemons.start_controller(folder, web_root=web_root)
    with daemons.running(controller, daemons.start_driver(folder, controller)):
        yield controller


@pytest.fixture(scope="module")
def finished(controller):
    workload_id = daemons.submit(controller, WORKLOAD.format(name="finished", runtime=3))
    assert daemons.wait_end(controller, workload_id)["state"] == "finished"
    return workload_id


def error_of(answer, status):
    assert answer.status == status, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    return answer.json["error"]


# ---- documents


def test_info_counts_drivers_and_workloads(controller, finished):
    info = get(controller, "/api/v1/info")
    assert info["protocol"] == 1 and info["name"] == "test"
    assert info["drivers"]["alive"] == 1
    assert info["workloads"]["ended"] >= 1


def test_submit_answers_id_name_and_warnings(controller):
    xml = WORKLOAD.format(name="answered", runtime=1).replace('workers="2" totalOps', 'workers="2" ratio="3" totalOps')
    answer = call(controller, "POST", "/api/v1/workloads", xml, {"Content-Type": "text/anything"})
    assert answer.status == 201
    document = answer.json
    assert re.fullmatch(r"w\d+", document["id"]) and document["name"] == "answered"
    assert answer.headers["Location"] == f"/api/v1/workloads/{document['id']}"
    assert any(row["severity"] == "warning" and row["line"] == 5 for row in document["diagnostics"])
    daemons.wait_end(controller, document["id"])


@pytest.mark.parametrize("content_type, body", [
    ("application/x-www-form-urlencoded", "{xml}"),
    ("application/x-www-form-urlencoded", "config={quoted}"),
    ("multipart/form-data; boundary=B", '--B\r\nContent-Disposition: form-data; name="config"; filename="w.xml"\r\n\r\n{xml}\r\n--B--\r\n'),
])
def test_a_workload_may_come_in_any_form(controller, content_type, body):
    xml = WORKLOAD.format(name="formed", runtime=1)
    body = body.format(xml=xml, quoted=urllib.parse.quote(xml))
    answer = call(controller, "POST", "/api/v1/validate", body, {"Content-Type": content_type})
    assert answer.status == 200 and answer.json["ok"] is True, answer.text


def test_detail_has_stages_works_and_missions(controller, finished):
    detail = daemons.workload(controller, finished)
    assert (detail["id"], detail["name"], detail["state"]) == (finished, "finished", "finished")
    assert detail["op_info"] == "read write"
    assert [step["state"] for step in detail["history"]] == ["queuing", "processing", "finished"]
    assert all(re.fullmatch(TIME, step["at"]) for step in detail["history"])
    assert (detail["stages_total"], detail["stages_done"], detail["live"]) == (2, 2, None)
    first, second = detail["stages"]
    assert (first["id"], first["index"], first["state"]) == ("s1-first", 1, "completed")
    assert first["works"][0]["total_ops"] == 40 and first["expected_ns"] is None
    assert second["expected_ns"] == 3_000_000_000 and second["elapsed_ns"] >= 3_000_000_000
    assert [row["driver"] for row in second["missions"]] == ["driver1"]
    assert second["missions"][0]["state"] == "finished"


def test_results_add_up(controller, finished):
    document = get(controller, f"/api/v1/workloads/{finished}/results")
    rows = document["results"]
    assert [(row["stage"], row["label"]) for row in rows] == [("s1-first", "read"), ("s1-first", "write"), ("s2-second", "read")]
    assert rows[0]["op_count"] + rows[1]["op_count"] == 40
    assert rows[1]["byte_count"] == rows[1]["op_count"] * 4000
    for row in rows:
        assert row["succ_ratio"] == 1 and row["failed"] == 0
        assert 1 <= row["avg_restime_ms"] <= row["percentiles_ms"]["100"]
        percentiles = [row["percentiles_ms"][name] for name in "50 60 70 75 80 90 95 99 99.9 99.99 99.999 100".split()]
        assert percentiles == sorted(percentiles)
        assert row["throughput"] == pytest.approx(row["op_count"] / (row["window_ns"] / 1e9))
        assert sum(driver["op_count"] for driver in row["drivers"]) == row["op_count"]
    assert document["errors"] == []


def test_samples_are_one_a_second_and_can_be_read_on(controller, finished):
    document = get(controller, f"/api/v1/workloads/{finished}/samples")
    assert document["stage"] == "s2-second"
    samples = document["samples"]
    assert [sample["at_ns"] for sample in samples[:3]] == [1_000_000_000, 2_000_000_000, 3_000_000_000]
    good = sum(operation["good"] for sample in samples for operation in sample["operations"])
    counted = get(controller, f"/api/v1/workloads/{finished}/results")["results"][2]["op_count"]
    assert counted <= good <= counted + 2 * 2
    point = samples[0]["operations"][0]
    assert point["label"] == "read" and 0 < point["p50_ms"] <= point["p95_ms"] <= point["p99_ms"] <= point["max_ms"]
    rest = get(controller, f"/api/v1/workloads/{finished}/samples?after_ns=2000000000&stage=s2-second")["samples"]
    assert [sample["at_ns"] for sample in rest] == [sample["at_ns"] for sample in samples if sample["at_ns"] > 2_000_000_000]
    assert get(controller, f"/api/v1/workloads/{finished}/samples?stage=s1-first")["stage"] == "s1-first"
    error_of(call(controller, "GET", f"/api/v1/workloads/{finished}/samples?stage=s9-x"), 404)
    error_of(call(controller, "GET", f"/api/v1/workloads/{finished}/samples?after_ns=-1"), 400)


def test_the_list_is_newest_first_and_in_pages(controller, finished):
    for _ in range(2):
        daemons.wait_end(controller, daemons.submit(controller, WORKLOAD.format(name="listed", runtime=1)))
    everything = get(controller, "/api/v1/workloads")
    ids = [row["id"] for row in everything["workloads"]]
    assert ids == sorted(ids, key=lambda name: -int(name[1:])) and finished in ids
    assert everything["next_before"] is None and everything["total"] == len(ids)
    page = get(controller, "/api/v1/workloads?limit=1")
    assert [row["id"] for row in page["workloads"]] == ids[:1] and page["next_before"]
    page = get(controller, f"/api/v1/workloads?limit=1&before={page['next_before']}")
    assert [row["id"] for row in page["workloads"]] == ids[1:2]
    assert get(controller, "/api/v1/workloads?state=active")["workloads"] == []
    assert len(get(controller, "/api/v1/workloads?state=ended")["workloads"]) == len(ids)
    for query in "limit=0", "limit=1001", "limit=x", "before=12", "state=odd":
        error_of(call(controller, "GET", f"/api/v1/workloads?{query}"), 400)


def test_the_config_is_shown_without_secrets(controller, finished):
    answer = call(controller, "GET", f"/api/v1/workloads/{finished}/config")
    assert answer.status == 200 and answer.headers["Content-Type"] == "application/xml"
    assert "of the API's tests" in answer.text and "hidden-word" not in answer.text
    assert "hidden-word" not in json.dumps(daemons.workload(controller, finished))


def test_cancel_keeps_what_was_measured(controller):
    workload_id = daemons.submit(controller, WORKLOAD.format(name="cancelled", runtime=300))
    live = daemons.wait_for("live figures", lambda: daemons.workload(controller, workload_id)["live"])
    assert live["stage"] in ("s1-first", "s2-second")
    daemons.wait_for("samples of the second stage", lambda: get(
        controller, f"/api/v1/workloads/{workload_id}/samples?stage=s2-second")["samples"])
    assert call(controller, "POST", f"/api/v1/workloads/{workload_id}/cancel").status == 200
    detail = daemons.wait_end(controller, workload_id)
    assert detail["state"] == "cancelled" and detail["stages"][1]["state"] == "cancelled"
    error = error_of(call(controller, "POST", f"/api/v1/workloads/{workload_id}/cancel", "{}"), 409)
    assert error["code"] == "conflict"
    assert get(controller, f"/api/v1/workloads/{workload_id}/samples?stage=s2-second")["samples"]


def test_unknown_workloads_are_404(controller):
    for name in "w99999", "w0", "w-1", "12", "w1x", "..%2Finfo", "w" + "9" * 40, "%00", "w%31%20":
        for rest in "", "/results", "/samples", "/config":
            assert call(controller, "GET", f"/api/v1/workloads/{name}{rest}").status in (400, 404), name
        assert call(controller, "POST", f"/api/v1/workloads/{name}/cancel").status in (400, 404)


def test_drivers_register_with_good_data_only(controller):
    good = {"protocol": 1, "name": "driver-x", "url": "http://127.0.0.1:1", "version": "0", "threads": 1}
    assert call(controller, "POST", "/api/v1/drivers", json.dumps({**good, "protocol": 2})).status == 409
    for change in {"name": ""}, {"name": 7}, {"name": "a\nb"}, {"url": "ftp://x"}, {"url": "nonsense"}, {"threads": -1}, {"threads": "2"}:
        assert call(controller, "POST", "/api/v1/drivers", json.dumps({**good, **change})).status == 400, change
    for body in "", "[]", "{", "null", "[" * 5000, '{"protocol": 1}':
        assert call(controller, "POST", "/api/v1/drivers", body).status in (400, 409), body[:20]
    assert [row["name"] for row in get(controller, "/api/v1/drivers")["drivers"]] == ["driver1"]


def test_metrics_are_prometheus_text(controller):
    answer = call(controller, "GET", "/metrics")
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert re.search(r'^loadstone_drivers\{state="alive"\} 1$', answer.text, re.M)
    for line in answer.text.splitlines():
        assert re.fullmatch(r'# (HELP|TYPE) .+|[a-z_]+(\{[a-z]+="[^"]*"\})? [-+0-9.eInfNa]+', line), line


# ---- bad input


def post_anyhow(controller, path, body, headers):
    """POST whose answer may come while we still send."""
    host, port = controller.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=30)
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize("name", sorted(BAD))
def test_a_bad_workload_is_refused_with_its_place(controller, name):
    xml, line, words = BAD[name]
    for path in "/api/v1/workloads", "/api/v1/validate":
        status, text = post_anyhow(controller, path, xml.encode("latin-1"), {"Content-Type": "application/xml"})
        document = json.loads(text)
        if path.endswith("validate") and name != "empty":
            assert status == 200 and document["ok"] is False
            diagnostics = document["diagnostics"]
        else:
            assert status == 400, text
            diagnostics = document["error"]["diagnostics"]
        assert words.lower() in text.lower(), text
        if line:
            assert line in [row["line"] for row in diagnostics if row["severity"] == "error"], text
    assert get(controller, "/api/v1/info")["protocol"] == 1


def test_all_errors_of_a_workload_come_at_once(controller):
    xml = BAD["unknown selector"][0].replace('name="main" workers', 'name="main" afr="-1" workers').replace("u(1,9)", "u(9,1)")
    answer = call(controller, "POST", "/api/v1/validate", xml)
    assert len([row for row in answer.json["diagnostics"] if row["severity"] == "error"]) == 3, answer.text


def test_ten_megabytes_of_garbage_are_refused(controller):
    garbage = bytes(range(256)) * 40960
    for path, headers in [("/api/v1/workloads", {}), ("/api/v1/validate", {"Content-Type": "multipart/form-data; boundary=x"}),
                          ("/controller/cli/submit.action", {}), ("/api/v1/drivers", {}), ("/api/v1/workloads/w1/cancel", {}),
                          ("/nowhere", {})]:
        status, _ = post_anyhow(controller, path, garbage, headers)
        assert status == (404 if path == "/nowhere" else 413), path
    done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--data-binary", "@-",
                           f"{controller.url}/api/v1/workloads"], input=garbage, capture_output=True, timeout=60)
    assert done.stdout == b"413"
    assert post_anyhow(controller, "/api/v1/workloads", garbage[:4_000_000], {})[0] == 400


def test_an_external_entity_is_never_read(controller, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("the-secret-of-this-file")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.2)
        for system in f"file://{secret}", f"http://127.0.0.1:{listener.getsockname()[1]}/x":
            for kind in f'<!ENTITY x SYSTEM "{system}">', f'<!ENTITY % x SYSTEM "{system}"> %x;':
                xml = f'<!DOCTYPE workload [{kind}]><workload name="a">&x;</workload>'
                answer = call(controller, "POST", "/api/v1/workloads", xml)
                assert answer.status == 400 and "the-secret" not in answer.text
        with pytest.raises(TimeoutError):
            listener.accept()


def test_deep_and_wide_documents_are_refused(controller):
    for xml in "<a>" * 100000, "<a>" * 100000 + "</a>" * 100000, "<workload" + ' a="b"' * 300000 + "/>", "<workload " + "x" * 5_000_000:
        status, text = post_anyhow(controller, "/api/v1/workloads", xml, {})
        assert status in (400, 413), text[:300]
        assert len(text) < 100_000


def test_requests_at_the_same_time_are_all_answered(controller):
    bad = BAD["no limit"][0]
    paths = ["/api/v1/info", "/api/v1/workloads", "/api/v1/drivers", "/metrics", "/controller/index.html"]

    def ask(i):
        if i % 3 == 0:
            return call(controller, "POST", "/api/v1/workloads", bad).status
        return call(controller, "GET", paths[i % len(paths)]).status
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(ask, range(300)))
    assert [status for i, status in enumerate(statuses) if status != (400 if i % 3 == 0 else 200)] == []


def test_a_request_of_another_sites_page_changes_nothing(controller):
    before = get(controller, "/api/v1/workloads")["total"]
    xml = WORKLOAD.format(name="foreign", runtime=1)
    for path in "/api/v1/workloads", "/controller/cli/submit.action", "/api/v1/drivers":
        answer = call(controller, "POST", path, xml, {"Origin": "http://elsewhere.example", "Content-Type": "text/plain"})
        assert answer.status == 403
    assert get(controller, "/api/v1/workloads")["total"] == before
    bad = call(controller, "POST", "/api/v1/workloads", "<x/>", {"Origin": controller.url})
    assert bad.status == 400


def test_a_token_guards_what_changes_something(tmp_path):
    controller = daemons.start_controller(tmp_path, token="right-word")
    with daemons.running(controller, daemons.start_driver(tmp_path, controller, "driver1", "--token", "right-word")):
        xml = WORKLOAD.format(name="guarded", runtime=1)
        for headers in {}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic cmlnaHQtd29yZA=="}:
            assert error_of(call(controller, "POST", "/api/v1/workloads", xml, headers), 401)["code"] == "denied"
            assert call(controller, "POST", "/api/v1/drivers", "{}", headers).status == 401
            assert call(controller, "POST", "/api/v1/workloads/w1/cancel", None, headers).status == 401
        answer = call(controller, "POST", "/controller/cli/submit.action?username=a&password=wrong", xml)
        assert answer.status == 401 and answer.text == "User info [username:password] incorrect !"
        answer = call(controller, "POST", "/controller/cli/submit.action?username=a&password=right-word",
                      "config=" + urllib.parse.quote(xml), {"Content-Type": "application/x-www-form-urlencoded"})
        assert answer.text.startswith("Accepted with ID: w1")
        assert daemons.wait_end(controller, "w1")["state"] == "finished"
        assert call(controller, "POST", "/api/v1/workloads", "<x/>", {"Authorization": "Bearer right-word"}).status == 400
        assert "right-word" not in controller.log()


# ---- the page


def test_the_page_is_served_with_its_types(controller):
    for path, content_type in {"/controller/index.html": "text/html", "/controller/app.js": "text/javascript",
                               "/controller/lib/chart.css": "text/css"}.items():
        answer = call(controller, "GET", path)
        assert answer.status == 200 and answer.headers["Content-Type"].startswith(content_type)
        assert answer.headers["Cache-Control"] == "no-cache"
        again = call(controller, "GET", path, None, {"If-None-Match": answer.headers["ETag"]})
        assert again.status == 304 and again.body == b""
    head = call(controller, "HEAD", "/controller/app.js")
    assert head.status == 200 and head.headers["Content-Length"] == "23" and head.body == b""


def test_old_and_short_addresses_lead_to_the_page(controller):
    for path in "/", "/controller", "/controller/", "/controller/matrix.html", "/controller/submit.html":
        answer = call(controller, "GET", path)
        assert (answer.status, answer.headers["Location"]) == (302, "/controller/index.html"), path
    for path in "/controller/workload.html?id=w12", "/controller/stage.html?wid=w12&sid=s1-x":
        assert "w12" in call(controller, "GET", path).headers["Location"]
    assert "\n" not in call(controller, "GET", "/controller/workload.html?id=w1%0d%0aX:y").headers["Location"]


@pytest.mark.parametrize("path", [
    "../outside.txt", "..%2Foutside.txt", "%2e%2e/outside.txt", "lib/../../outside.txt", "lib/..%2f..%2foutside.txt", ".hidden",
    "/etc/passwd", "//etc/passwd", "lib//chart.css", "lib", "lib/", "index.html%00.js", "..\\outside.txt", "none.html", "%", "a" * 5000,
])
def test_nothing_outside_the_page_is_served(controller, path):
    answer = call(controller, "GET", f"/controller/{path}")
    assert answer.status in (400, 404, 414)
    assert b"kept apart" not in answer.body and b"hidden\n" not in answer.body


def test_a_controller_without_page_says_so(tmp_path):
    controller = daemons.start_controller(tmp_path, web_root=tmp_path / "none")
    with daemons.running(controller):
        assert "not installed" in call(controller, "GET", "/controller/index.html").text
        assert call(controller, "GET", "/controller/app.js").status == 404
