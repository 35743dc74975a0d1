"""Mock HTTP backends for tests: a Python interface of the program ``mock-server``.

    from catena_mock_server import MockServer

    with MockServer("shop.json") as server:
        assert requests.get(server.url + "/hello/Ada").status_code == 200
        server.verify("GET", "/hello/{name}", times=1)
"""
from __future__ import annotations

from ._program import main, program
from ._server import MockServer, MockServerError, VerificationError

__all__ = ["MockServer", "MockServerError", "VerificationError", "main", "program"]
