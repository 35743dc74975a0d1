import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The names of files in a stub file of somebody else.
@Suite(.gated)
struct StubFileNameTests {
  /// The members that name files, with `NAME` in place of the name.
  private static let members: [(member: String, text: String)] = [
    ("routes[0].file", #"{"routes": [{"path": "/a", "file": "NAME"}]}"#),
    ("routes[0].file", #"{"routes": [{"path": "/a", "file": "NAME", "template": true}]}"#),
    ("routes[0].folder", #"{"routes": [{"path": "/a/{n*}", "folder": "NAME"}]}"#),
    ("routes[0].data", #"{"routes": [{"resource": "/a", "data": "NAME"}]}"#),
    ("include[0]", #"{"include": ["NAME"]}"#),
    ("include[0]", #"{"include": ["NAME/*.json"]}"#),
    ("store", #"{"store": "NAME", "routes": [{"resource": "/a"}]}"#),
    (
      "routes[0].sequence[0].file",
      #"{"routes": [{"path": "/a", "sequence": [{"file": "NAME"}]}]}"#
    ),
  ]
  private static let names = [
    ("../outer", "leads out of its folder"), ("a/../../outer", "leads out of its folder"),
    ("/tmp/catena-none", "is absolute"), (".hidden", "is hidden"), ("a/.hidden", "is hidden"),
  ]

  @Test(arguments: members, names)
  func aNameOutsideOfTheFolderIsRefusedWithItsMember(
    _ member: (member: String, text: String), _ name: (text: String, problem: String)
  ) throws {
    let folder = TemporaryFolder()
    let stubs = folder.url("stubs")
    for path in ["stubs/a/.hidden", "stubs/.hidden", "outer"] {
      try FileManager.default.createDirectory(
        at: folder.url(path), withIntermediateDirectories: true)
    }
    let file = stubs.appending(path: "stubs.json")
    try Data(member.text.replacing("NAME", with: name.text).utf8).write(to: file)
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: file) }
    let text = try #require(error).description
    #expect(text.contains(": \(member.member): the name \""), "\(text)")
    #expect(text.contains("\" \(name.problem); names of files are relative to"), "\(text)")
    #expect(folder.names == ["outer", "stubs"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url("outer").path).isEmpty)
  }

  @Test(arguments: members)
  func aLinkOutOfTheFolderIsRefused(_ member: (member: String, text: String)) throws {
    let folder = TemporaryFolder()
    let outside = TemporaryFolder()
    _ = try outside.file("a.json", #"{"routes": []}"#)
    try FileManager.default.createSymbolicLink(
      at: folder.url("link"), withDestinationURL: outside.url)
    let file = try folder.file("stubs.json", member.text.replacing("NAME", with: "link"))
    let error = #expect(throws: StubFileError.self) { try StubFile(contentsOf: file) }
    let text = try #require(error).description
    #expect(text.contains(": \(member.member): the name \"link"), "\(text)")
    #expect(text.contains("\" is a link out of its folder; "), "\(text)")
    #expect(outside.names == ["a.json"])
  }

  @Test func aFileThatBecomesALinkIsNotServed() async throws {
    let stubs = try StubFixture(#"{"routes": [{"path": "/a", "file": "a.txt"}]}"#)
    _ = try stubs.folder.file(".env", "secret")
    let file = try stubs.folder.file("a.txt", "text")
    let transport = try stubs.transport()
    #expect(await transport.response("/a") == "200 text")
    try FileManager.default.removeItem(at: file)
    try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: ".env")
    let record = await transport.get(.of("http://a/a"))
    #expect(record.failure?.detail.contains("is a link to a hidden file") == true)
  }
}
