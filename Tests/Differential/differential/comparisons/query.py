"""Decodes queries and forms with the decoders of servers, and compares the results with the parameters.

The program query-formats prints seeded trees with their encoding by each format: as many as the size says that the
format must be able to encode, and as many of any kind, which it may reject with an error, but must not change. The
decoders are

    php             parse_str of php-cli, from Debian
    rails           Rack::Utils.parse_nested_query of ruby-rack, from Debian
    qs, dotted      qs of node-qs, from Debian, and qs-codec from PyPI
    standard        those of php and qs
    django          QueryDict of Django, from PyPI
    form, ...       the styles of OpenAPI: Django's QueryDict, and their definitions in `arrives_in_query_dict`
"""

import base64
import collections
import datetime
import json
import os
import pathlib
import subprocess
import sys

from ..support.report import Differences, Failure
from ..support.setup import install, program

DECODERS = pathlib.Path(__file__).resolve().parent.parent / "decoders"
OPENAPI_FORMATS = ["form", "formJoined", "spaceDelimited", "pipeDelimited", "deepObject"]
SEPARATORS = {"formJoined": ",", "spaceDelimited": " ", "pipeDelimited": "|"}


def decoder_program(*command):
    def decode(texts):
        # A Node.js that is not Debian's does not look for Debian's packages.
        environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
        output = subprocess.run(command, input=json.dumps(texts).encode(), stdout=subprocess.PIPE, env=environment)
        if output.returncode:
            raise Failure(f"{command[0]} failed")
        return json.loads(output.stdout)
    return decode


def decoders():
    """Returns for each format the names of its decoders, with functions that decode a list of texts."""
    import django.conf
    import qs_codec
    if not django.conf.settings.configured:
        django.conf.settings.configure()
    from django.http import QueryDict

    def query_dict(texts):
        return [dict(QueryDict(text).lists()) for text in texts]

    def codec(**options):
        return lambda texts: [qs_codec.decode(text, qs_codec.DecodeOptions(**options)) for text in texts]

    result = collections.defaultdict(list)
    for name in ["django", *OPENAPI_FORMATS]:
        result[name].append(("Django", query_dict))
    missing = install({"php": "php-cli", "/usr/share/doc/ruby-rack": "ruby-rack", "/usr/share/nodejs/qs": "node-qs"})
    if "php-cli" not in missing:
        for name in ["php", "standard"]:
            result[name].append(("PHP", decoder_program("php", f"{DECODERS}/decode.php")))
    if "ruby-rack" not in missing:
        result["rails"].append(("Rack", decoder_program("ruby", f"{DECODERS}/decode.rb")))
    for name, style in [("qs", ""), ("standard", ""), ("dotted", "dots")]:
        if "node-qs" not in missing:
            result[name].append(("node-qs", decoder_program("node", f"{DECODERS}/decode.js", style)))
        result[name].append(("qs-codec", codec(allow_dots=bool(style))))
    return result, missing


def is_misread(node, parent=None):
    """Whether qs-codec splits the value of an index, unlike qs: below an array in an array or a number as a name."""
    kind, content = node[0], node[1] if len(node) > 1 else None
    if kind == "a":
        return parent == "a" or any(is_misread(element, "a") for element in content)
    if kind != "o":
        return False
    has_number = parent is not None and any(name.isdigit() for name, _ in content)
    return has_number or any(is_misread(member, "o") for _, member in content)


class Number(float):
    """A number whose text is not known."""


def date_text(seconds, style):
    milliseconds = round(seconds * 1000)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=milliseconds)
    return {
        "iso8601": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "iso8601WithMilliseconds": moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z",
        "day": moment.strftime("%Y-%m-%d"),
        "pattern": moment.strftime("%d.%m.%YT%H:%M"),
        "secondsSince1970": Number(seconds),
        "millisecondsSince1970": str(milliseconds),
        "secondsSince2001": Number(seconds - 978_307_200),
    }[style]


def bytes_text(data, style):
    return {
        "base64": base64.b64encode(data).decode(),
        "base64URL": base64.urlsafe_b64encode(data).decode().rstrip("="),
        "hexadecimal": data.hex(),
    }[style]


def meant(node, options):
    """The value that the server should receive: a text, a list or a dictionary; None if nothing is sent."""
    kind, content = node[0], node[1] if len(node) > 1 else None
    if kind == "a":
        elements = [meant(element, options) for element in content]
        return [element for element in elements if element is not None] or None
    if kind == "o":
        members = {name: meant(member, options) for name, member in content}
        return {name: member for name, member in members.items() if member is not None} or None
    return {
        "n": lambda: {"omitted": None, "empty": "", "null": "null"}[options["nulls"]],
        "b": lambda: str(content).lower() if options["bools"] == "words" else str(int(content)),
        "i": lambda: str(content),
        "d": lambda: Number(content),
        "s": lambda: content,
        "t": lambda: date_text(content, options["dates"]),
        "x": lambda: bytes_text(base64.b64decode(content), options["bytes"]),
    }[kind]()


def is_same(value, received):
    if isinstance(value, Number):
        return isinstance(received, str) and float(received) == value
    if isinstance(value, dict):
        return (isinstance(received, dict) and value.keys() == received.keys()
                and all(is_same(member, received[name]) for name, member in value.items()))
    if isinstance(value, list):
        return (isinstance(received, list) and len(value) == len(received)
                and all(is_same(*pair) for pair in zip(value, received)))
    return type(received) is str and value == received


def as_php(value):
    """A value with the keys of PHP: an array has the keys 0, 1, ..."""
    if isinstance(value, list):
        value = {str(index): element for index, element in enumerate(value)}
    return {name: as_php(member) for name, member in value.items()} if isinstance(value, dict) else value


def is_joined(value, received, separator):
    """Whether a list or a dictionary arrives in one text."""
    parts = received.split(separator)
    if isinstance(value, dict):
        return len(parts) == 2 * len(value) and is_same(value, dict(zip(parts[::2], parts[1::2])))
    return is_same(value, parts)


def arrives_in_query_dict(name, value, received):
    """Whether a value arrives in a QueryDict, which has a list of texts for each name."""
    fields = {}
    for field, member in value.items():
        if isinstance(member, list) and name in ("django", "form"):
            fields[field] = member
        elif isinstance(member, dict) and name == "form":
            if fields.keys() & member.keys():
                return False
            fields.update({nested: [leaf] for nested, leaf in member.items()})
        elif isinstance(member, dict) and name == "deepObject":
            fields.update({f"{field}[{nested}]": [leaf] for nested, leaf in member.items()})
        elif isinstance(member, (list, dict)):
            texts = received.get(field, [])
            if len(texts) != 1 or not is_joined(member, texts[0], SEPARATORS[name]):
                return False
            fields[field] = texts
        else:
            fields[field] = [member]
    return is_same(fields, received)


def arrives(name, decoder, value, received):
    if decoder == "PHP":
        return is_same(as_php(value), as_php(received))
    return arrives_in_query_dict(name, value, received) if decoder == "Django" else is_same(value, received)


def run(options):
    sys.setrecursionlimit(10_000)
    output = subprocess.run([program("query-formats"), str(options.size), str(options.seed)],
                            stdout=subprocess.PIPE, check=True).stdout.decode()
    lines = collections.defaultdict(list)
    # Not splitlines: names contain other line separators.
    for text in output.rstrip("\n").split("\n"):
        line = json.loads(text)
        lines[line["format"], line["case"]].append(line)

    differences, (by_format, missing) = Differences(), decoders()
    for (name, case), group in lines.items():
        encoded = sorted((line for line in group if "text" in line), key=lambda line: len(line["text"]))
        rejected = [line["error"] for line in group if "error" in line]
        print(f"{name}, {case}: {len(group)} trees, {len(rejected)} rejected")
        if case == "fitting":
            differences.compare("encoders", name, rejected[:1], [])
        for decoder, decode in by_format[name]:
            trees = [line for line in encoded if decoder != "qs-codec" or not is_misread(line["tree"])]
            results = decode([line["text"] for line in trees])
            differences.compare("decoders", decoder, len(results), len(trees))
            for line, received in zip(trees, results):
                value = meant(line["tree"], line["options"]) or {}
                differences.compare(f"{name} by {decoder}", line["text"], received, value,
                                    arrives(name, decoder, value, received or {}))
    differences.report()
    unread = [name for name, _ in lines if not by_format[name]]
    return (f"{sum(map(len, lines.values()))} trees" + (f", without {', '.join(missing)}" if missing else "")
            + (f", no decoder for {', '.join(sorted(set(unread)))}" if unread else ""))
