import Networking

/// One thing that a request has to have, besides its method and path.
///
/// ```swift
/// Route(.post, "/boards", .status(201)).where(.json(containing: ["type": 2]))
/// try provider.verify(.get, "boards", where: .query("page", "2"), .header("Authorization", .present))
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

  /// An item of the query; others do not matter.
  ///
  /// - Parameters:
  ///   - name: its name, decoded, in this very spelling.
  ///   - value: what its value is, decoded.
  /// - Returns: the condition.
  public static func query(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .query(name, value))
  }

  /// A header field; others do not matter.
  ///
  /// - Parameters:
  ///   - name: its name, in any case.
  ///   - value: what its value is.
  /// - Returns: the condition.
  public static func header(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .header(name, value))
  }

  /// A field of a body in the form coding, whatever its content type says; others do not matter.
  ///
  /// - Parameters:
  ///   - name: its name, decoded, in this very spelling.
  ///   - value: what its value is, decoded.
  /// - Returns: the condition.
  public static func form(_ name: String, _ value: TextPattern = .present) -> RequestCondition {
    RequestCondition(kind: .form(name, value))
  }

  /// The body as UTF-8, repaired where it is none.
  ///
  /// - Parameter text: what it is.
  /// - Returns: the condition.
  public static func text(_ text: TextPattern) -> RequestCondition {
    RequestCondition(kind: .text(text))
  }

  /// A JSON body that has all of this in it.
  ///
  /// - Parameter part: of an object the members that matter, whatever others there are; of an array all
  ///   elements, each of which has in it what is here. Numbers are compared by their value.
  /// - Returns: the condition.
  public static func json(containing part: JSON) -> RequestCondition {
    RequestCondition(kind: .json(part, isExact: false))
  }

  /// A JSON body that is this and nothing more.
  ///
  /// - Parameter value: the value; the order of members and the way numbers are written do not matter.
  /// - Returns: the condition.
  public static func json(_ value: JSON) -> RequestCondition {
    RequestCondition(kind: .json(value, isExact: true))
  }

  /// Whatever a closure says.
  ///
  /// - Parameters:
  ///   - description: what it looks for, which reports say in its stead.
  ///   - isSatisfied: looks at the request. It may run any number of times, on any thread, and must not
  ///     block.
  /// - Returns: the condition.
  public static func satisfying(
    _ description: String,
    _ isSatisfied: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> RequestCondition {
    RequestCondition(kind: .satisfying(description, isSatisfied))
  }

  /// What is wrong with it; nil for nothing.
  var flaw: MockServerError? {
    switch kind {
    case .query(_, let value), .header(_, let value), .form(_, let value), .text(let value):
      value.flaw
    case .json, .satisfying: nil
    }
  }
}

extension RequestCondition: CustomStringConvertible {
  /// What is expected, such as `query "page": "2"`, without secrets.
  public var description: String {
    if case .satisfying(let description, _) = kind { return description }
    return "\(aspect): \(expectation)"
  }

  /// What of a request it looks at.
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

  /// What that is to be.
  var expectation: String {
    switch kind {
    case .query(let name, let value), .header(let name, let value), .form(let name, let value):
      if case .present = value.kind { return value.description }
      if case .absent = value.kind { return value.description }
      return Redaction.isSecret(name: name) ? Redaction.mask : value.description
    case .text(let value): return value.bodyDescription
    case .json(let value, let isExact):
      return isExact ? ReportFormatter.json(value) : "\(ReportFormatter.json(value)) in it"
    case .satisfying(let description, _): return description
    }
  }
}

extension RequestCondition {
  /// Whether a request meets it.
  func isMet(by request: ReceivedRequest) -> Bool {
    switch kind {
    case .query(let name, let value): value.fits(request.query.values(for: name))
    case .header(let name, let value): value.fits(request.headers.values(for: name))
    case .form(let name, let value): value.fits(request.form.values(for: name))
    case .text(let value): value.fits(request.texts)
    case .json(let value, let isExact):
      request.json.map { isExact ? $0 == value : $0.contains(value) } ?? false
    case .satisfying(_, let isSatisfied): isSatisfied(request)
    }
  }

  /// What a request lacks, each thing for itself; empty when it meets the condition.
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
    case .satisfying: return differs("not so")
    case .form, .text, .json:
      if request.body.isEmpty, request.bodyByteCount > 0 {
        return differs("\(request.bodyByteCount) bytes, which were not kept")
      }
      if case .form(let name, _) = kind {
        return differs(ReportFormatter.values(request.form.values(for: name), of: name))
      }
      guard case .json(let value, let isExact) = kind else {
        return differs(request.body.isEmpty ? "none" : ReportFormatter.body(request.text))
      }
      guard let actual = request.json else {
        return differs(
          request.body.isEmpty ? "no body" : "no JSON: \(ReportFormatter.body(request.text))")
      }
      return value.differences(from: actual, isExact: isExact)
    }
  }
}

extension ReceivedRequest {
  /// The body as a form's fields.
  fileprivate var form: RequestQuery { RequestQuery(Substring(text)) }

  /// The body as JSON; nil when it is none.
  fileprivate var json: JSON? { body.isEmpty ? nil : try? JSON(parsing: body) }

  /// The body as values for a pattern: none when it is empty.
  fileprivate var texts: [String] { body.isEmpty ? [] : [text] }
}

/// One thing in which a request is not as it was expected to be.
public struct RequestDifference: Sendable, Hashable {
  /// What of the request: `method`, `path`, `query "page"`, `header "Accept"`, `JSON .type`.
  public let aspect: String
  /// What was expected of it, without secrets, of 200 characters at the most.
  public let expected: String
  /// What it was instead, without secrets, of 200 characters at the most.
  public let actual: String
}

extension RequestDifference: CustomStringConvertible {
  /// All three in one line.
  public var description: String { "\(aspect): expected \(expected), actual \(actual)" }
}
