import Foundation
public import Mocking
import MockingDocuments
public import Networking

extension RequestCondition {
  /// Returns a condition that the body is JSON and keeps a JSON Schema.
  ///
  /// ```swift
  /// Route(.post, "/orders", .status(201)).where(
  ///   try .jsonSchema(["type": "object", "required": ["items"]]))
  /// ```
  ///
  /// A report on a request that does not meet it names the first violation. The body is checked once for
  /// each request; a check that takes too many steps fails.
  ///
  /// Source: JSON Schema 2020-12.
  ///
  /// - Parameter schema: The schema. A `$ref` leads to a place in the schema itself.
  /// - Returns: The condition.
  /// - Throws: ``JSONSchemaError`` for the first error in the schema.
  public static func jsonSchema(_ schema: JSON) throws(JSONSchemaError) -> RequestCondition {
    let schema = try JSONSchema(schema)
    return .passing("the body keeps the JSON schema") { schema.violation(of: $0) }
  }
}

/// An error in a JSON Schema.
public struct JSONSchemaError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The JSON pointer of the keyword.
  ///
  /// Empty for the schema itself.
  public var pointer: String { JSONValuePath(tokens: path).pointer }
  /// The description of the error.
  public let reason: String
  /// The steps of ``pointer``.
  package let path: [String]

  /// The pointer and the reason.
  public var description: String { "#\(pointer): \(reason)" }
}

/// A compiled schema.
private final class JSONSchema: Sendable {
  /// The limit for the number of steps of a check, which runs on the thread of a server.
  private static let maximumStepCount = 500_000

  private let program: SchemaProgram
  private let root: Int

  init(_ schema: JSON) throws(JSONSchemaError) {
    let uri = "catena:schema"
    switch schema {
    case .dictionary, .bool: break
    default: throw JSONSchemaError(reason: "expected an object, true or false", path: [])
    }
    var documents = SchemaDocuments { _ in nil }
    documents.add(uri, schema)
    var compiler = SchemaCompiler(documents)
    root = compiler.compile(SchemaPlace(document: uri, path: []))
    program = compiler.program
    if let problem = compiler.problems.first(where: { $0.severity != .limitation }) {
      throw JSONSchemaError(reason: problem.mistake ?? problem.reason, path: problem.place.path)
    }
  }

  /// Returns a description of the first violation of the body, or `nil` if there is none.
  func violation(of request: ReceivedRequest) -> String? {
    request.result(of: self) { () -> String? in
      guard let json = request.parsedJSON else {
        return request.body.isEmpty ? "no body" : "the body is not JSON"
      }
      return SchemaValidator.violations(
        of: json, root, in: program, assertsFormats: true,
        maximumStepCount: Self.maximumStepCount
      ).first.map { "\($0)" }
    }
  }
}
