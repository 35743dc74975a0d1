"""Builds the measured programs with two revisions of Catena, runs them in pairs, and prints the ratios of their costs."""

import argparse
import fcntl
import hashlib
import math
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile

import contender as contenders
import counting
from mock_servers import MESSAGES
from programs import HERE
from servers import Servers
from tables import table

ROOT = os.path.dirname(HERE)
FOLDER = os.path.join(ROOT, ".build/compare")
CHECKOUT = os.path.join(FOLDER, "checkout")
# A free port, because comparisons in other checkouts may run at the same time.
with socket.create_server(("127.0.0.1", 0)) as free:
    PORT = free.getsockname()[1]

# The arguments of catena-load, and the number of requests in callgrind: some 150 million instructions, which
# take a second.
WORKLOADS = {
    "then, settled": ("compute --work then --size 100", 2000),
    "then, pending": ("compute --work then-pending --size 100", 1000),
    "when over 1000": ("compute --work when --size 1000", 40),
    "decode, 1 KB": ("compute --work decode --size 1000", 300),
    "decode, 1 MB": ("compute --work decode --size 1000000", 1),
    "toJson, 1 KB": ("compute --work json --size 1000", 100),
    "toJson, 1 MB": ("compute --work json --size 1000000", 1),
    "redaction, 1 KB of JSON": ("compute --work redact-json --size 1000", 80),
    "redaction, 4 KB of log": ("compute --work redact-text --size 4000", 80),
    "mocked": ("mocked", 1500),
    "mocked, cache hit": ("mocked --stages cached", 1000),
    "mocked, a session": ("mocked --stages session", 1000),
    "mocked, sharing": ("mocked --stages sharing", 1000),
    "mocked, an interceptor": ("mocked --stages interceptor", 1000),
    "mocked, a monitor": ("mocked --stages monitor", 1000),
    "mocked, a log": ("mocked --stages log", 1000),
    "mocked, a trace": ("mocked --stages trace", 1000),
    "gets at 32": (f"get --url http://127.0.0.1:{PORT}/ --at-once 32", 800),
    "gets at 32, awaited": (f"get --url http://127.0.0.1:{PORT}/ --at-once 32 --style await", 800),
    "chain of 100": (f"chain --url http://127.0.0.1:{PORT}/ --length 100", 100),
}
# A run without callgrind has more requests by this factor.
NATIVE = 10

# The measured cost, its unit in the table, and the number of pairs.
METHODS = {
    "perf": ("instructions outside the kernel, counted by the processor", "instructions", 9),
    "callgrind": ("instructions outside the kernel, counted by callgrind", "instructions", 3),
    "cpu": ("user and system time, because neither the processor nor callgrind counts instructions", "ns", 21),
}


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/run", description=__doc__)
    parser.add_argument("--compare", nargs="+", metavar="REV", required=True,
                        help="a revision to compare with the working tree, or two revisions")
    parser.add_argument("--only", nargs="+", default=[""], metavar="NAME",
                        help="only workloads whose name contains one of the texts: "
                        + "; ".join([*WORKLOADS, *(f"mock server, {name}" for name in MESSAGES)]))
    parser.add_argument("--pairs", type=int, help="the number of pairs of runs")
    parser.add_argument("--method", choices=METHODS, help="default: the first one that works on this machine")
    options = parser.parse_args()
    if len(options.compare) > 2:
        parser.error("more than two revisions")

    # So that the server ends, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    os.makedirs(FOLDER, exist_ok=True)
    lock = open(os.path.join(FOLDER, "lock"), "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    working_tree = _working_tree()
    sides = [_build(name, _git("rev-parse", "--verify", name + "^{tree}"), working_tree) for name in options.compare]
    if len(sides) == 1:
        sides.append(_build("the working tree", working_tree, working_tree))
    # Sets and dictionaries have the same order in all runs.
    os.environ.update(COUNT_INSTRUCTIONS="1", SWIFT_DETERMINISTIC_HASHING="1")
    with tempfile.TemporaryDirectory() as folder:
        servers = Servers(folder)
        server = servers.start([os.path.join(sides[1], "bench-server"), str(PORT)], PORT)
        try:
            _compare(sides, options, folder)
        finally:
            servers.end(server)


def _compare(sides, options, folder):
    method = options.method or _method(sides[0], folder)
    cost, unit, pairs = METHODS[method]
    pairs = options.pairs or pairs
    print(f"\nMeasured: {cost}. {pairs} pairs of runs, A B B A.\n", flush=True)
    rows, wall_times = [], []
    for name, (words, requests) in WORKLOADS.items():
        if not any(text in name for text in options.only):
            continue
        costs, runs = ([], []), ([], [])
        for pair in range(pairs):
            for side in (0, 1) if pair % 2 == 0 else (1, 0):
                command = [os.path.join(sides[side], "catena-load"), *words.split()]
                run = _run(command, requests * NATIVE)
                runs[side].append(run)
                costs[side].append({
                    "perf": lambda: run.instructions / run.requests,
                    "callgrind": lambda: counting.of_load(command, requests, folder),
                    "cpu": lambda: run.cpu_seconds / run.requests * 1e9,
                }[method]())
        ratios = sorted(b / a for a, b in zip(*costs))
        low, high = _interval(ratios)
        rows.append([
            name, *(f"{statistics.median(side):,.0f}" for side in costs), f"{statistics.median(ratios):.3f}",
            f"{low:.3f}..{high:.3f}", "slower" if low > 1.02 else "faster" if high < 0.98 else "",
            f"{statistics.median(b.cpu_seconds / a.cpu_seconds for a, b in zip(*runs)):.2f}"])
        wall_times.append(f"{name} {statistics.median(b.seconds / a.seconds for a, b in zip(*runs)):.2f}")
        print(f"-- {name}: {rows[-1][3]}", file=sys.stderr, flush=True)
    rows += _mock_server_rows(sides, options)
    print(table(["workload", f"A, {unit} per request", "B", "B / A", "interval", "", "CPU time, B / A"], rows))
    print(f"\nWall time, B / A, which depends on other work on the machine: {'; '.join(wall_times)}")


def _mock_server_rows(sides, options):
    """Returns the instructions of mock servers by callgrind, whose counts of one connection are the same in each run."""
    messages = {name: message for name, message in MESSAGES.items()
                if any(text in f"mock server, {name}" for text in options.only)}
    programs = [os.path.join(side, "mock-server-load") for side in sides]
    if not messages or not all(counting.is_available(program) for program in programs):
        return []
    before, after = (counting.of_server(program, messages) for program in programs)
    rows = []
    for name in messages:
        ratio = after[name] / before[name]
        verdict = "slower" if ratio > 1.02 else "faster" if ratio < 0.98 else ""
        rows.append([f"mock server, {name}", f"{before[name]:,.0f}", f"{after[name]:,.0f}", f"{ratio:.3f}", "", verdict, ""])
    return rows


def _method(programs, folder):
    """Returns the first method that works on this machine."""
    command = [os.path.join(programs, "catena-load"), *WORKLOADS["then, settled"][0].split()]
    if _run(command, 10).instructions > 0:
        return "perf"
    try:
        counting.of_load(command, 10, folder)
        return "callgrind"
    except (OSError, RuntimeError) as error:
        print(f"-- callgrind does not work: {error}")
        return "cpu"


def _run(command, requests):
    return contenders.run([*command, "--requests", str(requests), "--warm-up", str(requests // 10)])


def _interval(ratios):
    """Returns the 95 % interval of the median by the sign test; of fewer than six ratios, the extremes."""
    count, rank = len(ratios), 0
    while 2 * sum(math.comb(count, i) for i in range(rank + 2)) <= 0.05 * 2**count:
        rank += 1
    return ratios[rank], ratios[-1 - rank]


def _build(name, tree, working_tree):
    """Builds the measured programs with the sources of a tree, and returns their folder.

    The programs are those of the working tree. If these do not compile with the tree, it uses its own.
    """
    entries = [line for line in _git("ls-tree", tree).splitlines() if not line.endswith("\tBenchmarks")]
    entries += [line for line in _git("ls-tree", working_tree).splitlines() if line.endswith("\tBenchmarks")]
    combined = _git("mktree", text="\n".join(entries) + "\n")
    for source, owner in ((combined, "the working tree"), (tree, name)):
        inputs = _git("ls-tree", source, "Package.swift", "Sources", "Benchmarks/Compare", "Benchmarks/Sources")
        # The compiler, and all else that decides about the programs.
        inputs += subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout
        inputs += str(os.path.exists("/usr/include/valgrind/callgrind.h"))
        programs = os.path.join(FOLDER, "programs", hashlib.sha1(inputs.encode()).hexdigest())
        if os.path.isdir(programs) or _is_built(source, programs):
            print(f"{name}: measured by the programs of {owner}", flush=True)
            return programs
    sys.exit(f"error: neither the programs of the working tree nor those of {name} compile with {name}")


def _is_built(tree, programs):
    # A checkout with its own index. A worktree would have to be unregistered.
    os.makedirs(CHECKOUT, exist_ok=True)
    _git(f"--work-tree={CHECKOUT}", "read-tree", "--reset", "-u", tree, index=os.path.join(CHECKOUT, ".index"))
    package, build = os.path.join(CHECKOUT, "Benchmarks/Compare"), os.path.join(FOLDER, "build")
    if not os.path.isdir(package):
        return False
    # SwiftPM's build plan does not include files that were added after its creation.
    if os.path.exists(os.path.join(build, "release.yaml")):
        os.remove(os.path.join(build, "release.yaml"))
    # valgrind 3.19 cannot read the debug information.
    command = ["swift", "build", "-c", "release", "-debug-info-format", "none", "--package-path", package,
               "--scratch-path", build]
    if subprocess.run(command, stdout=sys.stderr).returncode:
        return False
    os.makedirs(programs + ".new", exist_ok=True)
    for program in ("catena-load", "bench-server", "mock-server-load"):
        shutil.copy2(os.path.join(build, "release", program), programs + ".new")
    os.rename(programs + ".new", programs)
    return True


def _working_tree():
    """Returns a tree of the files in the working tree, including new files."""
    index = os.path.join(FOLDER, "index")
    _git("add", "--all", index=index)
    return _git("write-tree", index=index)


def _git(*words, text=None, index=None):
    environment = {**os.environ, "GIT_INDEX_FILE": index} if index else None
    result = subprocess.run(
        ["git", *words], cwd=ROOT, env=environment, input=text, text=True, stdout=subprocess.PIPE)
    return result.stdout.strip() if result.returncode == 0 else sys.exit(f"error: git {' '.join(words)}")


if __name__ == "__main__":
    main()
