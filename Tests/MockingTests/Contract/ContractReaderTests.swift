import Foundation
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingContracts

@Suite(.gated)
struct ContractReaderTests {
  /// Returns the errors of a strict contract.
  private static func issues(_ text: String, in folder: URL? = nil) -> [ContractIssue] {
    do throws(ContractError) {
      _ = try Contract(text: text, in: folder, isStrict: true)
      return []
    } catch { return error.issues }
  }

  @Test func operationsAreListedWithConcretePathsFirst() throws {
    let contract = try ContractFixture.contract()
    #expect(contract.title == "Pets")
    #expect(contract.version == "2")
    #expect(
      contract.operations.map { "\($0.method) \($0.path)" } == [
        "GET /pets", "POST /pets", "GET /pets/mine", "GET /reports/{year}-{month}.pdf",
        "GET /pets/{id}",
      ])
    #expect(contract.operations[0].id == "listPets")
  }

  /// Source: OpenAPI 3.1.1, Operation Object.
  @Test func anOperationOfOpenAPI31NeedsNoResponses() async throws {
    let text = """
      openapi: 3.1.0
      info: {title: Pings, version: "1"}
      paths:
        /ping:
          get: {}
      """
    let contract = try Contract(text: text)
    let record = await MockTransport(contract: contract).get("https://a.test/ping")
    #expect(record.head?.status == 200 && record.body.isEmpty)
    let monitor = ContractMonitor(contract)
    let request = HTTPRequest(url: try #require(URL(string: "https://a.test/ping")))
    monitor.check { CheckedExchange(request, HTTPResponseHead(status: 418), nil) }
    #expect(monitor.report.isKept && monitor.report.exchangeCount == 1)
    let issues = Self.issues(text.replacing("3.1.0", with: "3.0.4"))
    #expect(
      issues.map(\.message) == [
        "expected an object with at least one response; the status is 200, without a body"
      ])
  }

  /// The places are those of a single pass over the document.
  @Test func eachIssueHasItsOwnPosition() {
    let paths = (0..<50).map { "  /p\($0): {get: {responses: {\"\($0)\": {description: a}}}}" }
    let issues = Self.issues(
      "openapi: 3.1.0\ninfo: {title: T, version: \"1\"}\npaths:\n"
        + paths.joined(separator: "\n") + "\n")
    #expect(issues.count == 50)
    for (index, issue) in issues.enumerated() {
      #expect(
        issue.line == 4 + index && issue.pointer == "/paths/~1p\(index)/get/responses/\(index)")
    }
  }

  @Test(arguments: [
    ("path", ContractParameter.Style.simple, false), ("query", .form, true),
    ("cookie", .form, true),
    ("header", .simple, false),
  ])
  func aParameterHasTheStyleOfItsLocation(
    location: String, style: ContractParameter.Style, explodes: Bool
  ) throws {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Styles, version: "1"}
        paths:
          /a/{x}:
            parameters: [{name: x, in: path, required: true, schema: {type: string}}]
            get:
              parameters: [{name: \(location == "path" ? "x" : "y"), in: \(location), required: true, schema: {type: string}}]
              responses: {"200": {description: A}}
        """)
    let parameters = try #require(contract.content.operations.first?.parameters)
    let parameter = try #require(parameters.first { $0.location.rawValue == location })
    #expect(parameter.style == style && parameter.explodes == explodes)
  }

  @Test func aMissingFileIsReportedOnce() {
    let text = """
      openapi: 3.1.0
      info: {title: A, version: "1"}
      paths: {}
      components:
        schemas:
          A: {$ref: "missing.yaml#/A"}
          B: {$ref: "missing.yaml#/B"}
      """
    let issues = Self.issues(text, in: URL(filePath: "/nowhere/", directoryHint: .isDirectory))
    #expect(issues.filter { $0.file.lastPathComponent == "missing.yaml" }.count == 1, "\(issues)")
  }

  @Test func allErrorsAreReportedWithTheirPositions() {
    let text = """
      openapi: 3.0.3
      info: {title: Broken}
      paths:
        /a/{id}:
          get:
            responses: {}
        /b:
          get:
            parameters: [{name: x, in: body}]
            responses: {"200": {$ref: "#/nowhere"}, abc: {description: x}}
        /a/{other}:
          get:
            parameters: [{name: other, in: path, required: true}]
            responses: {"200": {description: x}}
      components:
        schemas:
          A: {type: strin, pattern: "(", minLength: -1}
          B: {$ref: "other.yaml#/B"}
      """
    let issues = Self.issues(text)
    let pointers = Set(issues.map(\.pointer))
    let expected: Set = [
      "/info", "/paths/~1a~1{id}/get", "/paths/~1a~1{id}/get/responses",
      "/paths/~1b/get/parameters/0",
      "/paths/~1b/get/responses/200/$ref", "/paths/~1b/get/responses/abc", "/paths/~1a~1{other}",
      "/paths/~1a~1{other}/get", "/components/schemas/A/type", "/components/schemas/A/minLength",
      "/components/schemas/B/$ref",
      "",
    ]
    #expect(pointers == expected, "\(issues)")
    let type = issues.first { $0.pointer == "/components/schemas/A/type" }
    #expect(type?.line == 17)
    #expect(type?.column == 15)
    #expect(
      issues.contains {
        $0.file.lastPathComponent == "other.yaml" && $0.message.contains("cannot be read")
      })
  }

  @Test func aSyntaxErrorHasItsLineAndColumn() throws {
    let issue = try #require(Self.issues("openapi: 3.1.0\ninfo: {title: [}\n").first)
    #expect((issue.line, issue.column) == (2, 16))
  }

  @Test(arguments: [
    ("swagger: \"2.0\"", "npx swagger2openapi --outfile openapi3.yaml openapi.yaml"),
    ("openapi: 3.1", "quotation marks"),
    ("openapi: 4.0.0", "found 4.0.0"),
    ("[]", "an object"), ("a: 1", "member openapi"),
  ])
  func anotherKindOfDocumentIsRefused(text: String, reason: String) throws {
    let issues = Self.issues(text)
    #expect(issues.contains { $0.message.contains(reason) }, "\(issues)")
  }

  @Test(arguments: [
    ("../outer.yaml", "leads out of the folder of the document"),
    ("a/../../outer.yaml", "leads out of the folder of the document"),
    ("/etc/hosts", "leads out of the folder of the document"),
    ("file:///etc/hosts", "leads out of the folder of the document"),
    (".hidden.yaml", "is hidden"), ("link.yaml", "is a link out of its folder"),
    ("hiddenLink.yaml", "is a link to a hidden file"), ("a/../inner.yaml", nil),
    ("innerLink.yaml", nil),
  ])
  func aReferenceLeadsOnlyToFilesInTheFolderOfTheDocument(
    _ reference: String, _ problem: String?
  ) throws {
    let folder = TemporaryFolder()
    let document = folder.url("api")
    try FileManager.default.createDirectory(
      at: document.appending(path: "a"), withIntermediateDirectories: true)
    for name in ["outer.yaml", "api/inner.yaml", "api/.hidden.yaml"] {
      _ = try folder.file(name, "A: {type: string}")
    }
    for (name, target) in [
      ("link.yaml", "../outer.yaml"), ("hiddenLink.yaml", ".hidden.yaml"),
      ("innerLink.yaml", "inner.yaml"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: document.appending(path: name).path, withDestinationPath: target)
    }
    let text = """
      openapi: 3.1.0
      info: {title: A, version: "1"}
      paths: {}
      components: {schemas: {A: {$ref: "\(reference)#/A"}}}
      """
    let file = try folder.file("api/openapi.yaml", text)
    var messages: [String] = []
    do throws(ContractError) {
      _ = try Contract(contentsOf: file, isStrict: true)
    } catch {
      messages = error.issues.map(\.message)
    }
    #expect(messages.isEmpty == (problem == nil), "\(messages)")
    if let problem {
      #expect(messages.contains { $0.contains("\(problem); names of files are") }, "\(messages)")
    }
  }

  @Test func theErrorOfAMissingDocumentHasItsAbsolutePath() {
    let path = FileManager.default.currentDirectoryPath + "/none.yaml"
    let error = #expect(throws: ContractError.self) { try Contract(file: "none.yaml") }
    #expect(
      error?.description
        == "none.yaml:1:1: the file cannot be read: there is no file \(path)")
  }

  @Test func referencesLeadToOtherFilesAndNeverToTheNetwork() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "contract-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let main = """
      openapi: 3.1.0
      info: {title: Files, version: "1"}
      paths:
        /a: {$ref: "paths.yaml#/a"}
      """
    let paths = """
      a:
        get:
          responses:
            "200":
              description: ok
              content: {application/json: {schema: {$ref: "schemas.json#/A"}}}
      """
    try Data(main.utf8).write(to: folder.appending(path: "api.yaml"))
    try Data(paths.utf8).write(to: folder.appending(path: "paths.yaml"))
    try Data(##"{"A": {"type": "object", "properties": {"a": {"$ref": "#/A"}}}}"##.utf8)
      .write(to: folder.appending(path: "schemas.json"))
    let contract = try Contract(contentsOf: folder.appending(path: "api.yaml"))
    #expect(contract.files.map(\.lastPathComponent) == ["api.yaml", "paths.yaml", "schemas.json"])
    #expect(contract.operations.map(\.path) == ["/a"])

    let remote = main.replacing("paths.yaml", with: "https://127.0.0.1:1/paths.yaml")
    #expect(Self.issues(remote).contains { $0.message.contains("leads nowhere") })
  }

  @Test func circlesOfReferencesEnd() {
    let text = """
      openapi: 3.1.0
      info: {title: Circle, version: "1"}
      paths: {/a: {get: {responses: {"200": {$ref: "#/components/responses/A"}}}}}
      components:
        responses: {A: {$ref: "#/components/responses/B"}, B: {$ref: "#/components/responses/A"}}
        schemas: {A: {$ref: "#/components/schemas/A"}}
      """
    #expect(Self.issues(text).map(\.message) == ["the references form a circle; it has no body"])
  }

  @Test func aPatternWithLookAroundIsAWarning() throws {
    let text = """
      openapi: 3.1.0
      info: {title: Pattern, version: "1"}
      paths: {}
      components: {schemas: {A: {pattern: "a(?!x)"}}}
      """
    let warnings = try Contract(text: text).warnings
    #expect(warnings.map(\.pointer) == ["/components/schemas/A/pattern"])
  }
}
