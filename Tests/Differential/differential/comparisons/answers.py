"""Serves OpenAPI documents with mock-server, and validates each response by jsonschema.

Each operation is requested with valid parameters: once as it is, once for each documented status, and once with a body
that is made from the schema. The documents are those of Tests/Contracts; with `--documents`, those of a folder, too.
"""

import collections
import http.client
import json
import xml.etree.ElementTree

from ..support.openapi import Document
from ..support.processes import MockServer
from ..support.report import Failure, expect
from ..support.setup import ROOT

CONTRACTS = ROOT / "Tests/Contracts"
DOCUMENTS = ["pets.yaml", "shop.json", "answers.yaml"]
# The least share of valid responses of the documents of a folder.
SHARE = 0.998


class Figures(collections.Counter):
    """Counts of responses, with a line for each that is not as documented."""

    def __init__(self):
        super().__init__()
        self.findings = []

    def find(self, kind, *words):
        self[kind] += 1
        self.findings.append(" ".join([kind.upper(), *map(str, words)]))


def media_of(content, kind):
    """Returns the media type of a response for a content type."""
    def name(text):
        return text.split(";")[0].strip().lower()

    exact = next((text for text in content if name(text) == name(kind)), None)
    return exact or next((text for text in content if "*" in text), None)


def check(operation, status, fields, body, label, figures):
    """Validates one response."""
    response = operation.response(status)
    if response is None:
        return figures.find("undocumented", label, status, body[:200])
    value, path = response
    content = value.get("content") or {}
    if not content or status in (204, 304) or operation.method == "head":
        return None
    kind = fields.get("Content-Type", "")
    text = media_of(content, kind)
    if text is None:
        return figures.find("type", label, status, kind, body[:200])
    schema = operation.document.resolved(content[text])[0].get("schema")
    place = (*operation.document.resolved(content[text], (*path, "content", text))[1], "schema")
    try:
        if "json" in kind:
            instance = json.loads(body)
        elif kind.startswith("text/") and "xml" not in kind and operation.document.resolved(schema or {})[0].get("type") == "string":
            instance = body.decode()
        else:
            if "xml" in kind:
                xml.etree.ElementTree.fromstring(body)
            figures["without a check"] += 1
            return None
    except (ValueError, xml.etree.ElementTree.ParseError) as error:
        return figures.find("malformed", label, status, kind, error, body[:200])
    figures["bodies"] += 1
    if schema is not None:
        error = next(operation.document.validator(place, "response").iter_errors(instance), None)
        if error:
            figures.find("invalid", label, status, list(error.absolute_path), error.validator, error.message[:300])
    return None


def send(server, operation, fields):
    target, own, body = operation.request()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        names = {name.lower() for name in own}
        connection.putrequest(operation.method.upper(), target, skip_accept_encoding=True)
        for name, value in {**own, **fields}.items():
            connection.putheader(name, value.encode())
        if "content-length" not in names:
            connection.putheader("Content-Length", str(len(body or b"")))
        connection.endheaders(body)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def check_operation(server, operation, label, figures):
    codes = list(operation.responses())
    status, fields, body = send(server, operation, {})
    figures["responses"] += 1
    if any(code[0] == "2" for code in codes) and not 200 <= status < 300:
        return figures.find("refused", label, status, fields.get_all("Contract-Violation"), body[:300])
    if codes and status < 500:
        check(operation, status, fields, body, label, figures)
    elif codes:
        figures.find("failed", label, status, body[:200])
    preferences = ["dynamic=true"] * bool(codes) + [*(f"code={code}" for code in codes if code.isdigit() and int(code) >= 200)]
    for preference in preferences:
        status, fields, body = send(server, operation, {"Prefer": preference})
        figures["responses"] += 1
        if preference.startswith("code=") and preference != f"code={status}":
            figures.find("failed", label, preference, status, body[:200])
        else:
            check(operation, status, fields, body, f"{label} ({preference})", figures)
    return None


def check_document(path, figures):
    try:
        server = MockServer(path, "--no-watch")
        server.start()
    except Failure as error:
        return figures.find("not served", path.name, str(error).splitlines()[0])
    try:
        figures["documents"] += 1
        try:
            operations = list(Document(path).operations())
        except Exception as error:
            return figures.find("not read", path.name, type(error).__name__, str(error)[:300])
        for operation in operations:
            figures["operations"] += 1
            label = f"{path.name} {operation}"
            try:
                check_operation(server, operation, label, figures)
            except Exception as error:
                figures.find("not tested", label, type(error).__name__, str(error)[:300])
    finally:
        server.process.terminate()
        server.process.wait(30)
        server.reader.join()
    return None


def run(options):
    figures = Figures()
    for name in DOCUMENTS:
        check_document(CONTRACTS / name, figures)
    expect(not figures.findings, "\n".join(figures.findings))
    if options.documents:
        for path in sorted(options.documents.iterdir()):
            if path.suffix in (".json", ".yaml", ".yml"):
                check_document(path, figures)
    (options.work / "findings.txt").write_text("\n".join(figures.findings) + "\n")
    text = ", ".join(f"{count} {name}" for name, count in figures.items())
    wrong = sum(figures[name] for name in ("invalid", "malformed", "undocumented", "type", "refused", "failed"))
    expect(wrong <= (1 - SHARE) * figures["responses"], f"{text}; see findings.txt")
    return text
