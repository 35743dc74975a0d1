import Foundation
import NetworkingXML
import TestGate
import TestSupport
import Testing

/// The parser: refused documents, encodings, limits, positions.
@Suite(.gated)
struct XMLParsingTests {
  private func error(_ data: Data, charset: String? = nil, _ limits: XML.Limits = .standard)
    -> XMLError?
  {
    do {
      _ = try XML.Document(parsing: data, charset: charset, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  private func error(_ text: String, _ limits: XML.Limits = .standard) -> XMLError? {
    error(Data(text.utf8), limits)
  }

  // MARK: - Refused documents

  private static let encodings: [String.Encoding] = [
    .utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian, .isoLatin1,
  ]

  @Test(arguments: encodings, [nil, "utf-8", "utf-16le", "utf-16be", "us-ascii"])
  func aDocumentTypeIsRefusedInEachEncoding(
    _ encoding: String.Encoding, _ declared: String?
  ) throws {
    let declaration = declared.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>" } ?? ""
    for text in [
      "<!DOCTYPE a><a/>", "<!DOCTYPE a [<!ATTLIST a b CDATA \"c\">]><a/>",
      "<!--<a>--><?p?>\n<!DOCTYPE a [<!NOTATION n SYSTEM 'x'>]><a/>",
      "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
    ] {
      let data = try #require((declaration + text).data(using: encoding))
      // A declaration of an encoding with wide units in a narrow text is an error of its own.
      #expect([.documentType, .encoding].contains(error(data)?.code), "\(text)")
      #expect(
        error(Data([0xEF, 0xBB, 0xBF]) + Data((declaration + text).utf8))?.code == .documentType)
    }
  }

  @Test(arguments: [
    "", " ", "x", "<a>", "<a></b>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "<a b='<'/>", "<p:a/>",
    "<a>&x;</a>", "<a>&#0;</a>", "<a>&#xFFFE;</a>", "<a>\u{1}</a>", "<a>\u{0}</a>", "<a>]]></a>",
    "<a><!ELEMENT a ANY></a>", "<a><!-- -- --></a>", "<a><!--x</a>", "<a><![CDATA[x</a>",
    "<?1?><a/>",
    "<a xmlns:p=''/>", "<?xml version='1.0'?>",
  ])
  func aTextThatIsNotWellFormedIsAnError(_ text: String) {
    #expect(error(text)?.code == .notWellFormed)
  }

  @Test func anErrorHasItsLineAndColumn() {
    #expect(error("<a>\n<b>\n</c></a>")?.line == 3)
    #expect(error("<a>\n é\u{1}</a>").map { [$0.line, $0.column] } == [2, 4])
    #expect(error("\n<!DOCTYPE a>").map { [$0.line, $0.column] } == [2, 1])
    #expect("\(XMLError(.encoding, "x", line: 2, column: 7))" == "line 2, column 7: x")
  }

  @Test func anErrorContainsNoTextOfTheDocument() {
    for text in [
      "<a b='s3cret></a>", "<a>s3cret</b>", "<a b='s3cret' b='s3cret'/>", "<a>s3cret &x",
    ] {
      #expect(error(text).map { !"\($0)".contains("s3cret") } == true, "\(text)")
    }
  }

  // MARK: - Limits

  @Test func eachLimitIsExact() {
    let limits = XML.Limits(bytes: 60, depth: 3, attributes: 2, nodes: 6)
    #expect(error("<a><b><c/></b></a>", limits) == nil)
    #expect(error("<a><b><c><d/></c></b></a>", limits)?.code == .limitExceeded)
    #expect(error("<a b='' c=''/>", limits) == nil)
    #expect(error("<a b='' c='' d=''/>", limits)?.code == .limitExceeded)
    #expect(error("<a xmlns:p='p'><b xmlns:q='q'/><b xmlns:q='q'/></a>", limits) == nil)
    #expect(
      error("<a xmlns='a'><b xmlns='b'><c xmlns='c'/></b></a>", limits)?.code == .limitExceeded)
    #expect(error("<a><b/><b/><b/>x<b/></a>", limits) == nil)
    #expect(error("<a><b/><b/><b/>x<b/>x</a>", limits)?.code == .limitExceeded)
    #expect(error("<a>" + String(repeating: "x", count: 53) + "</a>", limits) == nil)
    #expect(
      error("<a>" + String(repeating: "x", count: 54) + "</a>", limits)?.code == .limitExceeded)
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
  }

  @Test func anErrorNamesTheLimitOfTheDepthThatApplies() {
    var limits = XML.Limits(depth: .max)
    #expect(XML.Limits().depth == 512)
    #expect(error(Self.nested(512), limits) == nil)
    let above = "the elements are nested deeper than 512, the maximum of all limits"
    #expect(error(Self.nested(513), limits) == XMLError(.limitExceeded, above))
    let standard = XMLError(.limitExceeded, "the elements are nested deeper than 512")
    #expect(error(Self.nested(513)) == standard)
    limits.depth = 3
    let own = XMLError(.limitExceeded, "the elements are nested deeper than 3")
    #expect(error(Self.nested(4), limits) == own)
  }

  /// Secondary threads of Apple's platforms have 512 KiB of stack.
  @Test(arguments: [1, XML.Limits.maximumDepth, 100_000])
  func aDocumentOfAnyDepthIsReadOrRefusedOnASmallStack(depth: Int) async {
    await onThread(stackSize: 512 << 10) {
      let text = Self.nested(depth)
      let document = try? XML.Document(parsing: text)
      #expect((document != nil) == (depth <= XML.Limits.maximumDepth))
      guard let document, let other = try? XML.Document(parsing: text) else { return }
      #expect(document == other && document.hashValue == other.hashValue)
      let data = try? document.data()
      #expect(data.flatMap { try? XML.Document(parsing: $0) } == document)
      #expect((try? document.text(.indented))?.isEmpty == false)
      #expect("\(document.root)" == (try? document.root.text()))
      #expect("\(document)".utf8.count > 7 * (depth - 1))
      #expect(document.root.string.isEmpty && document.all("a").count == depth)
      #expect(document.first("b") == nil)
      var changed = document
      changed.root.children.append(.text("b"))
      #expect(changed != document)
    }
  }

  @Test func manyAttributesAreRefusedBeforeTheParserComparesThem() {
    let attributes = (0..<100_000).map { " a\($0)=''" }.joined()
    #expect(error("<a\(attributes)/>")?.code == .limitExceeded)
    #expect(error("<?1 <a\(attributes)/>?><a/>")?.code == .notWellFormed)
  }

  // MARK: - Encodings

  @Test func theByteOrderMarkOverridesTheCharsetAndThatTheDeclaration() throws {
    let declared = "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>"
    let utf8 = Data(declared.utf8)
    let mark = Data([0xEF, 0xBB, 0xBF])
    let utf16 = try #require(declared.data(using: .utf16BigEndian))
    func text(_ data: Data, _ charset: String? = nil) -> String? {
      try? XML.Document(parsing: data, charset: charset).root.string
    }
    #expect(text(utf8) == "\u{C3}\u{A9}")
    #expect(text(utf8, "UTF-8") == "é")
    #expect(text(mark + utf8) == "é")
    #expect(text(mark + utf8, "iso-8859-1") == "é")
    #expect(text(Data([0xFE, 0xFF]) + utf16, "utf-8") == "é")
    #expect(text(utf16) == "é")
    #expect(text(utf16, "utf-16") == "é")
    #expect(text(Data("<a>\u{E9}</a>".unicodeScalars.map { UInt8($0.value) }), "latin1") == "é")
    for unknown in ["klingon", "none", "", "utf8mb4", "'utf-8'"] {
      #expect(text(Data("<a>é</a>".utf8), unknown) == "é")
      #expect(text(Data("<?xml version='1.0' encoding='utf-8'?><a>é</a>".utf8), unknown) == "é")
    }
  }

  @Test func bytesThatAreNotTextInTheEncodingAreAnError() {
    #expect(error(Data([0x3C, 0x61, 0xFF]))?.code == .encoding)
    #expect(error(Data("<a/>x".utf8), charset: "utf-16le")?.code == .encoding)
    #expect(error("<?xml version='1.0' encoding='utf-16'?><a/>")?.code == .encoding)
    #expect(error("<?xml version='1.0' encoding='utf-7'?><a/>")?.code == .encoding)
    #expect(error(Data([0x4C, 0x6F, 0xA7, 0x94, 0x93]))?.code == .encoding)
  }

  // MARK: - Content

  @Test func theTreeHasEachPartOfTheDocumentInOrder() throws {
    let document = try XML.Document(
      parsing: """
        <?xml version="1.0"?><!--c--><?p t?>
        <a xmlns="urn:a" xmlns:q="urn:q" y="1" q:x="2" z="&lt;&amp;&quot;&#10;
        \t">t&gt;&#x1F980;<b xmlns=""/><![CDATA[<&]]><![CDATA[>]]>\r\nu\r<!--d--></a><?e?>
        """)
    let a = XML.Namespace("urn:a")
    var expected = a("a", ["y": 1, XML.Name("x", in: XML.Namespace("urn:q")): 2, "z": "<&\"\n  "]) {
      "t>\u{1F980}"
      XML("b")
      XML.Node.cdata("<&>")
      "\nu\n"
      XML.Node.comment("d")
    }
    #expect(document.root == expected)
    #expect(document.prolog == [.comment("c"), .instruction(target: "p", text: "t")])
    #expect(document.epilog == [.instruction(target: "e", text: "")])
    #expect(document.root.namespaces.map(\.prefix) == ["", "q"])
    expected[attribute: "y"] = "3"
    #expect(document.root != expected)
  }

  @Test func lineEndsAreNormalizedInEachKindOfText() throws {
    let root = try XML.Document(
      parsing: "<a b='1\r\n2\r3'>x\r\ny\rz<![CDATA[x\r\ny\rz\r]]>&#13;</a>"
    ).root
    #expect(root[attribute: "b"] == "1 2 3")
    #expect(root.children == [.text("x\ny\nz"), .cdata("x\ny\nz\n"), .text("\r")])
  }

  @Test func largeTextsAreWhole() throws {
    let text = String(repeating: "é<&] ", count: 200_000)
    for node in [XML.Node.text(text), .cdata(text)] {
      let data = try XML.Document(XML("a", attributes: [], children: [node])).data()
      #expect(try XML.Document(parsing: data).root.children == [node])
    }
  }
}
