import Foundation
import Networking
import TestGate
import Testing

@testable import Mocking
@testable import MockingContracts

private let suiteFolder = ProcessInfo.processInfo.environment["CATENA_JSON_SCHEMA_SUITE"]
  .map { URL(fileURLWithPath: $0) }

/// The cases of JSON-Schema-Test-Suite for the draft 2020-12, which are not a part of this package.
///
/// They run if `CATENA_JSON_SCHEMA_SUITE` is the path of a checkout of
/// https://github.com/json-schema-org/JSON-Schema-Test-Suite.
@Suite(.gated, .enabled(if: suiteFolder != nil))
struct JSONSchemaSuiteTests {
  private static func run(
    _ files: [URL], formats: Bool, _ remotes: [String: JSON]
  ) throws -> (count: Int, failures: [String]) {
    var (count, failures): (Int, [String]) = (0, [])
    for file in files where file.pathExtension == "json" {
      for group in try JSON(parsing: Data(contentsOf: file)).array ?? [] {
        var documents = SchemaDocuments { uri in remotes[uri].map { ($0, .draft202012) } }
        documents.add("https://suite.test/schema", group["schema"])
        var compiler = SchemaCompiler(documents)
        let index = compiler.compile(SchemaPlace(document: "https://suite.test/schema", path: []))
        for test in group["tests"].array ?? [] {
          count += 1
          let violations = SchemaValidator.violations(
            of: test["data"], index, in: compiler.program, assertsFormats: formats)
          if violations.isEmpty != test["valid"].bool {
            failures.append(
              "\(file.lastPathComponent): \(group["description"]), \(test["description"])")
          }
        }
      }
    }
    return (count, failures)
  }

  private static func files(_ path: String) throws -> [URL] {
    let folder = try #require(suiteFolder).appending(path: path)
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .sorted { $0.path < $1.path }
  }

  private static func remotes() throws -> [String: JSON] {
    let root = try #require(suiteFolder).appending(path: "remotes")
    let files =
      FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    var remotes: [String: JSON] = [:]
    for file in files where file.hasSuffix(".json") {
      let data = try Data(contentsOf: root.appending(path: file))
      remotes["http://localhost:1234/\(file)"] = try JSON(parsing: data)
    }
    return remotes
  }

  @Test func allRequiredCasesPass() throws {
    let result = try Self.run(
      try Self.files("tests/draft2020-12"), formats: false, try Self.remotes())
    print(
      "JSON-Schema-Test-Suite 2020-12, required: \(result.count - result.failures.count) of \(result.count)"
    )
    #expect(result.count > 1_000)
    #expect(result.failures == [])
  }

  @Test func theFormatsHaveATable() throws {
    for file in try Self.files("tests/draft2020-12/optional/format") {
      let result = try Self.run([file], formats: true, [:])
      let name = file.deletingPathExtension().lastPathComponent
      print("\(name): \(result.count - result.failures.count) of \(result.count)")
      let isPartial = ["idn-hostname", "ecmascript-regex"].contains(name)
      #expect(isPartial || result.failures == [])
    }
  }
}
