"""Fixtures for pytest. A failed test shows the requests that its servers have received.

    def test_orders(mock_server):
        server = mock_server("shop.json")
        ...
        server.verify("POST", "/orders", times=1)
"""
from __future__ import annotations

import contextlib
from typing import Any, Callable, Iterator, List

import pytest

from ._server import MockServer, MockServerError

_servers = pytest.StashKey[List[MockServer]]()


@pytest.fixture
def mock_server(request: pytest.FixtureRequest) -> Iterator[Callable[..., MockServer]]:
    """Starts servers for one test: call it with the arguments of ``MockServer``. Relative names of files are in the folder
    of the test. The servers stop at the end of the test, which fails if a check of an option such as ``--verify`` does."""
    servers: List[MockServer] = request.node.stash.setdefault(_servers, [])

    def start(*files: Any, **options: Any) -> MockServer:
        options.setdefault("cwd", request.path.parent)
        server = MockServer(*files, **options).start()
        servers.append(server)
        return server

    yield start
    with contextlib.ExitStack() as stack:
        for server in servers:
            stack.callback(server.finish)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    if call.when != "call" or not report.failed:
        return
    for server in item.stash.get(_servers, []):
        try:
            lines = [_line(request) for request in server.journal]
        except MockServerError as error:
            lines = [str(error)]
        report.sections.append((f"mock-server {server.url}", "\n".join(lines + server.errors) or "no requests"))


def _line(request: Any) -> str:
    return "  ".join(str(request.get(name) or "---") for name in ("id", "method", "url", "status"))
