"""Sends many uploads at once to servers that respond before they read the body.

Node and nginx speak HTTP/2 and HTTP/1.1, hyper-h2 speaks HTTP/2 only. Each upload must get the whole response. Prints the
number of connections, and the processor time of the client and the elapsed time for each upload.
"""

import collections
import contextlib
import json
import pathlib
import subprocess

from ..support.processes import free_port, nginx, python_server, running
from ..support.report import equal
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
def node(files):
    require({"node": "nodejs"})
    script = PACKAGE / "differential/servers/early.js"
    with running([tool("node"), script, *files], stdout=subprocess.PIPE, text=True) as process:
        words = process.stdout.readline().split()
        equal(words[:1], ["ready"], "the output of Node")
        yield words[1]


def hyper(files):
    return python_server("early", *map(str, files))


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
    for name, server in [("Node", node(files)), ("hyper-h2", hyper(files)), ("nginx", nginx_http2(files, options.work))]:
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
                    equal(report["outcomes"], {f"401 with {len(BODY)} bytes": options.size}, f"{name}, {size} bytes")
    return ", ".join(f"{count} uploads to {name}" for name, count in total.items())
