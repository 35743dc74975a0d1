"""Counts the instructions outside the kernel with callgrind, whose counts hardly depend on other work on the machine."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import contender as contenders


def is_available(program):
    """Returns whether callgrind works, and the program has been built so that it can read it."""
    return shutil.which("valgrind") is not None and os.path.exists(program)


def of_load(command, requests, folder=None):
    """Returns the instructions per request of a program with `LoadSupport`, without its start and its warm-up."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = os.path.join(own, "callgrind")
        contenders.run(_callgrind(path) + [
            *command, "--requests", str(requests), "--warm-up", str(requests // 10)])
        return _total(path + ".1") / requests


def of_loads(members, requests, *arguments):
    """Returns the instructions per request of contenders, by their names, without those that callgrind cannot count."""
    found = {}
    for member in members:
        if not is_available(member.command[0]):
            continue
        try:
            found[member.name] = of_load(member.command + list(arguments), requests)
        except (OSError, RuntimeError, StopIteration) as error:
            print(f"-- the instructions of {member.name} are not counted: {str(error)[-300:]}")
    return found


def of_server(program, messages, requests=500, warm_up=1100):
    """Returns the instructions per response of mock-server-load, by the names of the requests.

    The requests are sent one at a time. The warm-up fills the journal, so that each request replaces another one.
    """
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        path, port = os.path.join(folder, "callgrind"), free.getsockname()[1]
        free.close()
        command = _callgrind(path) + [program, "serve", "--port", str(port)]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"})
        try:
            connection = _Connection(port, process)
            found = {}
            for number, (name, message) in enumerate(messages.items(), 1):
                for _ in range(warm_up):
                    connection.exchange(message)
                connection.exchange(post("/counter/start"))
                for _ in range(requests):
                    connection.exchange(message)
                connection.exchange(post("/counter/stop"))
                found[name] = _total(f"{path}.{number}") / requests
            return found
        finally:
            process.kill()
            process.wait()


def get(target, fields=""):
    """Returns the bytes of a GET request."""
    return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode()


def post(target, body="", fields=""):
    """Returns the bytes of a POST request."""
    return (f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n"
            f"{fields}\r\n{body}").encode()


def _callgrind(path):
    return ["valgrind", "--tool=callgrind", "--fair-sched=try", f"--callgrind-out-file={path}"]


def _total(path):
    with open(path) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("totals:"))


class _Connection:
    """A kept connection to a server, which fails unless each response is a success."""

    def __init__(self, port, process):
        deadline = time.monotonic() + 120
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port))
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the server does not listen")
                time.sleep(0.1)
        self.input = b""

    def exchange(self, message):
        self.socket.sendall(message)
        while b"\r\n\r\n" not in self.input:
            self._receive()
        head, self.input = self.input.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 2"):
            raise RuntimeError(f"{message}: {head}")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        length = int(length.group(1)) if length else 0
        while len(self.input) < length:
            self._receive()
        self.input = self.input[length:]

    def _receive(self):
        received = self.socket.recv(65536)
        if not received:
            raise RuntimeError("the server has closed the connection")
        self.input += received
