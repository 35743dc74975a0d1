import Foundation
import TestGate
import Testing

@testable import Mocking

/// The reference of stub files is complete, and names nothing that does not exist.
@Suite(.gated)
struct StubFileReferenceTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../../").standardized

  /// The names of all properties in a schema, at any depth.
  private static func properties(in schema: JSON) -> Set<String> {
    switch schema {
    case .dictionary(let members):
      var names: Set<String> = []
      for (name, value) in members {
        if name == "properties", let properties = value.dictionary {
          names.formUnion(properties.keys)
          for property in properties.values { names.formUnion(Self.properties(in: property)) }
        } else {
          names.formUnion(Self.properties(in: value))
        }
      }
      return names
    case .array(let elements): return elements.reduce(into: []) { $0.formUnion(properties(in: $1)) }
    default: return []
    }
  }

  private static func schemaNames() throws -> Set<String> {
    let schema = root.appending(path: "Examples/MockServer/stubs.schema.json")
    return properties(in: try JSON(parsing: Data(contentsOf: schema)))
  }

  /// The rows of the reference, each with its cells.
  private static func rows() throws -> [[String]] {
    let article = root.appending(
      path: "Sources/MockingStubs/MockingStubs.docc/StubFileReference.md")
    return try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("| `") }
      .map { line in
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      }
  }

  /// If this fails, add a row for each missing member to StubFileReference.md.
  @Test func theReferenceHasARowForEachPropertyOfTheSchema() throws {
    let listed = Set(try Self.rows().map { $0[0].trimmingCharacters(in: ["`"]) })
    let known = try Self.schemaNames()
    #expect(known.count > 100)
    #expect(known.subtracting(listed).sorted() == [])
    #expect(listed.subtracting(known).sorted() == [])
  }

  @Test func eachRowHasATypeADefaultAndAnExample() throws {
    for row in try Self.rows() {
      #expect(row.count == 4, "\(row)")
      #expect(row.allSatisfy { !$0.isEmpty }, "\(row)")
      // The example is JSON.
      let example = row.last?.trimmingCharacters(in: ["`"]) ?? ""
      #expect(throws: Never.self, "\(row)") { try JSON(parsing: Data("[\(example)]".utf8)) }
    }
  }
}
