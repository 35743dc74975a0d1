from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._program import program

JSON = Any
Path = Union[str, "os.PathLike[str]"]


class MockServerError(Exception):
    """The program did not start, or refused a request of the admin API."""


class VerificationError(AssertionError):
    """A check failed: the server received another number of requests than expected, with the nearest ones in the text, or an
    option such as ``--verify`` found a problem when it stopped."""


class MockServer:
    """A mock server in a process of its own.

    It starts at the beginning of a ``with`` statement, or with :meth:`start`, and stops at its end, or with :meth:`stop`.
    It also stops when this process ends, however that happens.
    """

    def __init__(
        self, *files: Path, port: int = 0, proxy: Optional[str] = None, seed: Optional[int] = None,
        options: Sequence[str] = (), cwd: Optional[Path] = None, timeout: float = 30,
    ) -> None:
        """Describes a server.

        :param files: stub files, OpenAPI documents and recordings; the first one takes precedence.
        :param port: the port; 0 chooses a free one.
        :param proxy: the server that receives all requests without a stub.
        :param seed: the seed of random values.
        :param options: further options of the command line, such as ``["--fault", "reset:0.1"]``.
        :param cwd: the folder of the relative names of files. By default that of this process.
        :param timeout: the maximum time in seconds for the start, for a request of the admin API, and for the stop.
        """
        self._arguments = [os.fspath(file) for file in files] + ["--port", str(port), "--json", "--exit-on-eof"]
        if proxy is not None:
            self._arguments += ["--proxy", proxy]
        if seed is not None:
            self._arguments += ["--seed", str(seed)]
        self._arguments += options
        self._cwd = cwd
        self._timeout = timeout
        self._process: Optional[subprocess.Popen[str]] = None
        self._readers: List[threading.Thread] = []
        self._started = threading.Event()
        self._url = ""
        self._events: List[Dict[str, JSON]] = []
        self._errors: List[str] = []

    def __enter__(self) -> "MockServer":
        return self.start()

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.finish()
        else:
            self.stop()

    def start(self) -> "MockServer":
        """Starts the server, and returns when clients can connect.

        :raises MockServerError: if the program ends, with its messages, or does not start in time.
        """
        if self._process is not None:
            raise MockServerError("the server has been started already")
        try:
            self._process = subprocess.Popen(
                [program(), *self._arguments], cwd=self._cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        except OSError as error:
            raise MockServerError(f"{program()}: {error.strerror}") from error
        self._readers = [
            threading.Thread(target=read, daemon=True) for read in (self._read_output, self._read_errors)]
        for reader in self._readers:
            reader.start()
        if not self._started.wait(self._timeout) or not self._url:
            self.stop()
            raise MockServerError("\n".join(self._errors) or "mock-server did not start in time")
        return self

    def stop(self) -> Optional[int]:
        """Stops the server after the responses in progress. Repeated calls have no effect.

        :returns: the exit status: 4 if a file could not be saved, 5 if a check failed, and otherwise 0.
        """
        if self._process is None:
            return None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        for reader in self._readers:
            reader.join(self._timeout)
        return self._process.returncode

    def finish(self) -> None:
        """Stops the server, as the end of a ``with`` statement does.

        :raises VerificationError: if a check of an option such as ``--verify`` failed.
        :raises MockServerError: if the server ended with another status than 0.
        """
        status = self.stop()
        if status == 5:
            failed = [event["message"] for event in self.events if event.get("passed") is False]
            raise VerificationError("\n".join(failed) or "an exchange did not keep the contract of --check")
        if status:
            raise MockServerError("\n".join([f"mock-server ended with status {status}", *self._errors]))

    @property
    def url(self) -> str:
        """The address without a slash at its end, such as ``http://127.0.0.1:49152``."""
        return self._url

    @property
    def events(self) -> List[Dict[str, JSON]]:
        """The lines of the program's output, such as one for each request."""
        return list(self._events)

    @property
    def errors(self) -> List[str]:
        """The lines of the program's error output: errors and warnings."""
        return list(self._errors)

    # Requests

    @property
    def journal(self) -> List[Dict[str, JSON]]:
        """The received requests in the order of arrival, without their bodies."""
        requests: List[Dict[str, JSON]] = []
        after: Optional[int] = 0
        while after is not None:
            page = self.admin("GET", f"requests?limit=500&after={after}")
            requests += page["requests"]
            after = page["next"]
        return requests

    def request(self, number: int) -> Dict[str, JSON]:
        """Returns a received request with its bodies, times and the differences from the nearest stubs."""
        return self.admin("GET", f"requests/{number}")

    def count(self, method: Optional[str] = None, path: Optional[str] = None, when: Optional[JSON] = None) -> int:
        """Returns the number of received requests that match a pattern."""
        return self.admin("POST", "requests/count", _pattern(method, path, when))["count"]

    def verify(
        self, method: Optional[str] = None, path: Optional[str] = None, when: Optional[JSON] = None, *,
        times: Optional[int] = None, at_least: Optional[int] = None, at_most: Optional[int] = None,
    ) -> None:
        """Checks the number of received requests that match a pattern, by default that there is at least one.

        :param method: the method, such as ``"POST"``. By default all.
        :param path: the path, such as ``"/orders/{id}"``. By default all.
        :param when: the conditions of a stub file, such as ``{"json": {"product": 7}}``.
        :raises VerificationError: if another number has been received, with the nearest requests.
        """
        expected = {"times": times, "atLeast": at_least, "atMost": at_most}
        expected = {name: value for name, value in expected.items() if value is not None} or {"atLeast": 1}
        result = self.admin("POST", "verifications", {**_pattern(method, path, when), **expected})
        if not result["passed"]:
            raise VerificationError(result["message"])

    def clear_journal(self) -> None:
        """Forgets the received requests."""
        self.admin("DELETE", "requests")

    # Stubs and state

    def add_stub(self, stub: Optional[Mapping[str, JSON]] = None, **members: JSON) -> str:
        """Adds a stub, a route of a stub file, before the others.

        ``server.add_stub(method="GET", path="/boards", status=503)``

        :returns: its identifier, for :meth:`remove_stub`.
        """
        return self.admin("POST", "stubs", {**(stub or {}), **members})["stubs"][0]["id"]

    def remove_stub(self, identifier: str) -> None:
        """Removes a stub."""
        self.admin("DELETE", "stubs/" + urllib.parse.quote(identifier, safe=""))

    def set_faults(
        self, *, delay: Optional[str] = None, fault: Optional[JSON] = None, chance: Optional[float] = None,
    ) -> None:
        """Replaces the delays and faults of all stubs. Without arguments, they have their own ones again.

        :param delay: a time, such as ``"2 s"``.
        :param fault: a fault, such as ``"reset"``.
        :param chance: the part of the responses with the fault, from 0 to 1.
        """
        self.admin("PATCH", "settings", {"delay": delay, "fault": fault, "faultChance": chance})

    def reset(self, *parts: str) -> None:
        """Restores the initial state.

        :param parts: ``stubs``, ``requests``, ``scenarios``, ``resources``, ``settings``. By default all.
        """
        self.admin("POST", "reset", {part: True for part in parts} if parts else None)

    def admin(self, method: str, path: str, body: Optional[JSON] = None) -> JSON:
        """Sends a request to the admin API.

        :param method: the method.
        :param path: the path below ``/__mock/``, such as ``"scenarios"``.
        :param body: the JSON body.
        :returns: the JSON of the response, or None if it is empty.
        :raises MockServerError: if the server refuses the request.
        """
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/__mock/{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            # Without the proxies of the environment, which cannot reach this machine.
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(request, timeout=self._timeout) as response:
                content = response.read()
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            try:
                text = json.loads(text)["detail"]
            except (ValueError, KeyError, TypeError):
                pass
            raise MockServerError(f"{method} /__mock/{path}: {error.code}: {text}") from None
        except OSError as error:
            raise MockServerError(f"{method} /__mock/{path}: {error}") from error
        return json.loads(content) if content else None

    # Output

    def _read_output(self) -> None:
        assert self._process is not None and self._process.stdout is not None
        for line in self._process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            self._events.append(event)
            if event.get("event") == "started":
                self._url = event["url"].rstrip("/")
                self._started.set()
        self._process.stdout.close()
        self._started.set()

    def _read_errors(self) -> None:
        assert self._process is not None and self._process.stderr is not None
        for line in self._process.stderr:
            self._errors.append(line.rstrip("\n"))
        self._process.stderr.close()


def _pattern(method: Optional[str], path: Optional[str], when: Optional[JSON]) -> Dict[str, JSON]:
    pattern = {"method": method, "path": path, "when": when}
    return {name: value for name, value in pattern.items() if value is not None}
