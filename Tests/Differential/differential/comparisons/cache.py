"""Sends the same sequences of requests with headless Chromium and with Catena, and compares their caches.

For each request it compares whether the server received it, with validators or without, and the status and the body for
the caller. DIFFERENCES has each difference with the rule of the RFC. Another difference, or one that is gone, is an
error. The seed determines the order of the sequences.
"""

import email.utils
import http.server
import json
import random
import subprocess
import tempfile
import time

from ..support.browser import chromium
from ..support.processes import QuietHandler, running, serving
from ..support.report import expect
from ..support.setup import worker


def date(seconds):
    return email.utils.formatdate(time.time() + seconds, usegmt=True)


def step(status=200, body="one", mode="default", method="GET", path="", sent=None, **fields):
    """A request and the response of the server. Fields have names such as cache_control."""
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    return dict(status=status, body=body, mode=mode, method=method, path=path, sent=sent or {}, headers=headers)


def aged(directives):
    """A response with an entity tag that is 20 seconds old."""
    return dict(cache_control=directives, age="20", etag='"1"')


TAG = dict(etag='"1"')
FRESH = dict(cache_control="max-age=1000")
STALE = aged("max-age=10")
CONFIRM = dict(status=304, body="", etag='"1"')
SEQUENCES = {
    "max-age": [step(**FRESH), step()],
    "max-age=0 with a tag": [step(cache_control="max-age=0", **TAG), step(**CONFIRM)],
    "Age beyond max-age": [step(**STALE), step(**CONFIRM)],
    "Expires": [step(expires=date(1000)), step()],
    "Expires in the past": [step(expires=date(-1000), **TAG), step(**CONFIRM)],
    "Expires: 0": [step(expires="0", **TAG), step(**CONFIRM)],
    "max-age overrides Expires": [step(expires=date(-1000), **FRESH), step()],
    "Last-Modified alone": [step(last_modified=date(-1e6)), step()],
    "a tag alone": [step(**TAG), step(**CONFIRM)],
    "no fields": [step(), step()],
    "no-store": [step(cache_control="no-store, max-age=1000"), step()],
    "no-cache": [step(cache_control="no-cache, max-age=1000", **TAG), step(**CONFIRM)],
    "private": [step(cache_control="private, max-age=1000"), step()],
    "s-maxage": [step(cache_control="max-age=1000, s-maxage=0"), step()],
    "must-revalidate, fresh": [step(cache_control="must-revalidate, max-age=1000"), step()],
    "must-revalidate, stale": [step(**aged("must-revalidate, max-age=10")), step(**CONFIRM)],
    "immutable, mode no-cache": [step(cache_control="immutable, max-age=1000", **TAG), step(mode="no-cache", **CONFIRM)],
    "duplicate max-age": [step(cache_control="max-age=1000, max-age=0", **TAG), step(**CONFIRM)],
    "invalid max-age": [step(cache_control="max-age=abc", **TAG), step(**CONFIRM)],
    "quoted max-age": [step(cache_control='max-age="1000"', **TAG), step(**CONFIRM)],
    "a 304 with a longer lifetime": [step(**STALE), step(**CONFIRM, **FRESH), step()],
    "a changed response": [step(**STALE), step(body="two", etag='"2"', **FRESH), step(body="two")],
    "a weak tag": [step(cache_control="max-age=0", etag='W/"1"'), step(status=304, body="", etag='W/"1"')],
    "stale-while-revalidate": [step(**aged("max-age=10, stale-while-revalidate=1000")), step(**CONFIRM)],
    "stale-if-error": [step(**aged("max-age=10, stale-if-error=1000")), step(status=503, body="no")],
    "Vary, same value": [step(vary="X-A", sent={"X-A": "1"}, **FRESH), step(sent={"X-A": "1"})],
    "Vary, other value": [step(vary="X-A", sent={"X-A": "1"}, **FRESH),
                          step(vary="X-A", sent={"X-A": "2"}, body="two", **FRESH), step(sent={"X-A": "1"})],
    "Vary: *": [step(vary="*", **FRESH), step()],
    "404 with max-age": [step(status=404, **FRESH), step(status=404)],
    "500 with max-age": [step(status=500, **FRESH), step(status=500)],
    "410 alone": [step(status=410), step(status=410)],
    "a query": [step(path="?a=1", **FRESH), step(path="?a=1"), step(path="?a=2", body="two")],
    "POST invalidates": [step(**FRESH), step(method="POST", body="posted"), step(body="two")],
    "a failed POST does not": [step(**FRESH), step(method="POST", status=500, body="no"), step()],
    "mode reload": [step(**FRESH), step(mode="reload", body="two", **FRESH), step(body="two")],
    "mode no-cache": [step(**FRESH, **TAG), step(mode="no-cache", **CONFIRM)],
    "mode no-store": [step(**FRESH), step(mode="no-store", body="two"), step()],
    "mode force-cache, stale": [step(**STALE), step(mode="force-cache")],
    "mode only-if-cached, none": [step(mode="only-if-cached")],
    "mode only-if-cached, stale": [step(**STALE), step(mode="only-if-cached")],
}
POLICIES = {"default": "default", "reload": "reload", "no-cache": "revalidate", "no-store": "noStore",
            "force-cache": "preferCache", "only-if-cached": "onlyCache"}
# Each with the rule of the RFC. All of them allow the behavior of Catena.
DIFFERENCES = {
    "immutable, mode no-cache": "RFC 8246, section 2: no conditional request while the response is fresh, not even for a reload",
    "duplicate max-age": "RFC 9111, section 4.2.1: use the first value, or consider the response stale",
    "quoted max-age": "RFC 9111, section 5.2: recipients ought to accept both forms, a token and a quoted string",
    "stale-if-error": "RFC 5861, section 4: the stale response may be used for a 503; Chromium does not implement it",
    "Vary, other value": "RFC 9111, section 4.1: a cache stores several responses; Chromium keeps one for each URL",
    "410 alone": "RFC 9111, section 4.2.2: a heuristic is optional, and its example needs Last-Modified; Chromium never asks again",
}
FETCH = """
const [url, step, done] = arguments
fetch(url, {method: step.method, headers: step.sent, cache: step.mode, mode: 'same-origin'})
  .then(async response => done([response.status, await response.text()]), error => done([0, '']))
"""


class Handler(QuietHandler):
    """Responds with the current step of the server, and notes whether a request has validators."""

    def respond(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if "/s/" not in self.path:
            return self.send(200, {"Content-Type": "text/html", "Cache-Control": "no-store"}, b"<html></html>")
        current = self.server.step
        conditional = bool(self.headers.get("If-None-Match") or self.headers.get("If-Modified-Since"))
        self.server.received.append("validates" if conditional else "requests")
        status, body = current["status"], current["body"].encode()
        if status == 304 and not conditional:
            status, body = 200, b"one"
        self.send(status, {"Content-Type": "text/plain", **current["headers"]}, body)

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    do_GET = do_POST = respond


def outcomes(names, server, send):
    """Runs sequences, and returns for each the list of its steps: the request at the server, status, body."""
    result = {}
    for name in names:
        result[name] = []
        for current in SEQUENCES[name]:
            server.step, server.received = current, []
            status, body = send(f"/s/{list(SEQUENCES).index(name)}{current['path']}", current)
            if "while-revalidate" in name:
                time.sleep(0.2)  # the validation in the background
            result[name].append(("+".join(server.received) or "cached", status, body))
    return result


def outcomes_of_chromium(names, server):
    with chromium() as driver:
        driver.get(server.url + "/page")
        return outcomes(names, server, lambda path, current: driver.execute_async_script(FETCH, server.url + path, current))


def outcomes_of_catena(names, server):
    with tempfile.TemporaryDirectory() as folder, running(
            [*worker("cache-worker"), folder, "requests", 0, 0, 0], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True) as process:
        def send(path, current):
            print(json.dumps(dict(method=current["method"], url=server.url + path, headers=current["sent"],
                                  policy=POLICIES[current["mode"]])), file=process.stdin, flush=True)
            outcome = json.loads(process.stdout.readline())
            return outcome["status"], outcome["body"]

        return outcomes(names, server, send)


def run(options):
    names = list(SEQUENCES)
    random.Random(options.seed).shuffle(names)
    names = names[:options.size]
    with serving(http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        theirs, ours = outcomes_of_chromium(names, server), outcomes_of_catena(names, server)
    unexpected = []
    for name in names:
        differs = theirs[name] != ours[name]
        if differs != (name in DIFFERENCES):
            unexpected.append(f"{'a new difference' if differs else 'no difference any more'}: {name}")
        if options.table or differs:
            print(f"{name}\n  Chromium: {theirs[name]}\n  Catena:   {ours[name]}")
            print(f"  {DIFFERENCES.get(name, '')}".rstrip())
    expect(not unexpected, "; ".join(unexpected))
    same = sum(theirs[name] == ours[name] for name in names)
    return f"{len(names)} sequences, {same} the same in both, {len(names) - same} different"
