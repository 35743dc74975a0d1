"""Kills resumable downloads and uploads at random moments, and continues them.

The program resumable-transfers downloads a file from nginx, and uploads it to tuspyserver. It is killed at the number of
positions that the size says, and started again each time. See `downloads` and `uploads` for the checks.
"""

import pathlib
import tempfile

from ...support.report import Skipped
from .downloads import check_downloads
from .uploads import check_uploads


def run(options):
    options.mib = options.mib or (64 if options.full else 16)
    results, skipped = [], []
    for check in (check_downloads, check_uploads):
        with tempfile.TemporaryDirectory() as folder:
            try:
                results.append(check(options, pathlib.Path(folder)))
            except Skipped as reason:
                skipped.append(f"no {check.__name__[6:]}: {reason}")
    if not results:
        raise Skipped("; ".join(skipped))
    return ", ".join([f"{options.mib} MiB", *results, *skipped])
