import Foundation

@testable import Mocking
@testable import MockingContracts
@testable import Networking

extension FuzzTarget {
  /// YAML documents.
  static let yaml = FuzzTarget("yaml", maximumLength: 4_096) { input in
    Growth.checkLinear(input) { bytes in _ = try? YAMLReader.read(Data(bytes)) }
    let documents: [DocumentNode]
    do throws(DocumentSyntaxError) {
      documents = try YAMLReader.documents(in: input.data)
    } catch {
      expect((0...input.bytes.count).contains(error.offset), "the error is in the text: \(error)")
      expect(!error.reason.isEmpty, "an error has a reason")
      return
    }
    for document in documents {
      expect(document.height <= YAMLReader.maximumDepth, "the nesting is bounded")
      checkPositions(document, input.bytes.count)
      // A value as JSON is the same document.
      guard let text = try? document.json.data() else { continue }
      let again = try? YAMLReader.read(text).json
      expect(again == document.json, "\(document.json) is \(String(describing: again)) as JSON")
    }
  }

  private static func checkPositions(_ node: DocumentNode, _ count: Int) {
    guard node.size < 80_000 else { return }
    expect((0...count).contains(node.offset), "the offset \(node.offset) is in the text")
    for element in node.elements { checkPositions(element, count) }
    for member in node.members { checkPositions(member.value, count) }
  }

  /// Schemas with values: a JSON array of a schema, a value, and whether the dialect is that of
  /// OpenAPI 3.0.
  static let schemas = FuzzTarget("schemas", maximumLength: 2_048) { input in
    // The work of a validation has a limit of its own, because it may grow with both the schema and the value.
    Growth.checkLinear(input) { bytes in
      guard let schema = (try? JSON(parsing: Data(bytes)))?[0] else { return }
      _ = compile(schema, .draft202012)
    }
    guard let json = try? JSON(parsing: input.data), let parts = json.array, parts.count >= 2 else {
      return
    }
    let dialect: SchemaDialect = parts.count > 2 ? .openAPI30 : .draft202012
    let (compiler, index) = compile(parts[0], dialect)
    for problem in compiler.problems { expect(!problem.reason.isEmpty, "a problem has a reason") }
    let violations = SchemaValidator.violations(
      of: parts[1], index, in: compiler.program, assertsFormats: true)
    expect(
      violations.count <= SchemaValidator.maximumViolationCount, "the violations are bounded")
    let content = Contract.Content(
      title: "", version: "", servers: [], operations: [], program: compiler.program,
      assertsFormats: true)
    let sample = SchemaSampler.sample(index, of: content, seed: 1)
    let again = SchemaSampler.sample(index, of: content, seed: 1)
    expect(sample.value == again.value, "the same seed makes the same value")
  }

  private static func compile(
    _ schema: JSON, _ dialect: SchemaDialect
  ) -> (compiler: SchemaCompiler, index: Int) {
    var documents = SchemaDocuments { _ in nil }
    documents.add("fuzz:schema", schema, dialect: dialect)
    var compiler = SchemaCompiler(documents)
    let index = compiler.compile(SchemaPlace(document: "fuzz:schema", path: []))
    return (compiler, index)
  }
}
