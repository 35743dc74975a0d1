"""Drives the inspector page of mock-server in headless Chromium, by clicks and by keys.

Each check is a function of the modules of this package. The server is reset and the page is opened anew before it.
"""

import pathlib
import tempfile
import time
import traceback

from ...support.browser import chromium
from ...support.report import Failure, equal
from . import changes, connection, controls, requests
from .page import InspectorPage, Server

CHECKS = [
    requests.empty_state, requests.live_list, requests.unmatched_details, requests.head_and_body,
    changes.make_a_stub, changes.edit_a_stub, changes.delay_and_fault, changes.scenarios, changes.resources,
    changes.completion, changes.resource_rows, requests.lost_stub, requests.refusal, changes.settings,
    requests.exports, requests.filters, requests.traces, requests.pause_and_clear, controls.keyboard,
    controls.other_buttons, connection.connecting, connection.hostile_names, requests.thousands, connection.server_gone,
    controls.appearance, controls.narrow_window, connection.self_contained, connection.token,
]
# Checks whose requests fail, or are blocked by the policy of the page, which the browser logs.
LOGGED = [connection.connecting, connection.server_gone, connection.self_contained, connection.token]


def run_check(check, page, server):
    """Runs a check, and returns whether it has passed."""
    began = time.monotonic()
    try:
        if server.process.poll() is not None:
            server.start()
        server.api("POST", "reset", {})
        page.open(server)
        page.driver.get_log("browser")
        check(page, server)
        messages = [each["message"] for each in page.driver.get_log("browser") if "status of 4" not in each["message"]]
        if check not in LOGGED:
            equal(messages, [], "the log of the browser")
        print(f"ok    {time.monotonic() - began:5.1f} s  {check.__name__}")
        return True
    except Exception as error:
        page.save(f"failed-{check.__name__}")
        print(f"FAILED {check.__name__}: {type(error).__name__}: {str(error)[:600]}")
        print(*traceback.format_tb(error.__traceback__, limit=-3), sep="", end="")
        return False


def run(options):
    names = [check.__name__ for check in CHECKS]
    if unknown := set(options.checks or []) - set(names):
        raise Failure(f"there is no check {', '.join(unknown)}; the checks are {', '.join(names)}")
    chosen = [check for check in CHECKS if not options.checks or check.__name__ in options.checks]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        with Server(folder, "--allow-shutdown") as server, chromium(downloads=folder / "downloads") as driver:
            page = InspectorPage(driver, options.screenshots)
            page.downloads = folder / "downloads"
            failed = [check.__name__ for check in chosen if not run_check(check, page, server)]
    if failed:
        raise Failure(f"{len(failed)} of {len(chosen)} checks: {', '.join(failed)}")
    return f"{len(chosen)} checks"
