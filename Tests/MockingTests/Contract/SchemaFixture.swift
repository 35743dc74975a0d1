import Foundation
import Networking
import Testing

@testable import Mocking
@testable import MockingContracts

/// A schema for tests, in a document of its own.
enum SchemaFixture {
  static func violations(
    _ value: JSON, _ schema: JSON, dialect: SchemaDialect = .draft202012, formats: Bool = true,
    direction: SchemaValidator.Direction? = nil,
    maximumStepCount: Int = SchemaValidator.maximumStepCount
  ) -> [SchemaViolation] {
    var documents = SchemaDocuments { _ in nil }
    documents.add("test:schema", schema, dialect: dialect)
    var compiler = SchemaCompiler(documents)
    let index = compiler.compile(SchemaPlace(document: "test:schema", path: []))
    return SchemaValidator.violations(
      of: value, index, in: compiler.program, assertsFormats: formats, direction: direction,
      maximumStepCount: maximumStepCount)
  }

  /// Makes a value of a schema in the flow style of YAML, and returns whether it keeps the schema.
  static func sample(_ schema: String, seed: UInt64) throws -> SchemaSample {
    let contract = try Contract(
      text: """
        openapi: 3.1.0
        info: {title: Samples, version: "1"}
        paths:
          /a:
            get:
              responses:
                "200": {description: A, content: {application/json: {schema: \(schema)}}}
        """)
    let media = try #require(contract.content.operations.first?.responses.first?.content.first)
    return SchemaSampler.sample(try #require(media.schema), of: contract.content, seed: seed)
  }
}
