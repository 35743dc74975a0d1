import Networking

/// A condition that a request must meet in addition to the method and the path.
///
/// ```swift
/// Route(.post, "/boards", .status(201)).where(.json(containing: ["type": 2]))
/// try provider.verify(
///   .get, "boards", where: .query("page", "2"), .header("Authorization", .present))
/// ```
public struct RequestCondition: Sendable {
  enum Kind: Sendable {
    case query(String, TextPattern)
    case header(String, TextPattern)
    case form(String, TextPattern)
    case text(TextPattern)
    case json(JSON, isExact: Bool)
    case satisfying(String, @Sendable (ReceivedRequest) -> Bool)
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

  /// The error in the condition, or `nil` if it is valid.
  var validationError: MockServerError? {
    switch kind {
    case .query(_, let value), .header(_, let value), .form(_, let value), .text(let value):
      value.validationError
    case .json, .satisfying: nil
    }
  }
}

extension RequestCondition: CustomStringConvertible {
  /// The tested part and the expected value, such as `query "page": "2"`, with secrets masked.
  public var description: String {
    if case .satisfying(let description, _) = kind { return description }
    return "\(aspect): \(expectation)"
  }

  /// The part of the request that the condition tests.
  var aspect: String {
    switch kind {
    case .query(let name, _): "query \(ReportFormatter.quoted(name))"
    case .header(let name, _): "header \(ReportFormatter.quoted(name))"
    case .form(let name, _): "form \(ReportFormatter.quoted(name))"
    case .text: "body"
    case .json: "JSON"
    case .satisfying: "condition"
    }
  }

  /// A description of the expected value, with secrets masked.
  var expectation: String {
    switch kind {
    case .query(let name, let value), .header(let name, let value), .form(let name, let value):
      if case .present = value.kind { return value.description }
      if case .absent = value.kind { return value.description }
      return Redactor.standard.isSecret(name: name) ? Redactor.mask : value.description
    case .text(let value): return value.bodyDescription
    case .json(let value, let isExact):
      return isExact ? ReportFormatter.json(value) : "containing \(ReportFormatter.json(value))"
    case .satisfying(let description, _): return description
    }
  }
}

extension RequestCondition {
  /// Returns whether a request meets the condition.
  func isMet(by request: ReceivedRequest) -> Bool {
    switch kind {
    case .query(let name, let value): value.matches(request.query.values(for: name))
    case .header(let name, let value): value.matches(request.headers.values(for: name))
    case .form(let name, let value): value.matches(request.form.values(for: name))
    case .text(let value): value.matches(request.texts)
    case .json(let value, let isExact):
      request.parsedJSON.map { isExact ? $0 == value : $0.contains(value) } ?? false
    case .satisfying(_, let isSatisfied): isSatisfied(request)
    }
  }

  /// Returns the differences between a request and the condition.
  ///
  /// Empty if the request meets it.
  func differences(from request: ReceivedRequest) -> [RequestDifference] {
    guard !isMet(by: request) else { return [] }
    func differs(_ actual: String) -> [RequestDifference] {
      [RequestDifference(aspect: aspect, expected: expectation, actual: actual)]
    }
    switch kind {
    case .query(let name, _):
      return differs(ReportFormatter.values(request.query.values(for: name), of: name))
    case .header(let name, _):
      return differs(ReportFormatter.values(request.headers.values(for: name), of: name))
    case .satisfying: return differs("not satisfied")
    case .form, .text, .json:
      if request.body.isEmpty, request.bodyByteCount > 0 {
        return differs("\(request.bodyByteCount) bytes, not stored")
      }
      if case .form(let name, _) = kind {
        return differs(ReportFormatter.values(request.form.values(for: name), of: name))
      }
      guard case .json(let value, let isExact) = kind else {
        return differs(request.body.isEmpty ? "none" : ReportFormatter.body(request.text))
      }
      guard let actual = request.parsedJSON else {
        return differs(
          request.body.isEmpty ? "no body" : "not JSON: \(ReportFormatter.body(request.text))")
      }
      return value.differences(from: actual, isExact: isExact)
    }
  }
}

extension ReceivedRequest {
  /// The body as form fields.
  fileprivate var form: RequestQuery { RequestQuery(Substring(text)) }

  /// The body as JSON, or `nil` if it is empty or not JSON.
  fileprivate var parsedJSON: JSON? { body.isEmpty ? nil : try? JSON(parsing: body) }

  /// The body as the list of values for a text pattern, which is empty for an empty body.
  fileprivate var texts: [String] { body.isEmpty ? [] : [text] }
}

/// A difference between a request and a pattern.
public struct RequestDifference: Sendable, Hashable {
  /// The part of the request: `method`, `path`, `query "page"`, `header "Accept"`, `JSON .type`.
  public let aspect: String
  /// The expected value, with secrets masked, cut to 200 characters and an ellipsis.
  public let expected: String
  /// The actual value, with secrets masked, cut to 200 characters and an ellipsis.
  public let actual: String
}

extension RequestDifference: CustomStringConvertible {
  /// The difference on one line: `query "page": expected "2", actual "1"`.
  public var description: String { "\(aspect): expected \(expected), actual \(actual)" }
}
