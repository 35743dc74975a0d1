"""Tests of the Python package and its fixture, each with servers of its own. `Packaging/test` runs them in parallel."""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from catena_mock_server import MockServer, MockServerError, VerificationError

STUBS = pathlib.Path(__file__).parent / "stubs.json"


def send(server, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server.url + path, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request) as response:
            content = response.read()
            return response.status, json.loads(content) if content else None
    except urllib.error.HTTPError as error:
        return error.code, None


def is_running(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    # In a container, nobody may wait for it.
    state = pathlib.Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_server_runs_for_the_time_of_a_with_statement():
    with MockServer(STUBS) as server:
        assert send(server, "GET", "/boards/7") == (200, {"id": 7, "title": "Balsa Fish"})
    assert server.stop() == 0
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(server.url)


def test_a_server_stops_with_a_process_that_is_killed():
    code = """if True:
        import os, signal, sys
        from catena_mock_server import MockServer
        print(MockServer(sys.argv[1]).start()._process.pid, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)"""
    ended = subprocess.run([sys.executable, "-c", code, STUBS], stdout=subprocess.PIPE, text=True)
    assert ended.returncode == -signal.SIGKILL
    deadline = time.monotonic() + 30
    while is_running(int(ended.stdout)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_the_fixture_finds_files_beside_the_test(mock_server):
    server = mock_server("stubs.json")
    assert send(server, "GET", "/boards/7")[0] == 200


def test_two_servers_have_ports_of_their_own(mock_server):
    first, second = mock_server("stubs.json"), mock_server("stubs.json")
    assert first.url != second.url
    assert send(first, "GET", "/boards/1")[0] == 200
    assert second.journal == []


def test_the_journal_has_the_requests_in_order(mock_server):
    server = mock_server("stubs.json")
    for number in range(3):
        send(server, "POST", "/orders", {"product": number})
    assert [(request["method"], request["path"]) for request in server.journal] == [("POST", "/orders")] * 3
    body = server.request(server.journal[2]["id"])["request"]["body"]
    assert json.loads(body["text"]) == {"product": 2}
    server.clear_journal()
    assert server.journal == []


def test_a_verification_passes_or_names_the_nearest_request(mock_server):
    server = mock_server("stubs.json")
    send(server, "POST", "/orders", {"product": 7})
    server.verify("POST", "/orders", times=1)
    server.verify("POST", "/orders", when={"json": {"product": 7}})
    assert server.count(path="/orders") == 1
    with pytest.raises(VerificationError, match="product"):
        server.verify("POST", "/orders", when={"json": {"product": 8}})
    with pytest.raises(AssertionError):
        server.verify("POST", "/orders", at_most=0)


def test_a_failed_check_of_an_option_is_an_error_at_the_end(tmp_path):
    expected = tmp_path / "expected.json"
    expected.write_text('[{"path": "/orders", "times": 1}]')
    options = ["--verify", str(expected)]
    with MockServer(STUBS, options=options) as server:
        send(server, "POST", "/orders", {})
    with pytest.raises(VerificationError, match="expected exactly 1 request"):
        with MockServer(STUBS, options=options):
            pass
    # The error of the block is not replaced.
    with pytest.raises(KeyError):
        with MockServer(STUBS, options=options):
            raise KeyError


def test_stubs_are_added_and_removed(mock_server):
    server = mock_server("stubs.json")
    identifier = server.add_stub(method="GET", path="/boards/7", status=503)
    assert send(server, "GET", "/boards/7")[0] == 503
    server.remove_stub(identifier)
    assert send(server, "GET", "/boards/7")[0] == 200


def test_faults_are_switched_on_and_off(mock_server):
    server = mock_server("stubs.json")
    server.set_faults(fault="close")
    with pytest.raises((urllib.error.URLError, http.client.HTTPException, ConnectionError)):
        send(server, "GET", "/boards/7")
    server.set_faults()
    assert send(server, "GET", "/boards/7")[0] == 200


def test_a_reset_restores_items_and_the_journal(mock_server):
    server = mock_server("stubs.json")
    assert send(server, "POST", "/items", {"name": "Boat"})[0] == 201
    assert len(send(server, "GET", "/items")[1]) == 2
    server.reset()
    assert len(send(server, "GET", "/items")[1]) == 1
    assert len(server.journal) == 1


def test_an_invalid_file_is_an_error_with_its_place(tmp_path):
    (tmp_path / "stubs.json").write_text('{"routes": [{"path": "/a", "satus": 200}]}')
    with pytest.raises(MockServerError, match=r'stubs.json:1:28: .*did you mean "status"'):
        MockServer("stubs.json", cwd=tmp_path).start()


def test_the_report_of_a_failed_test_has_its_requests(pytester):
    pytester.makefile(".json", stubs=STUBS.read_text())
    pytester.makepyfile(
        """
        import urllib.request

        def test_fails(mock_server):
            server = mock_server("stubs.json")
            urllib.request.urlopen(server.url + "/boards/42").read()
            server.verify("DELETE", "/boards/{id}")
        """)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:xdist")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*VerificationError: expected at least 1*", "*mock-server http://127.0.0.1:*", "*GET*/boards/42*200*"])


def test_the_module_and_the_command_run_the_program():
    for command in ([sys.executable, "-m", "catena_mock_server"], [str(pathlib.Path(sys.executable).parent / "mock-server")]):
        output = subprocess.run([*command, "--version"], check=True, capture_output=True, text=True).stdout
        assert output.startswith("mock-server ")
