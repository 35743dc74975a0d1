"""Runs the scenarios of Prism, another mock server for OpenAPI documents, with mock-server.

`--scenarios FOLDER` is the folder `test-harness/specs` of Prism's repository. A scenario is a text file with a document,
the options of the program, a command of curl, and the response of Prism. Two responses are equal if they have the same
status, media type and body. Another body is equal if both have the same JSON value, the same elements of XML below the
root, or if both are problem details; if the document has a schema that it keeps; or, for `expect-loose`, if it has all
members of the body of Prism. Scenarios of Swagger 2, Postman and Prism's proxy do not apply, and those of DECISIONS
differ on purpose.
"""

import collections
import concurrent.futures
import json
import re
import shlex
import subprocess
import xml.etree.ElementTree

import jsonschema
import referencing
import referencing.jsonschema
import yaml

from ..support.processes import MockServer
from ..support.report import Failure, equal, expect
from ..support.setup import Skipped, program

SECTION = re.compile(r"^====(test|spec|server|command|expect|expect-loose|expect-keysOnly)====\r?\n", re.M)
# The options of Prism, with those of mock-server. None is an option that mock-server does not have.
OPTIONS = {"-d": ["--dynamic"], "--dynamic": ["--dynamic"], "--errors": ["--errors"], "--cors=false": ["--no-cors"],
           "-m": [], "--json-schema-faker-fillProperties=false": None}
METHODS = ("-X", "--request")
FILLED = "a body has all members of its schema: there is no option to leave some out"
RESERVED = "a form is decoded by the URL standard, which has no reserved characters"
TEXT = "an example that is an object is sent as its JSON in a text"
# The scenarios with another response, with the reasons.
DECISIONS = {
    "generated-responses/too_complex-AC-1.oas3": "a list of 3,000 items is made, and is no error",
    "head-requests/head_requests-AC-2.oas3": "HEAD responds as GET does, without the body: RFC 9110 section 9.3.2",
    "json-schema-faker-fillProperties/fillProperties_false": FILLED,
    "json-schema-faker-fillProperties/fillProperties_false_json_schema_faker_config": FILLED,
    "json-schema-faker-fillProperties/fillProperties_false_json_schema_faker_config_fillProperties_true": FILLED,
    "range-status-codes/range-status-codes-AC-8.oas3": "4XX comes before 5XX, as the text of the scenario says",
    "serialization/E2E-text-html-complex-serialisation.oas3": TEXT,
    "serialization/E2E-text-plain-complex-serialisation.oas3": TEXT,
    "validate-body-params/enforce-content-type-if-body-included.oas3_1": "a body without a description is ignored, as servers do",
    "validate-body-params/form-data-allow-reserved-fail.oas3": RESERVED,
    "validate-body-params/multipart-form-data-allow-reserved-fail.oas3": RESERVED,
    "validate-path-params/missing-path-param.oas3": "an empty segment is no value of a parameter: the path has no route",
    "validate-path-params/missing-segment.oas3": "a path without a route receives a text with the nearest routes",
}


class Loader(yaml.SafeLoader):
    """A loader of the types of JSON: a date is a text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith("timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}

Response = collections.namedtuple("Response", "status type body")


def parse(text):
    """Parses the output of `curl -i`."""
    head, body = "HTTP/1.1 100 Continue", text.strip().replace("\r\n", "\n")
    while re.match(r"HTTP/\S+ 1\d\d", head):
        head, _, body = body.partition("\n\n")
    status = re.match(r"HTTP/\S+ (\d+)", head)
    expect(status, f"no response: {text[:200]!r}")
    fields = dict(line.lower().split(":", 1) for line in head.splitlines()[1:] if ":" in line)
    return Response(int(status[1]), fields.get("content-type", "").split(";")[0].strip(), body.strip())


def parsed_json(text):
    try:
        return json.loads(text), True
    except ValueError:
        return None, False


def elements(text):
    """Returns the names of the elements below the root of an XML document, or None for another text."""
    try:
        return sorted(element.tag for element in xml.etree.ElementTree.fromstring(text).iterfind(".//*"))
    except xml.etree.ElementTree.ParseError:
        return None


class Server(MockServer):
    """A server whose document may have warnings."""

    def stop(self):
        self.process.terminate()
        equal(self.process.wait(30), 0, "the status of mock-server")
        self.reader.join()


class Scenario:
    def __init__(self, path, folder):
        self.name = str(path.relative_to(folder))
        words = SECTION.split(path.read_text())[1:]
        self.parts = dict(zip(words[::2], words[1::2]))
        self.words = self.parts["server"].split()
        expected = next(value for name, value in self.parts.items() if name.startswith("expect"))
        self.expected = parse(expected)

    def reason_to_skip(self):
        """Returns the reason why the scenario does not apply, or None."""
        if self.words[0] != "mock":
            return "proxy"
        # The keys of JSON are texts.
        self.document = json.loads(json.dumps(yaml.load(self.parts["spec"], Loader)))
        if "openapi" not in self.document:
            return "Swagger 2" if "swagger" in self.document else "Postman"
        return None

    def run(self, work):
        """Returns the reason why the response differs from that of Prism, or None."""
        options = []
        for word in self.words[1:]:
            if word in ("-p", "4010", "${document}"):
                continue
            if OPTIONS.get(word) is None:
                return f"mock-server has no option {word}"
            options += OPTIONS[word]
        file = work / (re.sub(r"\W", "_", self.name) + (".json" if self.parts["spec"].lstrip()[0] == "{" else ".yaml"))
        file.write_text(self.parts["spec"])
        try:
            with Server(file, "--no-watch", *options) as server:
                command = shlex.split(self.parts["command"])
                expect(command[0] == "curl", "the command is not one of curl")
                address = re.compile(r"^(http://)?(localhost|127\.0\.0\.1):4010")
                command = [address.sub(server.url, word) for word in command]
                output = subprocess.run(["curl", "-sS", "--noproxy", "*", *command[1:]], capture_output=True, timeout=30)
                self.actual = parse(output.stdout.decode(errors="replace"))
                url = next(word for word in command if word.startswith(server.url))
                self.request = (self.method(command), url[len(server.url):].partition("?")[0])
        except Failure as failure:
            return str(failure)
        return self.difference()

    @staticmethod
    def method(command):
        for option, value in zip(command, command[1:]):
            if option in METHODS:
                return value.lower()
        if "-sIXGET" in command:
            return "get"
        return "head" if "--head" in command else "post" if {"-d", "--data", "-F"} & set(command) else "get"

    def difference(self):
        expected, actual = self.expected, self.actual
        if expected.status != actual.status:
            return f"status {actual.status} instead of {expected.status}: {actual.body[:200]}"
        if expected.type and expected.type != actual.type:
            return f"type {actual.type} instead of {expected.type}: {actual.body[:200]}"
        if not expected.body and "expect-loose" in self.parts:
            return None
        if expected.body == actual.body or "-sIXGET" in self.parts["command"] or "--head" in self.parts["command"]:
            return None
        (value, is_json), (ours, _) = parsed_json(expected.body), parsed_json(actual.body)
        if is_json and value == ours:
            return None
        if isinstance(value, dict) and str(value.get("type")).startswith("https://stoplight.io/prism/errors#"):
            is_problem = isinstance(ours, dict) and ours.get("status") == value["status"]
            return None if is_problem else f"not a problem: {actual.body[:200]}"
        if elements(expected.body) and elements(expected.body) == elements(actual.body):
            return None
        if "expect-loose" in self.parts and isinstance(value, dict) and isinstance(ours, dict) and value.keys() <= ours.keys():
            return None
        schema = self.schema()
        if schema is None:
            return f"body {actual.body[:200]!r} instead of {expected.body[:200]!r}"
        # Draft 4 is the basis of the dialect of OpenAPI 3.0.
        is_old = self.document["openapi"].startswith("3.0")
        dialect = referencing.jsonschema.DRAFT4 if is_old else referencing.jsonschema.DRAFT202012
        registry = referencing.Registry().with_resource("urn:document", dialect.create_resource(self.document))
        kind = jsonschema.Draft4Validator if is_old else jsonschema.Draft202012Validator
        validator = kind({"$ref": f"urn:document#{schema}"}, registry=registry)
        values = [ours] if "json" in actual.type else [actual.body, ours]
        errors = [next(validator.iter_errors(value), None) for value in values]
        error = all(errors) and errors[0]
        return f"the body breaks its schema: {error.message[:200]}" if error else None

    def schema(self):
        """Returns the pointer of the schema of the response, or None."""
        method, path = self.request
        base = "/" + re.sub(r"^https?://[^/]*", "", str((self.document.get("servers") or [{}])[0].get("url", ""))).strip("/")
        for template, item in sorted(self.document["paths"].items(), key=lambda each: "{" in each[0]):
            pattern = re.sub(r"\\{.*?\\}", "[^/]+", re.escape(base.rstrip("/") + template))
            if not re.fullmatch(pattern, path) or method not in item:
                continue
            responses = item[method].get("responses", {})
            status = str(self.actual.status)
            code = next((name for name in (status, status[0] + "XX", "default") if name in responses), None)
            if code is None:
                return None
            place = ["paths", template, method, "responses", code]
            response = responses[code]
            if "$ref" in response:
                place = response["$ref"].split("/")[1:]
                response = self.document["components"]["responses"][place[-1]]
            for name, media in (response.get("content") or {}).items():
                if name.split(";")[0].strip() == self.actual.type and "schema" in media:
                    tokens = [*place, "content", name, "schema"]
                    return "".join("/" + token.replace("~", "~0").replace("/", "~1") for token in tokens)
        return None


def run(options):
    if not options.scenarios:
        raise Skipped("it needs --scenarios")
    program("mock-server")
    scenarios, skipped = [], collections.Counter()
    for path in sorted(options.scenarios.rglob("*.txt")):
        scenario = Scenario(path, options.scenarios)
        if reason := scenario.reason_to_skip():
            skipped[reason] += 1
        else:
            scenarios.append(scenario)
    expect(scenarios, "the folder has no scenarios")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda scenario: scenario.run(options.work), scenarios))
    differences = {scenario.name.removesuffix(".txt"): difference for scenario, difference in zip(scenarios, results) if difference}
    for name, difference in differences.items():
        print(f"{name}: {DECISIONS.get(name, difference)}")
    unknown = differences.keys() - DECISIONS.keys()
    expect(not unknown, f"{len(unknown)} scenarios differ: {', '.join(sorted(unknown))}")
    same = results.count(None)
    left_out = ", ".join(f"{count} of {reason}" for reason, count in skipped.items())
    return f"{same} of {len(results)} scenarios are equal; {left_out} do not apply"
