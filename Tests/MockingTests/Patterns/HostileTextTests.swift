import Foundation
import NetworkingXML
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts
@testable import MockingDocuments
@testable import MockingRecordings
@testable import MockingResources
@testable import MockingStubs
@testable import MockingTemplates
@testable import Networking
@testable import NetworkingStreams

/// Readers of foreign texts take a bounded stack, whatever the depth, the width and the length of a text.
///
/// The tests run on threads with 512 KiB of stack, as the secondary threads of Apple's platforms. The
/// steps of readers that count them are in proportion to the length. The other readers have targets in
/// `Tests/Fuzzing`, which measure the growth of the time.
@Suite(.gated) struct HostileTextTests {
  /// A reader, and the texts that nest in its syntax.
  struct Reader: Sendable, CustomTestStringConvertible {
    let name: String
    var start = ""
    var opening = ""
    var content = "1"
    var separator = ","
    var closing = ""
    var end = ""
    /// The number of levels that the reader accepts.
    ///
    /// `nil` if it has no limit.
    var accepted: Int?
    /// The limit for ``steps`` for each byte.
    var stepsPerByte = 0
    /// Reads a text, and returns the number of steps.
    ///
    /// `nil` if the reader does not count them.
    var steps: (@Sendable (_ text: String) -> Int)?
    /// Reads a text, and uses the value.
    ///
    /// It throws an error if the text is refused.
    let read: @Sendable (_ text: String) throws -> Void

    var testDescription: String { "\(name) \(opening)" }

    /// Returns a text.
    ///
    /// - Parameters:
    ///   - depth: The number of levels.
    ///   - width: The number of elements.
    ///   - length: The number of times that the last letter or digit of an element occurs.
    /// - Returns: The text.
    func text(depth: Int, width: Int, length: Int = 1) -> String {
      var content = content
      if let last = content.lastIndex(where: { $0.isLetter || $0.isNumber }) {
        content.replaceSubrange(last...last, with: String(repeating: content[last], count: length))
      }
      let contents = Array(repeating: content, count: width).joined(separator: separator)
      return start + String(repeating: opening, count: depth) + contents
        + String(repeating: closing, count: depth) + end
    }
  }

  private struct Refused: Error {}

  private static func expect(_ value: (some Any)?) throws {
    if value == nil { throw Refused() }
  }

  private static func json(_ text: String) throws -> JSON { try JSON(parsing: Data(text.utf8)) }

  // MARK: Readers

  private static func yaml(_ text: String) throws {
    _ = try YAMLReader.read(Data(text.utf8)).json.description
  }

  private static func regex(_ text: String) throws {
    let expression = RegularExpression(text)
    if expression.validationError != nil { throw Refused() }
    _ = expression.isFound(in: String(repeating: "a", count: 200))
  }

  /// Returns the number of instructions that a search in 200 characters visits.
  private static func regexSteps(_ text: String) -> Int {
    var work = 0
    _ = RegularExpression(text).isFound(in: String(repeating: "a", count: 200), counting: &work)
    return work
  }

  private static func jsonSteps(_ text: String) -> Int {
    var steps = 0
    _ = try? JSON.parse(Data(text.utf8), counting: &steps)
    return steps
  }

  private static func redactionSteps(_ text: String) -> Int {
    var work = 0
    _ = Redactor.standard.maskedText(text, counting: &work)
    return work
  }

  /// Reads the records of a body, as lines and as a sequence.
  private static func jsonLines(_ text: String) throws {
    for isSequence in [false, true] {
      var lines = LineSplitter(.lineFeed, limit: 1 << 24)
      var framer = JSONRecordFramer(limit: 1 << 24)
      framer.isSequence = isSequence
      lines.append(Data(text.utf8))
      while let line = try lines.next({ Data($0) }) {
        framer.append(line)
        while let record = try framer.next() { _ = try JSON(parsing: record.text) }
      }
      _ = framer.finish()
    }
  }

  private static func charsets(_ text: String) {
    for charset in ["utf-8", "utf-16", "utf-32", "gb18030", "shift_jis", "iso-2022-jp", "big5"] {
      let head = HTTPResponseHead(
        status: 200, headers: ["Content-Type": "text/plain; charset=\(charset)"])
      let response = Response(
        head: head, data: Data(text.utf8), request: HTTPRequest(url: .of("https://a.example/")))
      _ = try? StringSerializer().serialize(response)
    }
  }

  private static let patterns: [Reader] = [
    Reader(
      name: "regex", opening: "(", content: "a", separator: "", closing: ")", accepted: 39,
      stepsPerByte: 50, steps: regexSteps
    ) { try regex($0) },
    Reader(
      name: "regex", opening: "(?:a|", content: "a", separator: "", closing: ")*", accepted: 39,
      stepsPerByte: 50, steps: regexSteps
    ) { try regex($0) },
    Reader(
      name: "regex", opening: "[a", content: "b", separator: "", closing: "]", stepsPerByte: 50,
      steps: regexSteps
    ) { try regex($0) },
    Reader(
      name: "JSON path", start: "$", opening: "[?@.a && (", content: "@.b == 1", separator: " || ",
      closing: ")]", accepted: 1
    ) { _ = try JSONPath($0).values(in: ["a": [["b": 1]]]) },
    Reader(
      name: "JSON path", start: "$[?", opening: "(", content: "@.b == 1", separator: " || ",
      closing: ")", end: "]", accepted: 30
    ) { _ = try JSONPath($0).values(in: [["b": 1]]) },
    Reader(name: "JSON path", start: "$", opening: "..a", content: "", separator: "") {
      _ = try JSONPath($0).values(in: ["a": ["a": 1]])
    },
    Reader(name: "JSON pointer", opening: "/a", content: "", separator: "") {
      try expect(JSONValuePath(pointer: $0))
    },
    Reader(
      name: "template", start: "{{ ", opening: "(", separator: " or ", closing: ")", end: " }}",
      accepted: 13
    ) { _ = try TemplateText($0) },
    Reader(name: "template", start: "{{ ", opening: "pick(", closing: ")", end: " }}", accepted: 13)
    {
      _ = try TemplateText($0)
    },
    Reader(name: "template", opening: "{{#if 1}}", separator: "", closing: "{{/if}}", accepted: 13)
    {
      _ = try TemplateText($0)
    },
    Reader(
      name: "template", opening: "{{#each body}}", separator: "", closing: "{{/each}}",
      accepted: 13
    ) { _ = try TemplateText($0) },
    Reader(name: "YAML", opening: "[", closing: "]", accepted: 127) { try yaml($0) },
    Reader(name: "YAML", opening: "{a: ", content: "b", separator: " ", closing: "}", accepted: 127)
    {
      try yaml($0)
    },
    Reader(name: "YAML", opening: "- ", content: "a", separator: " ", accepted: 127) {
      try yaml($0)
    },
    Reader(name: "YAML", opening: "? ", content: "a", separator: " ", accepted: 1) { try yaml($0) },
    Reader(
      name: "XML", opening: "<a>", content: "<b/>", separator: "", closing: "</a>", accepted: 511
    ) {
      let document = try XML.Document(parsing: $0)
      _ = try document.text(.indented)
      _ = document.root.string.isEmpty && document == document
    },
    Reader(name: "JSON lines", opening: "[", closing: "]", end: "\n", accepted: 126) {
      try jsonLines($0)
    },
    Reader(
      name: "JSON sequence", start: "\u{1E}", opening: "{\n\"a\":", content: "[1]",
      separator: ",\"b\":", closing: "\n}", end: "\n"
    ) { try jsonLines($0) },
  ]

  /// Two readers of each kind of value, and one of schemas within schemas.
  private static let values: [Reader] = [
    ("[", ",", "]"), (#"{"a":"#, #","b":"#, "}"), (#"{"properties":{"a":"#, #","b":"#, "}}"),
  ].flatMap { (opening: String, separator: String, closing: String) in
    func reader(
      _ name: String, _ accepted: Int? = nil, _ read: @escaping @Sendable (JSON) throws -> Void
    ) -> Reader {
      Reader(
        name: name, opening: opening, content: #"["a"]"#, separator: separator, closing: closing,
        accepted: accepted, stepsPerByte: 3, steps: jsonSteps
      ) { text in try read(try json(text)) }
    }
    return [
      reader("schema") { _ = SchemaFixture.violations(["a": ["a": [1]]], $0) },
      reader("value") { value in
        for schema in [
          ##"{"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"}}"##,
          ##"{"additionalProperties":{"anyOf":[{"$ref":"#"}]},"items":{"oneOf":[{"$ref":"#"}]}}"##,
          ##"{"unevaluatedProperties":{"$ref":"#"},"unevaluatedItems":{"$ref":"#"}}"##,
          #"{"uniqueItems":true,"enum":[1,{"a":1}]}"#,
        ] {
          _ = SchemaFixture.violations(value, try json(schema))
        }
      },
      reader("template", closing == "}}" ? nil : 60) { value in
        _ = try TemplateJSON(value)
        _ = TemplateJSON.isTemplate(value)
      },
      reader("JSON path") { value in
        for path in ["$..a", "$..*", "$..[?@.a]", "$[?@ == @]"] {
          _ = try JSONPath(path).values(in: value)
        }
      },
      reader("JSON patch") { value in
        let add: JSON = ["op": "add", "path": "/a", "value": value]
        _ = try? JSONPatch([add, ["op": "test", "path": "", "value": value]]).applied(to: value)
        _ = JSON.dictionary(["a": value]).merging(value)
      },
      reader("pattern") { value in
        for pattern in [JSONPattern.equal(value), .containing(value), .containing(1)] {
          _ = pattern.matches(value)
          _ = pattern.description
        }
        _ = TextSearch.contains(Array("b".utf8), in: value)
      },
      reader("names") { value in
        var order = MemberOrder()
        order.learn(value)
        var schema = InferredSchema()
        schema.add(value)
      },
      reader("archive") { value in
        _ = HAR(json: ["log": ["version": "1.2", "entries": [value], "x": value]])
        _ = MaskedValues.isContained(in: value)
      },
    ]
  }

  /// The texts of fields, which do not nest.
  private static let fields: [Reader] = [
    Reader(name: "query", opening: "a[", content: "a=b", separator: "&", closing: "]") {
      _ = RequestQuery(Substring($0))
    },
    Reader(name: "cookie", opening: "a=", content: "a=b", separator: "; ") {
      _ = SetCookie($0)
      _ = ReceivedRequest.of("GET", "/", ["Cookie": $0]).cookies
    },
    Reader(name: "charset", opening: "\u{1B}$B", content: "é", separator: "\u{1B}(B") {
      charsets($0)
    },
    Reader(name: "links", opening: "<", content: "<a>; rel=\"next\"", closing: ">") {
      _ = WebLink.parse($0)
    },
    Reader(
      name: "media type", start: "multipart/mixed; a=", opening: "\"\\", content: "a=b",
      separator: ";", closing: "\""
    ) { _ = MediaType($0) },
    Reader(name: "events", opening: "data: ", content: "data: a\n\n", separator: "\n") { text in
      var parser = ServerSentEventParser(limit: 1 << 20)
      parser.append(Data(text.utf8))
      while try parser.next() != nil {}
    },
    Reader(
      name: "multipart", opening: "--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n",
      content: "--b\r\n\r\na", separator: "\r\n", closing: "\r\n--b--\r\n"
    ) { text in
      let fields: HTTPHeaders = ["Content-Type": "multipart/form-data; boundary=b"]
      let request = ReceivedRequest.of("POST", "/", fields, text)
      _ = request.parts.count + request.form.items.count
      _ = Redactor(purpose: .recording).maskedBody(text, mimeType: "multipart/mixed; boundary=b")
    },
    Reader(
      name: "redaction", opening: #"{\"a\":\""#, content: "token=1", separator: "&",
      stepsPerByte: 6, steps: redactionSteps
    ) {
      _ = Redactor.standard.maskedBody(Data($0.utf8), contentType: "text/plain")
    },
    Reader(
      name: "URL", start: "https://a.example/", opening: "../a;b/", content: "c=d",
      separator: "&"
    ) { _ = Redactor.standard.maskedBody(Data($0.utf8), contentType: "text/html") },
  ]

  private static let shapes: [(depth: Int, width: Int, length: Int)] =
    [1, 10, 13, 30, 31, 39, 60, 63, 120, 126, 127, 250, 500, 511, 20_000].flatMap {
      [($0, 1, 1), ($0, 50, 1)]
    } + [(1, 2_000, 1), (13, 2_000, 1), (1, 1, 20_000), (13, 1, 20_000), (30, 50, 200)]

  // MARK: Tests

  @Test(arguments: patterns + values + fields)
  func aTextIsReadOrRefusedOnASmallStack(_ reader: Reader) async {
    await onThread(stackSize: 512 << 10) {
      for shape in Self.shapes {
        let text = reader.text(depth: shape.depth, width: shape.width, length: shape.length)
        let isAccepted = (try? reader.read(text)) != nil
        if let steps = reader.steps?(text) {
          #expect(steps <= reader.stepsPerByte * (text.utf8.count + 8), "\(shape)")
        }
        guard let accepted = reader.accepted, shape.length == 1, shape.width <= 50 else { continue }
        if shape.depth <= accepted { #expect(isAccepted, "\(shape): \(text.prefix(60))") }
        if shape.depth >= max(250, 2 * accepted) {
          #expect(!isAccepted, "\(shape): \(text.prefix(60))")
        }
      }
    }
  }

  @Test(arguments: [(32, [32]), (33, [32, 128]), (200, [32, 128])])
  func onlyADeepInputIsReadAgainOnALargerStack(depth: Int, limits: [Int]) {
    let caller = Thread.current
    var (runs, isOnCaller): ([Int], [Bool]) = ([], [])
    LargeStack.run(usualDepth: 32, maximumDepth: 128) { limit, isTooDeep in
      runs.append(limit)
      isOnCaller.append(Thread.current === caller)
      isTooDeep = depth > limit
    }
    #expect(runs == limits)
    #expect(isOnCaller == limits.map { $0 == 32 })
  }

  @Test(arguments: ["json", "har", "stubs", "contract"])
  func aFileIsReadOrRefusedOnASmallStack(_ kind: String) async throws {
    let folder = TemporaryFolder()
    let deepest = 118
    for (name, depth) in [("deepest", deepest), ("deeper", 300), ("deep", 20_000)] {
      let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      let file = folder.url("\(kind)-\(name).json")
      let text =
        switch kind {
        case "har": #"{"log": {"version": "1.2", "entries": [], "_x": \#(nested)}}"#
        case "stubs": #"{"routes": [{"path": "/a", "json": \#(nested)}]}"#
        case "contract":
          #"{"openapi": "3.1.0", "info": {"title": "A", "version": "1"}, "paths": {}, "x-a": \#(nested)}"#
        default: nested
        }
      try Data(text.utf8).write(to: file)
      await onThread(stackSize: 512 << 10) {
        let isAccepted =
          switch kind {
          case "har": (try? HAR(contentsOf: file)) != nil
          case "stubs": (try? StubFile(contentsOf: file)) != nil
          case "contract": (try? Contract(contentsOf: file)) != nil
          default: (try? JSONDocumentError.json(in: Data(text.utf8))) != nil
          }
        #expect(isAccepted == (name == "deepest"), "\(kind) \(name)")
      }
    }
  }
}
