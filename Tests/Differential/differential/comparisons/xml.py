"""Compares the XML of NetworkingXML with lxml, and calls a SOAP server of spyne.

- Random trees that the program xml-documents writes, as lxml reads them, and as the program reads them.
- Random documents that lxml writes, in several encodings, as the program writes them anew, in canonical form.
- Documents with a document type declaration in each encoding, entity bombs, and documents beyond the limits.
- Calls with SOAP 1.1 and 1.2, with results and faults.
"""

import base64
import codecs
import json
import logging
import random
import subprocess
import time

from lxml import etree

from ..support.processes import serving, wsgi_server
from ..support.report import equal, expect
from ..support.setup import program

# Reads DOCTYPE and large texts, for the documents of this module.
PARSER = etree.XMLParser(huge_tree=True, resolve_entities=False, strip_cdata=False)


def output(*arguments, **options):
    """Returns the output of the program."""
    return subprocess.run([program("xml-documents"), *map(str, arguments)], stdout=subprocess.PIPE, check=True,
                          timeout=300, **options).stdout.decode()


def copies(documents):
    """Returns each document as the program writes it anew, or its error."""
    lines = b"".join(base64.b64encode(document) + b"\n" for document in documents)
    results = output("copy", input=lines).splitlines()
    equal(len(results), len(documents), "the count of results")
    return [line if line.startswith("error: ") else base64.b64decode(line) for line in results]


def canonical(data):
    return etree.tostring(etree.fromstring(data, PARSER).getroottree(), method="c14n", with_comments=True)


def check_copies(documents):
    for number, (document, copy) in enumerate(zip(documents, copies(documents))):
        expect(not isinstance(copy, str), f"document {number}: {copy}\n{document[:2000]}")
        equal(canonical(copy), canonical(document), f"document {number}\n{document[:2000]}\n")


def tree(element):
    """Returns an element of lxml in the form of the program: its name, its attributes and its content."""
    content = []

    def add(text):
        if text and content and isinstance(content[-1], str):
            content[-1] += text
        elif text:
            content.append(text)

    add(element.text)
    for child in element:
        if child.tag is etree.Comment:
            content.append({"comment": child.text})
        elif child.tag is etree.ProcessingInstruction:
            content.append({"instruction": [child.target, child.text or ""]})
        else:
            content.append(tree(child))
        add(child.tail)
    return [element.tag, [[name, value] for name, value in element.attrib.items()], content]


def without_indentation(node):
    """Removes white space where the indented layout adds and removes it."""
    name, attributes, content = node
    texts = [child for child in content if isinstance(child, str)]
    if len(texts) < len(content) and not any(text.strip(" \n\t") for text in texts):
        content = [child for child in content if not isinstance(child, str)]
    return [name, attributes, [without_indentation(c) if isinstance(c, list) else c for c in content]]


def written_documents(count, seed):
    """Compares the documents that the program writes with its trees."""
    lines = [json.loads(line) for line in output("write", count, seed).split("\n") if line]
    equal(len(lines), count)
    for number, line in enumerate(lines):
        compact, indented = (base64.b64decode(line[name]) for name in ("compact", "indented"))
        equal(tree(etree.fromstring(compact, PARSER)), line["tree"], f"document {number}\n{compact.decode()}\n")
        read = without_indentation(tree(etree.fromstring(indented, PARSER)))
        # A section without text counts as text for the layout, but lxml does not show it.
        expect(read == without_indentation(line["tree"]) or b"<![CDATA[" in indented, f"document {number}, indented")
        expect(line["again"], f"document {number} has another tree when the program reads it\n{compact.decode()}")
    check_copies([base64.b64decode(line["indented"]) for line in lines])


NAMES = ["a", "Body", "é", "x-y", "_1", "名"]
NAMESPACES = ["", "urn:a", "urn:b", "http://e.example/ns?x=1&y=2", "urn:c"]
PREFIXES = [None, "p", "q", "ns0"]
PIECES = ["x", " ", "\n", "\t", "\r", "&", "<", ">", "]]>", '"', "'", "é", "ß", "-", "?", "&amp;", "text "]
WIDE = ["\u2028", "😀", "名", "\ufffd", "\u0416"]
ENCODINGS = ["UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "US-ASCII", "windows-1251", "ISO-8859-15"]


class Generator:
    """Random documents of lxml."""

    def __init__(self, seed):
        self.draw = random.Random(seed)

    def text(self, pieces=tuple(PIECES + WIDE)):
        return "".join(self.draw.choice(pieces) for _ in range(self.draw.randrange(6)))

    def name(self):
        """Returns a name, which has only ASCII characters if the encoding may lack others."""
        while True:
            namespace = self.draw.choice(NAMESPACES)
            name = (f"{{{namespace}}}" if namespace else "") + self.draw.choice(NAMES)
            if self.encoding.startswith("UTF") or name.isascii():
                return name

    def element(self, depth):
        draw = self.draw
        mapping = {p: n for p in PREFIXES if draw.random() < 0.2 for n in [draw.choice(NAMESPACES)] if n}
        node = etree.Element(self.name(), nsmap=mapping)
        for _ in range(draw.randrange(4)):
            node.set(self.name(), self.text())
        node.text = etree.CDATA(self.text().replace("]]>", "")) if draw.random() < 0.1 else self.text()
        for _ in range(draw.randrange(4) if depth else 0):
            kind = draw.random()
            if kind < 0.1:
                child = etree.Comment(self.text(["c", " ", "<", "&", "é"]))
            elif kind < 0.2:
                child = etree.ProcessingInstruction("target", "t" + self.text(["c", " ", "<", "&"]))
            else:
                child = self.element(depth - 1)
            child.tail = self.text()
            node.append(child)
        return node

    def document(self):
        """Returns a document, with its encoding in `encoding`."""
        while True:
            self.encoding = self.draw.choice(ENCODINGS)
            root = self.element(4)
            if self.draw.random() < 0.3:
                root.addprevious(etree.Comment("before"))
                root.addnext(etree.ProcessingInstruction("after", "x"))
            try:
                document = etree.tostring(root.getroottree(), encoding=self.encoding, xml_declaration=True)
                etree.fromstring(document, PARSER)
                return document
            except (UnicodeEncodeError, etree.LxmlError):
                # A comment with a letter that the encoding does not have, or a prefix that lxml declares twice.
                continue


def documents_of_lxml(count, seed):
    generator, encodings, documents = Generator(seed), set(), []
    for _ in range(count):
        documents.append(generator.document())
        encodings.add(generator.encoding)
    # lxml reads UTF-16LE without a mark only by its declaration, as the program does.
    check_copies(documents)
    return len(encodings)


BOMB = '<!DOCTYPE a [<!ENTITY e0 "x">%s]><a>&e30;</a>' % "".join(
    f'<!ENTITY e{i + 1} "&e{i};&e{i};">' for i in range(30))
DOCTYPES = [
    "<!DOCTYPE a><a/>", BOMB, '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '<!DOCTYPE a PUBLIC "x" "http://127.0.0.1:9/x.dtd"><a/>',
    '<!DOCTYPE a [<!ATTLIST a b CDATA "c">]><a/>', '<!DOCTYPE a [<!NOTATION n SYSTEM "x">]><a/>',
    '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/"> %p;]><a/>',
    "<!-- <a> --><?p x?>\n<!DOCTYPE a><a/>", "<!--><a/--><!DOCTYPE a><a/>",
]
MARKS = {"utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE,
         "utf-32-le": codecs.BOM_UTF32_LE, "utf-32-be": codecs.BOM_UTF32_BE}


def document_types():
    """Returns documents with a document type declaration in each encoding, with the codes of their errors."""
    for document in DOCTYPES:
        for codec in [*MARKS, "iso-8859-1", "windows-1252", "shift_jis", "gb18030", "koi8-r"]:
            declared = f'<?xml version="1.0" encoding="{codec}"?>' + document
            yield "documentType", declared.encode(codec)
            if codec in MARKS:
                yield "documentType", MARKS[codec] + document.encode(codec)
                yield "documentType", MARKS[codec] + declared.encode(codec)
                yield "documentType", document.encode(codec)
        # The bytes are UTF-8 to a parser that trusts the declaration of the last line, and UTF-7 to another.
        yield "encoding", b'<?xml version="1.0" encoding="UTF-7"?>' + document.encode("utf-7")
        yield "encoding", b'<?xml version="1.0" encoding="UTF-16"?>' + document.encode()
        yield "encoding", ('<?xml version="1.0" encoding="cp037"?>' + document).encode("cp037")


def other_errors():
    """Returns documents beyond the limits, and others that are not well-formed, with the codes of their errors."""
    many = " ".join(f'a{i}="{i}"' for i in range(300_000)).encode()
    nested = b"".join(b"<a xmlns:n%d='u'>" % i for i in range(257)) + b"</a>" * 257
    for document in [b"<a>" * 300 + b"</a>" * 300, b"<a>" * 2_000_000, b"<a " + many + b"/>", nested,
                     b"<a>" + b"<b/>" * 1_000_001 + b"</a>", b"<a>" + b"x" * (33 << 20) + b"</a>"]:
        yield "limitExceeded", document
    for document in [b"<?1 <x " + many + b"/>?><a/>", b"<a>&x;</a>", b"", b"<p:a/>", b"<a/><b/>", b"<a b='<'/>",
                     b"<a>\x00</a>", b"<a>&#0;</a>", b"<a><!ENTITY x 'y'></a>", b"<a b='1' b='2'/>", b"<a>"]:
        yield "notWellFormed", document
    yield "encoding", b"<a>\xff</a>"


def refused_documents():
    refused = [*document_types(), *other_errors()]
    began = time.monotonic()
    for (code, document), copy in zip(refused, copies([document for _, document in refused])):
        expect(isinstance(copy, str) and copy.startswith(f"error: {code} "), (code, document[:200], copy[:200]))
        expect(len(copy) < 400, f"a long error: {copy[:500]}")
    elapsed = time.monotonic() - began
    expect(elapsed < 120, f"the refused documents took {elapsed:.0f} s")
    return len(refused)


NAMESPACE = "urn:example:calculator"
SOAP_RESULTS = [
    "soap11 sum 42", "soap11 echo true",
    "soap11 fault unacceptableStatus(500) Client.NotFound [] http://schemas.xmlsoap.org/soap/envelope/"
    ' no <such> item true ["k7"]',
    "soap12 sum 42", "soap12 echo true",
    'soap12 fault unacceptableStatus(500) Sender ["NotFound"] http://www.w3.org/2003/05/soap-envelope'
    ' no <such> item true ["k7"]',
]


def soap_calls():
    """Calls a server of spyne. Returns why not, if spyne does not run on this Python."""
    try:
        from spyne import Application, ComplexModel, Fault, Integer, ServiceBase, Unicode, rpc
        from spyne.protocol.soap import Soap11, Soap12
        from spyne.server.wsgi import WsgiApplication
    except ImportError as error:
        return f"without SOAP: spyne does not run on this Python: {error}"
    traces, actions = [], []
    logging.disable(logging.CRITICAL)  # spyne prints each fault.

    class Trace(ComplexModel):
        __namespace__ = NAMESPACE
        id = Unicode

    class Calculator(ServiceBase):
        __in_header__ = Trace

        @rpc(Integer, Integer, _returns=Integer)
        def add(ctx, a, b):
            traces.append(ctx.in_header.id)
            return a + b

        @rpc(Unicode, _returns=Unicode)
        def echo(ctx, text):
            return text

        @rpc(Unicode, _returns=Unicode)
        def fail(ctx, reason):
            raise Fault("Client.NotFound", reason, detail={"key": "k7"})

    applications = {path: WsgiApplication(Application(
        [Calculator], NAMESPACE, name="C", in_protocol=protocol(validator="lxml"), out_protocol=protocol()))
        for path, protocol in [("/1.1/", Soap11), ("/1.2/", Soap12)]}

    def serve(environ, start):
        actions.append((environ.get("HTTP_SOAPACTION"), environ.get("CONTENT_TYPE")))
        return applications[environ["PATH_INFO"]](environ, start)

    with serving(wsgi_server(serve)) as server:
        equal(output("soap", server.url).splitlines(), SOAP_RESULTS)
    logging.disable(logging.NOTSET)
    equal(traces, ["t-soap11", "t-soap12"])
    equal(actions[0], ('"add"', "text/xml; charset=utf-8"))
    equal(actions[3], (None, 'application/soap+xml; charset=utf-8; action="add"'))
    return "SOAP 1.1 and 1.2"


def run(options):
    written_documents(options.size, options.seed)
    encodings = documents_of_lxml(options.size, options.seed)
    refused, soap = refused_documents(), soap_calls()
    return f"{options.size} documents in each direction, {encodings} encodings, {refused} refused documents, {soap}"
