import CatenaSystem
import Foundation
import Networking

/// The declaration of an endpoint for an operation of a contract.
struct SwiftEndpoint {
  /// A property of the endpoint.
  private struct Property {
    let parameter: ContractParameter
    let name: String
    /// The type without the question mark.
    let type: String

    var use: String { SwiftNames.escaped(name) }
    var isOptional: Bool { !parameter.isRequired }
    /// The text between the elements of a list that are one value.
    ///
    /// `nil` for the style `form`, which is a property of the whole request.
    var separator: String? {
      guard !parameter.explodes else { return nil }
      return switch parameter.style {
      case .pipeDelimited: "|"
      case .spaceDelimited: " "
      default: nil
      }
    }
  }

  /// The body of the request.
  private enum Body {
    case none
    case json(type: String, isOptional: Bool)
    case form(type: String)
    case multipart
    case data(contentType: String)
  }

  /// The lines of the declaration.
  private(set) var lines: [String] = []
  private let operation: ContractOperation
  private var properties: [Property] = []
  private var body = Body.none

  /// Declares an endpoint.
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - name: The name of the type.
  ///   - types: The types of the schemas, to which those of this operation are added.
  ///   - program: The schemas.
  init(
    _ operation: ContractOperation, named name: String, _ types: inout SwiftTypes,
    _ program: SchemaProgram
  ) {
    self.operation = operation
    var names = SwiftNames(used: [
      "request", "body", "parameters", "headers", "baseURL", "queryFormat",
    ])
    for parameter in operation.parameters where parameter.location != .cookie {
      properties.append(
        Property(
          parameter: parameter, name: names.member(parameter.name),
          type: Self.type(of: parameter, program)))
    }
    body = Self.body(of: operation, named: name + "Body", &types)
    let response = Self.response(of: operation, named: name + "Response", &types)
    lines = SwiftNames.comment(operation.summary ?? "")
    lines += SwiftNames.comment("`\(operation.method) \(operation.path)`")
    lines.append(
      "nonisolated struct \(name): \(response == nil ? "RequestConvertible" : "TypedEndpoint"), Sendable {"
    )
    if let response { lines += ["  typealias ResponseType = \(response)", ""] }
    let ordered = properties.filter { !$0.isOptional } + properties.filter(\.isOptional)
    let required = ordered.filter { !$0.isOptional }.map { "  var \($0.use): \($0.type)" }
    let optional = ordered.filter(\.isOptional).map { "  var \($0.use): \($0.type)?" }
    let declared = required + bodyDeclaration + optional
    lines += declared
    if !declared.isEmpty { lines.append("") }
    lines += request
    lines.append("}")
  }

  private static func type(of parameter: ContractParameter, _ program: SchemaProgram) -> String {
    guard let schema = parameter.schema, parameter.content == nil else { return "String" }
    var types = program.types(of: schema)
    if types.count == SchemaType.allCases.count { return "String" }
    types.remove(.null)
    if types.contains(.number) { types.remove(.integer) }
    func scalar(_ types: Set<SchemaType>) -> String {
      switch types {
      case [.integer]: "Int"
      case [.number]: "Double"
      case [.boolean]: "Bool"
      default: "String"
      }
    }
    switch types {
    case [.array]:
      let element = program.elementSchema(of: schema).map { program.types(of: $0) } ?? [.string]
      return "[\(scalar(element.contains(.number) ? [.number] : element))]"
    case [.object]: return parameter.location == .query ? "Parameters" : "String"
    default: return scalar(types)
    }
  }

  private static func body(
    of operation: ContractOperation, named name: String, _ types: inout SwiftTypes
  ) -> Body {
    guard let body = operation.body, let first = body.content.first else { return .none }
    if let media = body.content.first(where: \.isJSON) {
      let type = media.schema.map { types.type(of: $0, named: name) }
      return .json(
        type: type?.name ?? "JSON", isOptional: !body.isRequired || type?.isOptional == true)
    }
    if let media = body.content.first(where: { $0.type.subtype == "x-www-form-urlencoded" }) {
      // The parameters of a request are either those of its query or those of its form.
      guard !operation.parameters.contains(where: { $0.location == .query }) else {
        return .data(contentType: media.text)
      }
      return .form(
        type: media.schema.map { types.type(of: $0, named: name).name } ?? "[String: String]")
    }
    if body.content.contains(where: { $0.type.type == "multipart" }) { return .multipart }
    return .data(contentType: first.type.subtype == "*" ? "application/octet-stream" : first.text)
  }

  /// Returns the type of the response, or `nil` for a body that is not JSON.
  private static func response(
    of operation: ContractOperation, named name: String, _ types: inout SwiftTypes
  ) -> String? {
    let content = operation.successfulResponse?.response.content ?? []
    guard !content.isEmpty else { return "EmptyResponse" }
    guard let media = content.first(where: \.isJSON) else { return nil }
    return media.schema.map { types.type(of: $0, named: name).text } ?? "JSON"
  }

  // MARK: Properties

  private var bodyDeclaration: [String] {
    switch body {
    case .none: []
    case .json(let type, let isOptional): ["  var body: \(type)\(isOptional ? "?" : "")"]
    case .form(let type): ["  var body: \(type)"]
    case .multipart: ["  var body: MultipartFormData"]
    case .data: ["  var body: Data"]
    }
  }

  // MARK: Request

  private var request: [String] {
    var lines: [String] = []
    let query = properties.filter { $0.parameter.location == .query }
    let headers = properties.filter { $0.parameter.location == .header }
    if !query.isEmpty { lines.append("var parameters: Parameters = [:]") }
    for property in query {
      let key = SwiftNames.literal(property.parameter.name)
      lines.append(
        property.isOptional
          ? "parameters[\(key)] = \(property.use).map { \(Self.value("$0", property)) }"
          : "parameters[\(key)] = \(Self.value(property.use, property))")
    }
    if !headers.isEmpty { lines.append("var headers: HTTPHeaders = [:]") }
    for property in headers {
      let key = SwiftNames.literal(property.parameter.name)
      lines.append(
        property.isOptional && property.type != "String"
          ? "headers[\(key)] = \(property.use).map { \(Self.text("$0", property.type)) }"
          : "headers[\(key)] = \(Self.text(property.use, property.type))")
    }
    let call = call(hasQuery: !query.isEmpty, hasHeaders: !headers.isEmpty)
    guard call.throwing || !lines.isEmpty else {
      return ["  var request: Request { \(call.text) }"]
    }
    lines.append("return \(call.text)")
    let isThrowing = call.throwing
    guard isThrowing else {
      return ["  var request: Request {"] + lines.map { "    \($0)" } + ["  }"]
    }
    return ["  var request: Request {", "    get throws {"] + lines.map { "      \($0)" }
      + ["    }", "  }"]
  }

  private func call(hasQuery: Bool, hasHeaders: Bool) -> (text: String, throwing: Bool) {
    let name = operation.method.rawValue.lowercased()
    let isCommon = ["get", "post", "put", "patch", "delete", "head"].contains(name)
    let method =
      isCommon
      ? ".\(name)" : "HTTPMethod(rawValue: \(SwiftNames.literal(operation.method.rawValue)))"
    let start = isCommon ? "Request.\(name)(" : "Request(\(method), "
    let headers = hasHeaders ? ", headers: headers" : ""
    let parameters = hasQuery ? ", parameters: parameters" : ""
    // The format makes a difference for arrays and objects only.
    let lists = properties.filter {
      $0.parameter.location == .query && $0.type.hasPrefix("[") && $0.separator == nil
    }
    let isDeep = properties.contains {
      $0.type == "Parameters" && $0.parameter.style == .deepObject
    }
    let hasObjects = properties.contains { $0.type == "Parameters" }
    let isExploded = lists.first?.parameter.explodes ?? true
    let format =
      lists.isEmpty && !hasObjects
      ? ""
      : isDeep
        ? ", .queryFormat(QueryFormat(arrays: .repeated, nesting: .brackets))"
        : ", .queryFormat(.form(explode: \(isExploded)))"
    func upload(_ argument: String, _ contentType: String) -> String {
      let query = hasQuery ? ", .parameters(parameters)" : ""
      return "Request.upload(\(argument), to: \(path), method: \(method)\(headers)\(contentType)"
        + "\(query)\(format))"
    }
    switch body {
    case .none:
      let type = hasQuery ? ", contentType: .query" : ""
      return (
        "\(start)\(path)\(parameters)\(headers)\(type)\(format))",
        false
      )
    case .json(_, let isOptional) where !hasQuery:
      let value =
        isOptional ? "body.map { try Parameters(encoding: $0) }" : "Parameters(encoding: body)"
      return (
        "try \(start)\(path), parameters: \(value)\(headers), contentType: .json)",
        true
      )
    case .json(_, let isOptional):
      let data =
        isOptional
        ? "body.map { try JSONEncoder().encode($0) } ?? Data()" : "JSONEncoder().encode(body)"
      return ("try " + upload("data: \(data)", ", contentType: \"application/json\""), true)
    case .form:
      return (
        "try \(start)\(path), parameters: Parameters(encoding: body)\(headers), "
          + "contentType: .formURLEncoded)", true
      )
    case .multipart: return (upload("multipart: body", ""), false)
    case .data(let contentType):
      return (upload("data: body", ", contentType: \(SwiftNames.literal(contentType))"), false)
    }
  }

  /// The path as a literal with the properties of its parameters.
  private var path: String {
    var text = ""
    let path = ContractPath(operation.path)
    for (index, parts) in path.segments.enumerated() {
      if index > 0 { text += "/" }
      for part in parts {
        switch part {
        case .literal(let literal): text += SwiftNames.literal(literal).dropFirst().dropLast()
        case .variable(let name):
          let property = properties.first {
            $0.parameter.location == .path && $0.parameter.name == name
          }
          guard let property else { continue }
          text +=
            property.type == "String" || property.type == "Int"
            ? "\\(\(property.use))" : "\\(\(Self.text(property.use, property.type)))"
        }
      }
    }
    let query = path.query.filter { $0.variable == nil }.map { item in
      [item.name, item.value ?? ""].map(PercentEncoding.form.encoded).joined(separator: "=")
    }
    if !query.isEmpty {
      text += SwiftNames.literal("?" + query.joined(separator: "&")).dropFirst().dropLast()
    }
    return "\"\(text)\""
  }

  /// Returns the expression of a parameter.
  private static func value(_ name: String, _ property: Property) -> String {
    guard property.type.hasPrefix("["), let separator = property.separator else {
      return value(name, property.type)
    }
    return ".string(\(name).map { String(describing: $0) }.joined(separator: \"\(separator)\"))"
  }

  private static func value(_ name: String, _ type: String) -> String {
    switch type {
    case "Int": ".int(\(name))"
    case "Double": ".double(\(name))"
    case "Bool": ".bool(\(name))"
    case "Parameters": name
    case _ where type.hasPrefix("["):
      ".array(\(name).map { element in \(value("element", String(type.dropFirst().dropLast()))) })"
    default: ".string(\(name))"
    }
  }

  /// Returns the expression of a header field or of a part of a path.
  private static func text(_ name: String, _ type: String) -> String {
    if type == "String" { return name }
    guard type.hasPrefix("[") else { return "String(describing: \(name))" }
    return "\(name).map { String(describing: $0) }.joined(separator: \",\")"
  }
}
