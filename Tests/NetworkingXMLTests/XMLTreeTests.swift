import Foundation
import NetworkingXML
import TestGate
import Testing

/// The tree: building, access, search, writing.
@Suite(.gated)
struct XMLTreeTests {
  private static let shop = XML.Namespace("urn:shop", prefix: "s")

  private let order = Self.shop("order", ["id": 7, "gift": nil, "express": true]) {
    Self.shop("item", ["sku": "A1"]) { "Kite" }
    XML("note") {
      "As a "
      XML("b") { "gift" }
      XML.Node.comment("x")
    }
    Self.shop("item", ["sku": "B2"]) { " 12\n" }
  }

  // MARK: - Building and access

  @Test func aTreeIsWrittenInTheShapeOfItsCode() throws {
    #expect(
      try order.text() == """
        <s:order xmlns:s="urn:shop" id="7" express="true"><s:item sku="A1">Kite</s:item>\
        <note>As a <b>gift</b><!--x--></note><s:item sku="B2"> 12
        </s:item></s:order>
        """)
  }

  @Test func contentHasConditionsAndLoops() throws {
    let names: [String]? = ["x", "y"]
    let list = XML("list") {
      for name in names ?? [] { XML("name") { name } }
      if names == nil { "none" } else { XML("count") { names?.count } }
      if let last = names?.last { XML("last") { last } }
      Double.infinity
      Optional<String>.none
    }
    #expect(
      try list.text()
        == "<list><name>x</name><name>y</name><count>2</count><last>y</last>INF</list>")
  }

  @Test func aPathSelectsByNameAndPosition() {
    let document = XML.Document(order)
    #expect(document["order", "item"]?.string == "Kite")
    #expect(document["order", 1, "b"]?.string == "gift")
    #expect(document[0, 2]?[attribute: "sku"] == "B2")
    #expect(document["order", .name("item", in: Self.shop)]?.string == "Kite")
    #expect(document["order", .name("note", in: Self.shop)] == nil)
    #expect(document["item"] == nil)
    #expect(document["order", 3] == nil)
    #expect(document["order", -1] == nil)
    #expect(document[] == nil)
    #expect(order[] == order)
  }

  @Test func aSearchFindsElementsAnywhereInDocumentOrder() {
    let tree = XML("a") {
      XML("b") { XML("a", ["n": 1]) { XML("a", ["n": 2]) } }
      Self.shop("a", ["n": 3])
    }
    #expect(tree.all("a").map { $0[attribute: "n"] } == ["1", "2", "3"])
    #expect(tree.all("a", in: Self.shop).map { $0[attribute: "n"] } == ["3"])
    #expect(tree.first("a")?[attribute: "n"] == "1")
    #expect(tree.first("c") == nil)
    #expect(XML.Document(tree).all("a").count == 4)
    #expect(XML.Document(tree).first("a") == tree)
    #expect(tree.elements("a").count == 1)
    #expect(tree.elements.map(\.name.local) == ["b", "a"])
  }

  @Test func textsHaveTypes() {
    func element(_ text: String) -> XML { XML("x") { text } }
    #expect(order["note"]?.string == "As a gift")
    #expect(order[2]?.int == 12)
    #expect(element("1.5").int == nil)
    #expect(element(" -1.5e3 ").double == -1500)
    #expect(element("-INF").double == -.infinity)
    #expect(element("0x10").double == nil)
    #expect(element("infinity").double == nil)
    #expect(
      [" true ", "1", "0", "false", "yes"].map { element($0).bool } == [
        true, true, false, false, nil,
      ])
    #expect(element("300").value(as: UInt8.self) == nil)
    #expect(XML("x", [XML.Name("nil", in: .xsi): true]).isNil)
    #expect(!XML("x", ["nil": true]).isNil)
  }

  @Test func attributesAreReplacedAppendedAndRemoved() {
    var element = XML("a", ["x": 1, "y": 2])
    element[attribute: "x"] = "3"
    element[attribute: "z"] = "4"
    element[attribute: "y"] = nil
    #expect(element.attributes == [XML.Attribute("x", "3"), XML.Attribute("z", "4")])
  }

  // MARK: - Writing

  @Test func theIndentedLayoutKeepsTexts() throws {
    let tree = XML("a", ["x": 1]) {
      XML("b") {
        XML("c")
        "\n   "
        XML.Node.comment("d")
      }
      XML("e") {
        "text "
        XML("f")
      }
      XML("g", [XML.Name("space", in: .xml): "preserve"]) { XML("h") }
    }
    let text = """
      <a x="1">
        <b>
          <c/>
          <!--d-->
        </b>
        <e>text <f/></e>
        <g xml:space="preserve"><h/></g>
      </a>
      """
    #expect(try tree.text(.indented) == text)
    #expect(try XML.Document(parsing: text).root.text(.indented) == text)
    #expect(
      try XML.Document(tree).text(.indented)
        == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(text)\n")
  }

  @Test(arguments: [
    "<&>\"'", "a\rb\r\nc\nd\te", " x ", "]]>", "]]]>]]>", "\u{85}\u{2028}\u{FEFF}", "😀é\u{10FFFF}",
    "\r",
  ])
  func eachTextSurvivesARoundTrip(_ text: String) throws {
    var tree = XML("a", ["b": text]) { text }
    #expect(try XML.Document(parsing: tree.text()).root == tree)
    tree.children = [.cdata(text)]
    #expect(try XML.Document(parsing: tree.text()).root.string == text)
  }

  private static let impossibleTrees: [XML] = [
    XML("a") { "\u{0}" }, XML("a") { "x\u{1F}" }, XML("a", ["b": "\u{FFFE}"]), XML(""), XML("a b"),
    XML("p:a"), XML("1"), XML("a", ["xmlns": "x"]), XML("a", ["b": 1, "b": 2]), XML("a", ["b>": 1]),
    XML("a") { XML.Node.comment("a--b") }, XML("a") { XML.Node.comment("a-") },
    XML("a") { XML.Node.instruction(target: "XML", text: "") },
    XML("a") { XML.Node.instruction(target: "p", text: "?>") },
    XML("a", in: XML.Namespace("urn:a", prefix: "xmlns")), XML("a") { XML.Node.cdata("\u{B}") },
    XML(XML.Name("a"), namespaces: [XML.Namespace("", prefix: "p")]),
    XML(XML.Name("a"), namespaces: [XML.Namespace("urn:a")]),
  ]

  @Test(arguments: impossibleTrees)
  func aTreeThatXMLCannotContainIsAnError(_ tree: XML) {
    #expect(throws: XMLError.self) { try tree.text() }
    #expect(throws: XMLError.self) { try XML.Document(tree).data(.indented) }
  }

  @Test func onlyCommentsAndInstructionsAreOutsideOfTheRoot() throws {
    let document = XML.Document(XML("a"), prolog: [.comment("c")], epilog: [.text("x")])
    #expect(throws: XMLError.self) { try document.text() }
  }

  @Test func aTreeThatIsTooDeepIsAnError() {
    var tree = XML("a")
    for _ in 0..<XML.Limits.maximumDepth { tree = XML("a") { tree } }
    #expect(throws: XMLError.self) { try tree.text() }
  }

  // MARK: - Namespaces

  @Test func namespacesAreDeclaredWhereTheyAreNeeded() throws {
    let first = XML.Namespace("urn:1", prefix: "p")
    let second = XML.Namespace("urn:2", prefix: "p")
    let unnamed = XML.Namespace("urn:3")
    let tree = first("a", [XML.Name("x", in: second): 1, XML.Name("y", in: unnamed): 2]) {
      second("b") { first("c") }
      unnamed("d") { XML("e", [XML.Name("z", in: unnamed): 3]) }
    }
    #expect(
      try tree.text() == """
        <p:a xmlns:p="urn:1" xmlns:ns1="urn:2" xmlns:ns2="urn:3" ns1:x="1" ns2:y="2">\
        <p:b xmlns:p="urn:2"><p:c xmlns:p="urn:1"/></p:b>\
        <d xmlns="urn:3"><e xmlns="" ns2:z="3"/></d></p:a>
        """)
    #expect(try XML.Document(parsing: tree.text()).root == tree)
  }

  @Test func aGeneratedPrefixIsNotOneOfTheScope() throws {
    let outer = XML.Namespace("urn:1", prefix: "ns1")
    let unnamed = XML.Namespace("urn:2")
    let tree = outer("a") { outer("b", [XML.Name("x", in: unnamed): 1]) }
    #expect(
      try tree.text() == """
        <ns1:a xmlns:ns1="urn:1"><ns1:b xmlns:ns2="urn:2" ns2:x="1"/></ns1:a>
        """)
  }

  @Test func aPrefixThatATagUsesIsNotDeclaredAgainInIt() throws {
    let inner = XML(
      XML.Name("b"),
      attributes: [
        XML.Attribute(XML.Name("x", in: XML.Namespace("urn:1", prefix: "p")), "1"),
        XML.Attribute(XML.Name("x", in: XML.Namespace("urn:2", prefix: "p")), "2"),
      ])
    let tree = XML.Namespace("urn:1", prefix: "p")("a") { inner }
    #expect(try XML.Document(parsing: tree.text()).root == tree)
  }
}
