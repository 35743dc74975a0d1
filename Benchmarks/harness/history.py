"""Passes the output of a run on, and appends its tables to a history: one line of JSON for each run."""

import datetime
import json
import os
import platform
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def tables(lines):
    """Returns the tables in Markdown, each as a list of rows that map the heads of the columns to the cells."""
    found, heads = [], None
    for line in lines:
        if not line.startswith("|"):
            heads = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if heads is None:
            heads = cells
            found.append([])
        elif not all(set(cell) <= set("-: ") and cell for cell in cells):
            found[-1].append(dict(zip(heads, cells)))
    return found


def entry(lines, status):
    """Returns the entry of a run: its date, its revision, its machine and its tables."""
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "commit": _output("git", "-C", HERE, "rev-parse", "HEAD"),
        "isChanged": _output("git", "-C", HERE, "status", "--porcelain", "--untracked-files=no") != "",
        "machine": {
            "processor": processor(), "cores": os.cpu_count(), "system": _system(),
            "swift": swift(),
        },
        "status": status,
        "tables": tables(lines),
    }


def _output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def swift():
    """Returns the version of the compiler, or an empty text without one."""
    found = re.search(r"Swift version \S+", _output("swift", "--version"))
    return found.group() if found else ""


def processor():
    """Returns the name of the processor."""
    try:
        with open("/proc/cpuinfo") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0] if names else platform.processor() or platform.machine()


def _system():
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        return platform.platform()


def main():
    path, command = sys.argv[1], sys.argv[2:]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    lines = []
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line)
    status = process.wait()
    if any(tables(lines)):
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "a") as file:
            file.write(json.dumps(entry(lines, status), sort_keys=True) + "\n")
    sys.exit(status if status >= 0 else 1)


if __name__ == "__main__":
    main()
