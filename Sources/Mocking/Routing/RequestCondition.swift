public import Networking

/// A condition that a request must meet in addition to the method and the path.
///
/// ```swift
/// Route(.post, "/boards", .status(201)).where(.json(containing: ["type": 2]))
/// try provider.verify(
///   .get, "boards", where: .query("page", "2"), .header("Authorization", .present))
/// Route(.get, "/boards", .json([])).where(
///   .any(.cookie("session"), .header("Authorization")), .not(.query("archived", "true")))
/// ```
///
/// All conditions of a request read the same parsed body: a JSON or multipart body is parsed once.
public struct RequestCondition: Sendable {
  enum Kind: Sendable {
    case query(String, TextPattern)
    case header(String, TextPattern)
    case form(String, TextPattern)
    case text(TextPattern)
    case json(JSON, isExact: Bool)
    case computedJSON(RequestValue, isPart: Bool)
    case jsonPath(Result<JSONPath, JSONPathError>, text: String, JSONPattern)
    case cookie(String, TextPattern)
    case part(String, PartPattern)
    case variable(String, JSONPattern)
    case expression(String, problem: String?, @Sendable (ReceivedRequest) -> Bool)
    case all([RequestCondition])
    case any([RequestCondition])
    indirect case not(RequestCondition)
    case satisfying(String, @Sendable (ReceivedRequest) -> Bool)
    /// A check that returns the reason why it fails.
    case passing(String, @Sendable (ReceivedRequest) -> String?)
  }

  /// The expected values of a part of a multipart body.
  struct PartPattern: Sendable {
    var value: TextPattern?
    var fileName: TextPattern?
    var contentType: TextPattern?
  }

  let kind: Kind

  /// Returns a condition on a query item.
  ///
  /// Other items are ignored.
  ///
  /// - Parameters:
  ///   - name: The decoded name, case-sensitive.
  ///   - value: The pattern for the decoded value.
  /// - Returns: The condition.
  public static func query(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .query(name, value))
  }

  /// Returns a condition on a header field.
  ///
  /// Other fields are ignored.
  ///
  /// - Parameters:
  ///   - name: The name, case-insensitive.
  ///   - value: The pattern for the value.
  /// - Returns: The condition.
  public static func header(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .header(name, value))
  }

  /// Returns a condition on a field of a form-encoded body, independent of the content type.
  ///
  /// Other fields are ignored.
  ///
  /// - Parameters:
  ///   - name: The decoded name, case-sensitive.
  ///   - value: The pattern for the decoded value.
  /// - Returns: The condition.
  public static func form(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .form(name, value))
  }

  /// Returns a condition on the body as text.
  ///
  /// The body is decoded as UTF-8; invalid sequences are replaced.
  ///
  /// - Parameter text: The pattern for the text.
  /// - Returns: The condition.
  public static func text(_ text: TextPattern) -> RequestCondition {
    RequestCondition(kind: .text(text))
  }

  /// Returns a condition that a query item has a value.
  ///
  /// - Parameters:
  ///   - name: The decoded name, case-sensitive.
  ///   - value: The decoded value.
  /// - Returns: The condition.
  public static func query(_ name: String, _ value: String) -> RequestCondition {
    query(name, .equal(value))
  }

  /// Returns a condition that a header field has a value.
  ///
  /// - Parameters:
  ///   - name: The name, case-insensitive.
  ///   - value: The value.
  /// - Returns: The condition.
  public static func header(_ name: String, _ value: String) -> RequestCondition {
    header(name, .equal(value))
  }

  /// Returns a condition that a field of a form-encoded body has a value.
  ///
  /// - Parameters:
  ///   - name: The decoded name, case-sensitive.
  ///   - value: The decoded value.
  /// - Returns: The condition.
  public static func form(_ name: String, _ value: String) -> RequestCondition {
    form(name, .equal(value))
  }

  /// Returns a condition that the body is JSON that contains a value.
  ///
  /// - Parameter part: The value. An object must have all members given here, and may have others.
  ///   An array must have the same number of elements, and each must contain the element given here
  ///   at the same index. Numbers are compared by value.
  /// - Returns: The condition.
  public static func json(containing part: JSON) -> RequestCondition {
    RequestCondition(kind: .json(part, isExact: false))
  }

  /// Returns a condition that the body is JSON that equals a value.
  ///
  /// - Parameter value: The value. The order of members and the notation of numbers are ignored.
  /// - Returns: The condition.
  public static func json(_ value: JSON) -> RequestCondition {
    RequestCondition(kind: .json(value, isExact: true))
  }

  /// Returns a condition on the values that a path selects in a JSON body.
  ///
  /// - Parameters:
  ///   - path: The path, in a subset of JSONPath (RFC 9535): `$`, members (`.name`, `['name']`),
  ///     indexes (`[0]`, `[-1]`), slices (`[1:3]`), the wildcard (`.*`, `[*]`), filters
  ///     (`[?@.price < 10 && @.sold]`), several of these in brackets, and descendants (`..name`). A
  ///     path in a filter begins with `@` and leads to one value; functions are errors. If the path
  ///     in a route is malformed, the initializer of a server throws
  ///     ``MockServerError/invalidJSONPath(_:reason:)``, and a transport fails all requests.
  ///   - value: The pattern. If the path selects several values, one that matches is sufficient.
  /// - Returns: The condition. A body that is not JSON has no values.
  public static func json(at path: String, _ value: JSONPattern = .present) -> RequestCondition {
    let parsed = Result { () throws(JSONPathError) in try JSONPath(path) }
    return RequestCondition(kind: .jsonPath(parsed, text: path, value))
  }

  /// Returns a condition on a cookie in the `Cookie` field.
  ///
  /// Reports mask the values of cookies.
  ///
  /// - Parameters:
  ///   - name: The name, case-sensitive.
  ///   - value: The pattern for the value as sent.
  /// - Returns: The condition.
  public static func cookie(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .cookie(name, value))
  }

  /// Returns a condition on a part of a multipart body.
  ///
  /// If several parts have the name, one that matches all given patterns is sufficient.
  ///
  /// - Parameters:
  ///   - name: The name of the field, case-sensitive.
  ///   - value: The pattern for the content as UTF-8. `nil` permits any content, and
  ///     ``TextPattern/absent`` requires that there is no part with the name.
  ///   - fileName: The pattern for the name of the file. `nil` permits any part, and
  ///     ``TextPattern/absent`` requires a part that is not a file.
  ///   - contentType: The pattern for the content type of the part.
  /// - Returns: The condition.
  public static func part(
    _ name: String, _ value: TextPattern? = nil, fileName: TextPattern? = nil,
    contentType: TextPattern? = nil
  ) -> RequestCondition {
    RequestCondition(
      kind: .part(
        name, PartPattern(value: value, fileName: fileName, contentType: contentType)))
  }

  /// Returns a condition on a variable of the backend.
  ///
  /// The choice of a route by its conditions and the change of variables by the route are one atomic
  /// step. See ``MockVariables``.
  ///
  /// - Parameters:
  ///   - name: The name of the variable.
  ///   - value: The pattern for the value.
  /// - Returns: The condition.
  public static func variable(_ name: String, _ value: JSONPattern = .present) -> RequestCondition {
    RequestCondition(kind: .variable(name, value))
  }

  /// Returns a condition that a request meets if it meets all of several conditions.
  ///
  /// - Parameter conditions: The conditions. No conditions are always met.
  /// - Returns: The condition.
  public static func all(_ conditions: RequestCondition...) -> RequestCondition { all(conditions) }

  /// Returns a condition that a request meets if it meets all of several conditions.
  ///
  /// - Parameter conditions: The conditions. No conditions are always met.
  /// - Returns: The condition.
  public static func all(_ conditions: [RequestCondition]) -> RequestCondition {
    RequestCondition(kind: .all(conditions))
  }

  /// Returns a condition that a request meets if it meets at least one of several conditions.
  ///
  /// - Parameter conditions: The conditions. No conditions are never met.
  /// - Returns: The condition.
  public static func any(_ conditions: RequestCondition...) -> RequestCondition { any(conditions) }

  /// Returns a condition that a request meets if it meets at least one of several conditions.
  ///
  /// - Parameter conditions: The conditions. No conditions are never met.
  /// - Returns: The condition.
  public static func any(_ conditions: [RequestCondition]) -> RequestCondition {
    RequestCondition(kind: .any(conditions))
  }

  /// Returns a condition that a request meets if it does not meet another one.
  ///
  /// - Parameter condition: The other condition.
  /// - Returns: The condition.
  public static func not(_ condition: RequestCondition) -> RequestCondition {
    RequestCondition(kind: .not(condition))
  }

  /// Returns a condition that a closure tests.
  ///
  /// - Parameters:
  ///   - description: A description of the condition, for reports.
  ///   - isSatisfied: A closure that tests the request. It may run any number of times, on any
  ///     thread, and must not block.
  /// - Returns: The condition.
  public static func satisfying(
    _ description: String,
    _ isSatisfied: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> RequestCondition {
    RequestCondition(kind: .satisfying(description, isSatisfied))
  }

  /// Returns a condition that a closure tests, with the reason for reports.
  ///
  /// - Parameters:
  ///   - description: A description of the condition.
  ///   - failure: A closure that returns the reason why a request does not meet the condition, or `nil` if
  ///     it does. It may run any number of times, on any thread, and must not read variables.
  /// - Returns: The condition.
  package static func passing(
    _ description: String,
    _ failure: @escaping @Sendable (_ request: ReceivedRequest) -> String?
  ) -> RequestCondition {
    RequestCondition(kind: .passing(description, failure))
  }

  /// The error in the condition, or `nil` if it is valid.
  package var validationError: MockServerError? {
    switch kind {
    case .query(_, let value), .header(_, let value), .form(_, let value), .cookie(_, let value),
      .text(let value):
      return value.validationError
    case .part(_, let pattern):
      return [pattern.value, pattern.fileName, pattern.contentType].lazy
        .compactMap { $0?.validationError }.first
    case .variable(_, let value): return value.validationError
    case .expression(let text, let problem, _):
      return problem.map { .invalidPattern(text, reason: $0) }
    case .jsonPath(let path, let text, let value):
      if case .failure(let error) = path {
        return .invalidJSONPath(text, reason: error.description)
      }
      return value.validationError
    case .all(let conditions), .any(let conditions):
      return conditions.lazy.compactMap(\.validationError).first
    case .not(let condition): return condition.validationError
    case .json, .computedJSON, .satisfying, .passing: return nil
    }
  }

  /// Whether the condition reads variables.
  var readsVariables: Bool {
    switch kind {
    case .variable, .computedJSON, .expression: true
    case .query(_, let value), .header(_, let value), .form(_, let value), .cookie(_, let value),
      .text(let value):
      value.isComputed
    case .jsonPath(_, _, let value): value.isComputed
    case .part(_, let pattern): pattern.isComputed
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.readsVariables)
    case .not(let condition): condition.readsVariables
    // A closure can read the variables of the request.
    case .satisfying: true
    case .json, .passing: false
    }
  }

  /// Returns whether a request meets the condition.
  func isMet(by request: ReceivedRequest) -> Bool {
    func matches(_ pattern: TextPattern, _ values: [String]) -> Bool {
      pattern.rendered(for: request).matches(values)
    }
    return switch kind {
    case .query(let name, let value): matches(value, request.query.values(for: name))
    case .header(let name, let value): matches(value, request.headers.values(for: name))
    case .form(let name, let value): matches(value, request.form.values(for: name))
    case .cookie(let name, let value): matches(value, request.cookies.values(for: name))
    case .text(let value): matches(value, request.body.isEmpty ? [] : [request.text])
    case .json(let value, let isExact):
      request.parsedJSON.map { isExact ? $0 == value : $0.contains(value) } ?? false
    case .computedJSON(let value, let isPart):
      if let json = request.parsedJSON, let value = value(for: request) {
        isPart ? json.contains(value) : json == value
      } else {
        false
      }
    case .jsonPath(let path, _, let value):
      if let path = try? path.get() {
        Self.isMet(value.rendered(for: request), by: request.parsedJSON, path)
      } else {
        false
      }
    case .part(let name, let pattern):
      pattern.rendered(for: request).isMet(by: request.parts.filter { $0.name == name })
    case .variable(let name, let value):
      request.variables[name].map { value.rendered(for: request).matches($0) } ?? value.isAbsent
    case .expression(_, _, let holds): holds(request)
    case .all(let conditions): conditions.allSatisfy { $0.isMet(by: request) }
    case .any(let conditions): conditions.contains { $0.isMet(by: request) }
    case .not(let condition): !condition.isMet(by: request)
    case .satisfying(_, let isSatisfied): isSatisfied(request)
    case .passing(_, let failure): failure(request) == nil
    }
  }

  private static func isMet(_ pattern: JSONPattern, by json: JSON?, _ path: JSONPath) -> Bool {
    guard let json else { return pattern.isAbsent }
    if pattern.isAbsent { return !path.contains(in: json) { _ in true } }
    return path.contains(in: json, where: pattern.matches)
  }
}

extension RequestCondition.PartPattern {
  /// Returns whether one of the parts with the name matches.
  func isMet(by parts: [RequestPart]) -> Bool {
    if value == .absent { return parts.isEmpty }
    return parts.contains { part in
      (value?.matches([part.text]) ?? true)
        && (fileName?.matches(part.fileName.map { [$0] } ?? []) ?? true)
        && (contentType?.matches(part.contentType.map { [$0] } ?? []) ?? true)
    }
  }
}
