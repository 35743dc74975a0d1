"""The clients that users of Swift and of other languages have, side by side on one core."""

import os
import re
import shutil
import statistics
import subprocess

import counting
import servers as ports
from contender import Contender
from measuring import in_turn, median, ratios
from programs import HERE, async_http_client, catena, curl_loop, peer, urlsession
from tables import table

URL = f"http://127.0.0.1:{ports.HTTP}/"
SOURCES = os.path.join(HERE, "Peers/Sources")


def clients(servers, options):
    """9. GET, validate, decode 40 bytes of JSON, 8 at a time, the client on one core."""
    requests = 2_000 if options.quick else 20_000
    go = _go_program(options.go)
    members = [
        catena("Catena", "get"),
        catena("Catena, awaited", "get", "--style", "await"),
        async_http_client("async-http-client", "get", "--decode", "yes"),
        curl_loop("C loop on libcurl"),
        urlsession("URLSession", "--decode", "yes", share=0.1),
        urlsession("URLSession, awaited", "--decode", "yes", "--style", "await", share=0.1),
        Contender("Alamofire", [peer("alamofire-load"), "get"], 0.1),
        Contender("Get", [peer("get-load"), "get"], 0.1),
    ]
    if go:
        members.append(Contender("Go, net/http", [go, "get"]))
    if shutil.which("node"):
        script = os.path.join(SOURCES, "node-load/main.mjs")
        members.append(Contender("Node.js, fetch", [shutil.which("node"), script, "get"], 0.5))
    # The server has the other core, so that the client has its own for itself.
    pinned = ["taskset", "-c", "0"] if shutil.which("taskset") else []
    series = in_turn(members, options.rounds, lambda member: pinned + member.command + [
        "--url", URL, "--at-once", "8", "--requests", str(int(requests * member.share)),
        "--warm-up", str(int(requests * member.share) // 10)])
    versions = _versions(options, go)
    # Other clients have an asynchronous main program, which crashes in valgrind, or are no Swift programs.
    counts = counting.of_loads(members[:4], 1_000, "--url", URL, "--at-once", "8")
    rows = []
    for one in series:
        cpu = ratios(one, series[0], lambda run: run.cpu_seconds / run.requests)
        rows.append([
            one.contender, versions.get(one.contender.split(",")[0], ""),
            f"{counts[one.contender]:,.0f}" if one.contender in counts else "",
            f"{median(one, lambda run: run.cpu_per_10000) * 100:.0f}",
            "" if one is series[0] else f"{statistics.median(cpu):.2f}",
            "" if one is series[0] else f"{min(cpu):.2f}..{max(cpu):.2f}",
            f"{median(one, lambda run: run.throughput):,.0f}",
            f"{max(run.peak_bytes for run in one.runs) / 2**20:.0f}",
        ])
    heads = ["client, on one core", "version", "instructions", "CPU us per request", "peer / Catena", "min..max",
             "requests/s", "peak MiB"]
    print("\n" + table(heads, rows))
    return {one.contender: median(one, lambda run: run.cpu_per_10000) * 100 for one in series}


def _go_program(go):
    """Builds the program in Go, and returns its path, or `None` without Go."""
    go = go or shutil.which("go")
    if not go:
        print("-- Go is skipped: there is no program go; see --go")
        return None
    path = os.path.join(HERE, "Peers/.build/go-load")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    environment = {**os.environ, "GO111MODULE": "off", "GOTOOLCHAIN": "local"}
    subprocess.run([go, "build", "-o", path, os.path.join(SOURCES, "go-load/main.go")], check=True, env=environment)
    return path


def _versions(options, go):
    def output(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return ""

    def tag(folder):
        return output("git", "-C", folder, "describe", "--tags", "--always") if folder else ""

    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))
    with open(os.path.join(HERE, "Peers/Package.swift")) as file:
        exact = re.search(r'/async-http-client", exact: "([^"]+)"', file.read())
    curl = re.search(r"libcurl/(\S+)", output("curl", "--version"))
    return {
        "Catena": output("git", "-C", HERE, "describe", "--tags", "--always"),
        "async-http-client": exact.group(1) if exact else "",
        "C loop on libcurl": curl.group(1) if curl else "",
        "URLSession": f"Swift {swift.group(1)}" if swift else "",
        "Alamofire": tag(options.alamofire), "Get": tag(options.get),
        "Go": output(options.go or "go", "version").split(" ")[2:3][0].removeprefix("go") if go else "",
        "Node.js": output("node", "--version").removeprefix("v"),
    }
