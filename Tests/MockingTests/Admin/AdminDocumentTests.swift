import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The OpenAPI document describes exactly the operations and the responses of the admin API.
@Suite(.gated)
struct AdminDocumentTests {
  private let document = OpenAPIDocument.document(requiresToken: false)

  @Test func theDocumentAndTheTableHaveTheSameOperations() {
    let documented = (document["paths"].dictionary ?? [:]).flatMap { path, item in
      (item.dictionary ?? [:]).keys.filter { $0 != "parameters" }
        .map { "\($0.uppercased()) \(path)" }
    }
    let table = AdminOperation.all.map { "\($0.method) \(AdminAPI.path)\($0.path)" }
    #expect(documented.sorted() == table.sorted())
    #expect(Set(table).count == table.count)
  }

  @Test func theDocumentAndTheTableHaveTheSameParametersAndBodies() {
    for operation in AdminOperation.all {
      let item = document["paths"][AdminAPI.path + operation.path]
      let documented = item[operation.method.rawValue.lowercased()]
      let names = (documented["parameters"].array ?? []).filter { $0["in"] == "query" }
        .compactMap { $0["name"].string }
      if let parameters = operation.parameters { #expect(Set(names) == parameters, "\(operation)") }
      switch operation.body {
      case .none: #expect(documented["requestBody"] == .null, "\(operation)")
      case .optional: #expect(documented["requestBody"]["required"] == false, "\(operation)")
      case .required: #expect(documented["requestBody"]["required"] == true, "\(operation)")
      }
      for status in ["400", "401", "403", "405"] {
        #expect(documented["responses"][status] != .null, "\(operation) \(status)")
      }
    }
  }

  @Test func allReferencesHaveATarget() {
    func check(_ json: JSON) {
      switch json {
      case .array(let values): for value in values { check(value) }
      case .dictionary(let members):
        if let reference = members["$ref"]?.string {
          #expect(OpenAPISchema.target(of: reference, in: document) != .null, "\(reference)")
        }
        for value in members.values { check(value) }
      default: break
      }
    }
    check(document)
  }

  @Test func onlyTheDocumentOfAProtectedServerNamesTheToken() throws {
    let open = AdminFixture().send(.get, "openapi.json").json
    #expect(open["openapi"] == "3.1.0")
    #expect(open["security"] == .null)
    let protected = OpenAPIDocument.document(requiresToken: true)
    #expect(protected["security"] == [["bearer": []]])
    #expect(try JSON(parsing: OpenAPIDocument.protected) == protected)
  }

  /// Requests whose responses have the documented members, with the documented path.
  private static let requests: [(HTTPMethod, String, String, String?)] = [
    (.get, "info", "info", nil), (.get, "stubs", "stubs", nil),
    (.get, "stubs/boards", "stubs/{id}", nil),
    (.post, "stubs", "stubs", #"{"path": "/new", "delay": "1 ms"}"#),
    (.put, "stubs/boards", "stubs/{id}", #"{"path": "/boards"}"#),
    (
      .patch, "stubs/boards", "stubs/{id}",
      #"{"delay": {"median": "1 ms", "sigma": 1, "cap": "1 s"}}"#
    ),
    (.get, "requests", "requests", nil), (.get, "requests/1", "requests/{id}", nil),
    (.get, "requests/2", "requests/{id}", nil),
    (.post, "requests/2/stub", "requests/{id}/stub", nil),
    (.post, "requests/2/stub?add=true", "requests/{id}/stub", nil),
    (.post, "requests/count", "requests/count", "{}"),
    (.post, "verifications", "verifications", #"{"path": "/b", "times": 1}"#),
    (.get, "har", "har", nil), (.get, "scenarios", "scenarios", nil),
    (.put, "scenarios/a", "scenarios/{name}", #"{"state": "b"}"#),
    (.get, "variables", "variables", nil), (.patch, "variables", "variables", #"{"a": 1}"#),
    (.get, "resources", "resources", nil), (.get, "resources/carts", "resources/{name}", nil),
    (.put, "resources/carts", "resources/{name}", #"[{"id": 3}]"#),
    (.get, "snapshots", "snapshots", nil), (.post, "snapshots", "snapshots", nil),
    (.get, "settings", "settings", nil), (.patch, "settings", "settings", #"{"fault": "none"}"#),
    (.get, "stubs/none", "stubs/{id}", nil), (.post, "stubs", "stubs", #"{"path": 1}"#),
    (.get, "requests?limit=0", "requests", nil),
  ]

  @Test(arguments: requests.indices)
  func aResponseHasTheDocumentedMembers(index: Int) async throws {
    let (method, path, template, body) = Self.requests[index]
    let admin = try AdminFixture(
      stubs: #"""
        {"routes": [{"resource": "/carts", "data": [{"id": 1}]},
          {"id": "boards", "method": "GET", "path": "/boards", "when": {"query": {"page": "1"}}}]}
        """#)
    _ = await admin.transport.send(.get, "/boards?page=1")
    _ = await admin.transport.send(.post, "/boards?page=2", #"{"a": 1}"#)
    let answer = admin.send(method, path, body)
    let operation = document["paths"][AdminAPI.path + template][method.rawValue.lowercased()]
    let response = OpenAPISchema.resolved(operation["responses"]["\(answer.status)"], in: document)
    let type = answer.headers["Content-Type"] ?? ""
    let schema = response["content"][type]["schema"]
    #expect(schema != .null, "\(method) \(path): \(answer.status) \(type)")
    let problems = OpenAPISchema.problems(in: answer.json, schema, document, at: "")
    #expect(problems.isEmpty, "\(method) \(path): \(answer.text)")
  }
}

/// A check of JSON values by the keywords of JSON Schema that the document uses.
enum OpenAPISchema {
  static func target(of reference: String, in document: JSON) -> JSON {
    reference.split(separator: "/").dropFirst().reduce(document) { $0[String($1)] }
  }

  static func resolved(_ schema: JSON, in document: JSON) -> JSON {
    schema["$ref"].string.map { target(of: $0, in: document) } ?? schema
  }

  /// Returns the paths of the values that violate a schema.
  static func problems(
    in json: JSON, _ schema: JSON, _ document: JSON, at path: String
  ) -> [String] {
    let schema = resolved(schema, in: document)
    var problems: [String] = []
    let types = schema["type"].array?.compactMap(\.string) ?? schema["type"].string.map { [$0] }
    if let types, !types.contains(where: { matches(json, $0) }) { problems.append("\(path): type") }
    if let values = schema["enum"].array, !values.contains(json) {
      problems.append("\(path): enum")
    }
    for part in schema["allOf"].array ?? [] {
      problems += self.problems(in: json, part, document, at: path)
    }
    if let parts = schema["anyOf"].array,
      parts.allSatisfy({ !self.problems(in: json, $0, document, at: path).isEmpty })
    {
      problems.append("\(path): anyOf")
    }
    if case .array(let values) = json, schema["items"] != .null {
      for (index, value) in values.enumerated() {
        problems += self.problems(in: value, schema["items"], document, at: "\(path)/\(index)")
      }
    }
    guard case .dictionary(let members) = json else { return problems }
    for name in schema["required"].array?.compactMap(\.string) ?? [] where members[name] == nil {
      problems.append("\(path)/\(name): missing")
    }
    let known = schema["properties"].dictionary ?? [:]
    for (name, value) in members {
      if let part = known[name] {
        problems += self.problems(in: value, part, document, at: "\(path)/\(name)")
      } else if schema["additionalProperties"] == false {
        problems.append("\(path)/\(name): unknown")
      }
    }
    return problems
  }

  private static func matches(_ json: JSON, _ type: String) -> Bool {
    switch (type, json) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array),
      ("object", .dictionary):
      true
    case ("integer", _): json.int != nil
    case ("number", _): json.double != nil
    default: false
    }
  }
}
