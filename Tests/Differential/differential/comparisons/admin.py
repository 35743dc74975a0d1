"""Tests the admin API of mock-server with schemathesis.

It generates requests, valid and invalid, whose responses must be those of the OpenAPI document that the server serves.
"""

import os
import pathlib
import re
import sys

from ..support.processes import MockServer
from ..support.report import equal, expect
from ..support.setup import logged, require_environment


def schemathesis(document, options, log, *arguments, **variables):
    """Runs schemathesis with the seed and environment variables, and returns its report."""
    require_environment()
    command = [sys.executable, "-m", "schemathesis.cli", "run", document, "--max-examples", options.size,
               "--seed", options.seed, "--workers", 1, "--request-timeout", 20, "--generation-database", "none",
               "--no-color", *arguments]
    # Its cache is in the current folder.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **variables}
    logged(command, log, cwd=options.work, env=environment)
    return log.read_text()


def summary(report):
    """Returns the line of a report that has the counts of test cases."""
    return [line.strip() for line in report.splitlines() if re.search(r"\d+ generated", line)][-1]


def run(options):
    log = options.work / "report.log"
    with MockServer(pathlib.Path(__file__).with_suffix(".json"), "--no-watch") as server:
        for path, status in [("/boards", 200), ("/boards/1", 404), ("/none?token=s3cret", 404), ("/products", 200)]:
            equal(server.send("GET", path), status, path)
        report = schemathesis(f"{server.url}/__mock/openapi.json", options, log)
    expect("s3cret" not in report + "".join(server.lines), "a secret is in the output")
    return summary(report)
