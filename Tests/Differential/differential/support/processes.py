"""Processes and servers on the loopback interface, which end with the block that starts them."""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import pathlib
import re
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import wsgiref.simple_server

from .report import Failure, equal, expect
from .setup import program, require, require_environment, tool


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def is_listening(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition, message: str, seconds: float = 120, interval: float = 0.002) -> None:
    end = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < end, f"{message} after {seconds} s")
        time.sleep(interval)


@contextlib.contextmanager
def running(command: list, **options):
    """Starts a program. At the end of the block it is terminated."""
    process = subprocess.Popen([str(word) for word in command], **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def python_server(name: str, *arguments):
    """Starts a module of `servers`, and returns its URL, which the module prints when it is ready."""
    require_environment()
    command = [sys.executable, "-m", f"differential.servers.{name}", *arguments]
    with running(command, stdout=subprocess.PIPE, text=True) as process:
        words = process.stdout.readline().split()
        equal(words[:1], ["ready"], f"the output of {name}")
        yield words[1]


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """A handler without a log, by default for the files of a folder."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass


@contextlib.contextmanager
def serving(server):
    """Runs a server of this process in a thread, with its address in `url`."""
    server.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


class QuietWSGIHandler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


class ThreadingWSGIServer(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


def wsgi_server(application):
    return wsgiref.simple_server.make_server("127.0.0.1", 0, application, ThreadingWSGIServer, QuietWSGIHandler)


NGINX = """
worker_processes 1;
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
  log_format ranges '$request_method $status $body_bytes_sent "$http_range"';
  access_log {folder}/access.log ranges;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{ listen 127.0.0.1:{port} sndbuf=128k; {directives} }}
}}
"""


@contextlib.contextmanager
def nginx(folder: pathlib.Path, directives: str):
    """Starts nginx with a server of these directives, and returns its URL. The log is `folder/access.log`."""
    require({"nginx": "nginx-light"})
    port = free_port()
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, port=port, directives=directives))
    with running([tool("nginx"), "-c", folder / "nginx.conf", "-p", folder]):
        wait_until(lambda: is_listening(port), "nginx does not listen")
        yield f"http://127.0.0.1:{port}"


class MockServer:
    """The program mock-server. A `with` block starts it, and ends it with the check that it has not failed."""

    def __init__(self, *arguments, warns: bool = False):
        self.program = program("mock-server")
        self.arguments, self.port, self.warns = arguments, 0, warns

    def start(self) -> None:
        """Starts the program, at the second time on the same port."""
        self.errors = tempfile.TemporaryFile("w+")
        command = [str(self.program), *map(str, self.arguments), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.lines = [self.process.stdout.readline()]
        address = re.search(r"http://127\.0\.0\.1:(\d+)", self.lines[0])
        if not address:
            self.process.kill()
            raise Failure(f"mock-server did not start: {self.stderr()}")
        self.url, self.port = address[0], int(address[1])
        # The program waits for the reader of its output.
        self.reader = threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def stderr(self) -> str:
        self.errors.seek(0)
        return self.errors.read()

    def stop(self, was_shut_down: bool = False) -> None:
        """Terminates the program, and checks its status and its errors."""
        if not was_shut_down:
            expect(self.process.poll() is None, f"mock-server has ended: {self.stderr()}")
            self.process.terminate()
        status = self.process.wait(30)
        self.reader.join()
        errors = self.stderr()
        if self.warns:
            errors = "".join(line for line in errors.splitlines(True) if not line.startswith("mock-server: warning: "))
        equal((status, errors), (0, ""), "the status and the errors of mock-server")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *error):
        if kind:
            self.process.kill()
            self.process.wait()
        else:
            self.stop()

    def send(self, method: str, path: str, body=None, headers=None) -> int | None:
        """Sends a request, and returns the status, or None if the connection breaks."""
        return self.exchange(method, path, body, headers)[0]

    def exchange(self, method: str, path: str, body=None, headers=None) -> tuple[int | None, bytes]:
        """Sends a request, and returns the status and the body. A body that is not a text is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        content = body if body is None or isinstance(body, str) else json.dumps(body)
        fields = {"Content-Type": "application/json"} if body is not None else {}
        try:
            connection.request(method, path, content, {**fields, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.read()
        except (ConnectionError, http.client.HTTPException):
            return None, b""
        finally:
            connection.close()
