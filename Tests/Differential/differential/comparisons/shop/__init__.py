"""Uses the example Shop as a customer would: in headless Chromium, by clicks, across origins.

mock-server serves Examples/Shop/shop.json, and a file server Examples/Shop/web on another port. Two customers use every
endpoint of the page, and each step checks the text on the page; neither sees the changes of the other. At the end, the log
of the server must contain each expected pair of route and status, and no other. Then the Swift client of the example uses
the same stub file, served by another server and in memory.
"""

import functools
import http.server
import json
import pathlib
import subprocess
import tempfile

from ...support.browser import chromium
from ...support.processes import MockServer, QuietHandler, serving
from ...support.report import equal, expect
from ...support.setup import program
from .story import SHOP, tell

# The routes and statuses that the story causes, apart from preflight requests.
EXPECTED = """
POST /login 200 401 423
POST /logout 204
GET /me 200
GET /products 200
GET /products/{id} 200
PATCH /products/{id} 200 401 412
GET /products/{product}/reviews 200
POST /products/{product}/reviews 201 422
POST /products/{id}/reviews 422
DELETE /products/{product}/reviews/{id} 204
POST /products/{id}/photo 201 415 422
GET /images/{name*} 200
GET /suggestions 200
GET /recommendations 200 503
POST /account/{rest*} 401
POST /account/carts 201
GET /account/carts/{cart}/items 200
POST /account/carts/{cart}/items 201 409
PATCH /account/carts/{cart}/items/{id} 200
PATCH /account/carts/{cart}/items/{rest*} 422
DELETE /account/carts/{cart}/items/{id} 204
DELETE /account/carts/{id} 204
POST /shipping 200 400
POST /account/orders 201 422
GET /account/orders 200
GET /account/orders/{id} 200
PATCH /account/orders/{id} 200
GET /tracking/{order} 200
GET /invoice 200
POST /reset 200
"""


def check_requests(requests):
    """Compares the log of the server with the expected routes and statuses."""
    expected = set()
    for line in EXPECTED.strip().splitlines():
        method, route, *statuses = line.split()
        expected |= {(method, route, int(status)) for status in statuses}
    received, cached = set(), 0
    for request in requests:
        method, route, status = request["method"], request["route"], request["status"]
        if method == "OPTIONS":
            equal(status, 204, "the status of a preflight request")
            continue
        expect(route, f"no route for {request}")
        cached += status == 304
        received.add((method, route, 200 if status == 304 else status))
    equal(sorted(received - expected), [], "unexpected requests")
    equal(sorted(expected - received), [], "missing requests")
    expect(cached, "no product was revalidated with its ETag")
    endpoints = {(method, route) for method, route, status in expected if status < 300}
    return f"{len(endpoints)} endpoints, {len(expected)} results, {len(requests)} requests, {cached} of them 304"


def use_client(url):
    """Runs the Swift client over HTTP and in memory."""
    client = program("shop")
    for arguments in ([url], []):
        output = subprocess.run([client, *arguments], stdout=subprocess.PIPE, text=True, timeout=600)
        equal(output.returncode, 0, "the status of the client")
        for line in ["6 kites, the most expensive is Stunt Kite", "order-1 costs 66.56, photo 1 is uploaded"]:
            expect(line in output.stdout, f"the client {arguments} printed {output.stdout!r}")


def run(options):
    pages = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(QuietHandler, directory=str(SHOP / "web")))
    with MockServer(SHOP / "shop.json", "--json") as server, serving(pages), tempfile.TemporaryDirectory() as folder:
        with chromium(size="1360,1000") as driver:
            tell(driver, pages.server_port, server.url, options.screenshots, pathlib.Path(folder))
            equal([each["message"] for each in driver.get_log("browser") if "CORS" in each["message"]], [])
    events = map(json.loads, server.lines)
    figures = check_requests([event for event in events if event["event"] == "request"])
    with MockServer(SHOP / "shop.json", "--json") as server:
        use_client(server.url)
    return figures + ", the client over HTTP and in memory"
