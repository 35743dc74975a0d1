"""Reads the forms of a trace with independent programs: OTLP with opentelemetry-proto, the page with Chromium, by clicks and keys.
The fields of trace contexts and the decisions about sampling are compared with those of opentelemetry-sdk.

The trace for Chrome is checked against its documented format. A test writes the forms of three records: `chain`, `hostile` with markup in
its names, and `long` with 10,000 calls.
"""

import json
import logging
import os
import re

from ..support.browser import Page, chromium
from ..support.report import equal, expect
from ..support.setup import PACKAGE, ROOT, SCRATCH, swift


def write(folder):
    for file in folder.glob("*.*"):
        file.unlink()
    environment = {**os.environ, "CATENA_TRACES": str(folder)}
    swift("test", ROOT, SCRATCH, "--filter", "TraceFormTests|TraceParentTests|SampledTracingTests", env=environment)
    expect((folder / "chain.otlp").exists(), "the tests did not write the forms")


def check_otlp(file):
    """Parses an export. The JSON of Protocol Buffers has base64 where that of OTLP has hexadecimal digits."""
    import base64
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span

    def convert(value):
        if isinstance(value, list):
            return [convert(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {key: base64.b64encode(bytes.fromhex(each)).decode() if key in ("traceId", "spanId", "parentSpanId")
                else convert(each) for key, each in value.items()}

    request = json_format.ParseDict(convert(json.loads(file.read_text())), ExportTraceServiceRequest())
    spans = request.resource_spans[0].scope_spans[0].spans
    by_id = {span.span_id: span for span in spans}
    equal(len(by_id), len(spans), "the number of different identifiers")
    equal({len(span.trace_id) for span in spans} | {len(span.span_id) for span in spans}, {16, 8}, "the lengths of identifiers")
    equal(sum(not span.parent_span_id for span in spans), 1, "the number of roots")
    for span in spans:
        expect(span.end_time_unix_nano >= span.start_time_unix_nano > 0, f"the times of {span.name!r}")
        expect(not span.parent_span_id or span.parent_span_id in by_id, f"{span.name!r} has no parent")
        expect(all(link.span_id in by_id for link in span.links), f"{span.name!r} has a link to nothing")
        keys = {attribute.key: attribute.value for attribute in span.attributes}
        if span.kind == Span.SPAN_KIND_CLIENT:
            missing = {"http.request.method", "server.address", "server.port", "url.full"} - keys.keys()
            expect(not missing, f"{span.name!r} lacks {missing}")
            equal(keys["http.response.status_code"].int_value, 200, "the status")
        else:
            equal(span.kind, Span.SPAN_KIND_INTERNAL, "the kind")
    return len(spans)


def check_chrome(file):
    """Checks the members of each event, and that the slices of a track nest."""
    document = json.loads(file.read_text())
    equal(document["displayTimeUnit"], "ms")
    stacks, flows, named = {}, {}, set()
    for event in document["traceEvents"]:
        expect(isinstance(event["pid"], int) and isinstance(event["tid"], int), f"{event}: no process or thread")
        if event["ph"] == "M":
            named.add(event["tid"])
            expect(event["name"] in ("process_name", "thread_name") and isinstance(event["args"]["name"], str), f"{event}")
        elif event["ph"] == "X":
            stack = stacks.setdefault(event["tid"], [])
            while stack and stack[-1] <= event["ts"]:
                stack.pop()
            # Floating-point numbers of nanoseconds in microseconds.
            expect(not stack or stack[-1] >= event["ts"] + event["dur"] - 0.001, f"{event}: does not nest")
            stack.append(event["ts"] + event["dur"])
        else:
            expect(event["ph"] in "sf" and event["ts"] >= 0, f"{event}: unknown")
            flows.setdefault(event["id"], []).append(event["ph"])
    expect(all(phases == ["s", "f"] for phases in flows.values()), f"a flow has one end: {flows}")
    expect(stacks.keys() <= named, "a track has no name")
    return len(document["traceEvents"])


# The keys of Level 1 of Trace Context. Level 2 lets each part begin with any of its characters.
LEVEL_1 = re.compile(r"[a-z][_0-9a-z\-*/]{0,255}|[a-z0-9][_0-9a-z\-*/]{0,240}@[a-z][_0-9a-z\-*/]{0,13}")


def check_context(file):
    """Reads the same fields with the propagator of OpenTelemetry.

    It has the keys of Level 1, ignores a state with a repeated key, and keeps more than 512 bytes.
    """
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    propagator = TraceContextTextMapPropagator()
    counts = {"read": 0, "ignored": 0, "state": 0}
    for case in json.loads(file.read_text()):
        fields = {name: case[name] for name in ("traceparent", "tracestate")}
        span = trace.get_current_span(propagator.extract(fields)).get_span_context()
        read, name = case["read"], repr(fields)
        if not span.is_valid:
            equal(read, None, f"the reading of {name}")
            counts["ignored"] += 1
            continue
        expect(read, f"{name} is ignored")
        flags = "01" if span.trace_flags.sampled else "00"
        equal(read["traceparent"], f"00-{span.trace_id:032x}-{span.span_id:016x}-{flags}", name)
        equal(read["sampled"], span.trace_flags.sampled, name)
        state = span.trace_state.to_header()
        if len(state) > 512:
            expect(len(read["tracestate"]) <= 512 and set(read["tracestate"].split(",")) <= set(state.split(",")), name)
            counts["read"] += 1
            counts["state"] += 1
            continue
        keys = [key for member in case["tracestate"].split(",") if (key := member.strip(" \t").split("=")[0])]
        if len(set(keys)) == len(keys) and all(map(LEVEL_1.fullmatch, keys)):
            equal(read["tracestate"], state, f"the state of {name}")
        else:
            equal(state, "", f"the state of {name}")
        counts["read"] += 1
        counts["state"] += bool(state)
    expect(min(counts.values()) > 100, f"too few cases of a kind: {counts}")
    return sum(counts.values()) - counts["state"]


def check_sampling(file):
    from opentelemetry.sdk.trace.sampling import Decision, TraceIdRatioBased
    cases = json.loads(file.read_text())
    for case in cases:
        result = TraceIdRatioBased(case["share"]).should_sample(None, int(case["id"], 16), "call")
        equal(case["sampled"], result.decision == Decision.RECORD_AND_SAMPLE, f"{case}")
    return len(cases)


NAMES = ("chain", "hostile", "long")
CONTRAST = (PACKAGE / "differential/comparisons/inspector/contrast.js").read_text()


def check_page(page, folder):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(key):
        ActionChains(page.driver).send_keys(key).perform()

    page.driver.get((folder / "chain.html").as_uri())
    page.shows("#summary", "1.84 s: 61 % server, 22 % queue behind .limited(4), 9 % TLS")
    equal(len(page.all("[role=option]")), 5, "the rows")
    equal(len(page.all("[role=option].critical")), 4, "the critical rows")
    equal(page.script("return document.querySelectorAll('.arrow').length"), 5, "the arrows")
    equal(page.script("return document.querySelectorAll('.arrow.critical').length"), 3, "the critical arrows")
    press(Keys.ARROW_DOWN)
    page.shows("#details h2", "1 GET boards 200")
    page.shows("#details", "https://api.example.com/v1/boards?page=1")
    press(Keys.END)
    page.shows("#details h2", "5 decode [Card]")
    press(Keys.ARROW_LEFT)
    page.shows("#details h2", "4 GET boards/{id}/cards 200")
    press("c")
    page.shows("#details h2", "5 decode [Card]")
    press(Keys.ESCAPE)
    page.wait(lambda: not page.all("#details"), "the details are visible")
    page.script("document.querySelector('#span-2').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    page.shows("#details h2", "3 GET boards/{id} 200")
    page.click("#details button", "2 then")
    page.shows("#details", "Board.swift:12")
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        equal(page.script(CONTRAST), [], f"texts with low contrast, {scheme}")
        page.save(f"chain-{scheme}")
    page.driver.set_window_size(420, 800)
    expect(page.script("return document.documentElement.scrollWidth <= innerWidth"), "the narrow page scrolls sideways")
    page.save("chain-narrow")
    page.driver.set_window_size(1280, 860)

    # Only the visible rows exist.
    page.driver.get((folder / "long.html").as_uri())
    page.shows("#summary", "10 s: 100 % server")
    press(Keys.END)
    page.shows("#details h2", "10000 GET 10000 200")
    expect(0 < page.script("return document.querySelectorAll('[role=option]').length") < 100, "all rows exist")

    page.driver.get((folder / "hostile.html").as_uri())
    page.shows("h1", "</script><img src=x onerror='window.hacked=1'>")
    press(Keys.ARROW_DOWN)
    page.shows("#details", "<img src=x")
    equal(page.script("return [window.hacked ?? null, document.images.length]"), [None, 0], "markup of a name")
    equal(page.driver.get_log("browser"), [], "the log of the browser")
    loads = page.script("return performance.getEntriesByType('resource').map((each) => each.name)")
    equal(loads, [], "the downloads of the page")


def run(options):
    folder = options.traces or options.work
    if not options.traces:
        write(folder)
    counts = [check_otlp(folder / f"{name}.otlp") for name in NAMES]
    events = [check_chrome(folder / f"{name}.chromeTrace") for name in NAMES]
    contexts, decisions = check_context(folder / "context.json"), check_sampling(folder / "sampling.json")
    with chromium() as driver:
        check_page(Page(driver, options.screenshots), folder)
    return f"{contexts} contexts, {decisions} decisions, {sum(counts)} spans of OTLP, {sum(events)} events of Chrome, {len(NAMES)} pages"
