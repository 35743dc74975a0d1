"""Checks of the list of requests and their details."""

import http.client
import json
import time

from selenium.webdriver.common.keys import Keys

from ...support.report import equal, expect


def empty_state(page, server):
    """Without requests, the page shows a command to try."""
    page.shows("#request-empty", f"curl http://127.0.0.1:{server.port}/boards").save("empty")


def live_list(page, server):
    """Requests appear as they arrive, with status, stub and times."""
    server.send("GET", "/boards")
    page.shows("#request-list", "/boards")
    server.send("DELETE", "/boards/7?force=yes")
    page.shows("#request-list .unmatched", "no stub").shows("#request-list .path", "/boards/7?force=yes")
    page.shows("#request-list .duration", "ms").shows("#request-count", "2 requests")
    server.send("GET", "/broken")
    page.shows("#request-list .status", "aborted")
    bars = page.script("return [...document.querySelectorAll('#request-list u')].map((u) => u.style.left)")
    expect(len(set(bars)) == 3, f"the bars of the waterfall are at {bars}")


def unmatched_details(page, server):
    """The details of an unmatched request show the differences from the nearest stub in colors."""
    server.send("POST", "/login", {"user": "grace"})
    page.choose_request("/login").shows("#request-details .note.bad", "No stub matches")
    page.shows("#request-details .near code", "POST /login").shows("#request-details .near .met", "✓")
    page.shows("#request-details mark.want", "ada").shows("#request-details mark.got", "grace")
    colors = page.script("return ['want', 'got'].map((name) => getComputedStyle("
                         "document.querySelector(`mark.${name}`)).backgroundColor)")
    expect(colors[0] != colors[1], "expected and actual values have one color")
    page.save("unmatched")


def head_and_body(page, server):
    """Head and body are shown formatted, and the body as it was sent."""
    server.send("GET", "/boards", headers={"X-Test": "one"})
    page.choose_request("/boards").shows("#request-details .note.good", "GET /boards")
    page.shows("#request-details .timing", "Delay")
    page.tab("Request").shows("#request-details .fields", "X-Test")
    page.tab("Response")
    page.shows("#request-details pre", '\n    "title": "Balsa Fish"').shows("#request-details pre .key", '"id"')
    page.save("response")
    page.action("request", "Raw")
    page.wait(lambda: not page.find("#request-details pre").is_displayed(), "the formatted body is visible")
    server.send("PUT", "/form", "name=Ada+L&city=%C3%84", {"Content-Type": "application/x-www-form-urlencoded"})
    page.choose_request("/form").tab("Request").shows("#request-details .fields", "Ada L")


def exports(page, server):
    """The requests are saved as HAR, and a request is copied as a curl command."""
    server.send("GET", "/boards/1")
    page.choose_request("/boards/1")
    origin = {"origin": server.url, "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]}
    page.driver.execute_cdp_cmd("Browser.grantPermissions", origin)
    page.action("request", "Copy as curl").shows("#toasts", "Copied the curl command")
    text = page.driver.execute_async_script("navigator.clipboard.readText().then(arguments[0])")
    expect("curl" in text and "/boards/1" in text, f"copied {text!r}")
    page.click("#export-har")
    file = page.wait(lambda: list(page.downloads.glob("*.har")), "no file was saved")[0]
    equal(json.loads(file.read_text())["log"]["version"], "1.2")


def filters(page, server):
    """The list is filtered by text, method, status and whether a stub matched."""
    for method, path in [("GET", "/boards/1"), ("GET", "/boards/2"), ("POST", "/boards"), ("GET", "/nothing")]:
        server.send(method, path)
    page.shows("#request-count", "4 requests")
    page.type_into("#filter-text", "boards -/2").shows("#request-count", "2 of 4")
    page.type_into("#filter-text", "").shows("#request-count", "4 requests")
    page.select("#filter-method", "POST").shows("#request-count", "1 of 4")
    page.select("#filter-status", "2xx").shows("#request-list", "201")
    page.select("#filter-status", "5xx").shows("#request-empty", "No request matches")
    page.click("#request-empty button", "Clear the filter").shows("#request-count", "4 requests")
    page.click("#filter-unmatched").shows("#request-count", "1 of 4").shows("#request-list", "/nothing")
    page.click("#filter-unmatched")


def traces(page, server):
    """The requests of a trace are shown together, indented below the one with the same parent, by a button and by a key."""
    ids = {"a": "0af7651916cd43dd8448eb211c80319c", "b": "1bf7651916cd43dd8448eb211c80319d"}
    sent = [("a", 1, "/boards"), ("b", 1, "/boards/1"), ("a", 2, "/boards/2"), (None, 0, "/boards/3"), ("a", 2, "/boards/4")]
    for trace, parent, path in sent:
        fields = {"traceparent": f"00-{ids[trace]}-{parent:016x}-01"} if trace else {}
        server.send("GET", path, headers=fields)
    page.shows("#request-count", "5 requests")

    def rows():
        found = page.all("#request-list [role=option]")
        found.sort(key=lambda row: int(row.get_attribute("aria-posinset")))
        return [row.find_element("css selector", ".path").text for row in found]
    alone = [path for _, _, path in sent]
    together = ["/boards", "└ /boards/2", "└ /boards/4", "/boards/1", "/boards/3"]
    equal(rows(), alone)
    page.press("t").wait(lambda: rows() == together, lambda: f"the rows are {rows()}")
    paddings = page.script("return [...document.querySelectorAll('#request-list .path')].map((e) => e.style.paddingLeft)")
    equal(sorted(paddings), ["", "", "", "0px", "14px"], "the indents")
    page.choose_request("/boards/2").shows("#request-details .trace p", ids["a"])
    names = [each.text for each in page.all("#request-details .trace .timing :is(b, button)")]
    equal(names, ["GET /boards", "GET /boards/2", "GET /boards/4"])
    bars = page.script("return [...document.querySelectorAll('.trace u')].map((bar) => parseFloat(bar.style.left))")
    expect(bars == sorted(bars) and bars[0] == 0, f"the bars of the trace are at {bars}")
    page.save("trace").click("#request-details .trace button", "GET /boards/4").shows("#request-details h2", "GET /boards/4")
    # A request of the trace that arrives later.
    server.send("GET", "/boards/5", headers={"traceparent": f"00-{ids['a']}-{9:016x}-00"})
    page.shows("#request-details .trace", "GET /boards/5")
    page.type_into("#filter-text", ids["b"]).shows("#request-count", "1 of 6")
    page.type_into("#filter-text", "")
    page.choose_request("/boards/3").wait(lambda: not page.all("#request-details .trace"), "there is a trace")
    page.click("#group").wait(lambda: rows() == alone + ["/boards/5"], lambda: f"the rows are {rows()}")


def pause_and_clear(page, server):
    """A pause holds new requests back, and clearing removes all."""
    server.send("GET", "/boards/1")
    page.shows("#request-count", "1 request")
    page.click("#pause")
    server.send("GET", "/boards/2")
    page.shows("#pause", "Resume (1 new)").lacks("#request-list", "/boards/2")
    page.click("#pause").shows("#request-list", "/boards/2")
    page.click("#clear").shows("#request-empty", "No requests yet")
    page.wait(lambda: server.api("GET", "requests")["requests"] == [], "the server has requests")


def thousands(page, server):
    """With 2,000 requests the document has few rows, and keys and filters work."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    for number in range(2000):
        connection.request("GET", f"/boards/{number}" if number % 4 else f"/missing/{number}")
        connection.getresponse().read()
    connection.close()
    page.shows("#request-count", "2,000 requests")
    elements = page.script("return document.querySelectorAll('*').length")
    expect(elements < 1200, f"the document has {elements} elements")
    page.find("#request-list").click()
    page.press(Keys.HOME).shows("#request-details h2", "GET /missing/0")
    expect(page.find("#follow").is_displayed(), "the list does not offer its newest requests")
    equal(page.find("#request-list [aria-selected=true]").get_attribute("aria-setsize"), "2000")
    page.press(Keys.END).shows("#request-details h2", "GET /boards/1999")
    began = time.monotonic()
    page.type_into("#filter-text", "missing 4").shows("#request-count", " of 2,000 requests")
    print(f"filtered 2,000 requests in {1000 * (time.monotonic() - began):.0f} ms, {elements} elements")
    page.type_into("#filter-text", "")
    page.driver.refresh()
    # The server keeps fewer requests than the page.
    page.shows("#request-count", "1,000 requests").save("thousands")


def lost_stub(page, server):
    """The details tell why a more specific stub did not respond although a fallback did."""
    late = {"path": "/lost/late", "priority": 0, "text": "late"}
    fallback = {"path": "/lost/{rest*}", "priority": 5, "status": 202}
    token = {"path": "/lost/{name}", "priority": 9, "when": {"headers": {"X-Role": "admin"}}}
    server.api("POST", "stubs", {"routes": [fallback, late, token]})
    equal(server.send("GET", "/lost/late"), 202)
    page.choose_request("/lost/late").shows("#request-details", "more specific did not respond")
    page.shows("#request-details .near", "has the priority 5").shows("#request-details", "X-Role").save("lost")


def refusal(page, server):
    """The details show why a contract refuses a request with an example, which does not have the reason."""
    headers = {"Contract-Violation": "/amount: expected a string"}
    server.api("POST", "stubs", {"routes": [{"path": "/refused", "status": 422, "headers": headers}]})
    equal(server.send("GET", "/refused"), 422)
    page.choose_request("/refused").shows("#request-details .note.warn", "/amount: expected a string")
