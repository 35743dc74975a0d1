import Foundation
import MockingRecordings
import Networking
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The files that are taken for OpenAPI documents.
@Suite(.gated)
struct ContractFileTests {
  @Test(arguments: [
    ("a.json", #"{"openapi": "3.1.0"}"#, true), ("a.json", #"{"swagger": "2.0"}"#, true),
    ("a.json", #"{"routes": [{"path": "/openapi"}]}"#, false),
    ("a.json", #"{"routes": []}"#, false),
    ("a.json", #"{"openapi": "#, false), ("a.yaml", "", true), ("a.YML", "", true),
    ("a.har", #"{"openapi": "3.1.0"}"#, false), ("b.json", nil, false),
  ])
  func aContractIsKnownByItsExtensionOrItsMember(
    _ name: String, _ text: String?, _ isContract: Bool
  ) throws {
    let folder = TemporaryFolder()
    if let text { try Data(text.utf8).write(to: folder.url(name)) }
    #expect(ContractStubs.isContract(folder.url(name)) == isContract)
  }

  @Test func aListThatKeepsNothingIsAWarningIfTheContractIsStateful() throws {
    let folder = TemporaryFolder()
    let file = folder.url("api.yaml")
    let tags = "schema: {type: array, items: {type: string}}"
    let text = """
      openapi: 3.1.0
      info: {title: Tags, version: "1"}
      paths:
        /tags: {get: {responses: {"200": {description: ok, content: {application/json: {\(tags)}}}}}}
        /tags/{tag}:
          parameters: [{name: tag, in: path, required: true, schema: {type: string}}]
          delete: {responses: {"204": {description: gone}}}
      """
    try Data(text.utf8).write(to: file)
    func warnings(_ isStateful: Bool) throws -> [String] {
      let options = StubFile.ContractOptions(isStateful: isStateful)
      return try StubFile(contentsOf: [file], contracts: options).warnings.map(\.description)
    }
    #expect(
      try warnings(true) == [
        "api.yaml: /tags keeps no changes: its items are not objects with members"
      ])
    #expect(try warnings(false) == [])
  }
}

/// Folders of files in stub files.
@Suite(.gated)
struct StubFolderTests {
  /// Returns a stub file with a folder of files beside a secret file.
  private func fixture(_ text: String? = nil) throws -> StubFixture {
    let stubs = try StubFixture(
      text ?? #"""
        {"routes": [
          {"method": "GET", "path": "/images/{name*}", "folder": "images", "headers": {"X-A": "1"}},
          {"path": "/typed/{name}", "folder": "images", "headers": {"Content-Type": "x/y"}},
          {"path": "/one/{kind}/{name}", "folder": "./images/", "delay": "1 ms"}
        ]}
        """#)
    let images = stubs.folder.url("images")
    try FileManager.default.createDirectory(
      at: images.appending(path: "a b/.git"), withIntermediateDirectories: true)
    for (name, text) in [
      ("kite.svg", "<svg/>"), ("a b/ü.txt", "0123456789"), (".env", "secret"),
      ("a b/.git/config", "secret"), ("%2e%2e", "dots"), ("../secret.txt", "secret"),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(images.path)/\(name)"))
    }
    for (name, target) in [("out.txt", "../secret.txt"), ("in.svg", "kite.svg"), ("up", "..")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(images.path)/\(name)", withDestinationPath: target)
    }
    return stubs
  }

  @Test func aFolderServesItsFilesWithTheirTypesAndRanges() async throws {
    let stubs = try fixture()
    let transport = try stubs.transport()
    let kite = await transport.get(.of("http://a/images/kite.svg"))
    #expect(kite.head?.status == 200 && kite.body == Data("<svg/>".utf8))
    #expect(kite.head?.headers["Content-Type"] == "image/svg+xml")
    #expect(kite.head?.headers["X-A"] == "1" && kite.head?.headers["Accept-Ranges"] == "bytes")
    let tag = try #require(kite.head?.headers["ETag"])
    #expect(await transport.response("/images/kite.svg", ["If-None-Match": tag]) == "304 ")
    #expect(
      await transport.response("/images/a%20b/%C3%BC.txt", ["Range": "bytes=2-4"]) == "206 234")
    #expect(await transport.response("/images/in.svg") == "200 <svg/>")
    #expect(await transport.response(.post, "/one/a/kite.svg") == "200 <svg/>")
    let typed = await transport.get(.of("http://a/typed/kite.svg"))
    #expect(typed.head?.headers["Content-Type"] == "x/y")
    #expect(
      try StubFile(contentsOf: stubs.file).summaries.map(\.response)
        == [
          "200, files of images", "200 x/y, files of images",
          "200, files of images, delay 0.001 seconds",
        ])
  }

  @Test(arguments: [
    "/images/none.svg", "/images//kite.svg", "/images/up/", "/images/up", "/images/a%20b/.git/",
    "/images/..%2Fsecret.txt", "/images/%2e%2e%2fsecret.txt", "/images/a%20b/..%2F..%2Fsecret.txt",
    "/images/out.txt", "/images/up/secret.txt", "/images/.env", "/images/a%20b/.git/config",
    "/images/kite.svg%00.txt", "/images/kite.svg/x", "/images/%2Fetc%2Fpasswd",
  ])
  func whatIsNotInTheFolderIsNotFound(target: String) async throws {
    let stubs = try fixture()
    let transport = try stubs.transport()
    let record = await transport.get(try #require(URL(string: "http://a\(target)")))
    #expect(await transport.response("/images/kite.svg") == "200 <svg/>")
    #expect(record.head?.status == 404)
    #expect(record.head?.headers["Content-Type"] == "application/problem+json")
    #expect(record.head?.headers["ETag"] == nil)
    #expect(try JSON(parsing: record.body)["title"] == "Not Found")
  }

  @Test func theIndexOfAFolderHasOnlyNamesThatAreServed() async throws {
    let stubs = try fixture()
    let transport = try stubs.transport()
    let index = await transport.get(.of("http://a/images/"))
    #expect(index.head?.status == 200 && index.head?.headers["X-A"] == "1")
    let page = String(decoding: index.body, as: UTF8.self)
    for name in ["kite.svg", "in.svg", "a b/", "%2e%2e"] { #expect(page.contains(">\(name)</a>")) }
    for name in ["out.txt", "up", "env", "secret"] { #expect(!page.contains(name)) }
    #expect(page.contains("<a href=\"a%20b/\">") && page.contains("<a href=\"%252e%252e\">"))
    let inner = await transport.get(.of("http://a/images/a%20b/"))
    #expect(!String(decoding: inner.body, as: UTF8.self).contains("git"))
  }

  @Test(arguments: [("/images", "/images/"), ("/images/a%20b", "/images/a%20b/")])
  func aFolderWithoutASlashIsRedirected(target: String, location: String) async throws {
    let stubs = try fixture()
    let record = try await stubs.transport().get(try #require(URL(string: "http://a\(target)")))
    #expect(record.head?.status == 308 && record.head?.headers["Location"] == location)
  }

  @Test func aNameIsDecodedOnce() async throws {
    let stubs = try fixture()
    #expect(try await stubs.transport().response("/images/%252e%252e") == "200 dots")
    #expect(FileManager.default.fileExists(atPath: stubs.file.path))
  }

  @Test func aServerServesAFolderInPieces() async throws {
    let stubs = try fixture()
    let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    try bytes.write(to: stubs.folder.url("images/film.bin"))
    let server = try MockServer(stubs: stubs.file)
    defer { server.stop() }
    let transport = PlatformTransport.make()
    let whole = await transport.get(server.url.appending(path: "images/film.bin"))
    #expect(whole.body == bytes)
    #expect(whole.head?.headers["Content-Type"] == "application/octet-stream")
    let missing = await transport.get(server.url.appending(path: "images/none.bin"))
    #expect(missing.head?.status == 404)
    #expect(
      try JSON(parsing: missing.body) == [
        "type": "about:blank", "title": "Not Found", "status": 404,
        "detail": "there is no file \"none.bin\"",
      ])
  }

  private static let rule =
    "; names of files are relative to their folder, without \"..\", hidden files and links to other "
    + "folders"

  private static let mistakes: [(text: String, message: String)] = [
    (
      #"{"routes": [{"path": "/a/{n}", "folder": "../images"}]}"#,
      "1:42: routes[0].folder: the name \"../images\" leads out of its folder\(rule)"
    ),
    (
      #"{"routes": [{"path": "/a/{n}", "folder": "/images"}]}"#,
      "1:42: routes[0].folder: the name \"/images\" is absolute\(rule)"
    ),
    (
      #"{"routes": [{"path": "/a/{n}", "folder": "images/up/.."}]}"#,
      "1:42: routes[0].folder: the name \"images/up/..\" leads out of its folder\(rule)"
    ),
    (
      #"{"routes": [{"path": "/a/{n}", "folder": "link"}]}"#,
      "1:42: routes[0].folder: the name \"link\" is a link out of its folder\(rule)"
    ),
    (
      #"{"routes": [{"path": "/a/{n}", "folder": "{{ path.n }}"}]}"#,
      "1:42: routes[0].folder: the name of a folder cannot be a template, found \"{{ path.n }}\""
    ),
    (
      #"{"routes": [{"path": "/{n}/a", "folder": "images"}]}"#,
      "1:32: routes[0].folder: \"folder\" requires a path that ends with a variable, such as "
        + "\"/images/{name*}\""
    ),
    (
      #"{"routes": [{"path": "/a/{n}", "folder": "images", "text": ""}]}"#,
      "1:32: routes[0].folder: \"folder\" cannot be combined with \"text\""
    ),
  ]

  @Test(arguments: mistakes)
  func aMistakeIsReportedWithItsLocation(text: String, message: String) throws {
    let stubs = try fixture(text)
    let outside = TemporaryFolder()
    try FileManager.default.createSymbolicLink(
      at: stubs.folder.url("link"), withDestinationURL: outside.url)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
    #expect(try #require(error).description == "\(stubs.file.path):\(message)")
  }

  @Test func aMissingFolderAndATemplateInAFileNameAreReported() throws {
    for (member, problem) in [
      (#""folder": "none""#, "routes[0].folder: there is no folder \"none\" in "),
      (#""folder": "secret.txt""#, "routes[0].folder: there is no folder \"secret.txt\" in "),
      (#""file": "{{ path.n }}""#, "routes[0].file: there is no file \"{{ path.n }}\" in "),
    ] {
      let stubs = try fixture(#"{"routes": [{"path": "/a/{n}", \#(member)}]}"#)
      let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: stubs.file) }
      let hint =
        member.contains("{{")
        ? "; the name of a file cannot be a template, but \"folder\" serves all files of a folder: "
          + "{\"path\": \"/images/{name*}\", \"folder\": \"images\"}" : ""
      let text = try #require(error).description
      #expect(text.hasSuffix(": \(problem)\(stubs.folder.url.path)\(hint)"), "\(text)")
    }
  }
}
