import Foundation
import Mocking
import Networking

/// An operation that describes exchanges.
struct InferredOperation {
  private struct Body {
    var schema = InferredSchema()
    var example: JSON?
    var isDescribed = false
  }

  private struct Parameter {
    var schema = InferredSchema()
    var count = 0
  }

  private var count = 0
  private var variables: [(name: String, schema: InferredSchema)] = []
  private var query: [String: Parameter] = [:]
  private var requests: [String: Body] = [:]
  private var bodyCount = 0
  private var responses: [Int: [String: Body]] = [:]
  /// The names of the security schemes, each with the number of requests that have it.
  private var security: [String: (scheme: JSON, count: Int)] = [:]

  mutating func add(_ exchange: CheckedExchange, _ path: InferredPath) {
    count += 1
    if variables.isEmpty { variables = path.variables.map { ($0.name, InferredSchema()) } }
    for (index, variable) in path.variables.enumerated() {
      variables[index].schema.add(Self.scalar(variable.value))
    }
    for name in Set(exchange.request.query.items.map(\.name)) {
      query[name, default: Parameter()].count += 1
      for value in exchange.request.query.values(for: name) {
        query[name]?.schema.add(Self.scalar(value))
      }
    }
    addCredentials(exchange.request.headers)
    if exchange.hasRequestBody, !exchange.request.body.isEmpty {
      bodyCount += 1
      let type = exchange.request.headers["Content-Type"]
      Self.add(exchange.request.decodedBody, type, exchange.request.form, to: &requests)
    }
    var content = responses[exchange.status] ?? [:]
    if let body = exchange.body, !body.isEmpty {
      Self.add(body, exchange.headers["Content-Type"], nil, to: &content)
    } else if exchange.body == nil,
      let type = exchange.headers["Content-Type"].flatMap({ MediaType($0) })
    {
      content["\(type.type)/\(type.subtype)", default: Body()].isDescribed = false
    }
    responses[exchange.status] = content
  }

  private mutating func addCredentials(_ headers: HTTPHeaders) {
    let scheme = headers["Authorization"]?.prefix { $0 != " " }.lowercased()
    if let scheme, ["basic", "bearer"].contains(scheme) {
      security[scheme, default: (["type": "http", "scheme": .string(scheme)], 0)].count += 1
    }
    for field in headers where field.name.lowercased().hasSuffix("-key") {
      let name = field.name.lowercased()
      guard Redactor.standard.isSecret(name: name) else { continue }
      security[name, default: (["type": "apiKey", "in": "header", "name": .string(field.name)], 0)]
        .count += 1
    }
  }

  /// Adds the sample of a body.
  private static func add(
    _ body: Data, _ contentType: String?, _ form: RequestQuery?, to content: inout [String: Body]
  ) {
    guard let type = contentType.flatMap({ MediaType($0) }) else { return }
    let name = "\(type.type)/\(type.subtype)"
    var media = content[name] ?? Body()
    let isJSON = type.subtype == "json" || type.subtype.hasSuffix("+json")
    if isJSON, let value = try? JSON(parsing: body) {
      media.schema.add(value)
      media.isDescribed = true
      if media.example == nil {
        let masked = Redactor.standard.maskedBody(body, contentType: contentType)
        media.example = masked.flatMap { try? JSON(parsing: Data($0.utf8)) }
      }
    } else if let form, type.subtype == "x-www-form-urlencoded" {
      let members = Dictionary(form.items.map { ($0.name, JSON.string($0.value)) }) { $1 }
      media.schema.add(.dictionary(members))
      media.isDescribed = true
    } else if type.type == "text" {
      media.schema.add(.string(""))
      media.isDescribed = true
    }
    content[name] = media
  }

  /// Returns the value of a parameter: a number, a Boolean or a text.
  private static func scalar(_ text: String) -> JSON {
    if text == "true" || text == "false" { return .bool(text == "true") }
    let isNumber = text.utf8.first.map { (0x30...0x39).contains($0) || $0 == 0x2D } ?? false
    guard isNumber, let json = try? JSON(parsing: Data(text.utf8)), json.double != nil else {
      return .string(text)
    }
    return json
  }

  // MARK: Document

  /// Returns the operation, and adds its security schemes.
  func json(_ schemes: inout [String: JSON]) -> JSON {
    var operation: [String: JSON] = [:]
    let path = variables.map { name, schema -> JSON in
      ["name": .string(name), "in": "path", "required": true, "schema": schema.json]
    }
    let names = query.keys.sorted()
    let queries = names.compactMap { name -> JSON? in
      guard let parameter = query[name] else { return nil }
      return [
        "name": .string(name), "in": "query", "required": .bool(parameter.count == count),
        "schema": parameter.schema.json,
      ]
    }
    if !(path + queries).isEmpty { operation["parameters"] = .array(path + queries) }
    if !requests.isEmpty {
      operation["requestBody"] = [
        "required": .bool(bodyCount == count), "content": Self.content(requests),
      ]
    }
    var documented: [String: JSON] = [:]
    for (status, content) in responses {
      var response: [String: JSON] = ["description": .string(ReasonPhrase.of(status))]
      if !content.isEmpty { response["content"] = Self.content(content) }
      documented["\(status)"] = .dictionary(response)
    }
    operation["responses"] = .dictionary(documented)
    // Credentials that only some requests have are not required.
    let required = security.filter { $0.value.count == count }
    if !required.isEmpty {
      operation["security"] = [.dictionary(required.mapValues { _ in [] })]
      for (name, scheme) in required { schemes[name] = scheme.scheme }
    }
    return .dictionary(operation)
  }

  private static func content(_ bodies: [String: Body]) -> JSON {
    .dictionary(
      bodies.mapValues { body in
        var media: [String: JSON] = [:]
        if body.isDescribed { media["schema"] = body.schema.json }
        media["example"] = body.example
        return .dictionary(media)
      })
  }
}
