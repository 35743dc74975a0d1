import Foundation
import Mocking
import MockingDocuments
import Networking

/// A part of a request that does not keep the contract.
struct RequestViolation: Sendable, Hashable {
  enum Location: String, Sendable {
    case path, query, header, cookie, body, security
  }

  let location: Location
  /// The name of the parameter.
  ///
  /// `nil` for the body.
  var name: String?
  /// The path of the value in the parameter or the body.
  var path: [String] = []
  let message: String
  /// The place of the schema, if a schema is not kept.
  var schema: SchemaPlace?

  /// The violation as a member of problem details.
  var json: JSON {
    var members: [String: JSON] = ["in": .string(location.rawValue), "detail": .string(message)]
    if let name { members["name"] = .string(name) }
    if location == .body || !path.isEmpty {
      members["pointer"] = .string("#" + JSONValuePath(tokens: path).pointer)
    }
    if let schema { members["schema"] = .string("#" + schema.pointer) }
    return .dictionary(members)
  }
}

/// A check of a request against an operation of a contract.
struct RequestChecker {
  let contract: Contract.Content
  let operation: ContractOperation

  /// The result of a check: the status of the response, and the violations.
  struct Result {
    let status: Int
    let detail: String
    let violations: [RequestViolation]
  }

  /// Checks a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - path: The percent-encoded values of the parameters in the path.
  ///   - hasBody: Whether the body of the request is known.
  /// - Returns: The violations. `nil` if there are none.
  func check(
    _ request: ReceivedRequest, path: [String: String], hasBody: Bool = true
  ) -> Result? {
    if let violation = checkSecurity(request) {
      return Result(status: 401, detail: violation.message, violations: [violation])
    }
    guard !operation.parameters.isEmpty || operation.body != nil else { return nil }
    let values = ParameterValues(request, path: path, program: contract.program)
    var violations = operation.parameters.flatMap { check($0, values) }
    guard hasBody, let body = checkBody(request) else {
      guard !violations.isEmpty else { return nil }
      return invalid(violations)
    }
    guard ![413, 415].contains(body.status) else { return body }
    violations += body.violations
    return violations.isEmpty ? nil : invalid(violations, isMalformed: body.status == 400)
  }

  /// Returns the result for violations of schemas.
  ///
  /// The status is 422, or 400 if the document has only this one. A body that cannot be parsed has the
  /// status 400, or 422 if the document has only that one.
  ///
  /// Source: RFC 9110 sections 15.5.1 and 15.5.21.
  private func invalid(_ violations: [RequestViolation], isMalformed: Bool = false) -> Result {
    let (status, other) = isMalformed ? (400, 422) : (422, 400)
    let documented = Set(operation.responses.map(\.code))
    let isOther = documented.contains(.status(other)) && !documented.contains(.status(status))
    let detail =
      violations.count == 1
      ? "the request does not keep the contract: \(violations[0].message)"
      : "the request does not keep the contract in \(violations.count) places"
    return Result(status: isOther ? other : status, detail: detail, violations: violations)
  }

  // MARK: Security

  private func checkSecurity(_ request: ReceivedRequest) -> RequestViolation? {
    guard !operation.security.isEmpty else { return nil }
    let isMet = operation.security.contains { schemes in
      schemes.allSatisfy { isPresent($0.kind, in: request) }
    }
    guard !isMet else { return nil }
    let names = operation.security.map { schemes in
      schemes.map { "\($0.name) (\(Self.credentials($0.kind)))" }.joined(separator: " and ")
    }
    return RequestViolation(
      location: .security, message: "expected credentials for \(names.joined(separator: ", or "))")
  }

  /// Returns the part of a request with the credentials of a scheme.
  private static func credentials(_ kind: ContractSecurity.Kind) -> String {
    switch kind {
    case .apiKey(.header, let name): "the header field \(name)"
    case .apiKey(.cookie, let name): "the cookie \(name)"
    case .apiKey(_, let name): "the query parameter \(name)"
    case .http("basic"): "Authorization: Basic with a user and a password"
    case .http(let scheme): "Authorization: \(scheme.capitalized)"
    case .other: "not checked"
    }
  }

  private func isPresent(_ kind: ContractSecurity.Kind, in request: ReceivedRequest) -> Bool {
    switch kind {
    case .apiKey(.query, let name): request.query[name] != nil
    case .apiKey(.cookie, let name): request.cookies[name] != nil
    case .apiKey(_, let name): request.headers[name] != nil
    case .http(let scheme):
      request.headers.values(for: "Authorization").contains { value in
        guard value.lowercased().hasPrefix(scheme + " ") else { return false }
        return scheme != "basic" || Self.isBasic(value.dropFirst(scheme.utf8.count + 1))
      }
    case .other: true
    }
  }

  /// Whether a text is the Base64 form of a user and a password.
  ///
  /// Source: RFC 7617 section 2.
  private static func isBasic(_ text: Substring) -> Bool {
    Data(base64Encoded: text.trimmingCharacters(in: .whitespaces))?.contains(UInt8(ascii: ":"))
      ?? false
  }

  // MARK: Parameters

  private static let ignoredHeaders: Set<String> = ["accept", "content-type", "authorization"]

  private func check(
    _ parameter: ContractParameter, _ values: ParameterValues
  ) -> [RequestViolation] {
    // These parameters have no effect, because other parts of the document describe them.
    guard
      parameter.location != .header
        || !Self.ignoredHeaders.contains(parameter.name.lowercased())
    else { return [] }
    let location = RequestViolation.Location(rawValue: parameter.location.rawValue) ?? .query
    func violation(_ message: String) -> RequestViolation {
      RequestViolation(location: location, name: parameter.name, message: message)
    }
    switch values.value(of: parameter) {
    case .missing:
      return parameter.isRequired
        ? [violation("the \(location.rawValue) parameter \(parameter.name) is missing")] : []
    case .empty:
      return parameter.allowsEmpty
        ? [] : [violation("the \(location.rawValue) parameter \(parameter.name) has no value")]
    case .malformed(let reason):
      return [violation("the \(location.rawValue) parameter \(parameter.name): \(reason)")]
    case .json(let value):
      guard let schema = parameter.schema else { return [] }
      return contract.violations(
        of: value, schema, .request, maximumStepCount: Self.maximumStepCount
      ).map { violation in
        RequestViolation(
          location: location, name: parameter.name, path: violation.path,
          message:
            "the \(location.rawValue) parameter \(parameter.name)\(violation.pointer): \(violation.message)",
          schema: violation.schema)
      }
    }
  }

  // MARK: Body

  private func checkBody(_ request: ReceivedRequest) -> Result? {
    guard let body = operation.body else { return nil }
    let text = request.headers["Content-Type"] ?? ""
    guard !request.body.isEmpty || request.bodyByteCount > 0 || Self.canBeEmpty(text) else {
      guard body.isRequired else { return nil }
      return Result(
        status: 422, detail: "",
        violations: [RequestViolation(location: .body, message: "the request has no body")])
    }
    guard let media = body.content.media(for: text) else {
      let expected = body.content.map(\.text).joined(separator: ", ")
      let violation = RequestViolation(
        location: .header, name: "Content-Type", message: "expected the content type \(expected)")
      return Result(status: 415, detail: violation.message, violations: [violation])
    }
    guard let schema = media.schema else { return nil }
    guard request.decodedBody.count <= Self.maximumBodyBytes else {
      let detail = "a body with a schema has at most \(Self.maximumBodyBytes >> 20) MiB"
      let violation = RequestViolation(location: .body, message: detail)
      return Result(status: 413, detail: detail, violations: [violation])
    }
    let value: JSON
    if let type = MediaType(text), type.subtype == "json" || type.subtype.hasSuffix("+json") {
      guard let json = request.parsedJSON else {
        let violation = RequestViolation(location: .body, message: "the body is not JSON")
        return Result(status: 400, detail: violation.message, violations: [violation])
      }
      value = json
    } else if contract.program.types(of: schema).contains(.object), let form = form(request, media)
    {
      value = form
    } else if media.type.type == "text" {
      value = .string(request.text)
    } else {
      return nil
    }
    // A server checks a small body on the thread of its connections.
    let isLarge = request.decodedBody.count > ReceivedRequest.largeBodyBytes
    let violations = contract.violations(
      of: value, schema, .request,
      maximumStepCount: isLarge ? SchemaValidator.maximumStepCount : Self.maximumStepCount
    ).map { violation in
      RequestViolation(
        location: .body, path: violation.path,
        message: violation.path.isEmpty ? "the body: \(violation.message)" : "\(violation)",
        schema: violation.schema)
    }
    return Result(status: 422, detail: "", violations: violations)
  }

  /// The limit for the size of a body that is parsed, because its values need many times its memory.
  private static let maximumBodyBytes = 32 << 20

  /// The limit for the number of steps of the check of a parameter, and of a body that is not large.
  private static let maximumStepCount = 500_000

  /// Whether no bytes are a body of a content type: a form without fields, or an empty text.
  private static func canBeEmpty(_ contentType: String) -> Bool {
    guard let type = MediaType(contentType) else { return false }
    return type.type == "text" || type.subtype == "x-www-form-urlencoded"
  }

  /// Returns the fields of a form that the operation accepts as an object, or `nil` for another body.
  func form(_ request: ReceivedRequest) -> JSON? {
    guard let media = operation.body?.content.media(for: request.headers["Content-Type"] ?? ""),
      media.schema.map({ contract.program.types(of: $0).contains(.object) }) ?? true
    else { return nil }
    return form(request, media)
  }

  /// Returns the fields of a form as an object, or `nil` for another media type.
  private func form(_ request: ReceivedRequest, _ media: ContractMedia) -> JSON? {
    let fields: [(name: String, text: String)]
    if media.type.subtype == "x-www-form-urlencoded" {
      fields = request.form.items.map { ($0.name, $0.value) }
    } else if media.type.type == "multipart" {
      fields = request.parts.map { ($0.name, $0.text) }
    } else {
      return nil
    }
    let program = contract.program
    let schemas = media.schema.map { program.memberSchemas(of: $0) } ?? [:]
    var members: [String: JSON] = [:]
    var lists: [String: [JSON]] = [:]
    var lookup = SchemaLookup(program)
    for (name, text) in fields {
      let schema = schemas[name]
      let types = lookup.types(of: schema) ?? [.string]
      let isAny = types.count == SchemaType.allCases.count
      if types.contains(.array), !isAny {
        let element = lookup.types(of: lookup.elementSchema(of: schema))
        let json = element?.contains(.object) == true ? try? JSON(parsing: Data(text.utf8)) : nil
        lists[name, default: []].append(json ?? ParameterValues.scalar(text, element))
      } else if types.contains(.object), !isAny, let json = try? JSON(parsing: Data(text.utf8)) {
        members[name] = json
      } else {
        members[name] = ParameterValues.scalar(text, types)
      }
    }
    for (name, list) in lists { members[name] = .array(list) }
    // A form has no other way to send an empty list.
    for name in media.schema.map({ program.requiredMembers(of: $0) }) ?? []
    where members[name] == nil && lookup.types(of: schemas[name]) == [.array] {
      members[name] = .array([])
    }
    return .dictionary(members)
  }
}

extension [ContractMedia] {
  /// Returns the media type of a document for a content type: a type comes before a range.
  func media(for contentType: String) -> ContractMedia? {
    guard let type = MediaType(contentType) else { return nil }
    let matching = filter { type.matches(MediaType($0.type.description) ?? $0.type) }
    return matching.first { $0.type.subtype != "*" } ?? matching.first
  }
}
