"""Compares the YAML reader of Mocking with Yams: random documents, and the same with changed bytes.

The Swift package Tests/Differential/YAML depends on Yams. --suite adds the cases of the yaml-test-suite.
"""

import subprocess

from ..support.report import Failure, Skipped, equal
from ..support.setup import PACKAGE, ROOT, swift


def run(options):
    # Yams is in this package only, so its build has a folder of its own.
    package, scratch = PACKAGE / "YAML", ROOT / ".build/yaml"
    try:
        swift("package", package, scratch, "resolve")
    except Failure:
        raise Skipped("Yams cannot be downloaded") from None
    swift("build", package, scratch, "--product", "yaml-differential")
    arguments = [options.size, options.seed] + ([options.suite] if options.suite else [])
    command = [scratch / "debug/yaml-differential", *map(str, arguments)]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(output.stdout, end="")
    equal(output.returncode, 0, "the status of yaml-differential")
    return f"{options.size} documents"
