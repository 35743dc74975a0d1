"""Parses seeded multipart bodies with werkzeug, python-multipart and Django, and compares the parts.

The program multipart-bodies writes the bodies, and the names, file names, content types, header fields and contents
of their parts, in order. Every fifth body is not a form; the module email of Python parses it. The escapes of names are
implemented again here, from the HTML Standard. The changes that a parser makes to names are modelled in its class, in
`expected`.
"""

import base64
import collections
import email
import io
import json
import re
import shutil

import django.conf
import python_multipart.multipart as python_multipart
from django.core.files.uploadhandler import MemoryFileUploadHandler, StopFutureHandlers
from django.http.multipartparser import MultiPartParser
from werkzeug.sansio import multipart as werkzeug

from ..support.report import Differences, equal, expect
from ..support.setup import logged, program

Part = collections.namedtuple("Part", "name filename type headers content")


def escaped(name):
    return name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")


def unquoted(name):
    return None if name is None else name.replace("\\\\", "\\").replace('\\"', '"')


def own_headers(pairs):
    return {k.lower(): v for k, v in pairs if k.lower() not in ("content-disposition", "content-type")}


class Werkzeug:
    """Decodes %22, and removes the backslash before any character.

    Gets the body as a whole: version 3.1.9 adds a CR to a content that ends with CR, if a piece ends in the delimiter
    after it.
    """

    @staticmethod
    def parse(body, boundary):
        decoder, parts = werkzeug.MultipartDecoder(boundary.encode()), []
        for data in (body, None):
            decoder.receive_data(data)
            while not isinstance(event := decoder.next_event(), (werkzeug.NeedData, werkzeug.Epilogue)):
                if isinstance(event, (werkzeug.Field, werkzeug.File)):
                    parts.append(Part(event.name, getattr(event, "filename", None), event.headers.get("content-type"),
                                      own_headers(event.headers.items()), []))
                elif isinstance(event, werkzeug.Data):
                    parts[-1].content.append(event.data)
        return [part._replace(content=b"".join(part.content)) for part in parts]

    @staticmethod
    def expected(parts):
        def name(text):
            return None if text is None else re.sub(r"\\(.)", r"\1", text.replace("%22", '"'), flags=re.S)
        return [part._replace(name=name(part.name), filename=name(part.filename)) for part in parts]


class PythonMultipart:
    """Removes the backslash before a quotation mark or a backslash."""

    @staticmethod
    def parse(body, boundary):
        parts, state = [], collections.defaultdict(bytes)

        def collect(key):
            def add(data, start, end):
                state[key] += data[start:end]
            return add

        def part_begin():
            state.clear()
            state["headers"] = []

        def header_end():
            state["headers"].append((state.pop("field").decode(), state.pop("value", b"").decode()))

        def part_end():
            headers = {k.lower(): v for k, v in state["headers"]}
            _, options = python_multipart.parse_options_header(headers.get("content-disposition", "").encode())
            text = {key: options[key].decode() for key in options}
            parts.append(Part(text.get(b"name"), text.get(b"filename"), headers.get("content-type"),
                              own_headers(state["headers"]), state["content"]))

        parser = python_multipart.MultipartParser(boundary, {
            "on_part_begin": part_begin, "on_header_field": collect("field"), "on_header_value": collect("value"),
            "on_header_end": header_end, "on_part_data": collect("content"), "on_part_end": part_end})
        for start in range(0, len(body), 4096):
            parser.write(body[start:start + 4096])
        parser.finalize()
        return parts

    @staticmethod
    def expected(parts):
        return [part._replace(name=unquoted(part.name), filename=unquoted(part.filename)) for part in parts]


class DjangoParser(MultiPartParser):
    def sanitize_file_name(self, file_name):
        # Django removes folders and invisible characters here, which is a rule of Django's.
        return file_name


class DjangoHandler(MemoryFileUploadHandler):
    def handle_raw_input(self, *arguments, **options):
        self.activated = True

    def new_file(self, field_name, file_name, content_type, content_length, charset, extra):
        self.received.append([field_name, file_name, content_type, b""])
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data, start):
        self.received[-1][3] += raw_data

    def file_complete(self, file_size):
        return None


class Django:
    """Strips ASCII white space from names, decodes the content of fields, and keeps only the type of files."""

    @staticmethod
    def parse(body, boundary):
        handler = DjangoHandler()
        handler.received = []
        meta = {"CONTENT_TYPE": f"multipart/form-data; boundary={boundary}", "CONTENT_LENGTH": len(body)}
        post, _ = DjangoParser(meta, io.BytesIO(body), [handler], "utf-8").parse()
        fields = [Part(name, None, None, {}, text) for name, texts in post.lists() for text in texts]
        return fields + [Part(name, file, kind, {}, content) for name, file, kind, content in handler.received]

    @staticmethod
    def expected(parts):
        fields, files = {}, []
        for part in parts:
            name = unquoted(part.name).encode().strip().decode()
            if part.filename:
                kind = part.type.split(";")[0].strip().lower()
                files.append(Part(name, unquoted(part.filename), kind, {}, part.content))
            else:
                text = part.content.decode("utf-8", "replace")
                fields.setdefault(name, []).append(Part(name, None, None, {}, text))
        return [part for same in fields.values() for part in same] + files


def parse_email(body, content_type):
    def data(text):
        # The parser reads bytes above ASCII as surrogates.
        return text.encode("ascii", "surrogateescape")

    message, parts = email.message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + body), []
    expect(not message.defects, message.defects)
    for part in message.get_payload():
        headers = [(name, data(value).decode()) for name, value in part._headers]
        kind = {name.lower(): value for name, value in headers}.get("content-type")
        parts.append(Part(None, None, kind, own_headers(headers), data(part._payload)))
    return parts


def part_of(json_part, is_form):
    """Returns a part with its names as they are in the body."""
    name, filename = json_part.get("name"), json_part.get("filename")
    if is_form:
        name = escaped(re.sub("\r\n|\r|\n", "\r\n", name))
        filename = None if filename is None else escaped(filename)
    return Part(name, filename, json_part.get("type"), own_headers(json_part["headers"].items()),
                base64.b64decode(json_part["content"]))


def run(options):
    if not django.conf.settings.configured:
        django.conf.settings.configure()
    for name in ["DATA_UPLOAD_MAX_MEMORY_SIZE", "DATA_UPLOAD_MAX_NUMBER_FIELDS"]:
        setattr(django.conf.settings, name, None)
    django.conf.settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1 << 30
    folder = options.work / "cases"
    shutil.rmtree(folder, ignore_errors=True)
    logged([program("multipart-bodies"), folder, options.size * 5 // 4, options.seed], options.work / "bodies.log")

    differences, parts_seen, bytes_seen = Differences(), 0, 0
    for line in (folder / "cases.jsonl").read_text().rstrip("\n").split("\n"):
        case = json.loads(line)
        number, content_type, is_form = case["number"], case["contentType"], case["kind"] == "form-data"
        body = (folder / f"{number}.body").read_bytes()
        boundary = re.search(r"boundary=([0-9a-f]{30})", content_type)[1]
        parts = [part_of(part, is_form) for part in case["parts"]]
        parts_seen += len(parts)
        bytes_seen += len(body)
        if is_form:
            equal(content_type, f"multipart/form-data; boundary={boundary}", f"case {number}")
            for parser in (Werkzeug, PythonMultipart, Django):
                differences.compare(parser.__name__, number, parser.parse(body, boundary), parser.expected(parts))
        else:
            if case["kind"] == "related":
                root = (parts[0].type or "text/plain").split(";")[0]
                expect(content_type.endswith(f'; type="{root}"'), content_type)
            differences.compare("PythonMultipart, other kinds", number, PythonMultipart.parse(body, boundary), parts)
            differences.compare("email, other kinds", number, parse_email(body, content_type),
                                [part._replace(name=None, filename=None) for part in parts])
    differences.report()
    expect(differences.counts["Django"] >= options.size, "forms are missing")
    return f"{parts_seen} parts, {bytes_seen / 1e6:.0f} MB"
