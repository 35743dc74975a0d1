"""Checks of the connection with the server, and of the security of the page."""

import json
import pathlib
import tempfile

from ...support.report import equal, expect
from .page import HOSTILE, Server


def hostile_names(page, server):
    """Names with markup stay text everywhere."""
    server.send("GET", "/" + HOSTILE)
    server.send("GET", "/hostile", headers={"X-Evil": HOSTILE})
    server.send("POST", "/" + HOSTILE, json.dumps({HOSTILE: HOSTILE}))
    server.send("GET", "/error")
    server.api("POST", "stubs", {"path": "/" + HOSTILE + "/x", "json": {HOSTILE: 1}})
    for path in ["/hostile", "/error", "/<img", "/<img"]:
        page.choose_request(path)
        for part in ["Overview", "Request", "Response"]:
            page.tab(part)
            page.wait(lambda: page.text("#request-details .panel") != "Loading…", "no details")
    page.shows("#request-list .path", HOSTILE)
    page.show_view("stubs").shows("#stub-list", HOSTILE)
    page.type_into("#stub-filter", "<img").click("#stub-list [role=option]").shows("#stub-details pre", HOSTILE)
    page.show_view("state").shows("#scenarios", HOSTILE)
    page.show_view("server")
    equal(page.script("return document.querySelectorAll('img, script').length"), 1)
    equal(page.script("return window.hacked ?? 0"), 0)
    page.save("hostile")


def server_gone(page, server):
    """The page says that the server is gone, and connects again after its restart."""
    server.send("GET", "/boards/1")
    page.shows("#request-count", "1 request")
    server.stop()
    page.appears("#banner").shows("#banner", "The server is gone").shows("#connection", "Not connected")
    page.save("gone")
    page.click("#banner-retry").shows("#banner", "The server is gone")
    server.start()
    page.shows("#connection", "Live").disappears("#banner").shows("#toasts", "restarted")
    page.shows("#request-empty", "No requests yet")
    server.send("GET", "/boards/2")
    page.shows("#request-list", "/boards/2")
    page.show_view("server").click("#shutdown").dialog("Shut down").appears("#banner")
    page.shows("#banner", "The server is gone")
    server.stop(was_shut_down=True)
    server.start()
    page.shows("#connection", "Live")


def self_contained(page, server):
    """The page loads nothing but itself and the admin API, and keeps to its content security policy."""
    names = page.script("return performance.getEntriesByType('resource').map((each) => each.name)")
    foreign = [name for name in names if not name.startswith((server.url + "/__mock/", "data:"))]
    equal(foreign, [])
    paths = [request["path"] for request in server.api("GET", "requests")["requests"]]
    equal(paths, [])
    policy = page.driver.execute_async_script(
        "fetch('').then((response) => arguments[0](response.headers.get('Content-Security-Policy')))")
    expect("default-src 'none'" in policy and "unsafe" not in policy, f"the policy is {policy}")
    page.script("const s = document.createElement('script'); s.textContent = 'window.hacked = 3';"
                "document.body.append(s)")
    equal(page.script("return window.hacked ?? 0"), 0)
    expect(any("Content Security Policy" in each["message"] for each in page.driver.get_log("browser")),
           "the policy did not report the script")


def token(page, server):
    """With a token, the page works by its cookie, and says what is missing without it."""
    with tempfile.TemporaryDirectory() as folder, Server(pathlib.Path(folder), "--token", "a-secret-token") as guarded:
        page.open(guarded, "/__mock/?token=a-secret-token")
        expect("a-secret-token" not in page.driver.current_url, "the address has the token")
        guarded.send("GET", "/boards/1")
        page.shows("#request-list", "/boards/1")
        page.driver.delete_all_cookies()
        guarded.stop()
        guarded.start()
        page.shows("#banner", "needs its token")


def connecting(page, server):
    """Until the requests are loaded, the page says that it connects, and not that there are none."""
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/__mock/requests*"]})
    page.driver.get(server.url + "/__mock/")
    page.shows("#request-empty", "Connecting to the server")
    page.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    page.shows("#request-empty", "No requests yet")
