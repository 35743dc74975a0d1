"""Requirements: Python packages, Debian packages, and the programs of this repository."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from .report import Failure, Skipped

ROOT = pathlib.Path(__file__).resolve().parents[4]
PACKAGE = ROOT / "Tests/Differential"
WORK = ROOT / ".build/differential"
VENV = WORK / "venv"
SCRATCH = pathlib.Path(os.environ.get("CATENA_SCRATCH", ROOT / ".build/ci")).resolve()
# The packages with the programs.
PACKAGES = [ROOT, ROOT / "Tests/Programs", ROOT / "Examples"]


def in_environment() -> bool:
    return pathlib.Path(sys.prefix).resolve() == VENV.resolve()


def require_environment() -> None:
    """Skips the comparison if the packages of PyPI are not installed."""
    if not in_environment():
        raise Skipped("it needs packages of PyPI")


def enter_environment() -> None:
    """Runs this process again with the Python of the virtual environment, which is made if it is missing or outdated.

    Returns only if the packages cannot be installed.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    requirements, marker = PACKAGE / "requirements.txt", VENV / "installed.txt"
    with open(WORK / "lock", "w") as lock, open(WORK / "pip.log", "a+") as log:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists() or marker.read_text() != requirements.read_text():
            shutil.rmtree(VENV, ignore_errors=True)
            log.truncate(0)
            pip = [VENV / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            for command in ([sys.executable, "-m", "venv", VENV], [*pip, "-r", requirements]):
                if subprocess.run(command, stdout=log, stderr=log).returncode:
                    log.seek(0)
                    print("note: the Python packages cannot be installed:", *log.read().splitlines()[-1:])
                    return
            marker.write_text(requirements.read_text())
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
    python = str(VENV / "bin/python")
    os.execve(python, [python, "-m", "differential", *sys.argv[1:]], environment)


def tool(name: str) -> str | None:
    """Returns the path of a program or a file, or None."""
    if name.startswith("/"):
        return name if os.path.exists(name) else None
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def install(packages: dict[str, str]) -> list[str]:
    """Installs Debian packages as root, and returns those that are still missing.

    The keys are programs or paths, the values are the packages that contain them.
    """
    def missing():
        return [package for name, package in packages.items() if not tool(name)]

    if missing() and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        with open(WORK / "apt.log", "w") as log:
            for arguments in (["update", "-q"], ["install", "-qy", "--no-install-recommends", *missing()]):
                subprocess.run(["apt-get", *arguments], env=environment, stdout=log, stderr=log)
    return missing()


def require(packages: dict[str, str]) -> None:
    """Installs Debian packages, and skips the comparison if one is missing."""
    if missing := install(packages):
        raise Skipped(f"it needs the Debian packages {', '.join(missing)}")


@contextlib.contextmanager
def building():
    """A block whose time does not count for the limit of the comparison, because that of a build depends on the machine."""
    left, began = signal.alarm(0), time.monotonic()
    try:
        yield
    finally:
        signal.alarm(left)
        if (seconds := time.monotonic() - began) > 60:
            print(f"built in {seconds:.0f} s")


def logged(command: list, log: pathlib.Path, **options) -> None:
    """Runs a command with its output in a file, whose last lines are printed if the command fails."""
    with open(log, "w") as file:
        process = subprocess.Popen(
            [str(word) for word in command], stdout=file, stderr=file, start_new_session=True, **options)
    try:
        status = process.wait()
    finally:
        # Also the programs that a script has started.
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()
    if status:
        print(*log.read_text(errors="replace").splitlines()[-100:], sep="\n")
        words = " ".join([pathlib.Path(command[0]).name, *map(str, command[1:3])])
        raise Failure(f"{words} exited with status {status}; see {log.name}")


def swift(command: str, package: pathlib.Path, scratch: pathlib.Path, *arguments, **options) -> None:
    """Runs `swift build` or a similar command."""
    # Several packages have one scratch folder, and a manifest of another one would be used.
    places = ["--package-path", package, "--scratch-path", scratch, "--disable-build-manifest-caching"]
    with building():
        logged(["swift", command, *places, *arguments], WORK / "swift.log", **options)


@functools.lru_cache(None)
def program(name: str) -> pathlib.Path:
    """Builds a program of this repository at the first call, and returns its path.

    If CATENA_PROGRAMS is the path of a folder, the program is that of the folder, and nothing is built.
    """
    if folder := os.environ.get("CATENA_PROGRAMS"):
        path = pathlib.Path(folder).resolve() / name
        if not path.exists():
            raise Failure(f"the folder CATENA_PROGRAMS has no program {name}")
        return path
    for package in PACKAGES:
        manifest = package / "Package.swift"
        if manifest.exists() and f'"{name}"' in manifest.read_text():
            swift("build", package, SCRATCH, "--product", name)
            return SCRATCH / "debug" / name
    raise Failure(f"no package has a program {name}")


def worker(name: str) -> list:
    """Returns the command of a worker of the tests."""
    return [program("test-worker"), name]
