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
    case json(JSON, isWhole: Bool)
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
    RequestCondition(kind: .json(part, isWhole: false))
  }

  /// A JSON body that is this and nothing more.
  ///
  /// - Parameter value: the value; the order of members and the way numbers are written do not matter.
  /// - Returns: the condition.
  public static func json(_ value: JSON) -> RequestCondition {
    RequestCondition(kind: .json(value, isWhole: true))
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
    case .query(let name, _): "query \(ReportText.quoted(name))"
    case .header(let name, _): "header \(ReportText.quoted(name))"
    case .form(let name, _): "form \(ReportText.quoted(name))"
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
    case .json(let value, let isWhole):
      return isWhole ? ReportText.json(value) : "\(ReportText.json(value)) in it"
    case .satisfying(let description, _): return description
    }
  }
}
