import CatenaSystem
import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// The rule for names of files.
@Suite(.gated)
struct InnerPathTests {
  private let folder = TemporaryFolder()

  /// Makes files and links beside a secret file.
  private func makeFiles() throws -> URL {
    let inner = folder.url("inner")
    for name in ["inner/a/.git", "inner/.well-known", "inner/..2026/deep"] {
      try FileManager.default.createDirectory(
        at: folder.url(name), withIntermediateDirectories: true)
    }
    for name in [
      "secret", "inner/file", "inner/a/file", "inner/.env", "inner/a/.git/config",
      "inner/.well-known/file", "inner/..2026/file", "inner/..2026/deep/file", "inner/..2026/.env",
      "inner/..file",
    ] {
      _ = try folder.file(name, "text")
    }
    for (name, target) in [
      ("out", "../secret"), ("up", ".."), ("hidden", ".env"), ("inside", "a/file"),
      ("broken", "none"), ("brokenOut", "../none"), ("loop", "loop"), ("ofFolder", "a"),
      // The links of a volume of Kubernetes, and other ones.
      ("..data", "..2026"), ("volume", "..data/file"), ("volumeFolder", "..data/deep"),
      ("volumeHidden", "..data/.env"), ("toVersions", "..data"), ("dots", "..file"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: inner.appending(path: name).path, withDestinationPath: target)
    }
    return inner
  }

  @Test(arguments: [
    ("../secret", "leads out of its folder"), ("a/../../secret", "leads out of its folder"),
    ("a/..", "leads out of its folder"), ("%2e%2E/secret", "leads out of its folder"),
    ("..\\secret", "leads out of its folder"), ("/etc/passwd", "is absolute"),
    ("//etc/passwd", "is absolute"), (".env", "is hidden"), ("a/.git/config", "is hidden"),
    ("./.env", "is hidden"), ("...", "is hidden"), ("a\0b", "contains a null character"),
    ("out", "is a link out of its folder"), ("up/secret", "is a link out of its folder"),
    ("hidden", "is a link to a hidden file"), ("..2026/file", "is hidden"),
    ("..data/file", "is hidden"), ("volumeHidden", "is a link to a hidden file"),
    ("toVersions/.env", "is hidden"), ("toVersions", "is a link to a hidden file"),
    ("dots", "is a link to a hidden file"),
  ])
  func aNameThatIsNotInTheFolderIsRefused(name: String, problem: String) throws {
    let inner = try makeFiles()
    let violation = #expect(throws: InnerPath.Violation.self) {
      try InnerPath(name).resolved(in: inner)
    }
    let reason = try #require(violation).reason
    #expect(reason.hasPrefix("the name \(name.debugDescription) \(problem); names of files are "))
    let error = #expect(throws: MockFile.ReadError.self) { try MockFile(name, in: inner).read() }
    #expect(error?.reason == reason)
  }

  @Test(arguments: [
    ("file", true), ("./a//file", true), ("inside", true), ("ofFolder/file", true),
    (".well-known/file", true), ("volume", true), ("volumeFolder/file", true),
    ("none", false), ("broken", false), ("loop", false),
    ("file/none", false),
  ])
  func aNameInTheFolderIsFoundIfItExists(name: String, exists: Bool) throws {
    let inner = try makeFiles()
    let path = try InnerPath(name).resolved(in: inner)
    #expect((path != nil) == exists)
    guard exists else { return }
    #expect(try MockFile(name, in: inner).read() == Data("text".utf8))
  }

  @Test(arguments: ["file", "a/file"])
  func aFileThatIsReplacedByALinkAfterTheCheckIsNotOpened(name: String) throws {
    let inner = try makeFiles()
    let path = try #require(try InnerPath(name).resolved(in: inner))
    let first = inner.appending(path: name.split(separator: "/")[0])
    try FileManager.default.removeItem(at: first)
    try FileManager.default.createSymbolicLink(
      atPath: first.path, withDestinationPath: name == "file" ? "../secret" : "ofFolder")
    #expect(throws: FileError.self) { _ = try path.open() }
  }

  @Test(arguments: [
    ("new", true), ("new/folder/file", true), ("a/new", true), ("ofFolder/new", true),
    ("up/new", false), ("brokenOut", false), ("broken", false), ("hidden", false),
  ])
  func aFileIsCreatedOnlyInTheFolder(name: String, isAllowed: Bool) throws {
    let inner = try makeFiles()
    let location = try? InnerPath(name).location(in: inner)
    #expect((location != nil) == isAllowed)
    if let location { #expect(location.path == inner.appending(path: name).path) }
  }
}
