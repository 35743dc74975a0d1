"""The shapes of the networking benchmarks. Each prints its tables and returns the figures of its plot."""

import os
import resource
import shutil
import subprocess

import contender as contenders
import counting
import servers as ports
from clients import clients
from measuring import in_turn, median
from mock_servers import mock_servers
from programs import HERE, async_http_client, catena, curl_loop, is_built, ours, peer, urlsession
from tables import loads, table

URL = f"http://127.0.0.1:{ports.HTTP}/"
TLS = f"https://127.0.0.1:{ports.TLS}/"
HTTP2 = f"https://127.0.0.1:{ports.HTTP2}/"


def gets(servers, options):
    """1. GET, validate, decode 40 bytes of JSON, keep-alive."""
    figures = {}
    for at_once, requests in ((1, 4_000), (8, 20_000), (32, 20_000), (256, 20_000), (2_048, 20_000)):
        requests = requests // 4 if options.quick else requests
        members = [
            catena("Catena", "get"),
            catena("Catena, awaited", "get", "--style", "await"),
            async_http_client("async-http-client", "get"),
            async_http_client("async-http-client + decode", "get", "--decode", "yes"),
            curl_loop("C loop on libcurl", *(["--by", "epoll"] if at_once > 256 else [])),
        ]
        # Thousands of concurrent URLSession tasks take minutes and give no further information.
        if at_once <= 256:
            members += [
                catena("Catena on URLSession", "get", "--transport", "urlsession", share=0.1),
                urlsession("URLSession", share=0.1),
            ]
        series = in_turn(members, options.rounds, lambda member: member.command + [
            "--url", URL, "--at-once", str(at_once),
            "--requests", str(max(int(requests * member.share), at_once)),
            "--warm-up", str(max(int(requests * member.share) // 10, at_once))])
        counts = {}
        if at_once <= 32:
            counted = [member for member in members if "URLSession" not in member.name]
            counts = counting.of_loads(counted, 1_000, "--url", URL, "--at-once", str(at_once))
        print(f"\n### {at_once:,} at a time\n\n{loads(series, f'{at_once:,} at a time', counts)}")
        for one in series:
            figures.setdefault(one.contender, []).append(
                [at_once, median(one, lambda run: run.throughput)])
    return figures


def chains(servers, options):
    """2. A chain of dependent requests, one at a time."""
    figures = {}
    for length in (1, 10, 100, 1000):
        count = max(3_000 // length // (4 if options.quick else 1), 1)
        members = [
            catena("Catena", "chain", "--length", str(length), "--chains", str(count)),
            async_http_client("async-http-client, await + decode", "chain", "--decode", "yes",
                              "--length", str(length), "--chains", str(count)),
            curl_loop("C loop on libcurl", "--requests", str(count * length)),
        ]
        series = in_turn(members, options.rounds, lambda member: member.command + [
            "--url", URL, "--warm-up", "20" if "curl-loop" in member.command[0] else "1"])
        print(f"\n### A chain of {length:,}\n\n{loads(series, f'chain of {length:,}')}")
        for one in series:
            figures.setdefault(one.contender, []).append(
                [length, median(one, lambda run: run.seconds) / count * 1000])
    return figures


def secure(servers, options):
    """3. GET over TLS, over HTTP/2 on one connection, over new connections, and with pinned keys."""
    requests = 5_000 if options.quick else 20_000
    for name, url, http, at_once in (
            ("TLS", TLS, "1", 32), ("HTTP/2, one connection", HTTP2, "2", 100)):
        members = [
            catena("Catena", "get"),
            async_http_client("async-http-client + decode", "get", "--decode", "yes"),
            curl_loop("C loop on libcurl"),
        ]
        arguments = ["--url", url, "--ca", servers.ca, "--http", http, "--at-once", str(at_once)]
        series = in_turn(members, options.rounds, lambda member: member.command + arguments + [
            "--requests", str(requests), "--warm-up", str(requests // 10)])
        counts = counting.of_loads(members, 1_000, *arguments)
        print(f"\n### {name}, {at_once} at a time\n\n{loads(series, name, counts)}")
    for name, url, count in (
            ("kept TLS connections", TLS, requests), ("new TLS connections", TLS + "once/", requests // 10)):
        members = [
            catena("Catena", "get"), catena("Catena with pinned keys", "get", "--pins", "yes"),
            async_http_client("async-http-client + decode", "get", "--decode", "yes"),
            curl_loop("C loop on libcurl"),
            curl_loop("C loop without session tickets", "--resume", "no"),
        ]
        series = in_turn(members, options.rounds, lambda member: member.command + [
            "--url", url, "--ca", servers.ca, "--at-once", "8", "--requests", str(count),
            "--warm-up", str(count // 10)])
        print(f"\n### 8 at a time over {name}\n\n{loads(series, name)}")
    return None


def transfers(servers, options):
    """4. The download and upload of one large file, also over TLS."""
    size = 2**28 if options.quick else 2**30
    servers.make_large(size)
    target = os.path.join(servers.folder, "target")
    sink = servers.start([ours("bench-server"), str(ports.SINK)], ports.SINK)
    trust = ["--ca", servers.ca]
    for way, url, more in (
            ("down", URL, []), ("up", f"http://127.0.0.1:{ports.SINK}/", []),
            ("down over TLS", TLS, trust), ("up over TLS", TLS, trust)):
        is_down = way.startswith("down")
        tool = ["curl", "-sS", "--fail", "--http1.1"] + (["--cacert", servers.ca] if more else [])
        tool += ["-o", target, url + "large"] if is_down else ["-T", servers.large, url + "up"]
        file, work = (target, "download") if is_down else (servers.large, "upload")
        members = [catena("Catena", work), async_http_client("async-http-client", work)]
        members = [member for member in members if is_built(member)]
        rows = {member.name: [] for member in members} | {"curl": []}
        for _ in range(options.rounds):
            for member in members:
                rows[member.name].append(
                    contenders.run(member.command + ["--url", url, "--file", file, *more]))
            rows["curl"].append(contenders.run_tool(tool))
        cells = []
        for name, runs in rows.items():
            times = sorted(run.seconds for run in runs)
            best = sorted(own.seconds / run.seconds for own, run in zip(rows["Catena"], runs))
            cpu = sorted(own.cpu_seconds / run.cpu_seconds for own, run in zip(rows["Catena"], runs))
            cells.append([
                name, f"{size / 2**20 / times[len(times) // 2]:,.0f}",
                "" if name == "Catena" else f"{1 / best[len(best) // 2]:.2f}",
                "" if name == "Catena" else f"{1 / best[-1]:.2f}..{1 / best[0]:.2f}",
                f"{sorted(run.cpu_seconds for run in runs)[len(runs) // 2]:.2f}",
                "" if name == "Catena" else f"{cpu[len(cpu) // 2]:.2f}",
                f"{max(run.growth_bytes for run in runs) / 2**20:.1f}",
            ])
        heads = [f"{size // 2**20:,} MiB {way}", "MiB/s", "Catena / peer", "min..max", "CPU s",
                 "Catena CPU / peer CPU", "memory growth MiB"]
        print(f"\n### {size // 2**20:,} MiB {way}, by file\n\n{table(heads, cells)}")
    servers.end(sink)
    return None


def flights(servers, options):
    """5. Thousands of requests in flight to a slow endpoint."""
    seconds = 5
    port = 18485
    server = servers.start([ours("bench-server"), str(port), str(seconds * 1000)], port)
    urls = ",".join(f"http://127.0.0.{number}:{port}/" for number in range(1, 9))
    figures = {}
    rows = []
    counts = [1_000, 10_000] if options.quick else [1_000, 10_000, 50_000]
    files = _raised_file_limit()
    for count in counts:
        if count + 200 > files:
            print(f"{count:,} concurrent requests need as many open files, but the limit is {files:,}; "
                  f"{files - 1_000:,} instead")
            count = files - 1_000
        members = [
            catena("Catena", "get"),
            async_http_client("async-http-client + decode", "get", "--decode", "yes"),
            curl_loop("C loop on libcurl", "--by", "epoll"),
        ]
        rounds = 1 if count > 10_000 else min(options.rounds, 3)
        for one in in_turn(members, rounds, lambda member: member.command + [
                "--url", urls, "--at-once", str(count), "--requests", str(count)]):
            each = median(one, lambda run: run.growth_bytes) / count / 1024
            rows.append([
                f"{count:,} {one.contender}", max(run.failures for run in one.runs),
                f"{each:.1f}", max(run.threads for run in one.runs),
                f"{median(one, lambda run: run.seconds) - seconds:.2f}",
                f"{median(one, lambda run: run.cpu_per_10000):.3f}"])
            figures.setdefault(one.contender, []).append([count, each * count / 1024])
    heads = ["in flight", "failures", "KiB per request", "threads", "s over the delay", "CPU s / 10,000"]
    print("\n" + table(heads, rows))
    servers.end(server)
    return figures


def mocked(servers, options):
    """7a. Mocked requests on one core: request, stub, validate, decode, 64 at a time."""
    requests = 50_000 if options.quick else 200_000
    names = {
        "bare": "", "redirects refused": "no-redirects", "credentials": "credentials",
        "cookies": "cookies", "middleware": "middleware", "attempt deadline": "attempt-deadline",
        "call deadline": "call-deadline", "a queue of 64": "limited", "a monitor": "monitor", "a trace": "trace",
        "a log, info": "log", "a log, verbose": "verbose",
    }
    members = [catena(name, "mocked", "--stages", stages) for name, stages in names.items()]
    series = in_turn(members, options.rounds, lambda member: ["taskset", "-c", "0"] + member.command + [
        "--requests", str(requests), "--warm-up", str(requests // 10)])
    counts = {}
    if counting.is_available(members[0].command[0]):
        counts = {member.name: counting.of_load(member.command, 1_000) for member in members}
    bare = series[0]
    rows = []
    for one in series:
        cpu = median(one, lambda run: run.cpu_seconds / run.requests)
        extra = sorted(
            (a.cpu_seconds - b.cpu_seconds) / a.requests * 1e6 for a, b in zip(one.runs, bare.runs))
        rows.append([
            one.contender, f"{counts[one.contender]:,.0f}" if one.contender in counts else "",
            f"{1 / cpu:,.0f}", f"{cpu * 1e6:.2f}",
            "" if one is bare else f"{extra[len(extra) // 2]:+.2f}",
            "" if one is bare else f"{extra[0]:+.2f}..{extra[-1]:+.2f}",
            f"{median(one, lambda run: run.throughput):,.0f}"])
    heads = ["mocked request", "instructions", "requests/CPU s", "CPU us per request", "us more than bare",
             "min..max", "requests/s"]
    print("\n" + table(heads, rows))
    return None


def cold(servers, options):
    """8. Cold costs: the first response, the program's size, a clean build."""
    address = URL + "boards/7"
    programs = {
        "import Networking": [ours("hello-networking"), address],
        "URLSession": [ours("hello-urlsession"), address],
        "async-http-client": [
            peer("async-http-client-load"), "get", "--url", URL, "--decode", "yes"],
        "C loop on libcurl": [ours("curl-loop"), "get", "--url", URL],
        "curl": ["curl", "-sS", "-o", "/dev/null", address],
        "no network, print": [ours("hello-swift")],
    }
    programs = {name: command for name, command in programs.items() if shutil.which(command[0])}
    runs = {name: [] for name in programs}
    for _ in range(options.rounds * 4):
        for name, command in programs.items():
            runs[name].append(contenders.run_tool(command))
    rows, base = [], runs.get("async-http-client")
    for name, command in programs.items():
        ratio = sorted(run.seconds / other.seconds for run, other in zip(runs[name], base or []))
        times = sorted(run.seconds * 1000 for run in runs[name])
        stripped = os.path.join(servers.folder, "stripped")
        subprocess.run(["strip", "-o", stripped, shutil.which(command[0])], check=True)
        rows.append([
            name, f"{times[len(times) // 2]:.0f}", f"{times[0]:.0f}..{times[-1]:.0f}",
            f"{ratio[len(ratio) // 2]:.2f}" if ratio and runs[name] is not base else "",
            f"{sorted(run.cpu_seconds * 1000 for run in runs[name])[len(times) // 2]:.0f}",
            f"{max(run.peak_bytes for run in runs[name]) / 2**20:.0f}",
            f"{os.path.getsize(stripped) / 1024:,.0f}"])
    heads = ["start to first response", "ms", "min..max", "ms / async-http-client's", "CPU ms", "peak MiB", "stripped KiB"]
    print("\n" + table(heads, rows))
    if not options.quick:
        _builds(servers)
    return None


def _builds(servers):
    rows = []
    for target in ("Promises", "Networking", "Mocking"):
        for kind in ("debug", "release"):
            scratch = os.path.join(servers.folder, "build")
            run = contenders.run_tool([
                "swift", "build", "--package-path", os.path.dirname(HERE), "--scratch-path", scratch,
                "-c", kind, "--target", target])
            rows.append([f"{target}, {kind}", f"{run.seconds:.0f}", f"{run.cpu_seconds:.0f}"])
            shutil.rmtree(scratch)
    print("\n" + table(["clean build", "s", "CPU s"], rows))


def promises(servers, options):
    """6. Promises, compared with SwiftNIO's futures and Swift's tasks."""
    command = [ours("PromiseBenchmarks")] + (["--quick"] if options.quick else [])
    print("\n" + subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return None


def _raised_file_limit():
    """Raises the limit of open files as far as possible; child processes inherit it."""
    for limit in (200_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            return limit
        except (OSError, ValueError):
            continue
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


ALL = {
    "gets": gets, "chains": chains, "secure": secure, "transfers": transfers, "flights": flights,
    "promises": promises, "mocked": mocked, "mock-servers": mock_servers, "cold": cold,
    "clients": clients,
}
