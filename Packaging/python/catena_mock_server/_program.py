from __future__ import annotations

import os
import pathlib
import sys


def program() -> str:
    """Returns the path of the program: that of the variable MOCK_SERVER, or else the one in this package."""
    if path := os.environ.get("MOCK_SERVER"):
        return path
    return str(pathlib.Path(__file__).parent / "bin" / "mock-server")


def main() -> None:
    """Runs the program with the arguments of this process, which it replaces."""
    path = program()
    try:
        os.execv(path, ["mock-server", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"mock-server: {path}: {error.strerror}")
