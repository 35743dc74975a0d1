"""A program that does the work of a shape, and the results of its runs."""

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Contender:
    """An implementation of a shape's work: its name in the tables, and its command."""

    name: str
    command: list
    # The share of the shape's requests that it sends per round; slow contenders send fewer.
    share: float = 1


@dataclass
class Run:
    """The result of one run of a contender."""

    requests: int
    failures: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    growth_bytes: int
    threads: int
    instructions: int = 0

    @property
    def throughput(self):
        return self.requests / self.seconds

    @property
    def cpu_per_10000(self):
        return self.cpu_seconds / self.requests * 10_000


@dataclass
class Series:
    """All runs of a contender in one shape."""

    contender: str
    runs: list = field(default_factory=list)


def run(command, timeout=240):
    """Runs a load, counts its threads while it runs, and parses the outcome in its last line of output."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    threads = [0]
    watcher = threading.Thread(target=_watch, args=(process, threads))
    watcher.start()
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"\nnot finished after {timeout} s"
    watcher.join()
    try:
        outcome = json.loads(out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise RuntimeError(f"{' '.join(command)}: {process.returncode}\n{out}{err}")
    if outcome["failures"]:
        print(f"!! {outcome['failures']} failures: {' '.join(command)}\n{err}")
    return Run(outcome["requests"], outcome["failures"], outcome["seconds"], outcome["cpuSeconds"],
               outcome["peakBytes"], outcome["growthBytes"], threads[0],
               outcome.get("instructions", 0))


def run_tool(command):
    """Runs any program until it exits and measures its whole lifetime."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    error = process.stderr.read().decode()
    process.stderr.close()
    if process.returncode:
        print(f"!! {process.returncode}: {' '.join(command)}\n{error}")
    return Run(1, int(process.returncode != 0), seconds, usage.ru_utime + usage.ru_stime,
               usage.ru_maxrss * 1024, usage.ru_maxrss * 1024, 0)


def _watch(process, threads):
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                for line in file:
                    if line.startswith("Threads:"):
                        threads[0] = max(threads[0], int(line.split()[1]))
        except (OSError, ValueError):
            return
        time.sleep(0.05)
