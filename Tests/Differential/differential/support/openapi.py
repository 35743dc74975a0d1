"""OpenAPI documents: their operations, valid requests for them, and validators for the responses by jsonschema."""

from __future__ import annotations

import base64
import itertools
import json
import pathlib
import random
import re
import urllib.parse

import jsonschema
import referencing
import referencing.jsonschema
import yaml

# Formats that jsonschema checks by the same rules. That of URLs refuses the braces of templates.
FORMATS = jsonschema.FormatChecker(["date", "date-time", "email", "ipv4", "ipv6", "time", "uuid"])
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
SCHEMAS = ("additionalProperties", "items", "contains", "not", "if", "then", "else", "propertyNames",
           "unevaluatedItems", "unevaluatedProperties")
LISTS, OBJECTS = ("allOf", "anyOf", "oneOf", "prefixItems"), ("properties", "patternProperties", "dependentSchemas", "$defs")


class Loader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):
    """Reads YAML by the core schema: a date is a text."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}


def is_required(schema, name, for_response):
    """Returns whether a member of `required` applies to a direction."""
    member = (schema.get("properties") or {}).get(name)
    return not (isinstance(member, dict) and member.get("writeOnly" if for_response else "readOnly") is True)


def converted(schema, is_30, for_response):
    """Returns a schema of OpenAPI as one of JSON Schema 2020-12 for one direction."""
    if not isinstance(schema, dict):
        return schema
    if is_30 and "$ref" in schema:
        result = {"$ref": schema["$ref"]}
        return {"anyOf": [result, {"type": "null"}]} if schema.get("nullable") is True else result
    result = {}
    for key, value in schema.items():
        if key in SCHEMAS:
            value = converted(value, is_30, for_response)
        elif key in LISTS and isinstance(value, list):
            value = [converted(each, is_30, for_response) for each in value]
        elif key in OBJECTS and isinstance(value, dict):
            value = {name: converted(each, is_30, for_response) for name, each in value.items()}
        result[key] = value
    required = schema.get("required")
    if isinstance(required, list):
        result["required"] = [name for name in required if is_required(schema, name, for_response)]
    else:
        result.pop("required", None)
    if is_30:
        for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
            if result.get(exclusive) is True and bound in result:
                result[exclusive] = result.pop(bound)
            elif isinstance(result.get(exclusive), bool):
                del result[exclusive]
        if schema.get("nullable") is True:
            if isinstance(schema.get("type"), str):
                result["type"] = [schema["type"], "null"]
            if any(key in schema for key in ("allOf", "anyOf", "oneOf")):
                result = {"anyOf": [result, {"type": "null"}]}
    return result


def converted_document(value, is_30, for_response, key=None):
    """Returns a document with all of its schemas converted, so that references to parts of it hold."""
    if key == "schema":
        return converted(value, is_30, for_response)
    if isinstance(value, dict):
        if key == "schemas":
            return {name: converted(each, is_30, for_response) for name, each in value.items()}
        return {name: each if name in ("example", "examples", "default") else converted_document(each, is_30, for_response, name)
                for name, each in value.items()}
    if isinstance(value, list):
        return [converted_document(each, is_30, for_response) for each in value]
    return value


def pointer(path):
    """Returns a path as a fragment of a reference."""
    return "".join("/" + urllib.parse.quote(str(step).replace("~", "~0").replace("/", "~1"), safe="~") for step in path)


class Choices:
    """Choices for a sample: the first ones, or random ones."""

    def __init__(self, seed):
        self.random = random.Random(seed) if seed else None

    def uses_example(self):
        return not self.random or self.random.random() < 0.5

    def has_optional(self):
        return self.random is not None and self.random.random() < 0.2

    def one_of(self, values):
        return self.random.choice(values) if self.random else values[0]


class Document:
    """A document of one file."""

    def __init__(self, path: pathlib.Path):
        text = path.read_text()
        self.root = json.loads(text) if path.suffix == ".json" and text.lstrip()[:1] == "{" else yaml.load(text, Loader)
        self.root = json.loads(json.dumps(self.root))
        is_30 = str(self.root["openapi"]).startswith("3.0")
        resources = [(f"urn:{side}", referencing.jsonschema.DRAFT202012.create_resource(
            converted_document(self.root, is_30, side == "response"))) for side in ("request", "response")]
        self.registry = referencing.Registry().with_resources(resources)

    def resolved(self, value, path=()):
        """Returns an object after its references, and its path."""
        for _ in range(20):
            if not isinstance(value, dict) or "$ref" not in value:
                break
            path = tuple(urllib.parse.unquote(step).replace("~1", "/").replace("~0", "~")
                         for step in value["$ref"].partition("#")[2].split("/")[1:])
            value = self.root
            for step in path:
                value = value[int(step) if isinstance(value, list) else step]
        return value, path

    def validator(self, path, side):
        return jsonschema.Draft202012Validator(
            {"$ref": f"urn:{side}#{pointer(path)}"}, registry=self.registry, format_checker=FORMATS)

    def operations(self):
        for path, item in self.root.get("paths", {}).items():
            if path.startswith("/"):
                item, place = self.resolved(item, ("paths", path))
                for method in METHODS:
                    if isinstance(item.get(method), dict):
                        yield Operation(self, path, method, item, place)

    def base(self, holder):
        servers = holder.get("servers") or [{"url": "/"}]
        url = servers[0]["url"]
        for name, variable in (servers[0].get("variables") or {}).items():
            url = url.replace("{" + name + "}", str(variable.get("default")))
        path = re.sub(r"^([a-z][a-z0-9+.-]*:)?//[^/?#]*", "", url, flags=re.I)
        path = re.split("[?#]", path)[0].rstrip("/")
        return path if not path or path.startswith("/") else "/" + path

    # Values

    def valid(self, path, *candidates):
        """Returns the first candidate that keeps the schema at a path, or a sample."""
        schema, validator = self.resolved({"$ref": "#" + pointer(path)})[0], self.validator(path, "request")
        samples = (self.sample(schema, Choices(seed)) for seed in range(60))
        first = None
        for value in itertools.chain(candidates, samples):
            if value is not None and validator.is_valid(value):
                return value
            first = value if first is None else first
        return first

    def sample(self, schema, choices, depth=0):
        """Returns a small value of a schema of a request, which may not keep it."""
        if not isinstance(schema, dict):
            return "x"
        schema, _ = self.resolved(schema)
        if not isinstance(schema, dict) or depth > 12:
            return None

        def inner(schema):
            return self.sample(schema, choices, depth + 1)

        if "const" in schema:
            return schema["const"]
        for key in ("example", "default"):
            if key in schema and choices.uses_example():
                return schema[key]
        for key in ("enum", "examples"):
            if isinstance(schema.get(key), list) and schema[key] and (key == "enum" or choices.uses_example()):
                return choices.one_of(schema[key])
        for key in ("oneOf", "anyOf"):
            if schema.get(key):
                value, rest = inner(choices.one_of(schema[key])), {}
                if any(other in schema for other in ("properties", "allOf", "required")):
                    rest = inner({name: each for name, each in schema.items() if name != key})
                return {**rest, **value} if isinstance(value, dict) and isinstance(rest, dict) else value
        if schema.get("allOf"):
            values = [inner(each) for each in [{**schema, "allOf": None}, *schema["allOf"]]]
            objects = [value for value in values if isinstance(value, dict)]
            return {name: member for value in objects for name, member in value.items()} if objects else values[1]
        kind = schema.get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object" or kind is None and ("properties" in schema or "required" in schema):
            members = schema.get("properties") or {}
            required = schema.get("required") if isinstance(schema.get("required"), list) else []
            value = {name: inner(members.get(name, {})) for name in [*members, *required]
                     if (name in required or choices.has_optional())
                     and not (isinstance(members.get(name), dict) and members[name].get("readOnly"))}
            while len(value) < schema.get("minProperties", 0):
                name = next((name for name in members if name not in value), f"member{len(value)}")
                value[name] = inner(members.get(name, {}))
            return value
        if kind == "array":
            return [inner(schema.get("items", {})) for _ in range(schema.get("minItems", 1))]
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum")
            low = low if isinstance(low, (int, float)) and not isinstance(low, bool) else None
            value = low + 1 if low is not None and (high is None or low + 1 <= high) else low if low is not None else min(high or 1, 1)
            step = schema.get("multipleOf")
            return step * -(-value // step) if step else value
        return {"boolean": True, "null": None}.get(kind, self.text(schema))

    def text(self, schema):
        texts = {"date-time": "2025-01-31T12:00:00Z", "date": "2025-01-31", "time": "12:00:00Z", "email": "a@example.com",
                 "uuid": "123e4567-e89b-42d3-a456-426614174000", "uri": "https://example.com/a", "url": "https://example.com/a",
                 "ipv4": "192.0.2.1", "ipv6": "2001:db8::1", "hostname": "example.com", "byte": "YWJj", "duration": "PT1H",
                 "uri-reference": "/a", "json-pointer": "/a", "regex": "a"}
        text = texts.get(schema.get("format"), "a")
        pattern = schema.get("pattern")
        if pattern and not re.search(pattern, text):
            import hypothesis
            text = hypothesis.find(hypothesis.strategies.from_regex(pattern), lambda text: "\0" not in text)
            text = text.removesuffix("\n")
        text += "a" * (schema.get("minLength", 0) - len(text))
        return text[:schema.get("maxLength", len(text))] if not pattern else text


class Operation:
    """An operation, with one valid request."""

    def __init__(self, document, path, method, item, place):
        self.document, self.path, self.method = document, path, method
        self.value, self.place = document.resolved(item[method], (*place, method))
        parameters = {}
        for holder, path in ((item, place), (self.value, self.place)):
            for index, parameter in enumerate(holder.get("parameters") or []):
                parameter, path_of = document.resolved(parameter, (*path, "parameters", index))
                parameters[parameter.get("name"), parameter.get("in")] = (parameter, path_of)
        self.parameters = list(parameters.values())
        holder = next((each for each in (self.value, item) if each.get("servers")), document.root)
        self.base = document.base(holder)

    def __str__(self):
        return f"{self.method.upper()} {self.path}"

    def responses(self):
        """Returns the responses by their code, each with its path."""
        return {str(code): self.document.resolved(response, (*self.place, "responses", code))
                for code, response in (self.value.get("responses") or {}).items() if not str(code).startswith("x-")}

    def response(self, status):
        responses = self.responses()
        return next((responses[code] for code in (str(status), f"{status // 100}XX", f"{status // 100}xx", "default")
                     if code in responses), None)

    # Request

    def request(self):
        """Returns the target, the header fields and the body of a valid request."""
        path, query, fields, cookies = self.path, [], {}, []
        for parameter, place in self.parameters:
            name, location = parameter["name"], parameter["in"]
            if location != "path" and parameter.get("required") is not True or name.lower() in ("accept", "content-type", "authorization"):
                continue
            if "content" in parameter:
                value = json.dumps(self.document.valid((*place, "content", next(iter(parameter["content"])), "schema")))
            elif "schema" in parameter:
                value = self.document.valid((*place, "schema"), *self.examples(parameter))
            else:
                value = next(self.examples(parameter), "a")
            if location == "path":
                path = path.replace("{" + name + "}", self.path_text(parameter, value))
            elif location == "query":
                query += self.query_items(parameter, value)
            elif location == "header":
                fields[name] = self.simple(value)
            else:
                cookies.append(f"{name}={urllib.parse.quote(self.simple(value))}")
        path = re.sub(r"\{[^{}]*\}", "1", path)
        self.authorize(fields, query, cookies)
        if cookies:
            fields["Cookie"] = "; ".join(cookies)
        body = self.body(fields)
        text = "&".join(f"{urllib.parse.quote(str(name), safe='[]')}={urllib.parse.quote(str(value))}" for name, value in query)
        target = self.base + path + (("&" if "?" in path else "?") + text if text else "")
        return urllib.parse.quote(target, safe="/?&=%[]:@!$'()*+,;~-._"), fields, body

    def simple(self, value):
        if isinstance(value, list):
            return ",".join(map(self.simple, value))
        if isinstance(value, dict):
            return ",".join(f"{name},{self.simple(each)}" for name, each in value.items())
        return value if isinstance(value, str) else json.dumps(value)

    def path_text(self, parameter, value):
        style = parameter.get("style", "simple")
        text = urllib.parse.quote(self.simple(value), safe=",") or "a"
        return {"label": f".{text}", "matrix": f";{parameter['name']}={text}"}.get(style, text)

    def query_items(self, parameter, value):
        name, style = parameter["name"], parameter.get("style", "form")
        explodes = parameter.get("explode", style == "form")
        if isinstance(value, dict):
            if style == "deepObject":
                return [(f"{name}[{key}]", self.simple(each)) for key, each in value.items()]
            return [(key, self.simple(each)) for key, each in value.items()] if explodes else [(name, self.simple(value))]
        if isinstance(value, list):
            if explodes:
                return [(name, self.simple(each)) for each in value]
            return [(name, {"spaceDelimited": " ", "pipeDelimited": "|"}.get(style, ",").join(map(self.simple, value)))]
        return [(name, self.simple(value))]

    def authorize(self, fields, query, cookies):
        schemes = self.document.root.get("components", {}).get("securitySchemes", {})
        for name in next(iter(self.value.get("security", self.document.root.get("security")) or [{}])):
            scheme, _ = self.document.resolved(schemes.get(name, {}))
            if scheme.get("type") == "apiKey":
                {"header": lambda: fields.update({scheme["name"]: "key"}), "query": lambda: query.append((scheme["name"], "key")),
                 "cookie": lambda: cookies.append(scheme["name"] + "=key")}[scheme["in"]]()
            elif scheme.get("type") in ("http", "oauth2", "openIdConnect"):
                kind = scheme.get("scheme", "bearer")
                token = base64.b64encode(b"user:password").decode() if kind.lower() == "basic" else "token"
                fields["Authorization"] = f"{kind} {token}"

    def body(self, fields):
        body, path = self.document.resolved(self.value.get("requestBody") or {}, (*self.place, "requestBody"))
        content = body.get("content") or {}
        if not content:
            return None
        kind = next((kind for kind in content if "json" in kind), next(iter(content)))
        media, path = self.document.resolved(content[kind], (*path, "content", kind))
        value = next(self.examples(media), "a")
        if "schema" in media:
            value = self.document.valid((*path, "schema"), *self.examples(media))
        fields["Content-Type"] = kind = "application/json" if "*" in kind else kind
        if "json" in kind:
            return json.dumps(value).encode()
        members = value if isinstance(value, dict) else {}
        if "urlencoded" in kind:
            return urllib.parse.urlencode({name: self.simple(each) for name, each in members.items()}).encode()
        if kind.startswith("multipart/"):
            fields["Content-Type"] = kind.split(";")[0] + "; boundary=b"
            part = '--b\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
            items = [(name, each) for name, value in members.items() for each in (value if isinstance(value, list) else [value])]
            texts = [(name, each if isinstance(each, str) else json.dumps(each)) for name, each in items]
            return ("".join(part.format(name, text) for name, text in texts) + "--b--\r\n").encode()
        return self.simple(value).encode() or b"a"

    def examples(self, holder):
        if "example" in holder:
            yield holder["example"]
        for example in (holder.get("examples") or {}).values():
            yield self.document.resolved(example)[0].get("value")
