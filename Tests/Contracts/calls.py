"""Prints a Swift program that calls each endpoint of generated code once.

    calls.py DOCUMENT ENDPOINTS

DOCUMENT is an OpenAPI document, ENDPOINTS the output of `mock-server endpoints` for it. The arguments of a call are
values that schemathesis generates by the document. The program is compiled together with the endpoints. Its
argument is the origin of the server. Each call must succeed, and its response must be decoded as the generated
type; others are printed, and the exit status is 1.
"""

import base64
import json
import re
import sys
import urllib.parse
import warnings

import hypothesis
import schemathesis
from schemathesis.core.result import Err

# What an endpoint of generated code looks like.
ENDPOINT = re.compile(
    r"^/// `(?P<method>[A-Z]+) (?P<path>\S+)`\n(?:///.*\n)*"
    r"nonisolated struct (?P<name>\w+): (?P<kind>TypedEndpoint|RequestConvertible).*\{\n(?P<members>(?:.*\n)*?)\}\n", re.M)
MEMBER = re.compile(r"^  var (?P<name>`?\w+`?): (?P<type>[^\n={]+?)(?P<optional>\?)?(?: = .*)?$", re.M)

PROGRAM = """
import Networking
import NetworkingInterceptors

func value<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
  try JSONDecoder().decode(type, from: Data(json.utf8))
}

@main
enum Calls {
  static func main() async {
    var failures = 0
    let baseURL = URL(string: CommandLine.arguments[1] + basePath)?.appending(path: "")
    for (name, call) in calls {
      do {
        try await call(baseURL)
      } catch {
        failures += 1
        print("FAILED \\(name): \\(error)")
      }
    }
    print("\\(calls.count - failures) of \\(calls.count) calls")
    if failures > 0 { exit(1) }
  }
}

/// Adds credentials; a mock server accepts all of the kind that the document describes.
let authorizing = RequestAdapter { request in
  var request = request
  for (name, value) in credentials { request.headers[name] = value }
  return request
}
"""


def plain(name):
    return re.sub(r"[^a-z0-9]", "", name.lower())


def literal(text):
    return f'###"{text}"###'


def arguments(case, members):
    """Returns the arguments of an initializer: the required members, with the values of a generated request."""
    values = {}
    for part in (case.path_parameters, case.query, case.headers, case.cookies):
        values.update({plain(name): value for name, value in (part or {}).items()})
    for member in MEMBER.finditer(members):
        if member["optional"] or member["name"] == "request":
            continue
        name = member["name"].strip("`")
        value = values[plain(name)] if plain(name) in values else case.body
        if member["type"].startswith("[") and isinstance(value, str):
            value = value.split(",")
        if member["type"] == "Data" and isinstance(value, dict):
            # The bytes of a form. JSON holds bytes in Base64.
            value = base64.b64encode(urllib.parse.urlencode(value, doseq=True).encode()).decode()
        yield f"{member['name']}: try value(({member['type']}).self, {literal(json.dumps(value))})"


def sample(operation):
    """Returns one generated request."""
    found = []

    @hypothesis.settings(
        max_examples=1, database=None, deadline=None, derandomize=True, phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(case=operation.as_strategy())
    def generate(case):
        found.append(case)

    generate()
    return found[-1]


def credentials(schemes):
    """Returns header fields for the security schemes of a document."""
    fields = {}
    for scheme in schemes.values():
        if scheme["type"] == "apiKey" and scheme["in"] == "header":
            fields[scheme["name"]] = "k"
        else:
            is_basic = scheme["type"] == "http" and scheme["scheme"].lower() == "basic"
            fields["Authorization"] = "Basic dTpw" if is_basic else "Bearer t"
    return fields


def main():
    warnings.simplefilter("ignore")
    document, code = sys.argv[1], open(sys.argv[2]).read()
    endpoints = {(match["method"], match["path"]): match for match in ENDPOINT.finditer(code)}
    print("import Foundation" + PROGRAM)
    api = re.search(r"^nonisolated enum (\w+) \{\n(?:.*\n)*?  static let baseURL", code, re.M)
    path = f'{api[1]}.baseURL?.path ?? ""' if api else '""'
    print(f"let basePath = {path}")
    calls, extensions = [], []
    schema = schemathesis.openapi.from_path(document)
    fields = credentials(schema.raw_schema.get("components", {}).get("securitySchemes", {}))
    print(f"let credentials: [String: String] = [{', '.join(f'{literal(name)}: {literal(value)}' for name, value in fields.items()) or ':'}]")
    for result in schema.get_all_operations():
        if isinstance(result, Err):
            print("no arguments for an operation:", result.err(), file=sys.stderr)
            continue
        operation = result.ok()
        match = endpoints.get((operation.method.upper(), operation.path))
        if match is None:
            print("no endpoint for", operation.label, file=sys.stderr)
            continue
        if "MultipartFormData" in match["members"]:
            # Its parts are files, which JSON cannot hold.
            print("no request for", operation.label, file=sys.stderr)
            continue
        values = ", ".join(arguments(sample(operation), match["members"]))
        name = match["name"]
        extensions.append(f"extension {name} {{\n  static func sample() throws -> {name} {{ {name}({values}) }}\n}}\n")
        send = "fetch(try .sample() as NAME)" if match["kind"] == "TypedEndpoint" else "request(try .sample()).validate()"
        calls.append(f'''  ("{operation.label}", {{ baseURL in
    let networking = Networking<{name}>()
    networking.baseURL = baseURL
    networking.interceptors = [authorizing]
    _ = try await networking.{send.replace("NAME", name)}.value
  }}),''')
    print("\n".join(extensions))
    print("let calls: [(String, @Sendable (URL?) async throws -> Void)] = [")
    print("\n".join(calls))
    print("]")


main()
