"""Reads a recording with two independent readers of HAR 1.2.

hario-core validates each object against its model of the format, haralyzer reads the values. A test writes the
recording of a session with about a hundred requests.
"""

import base64
import json
import os

from ..support.report import equal, expect
from ..support.setup import ROOT, SCRATCH, swift

# The properties of haralyzer, which parses a value when it is read.
ENTRY = "startTime time timings cache cookies url".split()
REQUEST = "method httpVersion queryString bodySize headersSize mimeType text".split()
RESPONSE = "httpVersion bodySize contentSize mimeType redirectURL".split()


def record(file):
    file.unlink(missing_ok=True)
    swift("test", ROOT, SCRATCH, "--filter", "TapeSessionTests", env={**os.environ, "CATENA_HAR": str(file)})
    expect(file.exists(), "the tests did not write a recording")


def check_entry(number, entry):
    """Checks the times of an entry, and the size of its body."""
    parts = entry.timings
    known = [parts.blocked, parts.dns, parts.connect, parts.send, parts.wait, parts.receive]
    total = sum(part for part in known if part is not None and part >= 0)
    expect(abs(total - entry.time) < 0.01, f"entry {number}: the times add up to {total} instead of {entry.time}")
    expect(min(parts.send, parts.wait, parts.receive) >= 0, f"entry {number}: a time is unknown")
    expect("#" not in entry.request.url, f"entry {number}: the URL has a fragment")
    content = entry.response.content
    if content.text is not None:
        charset = "latin-1" if "8859-1" in content.mimeType else "utf-8"
        is_base64 = content.encoding == "base64"
        body = base64.b64decode(content.text, validate=True) if is_base64 else content.text.encode(charset)
        equal(content.size, len(body), f"entry {number}: the size of the body")


def run(options):
    import haralyzer
    import hario_core.parse
    file = options.recording or options.work / "session.har"
    if not options.recording:
        record(file)
    data = file.read_bytes()
    log = hario_core.parse.parse(data)
    equal((log.version, len(log.entries)), ("1.2", 101))
    starts = [entry.startedDateTime for entry in log.entries]
    expect(all(start.tzinfo for start in starts), "a start time has no time zone")
    expect(starts == sorted(starts), "the entries are not sorted by start time")
    for number, entry in enumerate(log.entries):
        check_entry(number, entry)

    statuses = set()
    for raw in haralyzer.HarParser(json.loads(data)).har_data["entries"]:
        entry = haralyzer.HarEntry(raw)
        for value, names in [(entry, ENTRY), (entry.request, REQUEST), (entry.response, RESPONSE)]:
            for name in names:
                str(getattr(value, name))
        statuses.add(entry.response.status)
    equal(statuses, {0, 200, 201, 204, 302, 404}, "the statuses")
    expect(b"board-secret" not in data, "a secret is in the recording")
    return f"{len(log.entries)} entries"
