"""Sends many uploads at once to servers that respond before they read the body.

Node and nginx speak HTTP/2 and HTTP/1.1; hyper-h2, and Node at its second turn, speak HTTP/2 only. Each upload must get the
whole response. If hyper-h2 puts the reset of a stream into one TLS record with a part of the response, an upload may fail
instead, because libcurl before 8.1 drops this part; it must not get a part as if it were the whole. Prints the number of
connections, and the processor time of the client and the elapsed time for each upload.
"""

import collections
import contextlib
import json
import pathlib
import subprocess

from ..support.processes import free_port, nginx, python_server, running
from ..support.report import equal, expect
from ..support.setup import PACKAGE, program, require, tool

SIZES = [2_000, 20_000, 300_000]
BODY = '{"error":"expired"}'


def make_certificate(folder: pathlib.Path) -> list:
    require({"openssl": "openssl"})
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run([tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    return [key, certificate]


@contextlib.contextmanager
def node(files, *arguments):
    require({"node": "nodejs"})
    script = PACKAGE / "differential/servers/early.js"
    with running([tool("node"), script, *files, *arguments], stdout=subprocess.PIPE, text=True) as process:
        words = process.stdout.readline().split()
        equal(words[:1], ["ready"], "the output of Node")
        yield words[1]


def hyper(files, *arguments):
    return python_server("early", *map(str, files), *arguments)


@contextlib.contextmanager
def nginx_http2(files, folder):
    key, certificate = files
    port = free_port()
    with nginx(folder, f"""
        listen 127.0.0.1:{port} ssl http2 backlog=4096; ssl_certificate {certificate}; ssl_certificate_key {key};
        location / {{ return 401 '{BODY}'; }}"""):
        yield f"https://localhost:{port}"


def run(options):
    upload = program("concurrent-uploads")
    files = make_certificate(options.work)
    total = collections.Counter()
    whole = f"401 with {len(BODY)} bytes"
    cut = {"connectionLost after no head", "connectionLost after 401 with 0 bytes"}
    servers = [
        ("Node", node(files), set()), ("Node, HTTP/2 only", node(files, "http2"), set()),
        ("hyper-h2", hyper(files), set()), ("hyper-h2, reset", hyper(files, "apart"), set()),
        ("hyper-h2, reset with the body", hyper(files, "body"), cut), ("hyper-h2, reset with all", hyper(files, "all"), cut),
        ("nginx", nginx_http2(files, options.work), set())]
    for name, server, failures in servers:
        with server as url:
            for size in SIZES:
                for path in ["length", "open"]:
                    output = subprocess.run([upload, f"{url}/{path}", files[1], str(options.size), str(size)],
                                            capture_output=True, text=True, check=True).stdout
                    report = json.loads(output)
                    print(f"{name}, {options.size} uploads of {size} bytes, /{path}: {report['outcomes']}, "
                          f"HTTP {'/'.join(sorted(report['versions']))}, {report['connections']} connections, "
                          f"{report['processor']} us of processor time and {report['elapsed']} us for each")
                    total[name] += options.size
                    outcomes = report["outcomes"]
                    expect(outcomes.keys() <= failures | {whole}, f"{name}, {size} bytes: {outcomes}")
                    equal(sum(outcomes.values()), options.size, f"the number of uploads to {name}")
    return ", ".join(f"{count} uploads to {name}" for name, count in total.items())
