"""One program that does a shape's work, and what a run of it has shown."""

import json
import os
import subprocess
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Contender:
    """A way to do a shape's work: its name in the tables, and its command for so many requests."""

    name: str
    command: list
    # How many of the shape's requests it makes a round; the slow ones make fewer.
    share: float = 1


@dataclass
class Run:
    """What one run of a contender has shown."""

    requests: int
    failures: int
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    growth_bytes: int
    threads: int

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
    """Runs a load, which says on its last line what it has come to, and watches its threads meanwhile."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    threads = [0]
    watcher = threading.Thread(target=_watch, args=(process, threads))
    watcher.start()
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"\nnot done after {timeout} s"
    watcher.join()
    try:
        said = json.loads(out.strip().splitlines()[-1])
    except (IndexError, ValueError):
        raise RuntimeError(f"{' '.join(command)}: {process.returncode}\n{out}{err}")
    if said["failures"]:
        print(f"!! {said['failures']} failures: {' '.join(command)}\n{err}")
    return Run(said["requests"], said["failures"], said["seconds"], said["cpuSeconds"],
               said["peakBytes"], said["growthBytes"], threads[0])


def run_tool(command):
    """Runs any program to its end: its whole life counts."""
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
