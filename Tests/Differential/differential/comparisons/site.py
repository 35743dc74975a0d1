"""Reads the site of the documentation as a visitor would, in headless Chromium.

.ci/docs builds the site for a folder of a host, such as https://example.github.io/Catena/, and a file server serves it there. The search of
the landing page must find guides, types and members of all modules, and each page that it opens must show its title. A page of each module
is opened, and the console of the browser must have no error.
"""

import functools
import http.server
import json
import os
import pathlib
import subprocess
import urllib.parse

from ..support.browser import Page, chromium
from ..support.processes import QuietHandler, serving
from ..support.report import equal, expect
from ..support.setup import ROOT, SCRATCH, building, logged

BASE = "/Catena"
# The text of a search, and the beginning of the first result with its path.
SEARCHES = [
    ("retrying", "Retrying", "/documentation/networking/retrying/"),
    ("TestScheduler", "TestScheduler", "/documentation/promises/testscheduler/"),
    ("Promise", "Promise", "/documentation/promises/promise/"),
    ("MockServer", "MockServer", "/documentation/mocking/mockserver/"),
    ("HTTPHeaders", "HTTPHeaders", "/documentation/networking/httpheaders/"),
    ("promise cancel", "func cancel()", "/documentation/promises/promise/cancel()/"),
    ("stub file reference", "Stub file reference", "/documentation/mockingstubs/stubfilereference/"),
]


class Handler(QuietHandler):
    """Serves the site below the base path, as hosts of static files do."""

    def translate_path(self, path):
        path = urllib.parse.urlsplit(path).path
        return super().translate_path(path.removeprefix(BASE) if path.startswith(BASE + "/") else "/no-such-file")


def build(folder):
    environment = {**os.environ, "DOCS_BUILD": os.environ.get("DOCS_BUILD", f"--scratch-path {SCRATCH}")}
    with building():
        logged([ROOT / ".ci/docs", "--site", folder, "--hosting-base-path", BASE], folder.parent / "site.log", env=environment, cwd=ROOT)
        subprocess.run([ROOT / ".ci/site/build", "--self-test", folder], check=True)


def search(page, url, text, title, path):
    """Searches on the landing page, and opens the first result, the first time with the return key, before the index is loaded."""
    page.driver.get(f"{url}{BASE}/")
    is_first = text == SEARCHES[0][0]
    page.fill("#query", text + "\n" if is_first else text)
    if not is_first:
        page.wait(lambda: page.text("#results li:first-child a").startswith(title),
                  lambda: f"the first result for {text!r} is {page.text('#results li:first-child a')!r}")
        page.click("#results li:first-child a")
    page.wait(lambda: urllib.parse.urlsplit(page.driver.current_url).path.rstrip("/") == BASE + path.rstrip("/"),
              lambda: f"{text!r} opens {page.driver.current_url}")
    page.shows("main h1", title.partition("(")[0].removeprefix("func "))


def run(options):
    site = pathlib.Path(options.work) / "site"
    build(site)
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    modules = sorted(path.stem for path in (site / "data/documentation").glob("*.json"))
    with serving(pages) as server, chromium(size="1360,1000") as driver:
        page = Page(driver, options.screenshots)
        driver.get(f"{server.url}{BASE}/")
        page.shows("h1", "Catena").save("landing")
        links = page.script("return [...document.querySelectorAll('main a')].map((each) => each.href)")
        expect(len(links) >= len(modules), f"the landing page has {len(links)} links")
        for text, title, path in SEARCHES:
            search(page, server.url, text, title, path)
        driver.get(f"{server.url}{BASE}/#cache")
        page.shows("#status", "pages").shows("#results", "HTTPCache").save("search")
        page.fill("#query", "xyzzy").shows("#status", "Nothing found.")
        # Each module, with its sidebar and the filter of the sidebar.
        for module in modules:
            driver.get(f"{server.url}{BASE}/documentation/{module}/")
            title = json.loads((site / f"data/documentation/{module}.json").read_text(encoding="utf-8"))["metadata"]["title"]
            page.shows("main h1", title)
        driver.get(f"{server.url}{BASE}/documentation/networking/retrying/")
        page.shows("main h1", "Retrying").save("guide")
        page.wait(lambda: page.all("input.filter__input"), "the guide has no sidebar")
        page.all("input.filter__input")[0].send_keys("HTTPCache")
        page.shows(".navigator-card", "HTTPCache").lacks(".navigator-card", "CookieJar").save("filter")
        driver.get(f"{server.url}{BASE}/documentation/promises/promise/")
        page.shows("main h1", "Promise").save("type")
        driver.get(f"{server.url}{BASE}/documentation/")
        page.shows("main h1", "All modules").save("modules")
        errors = [each["message"] for each in driver.get_log("browser") if each["level"] == "SEVERE"]
        equal(errors, [], "the errors of the console")
    return f"{len(modules)} modules, {len(SEARCHES)} searches, {len(links)} links of the landing page"
