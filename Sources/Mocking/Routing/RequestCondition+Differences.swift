import Networking

extension RequestCondition: CustomStringConvertible {
  /// The tested part and the expected value, such as `query "page": "2"`, with secrets masked.
  ///
  /// Nested conditions are in parentheses: `(query "a": "1" or not header "B": any value)`.
  public var description: String {
    switch kind {
    case .satisfying(let description, _), .passing(let description, _): return description
    case .expression(let text, _, _):
      return "if \(ReportFormatter.bounded(ReportFormatter.masked(text)))"
    case .all(let conditions): return Self.list(conditions, " and ", whenEmpty: "always")
    case .any(let conditions): return Self.list(conditions, " or ", whenEmpty: "never")
    case .not(let condition): return "not \(condition)"
    default: return "\(aspect): \(expectation)"
    }
  }

  private static func list(
    _ conditions: [RequestCondition], _ separator: String, whenEmpty text: String
  ) -> String {
    guard conditions.count != 1 else { return conditions[0].description }
    guard !conditions.isEmpty else { return text }
    return ReportFormatter.bounded(
      "(" + conditions.prefix(10).map(\.description).joined(separator: separator) + ")")
  }

  /// The part of the request that the condition tests.
  private var aspect: String {
    switch kind {
    case .query(let name, _): "query \(ReportFormatter.quoted(name))"
    case .header(let name, _): "header \(ReportFormatter.quoted(name))"
    case .form(let name, _): "form \(ReportFormatter.quoted(name))"
    case .cookie(let name, _): "cookie \(ReportFormatter.quoted(name))"
    case .part(let name, _): "part \(ReportFormatter.quoted(name))"
    case .variable(let name, _): "variable \(ReportFormatter.quoted(name))"
    case .text: "body"
    case .json, .computedJSON: "JSON"
    case .jsonPath(_, let path, _): "JSON \(ReportFormatter.bounded(path))"
    case .satisfying, .passing, .expression, .all, .any, .not: "condition"
    }
  }

  /// A description of the expected value, with secrets masked.
  private var expectation: String {
    switch kind {
    case .query(let name, let value), .header(let name, let value), .form(let name, let value):
      return value.description(isSecret: Redactor.standard.isSecret(name: name))
    case .cookie(_, let value): return value.description(isSecret: true)
    case .part(let name, let pattern):
      return pattern.description(isSecret: Redactor.standard.isSecret(name: name))
    case .variable(let name, let value):
      return value.description(isSecret: Redactor.standard.isSecret(name: name))
    case .jsonPath(let path, _, let value): return value.description(isSecret: Self.isSecret(path))
    case .text(let value): return value.bodyDescription
    case .json(let value, let isExact):
      return isExact ? ReportFormatter.json(value) : "containing \(ReportFormatter.json(value))"
    case .computedJSON(let value, let isPart):
      return (isPart ? "containing " : "") + ReportFormatter.json(value.source)
    case .satisfying, .passing, .expression, .all, .any, .not: return description
    }
  }

  private static func isSecret(_ path: Result<JSONPath, JSONPathError>) -> Bool {
    (try? path.get())?.names.contains { Redactor.standard.isSecret(name: $0) } ?? false
  }
}

extension TextPattern {
  /// Returns the expected text; of a secret, whether there must be a value.
  fileprivate func description(isSecret: Bool) -> String {
    guard isSecret, self != .present, self != .absent else { return description }
    return Redactor.mask
  }
}

extension JSONPattern {
  /// Returns the expected value; of a secret, whether there must be a value.
  fileprivate func description(isSecret: Bool) -> String {
    guard isSecret, self != .present, self != .absent else { return description }
    return Redactor.mask
  }
}

extension RequestCondition.PartPattern {
  fileprivate func description(isSecret: Bool) -> String {
    var texts = value.map { [$0.description(isSecret: isSecret)] } ?? []
    if let fileName { texts.append("file name \(fileName)") }
    if let contentType { texts.append("content type \(contentType)") }
    return texts.isEmpty ? TextPattern.present.description : texts.joined(separator: ", ")
  }
}

extension RequestCondition {
  /// The limit for the differences of one condition.
  private static let maximumDifferences = 20

  /// Returns the differences between a request and the condition.
  ///
  /// Empty if the request meets it. The differences of a condition with alternatives, none of which
  /// is met, name the number of the alternative.
  func differences(from request: ReceivedRequest) -> [RequestDifference] {
    differences(from: request, isNegated: false)
  }

  /// Returns the differences to the condition or, if it is negated, to its opposite.
  ///
  /// A negation applies to the innermost conditions, as by De Morgan's laws, so that the report names
  /// the values that must differ.
  private func differences(
    from request: ReceivedRequest, isNegated: Bool
  ) -> [RequestDifference] {
    guard isMet(by: request) == isNegated else { return [] }
    switch kind {
    case .not(let condition): return condition.differences(from: request, isNegated: !isNegated)
    case .all(let conditions):
      return isNegated
        ? Self.alternatives(conditions, request, isNegated: true)
        : Self.bounded(conditions.lazy.map { $0.differences(from: request, isNegated: false) })
    case .any(let conditions):
      return isNegated
        ? Self.bounded(conditions.lazy.map { $0.differences(from: request, isNegated: true) })
        : Self.alternatives(conditions, request, isNegated: false)
    default:
      guard isNegated else { return ownDifferences(from: request) }
      return [
        RequestDifference(
          aspect: aspect, expected: "not \(expectation)", actual: actualValue(in: request))
      ]
    }
  }

  private static func alternatives(
    _ conditions: [RequestCondition], _ request: ReceivedRequest, isNegated: Bool
  ) -> [RequestDifference] {
    guard !conditions.isEmpty else {
      return [
        RequestDifference(aspect: "condition", expected: "an alternative", actual: "none")
      ]
    }
    return bounded(
      conditions.lazy.enumerated().map { index, condition in
        condition.differences(from: request, isNegated: isNegated).map { difference in
          RequestDifference(
            aspect: "alternative \(index + 1) of \(conditions.count): \(difference.aspect)",
            expected: difference.expected, actual: difference.actual)
        }
      })
  }

  private static func bounded(_ lists: some Sequence<[RequestDifference]>) -> [RequestDifference] {
    var differences: [RequestDifference] = []
    for list in lists {
      differences += list
      if differences.count >= maximumDifferences { break }
    }
    return Array(differences.prefix(maximumDifferences))
  }

  /// Returns the differences to a condition that contains no others.
  private func ownDifferences(from request: ReceivedRequest) -> [RequestDifference] {
    if case .json(let value, let isExact) = kind, let actual = request.parsedJSON {
      return value.differences(from: actual, isExact: isExact)
    }
    return [
      RequestDifference(
        aspect: aspect, expected: expectation, actual: actualValue(in: request))
    ]
  }

  /// Returns a description of the value that the condition tests, with secrets masked.
  private func actualValue(in request: ReceivedRequest) -> String {
    switch kind {
    case .query(let name, _):
      return ReportFormatter.values(request.query.values(for: name), of: name)
    case .header(let name, _):
      return ReportFormatter.values(request.headers.values(for: name), of: name)
    case .cookie(let name, _):
      return request.cookies[name] == nil ? "none" : Redactor.mask
    case .variable(let name, _):
      guard let value = request.variables[name] else { return "none" }
      return Redactor.standard.isSecret(name: name) ? Redactor.mask : ReportFormatter.json(value)
    case .satisfying: return isMet(by: request) ? "satisfied" : "not satisfied"
    case .passing(_, let failure):
      return failure(request).map(ReportFormatter.bounded) ?? "satisfied"
    case .expression, .all, .any, .not: return isMet(by: request) ? "met" : "not met"
    case .form, .text, .json, .computedJSON, .jsonPath, .part: break
    }
    if request.body.isEmpty, request.bodyByteCount > 0 {
      return "\(request.bodyByteCount) bytes, not stored"
    }
    switch kind {
    case .form(let name, _):
      return ReportFormatter.values(request.form.values(for: name), of: name)
    case .part(let name, let pattern): return pattern.actualValue(of: name, in: request)
    case .text: return request.body.isEmpty ? "none" : ReportFormatter.body(request.text)
    case .jsonPath(let path, _, _):
      guard let json = request.parsedJSON else { return request.descriptionWithoutJSON }
      return Self.actualValue(at: path, in: json)
    default:
      return request.parsedJSON.map(ReportFormatter.json) ?? request.descriptionWithoutJSON
    }
  }

  private static func actualValue(at path: Result<JSONPath, JSONPathError>, in json: JSON) -> String
  {
    let values = (try? path.get())?.values(in: json, limit: 5) ?? []
    guard !values.isEmpty else { return "none" }
    if isSecret(path) { return Redactor.mask }
    return ReportFormatter.bounded(values.map(ReportFormatter.json).joined(separator: ", "))
  }
}

extension RequestCondition.PartPattern {
  fileprivate func actualValue(of name: String, in request: ReceivedRequest) -> String {
    let parts = request.parts.filter { $0.name == name }
    guard !parts.isEmpty else { return "none" }
    let isSecret = Redactor.standard.isSecret(name: name)
    let texts = parts.prefix(3).map { part in
      var texts: [String] = []
      if value != nil {
        texts.append(isSecret ? Redactor.mask : ReportFormatter.body(part.text))
      }
      if fileName != nil {
        texts.append("file name \(part.fileName.map(ReportFormatter.quoted) ?? "none")")
      }
      if contentType != nil {
        texts.append("content type \(part.contentType.map(ReportFormatter.quoted) ?? "none")")
      }
      return texts.isEmpty ? "any value" : texts.joined(separator: ", ")
    }
    return ReportFormatter.bounded(texts.joined(separator: "; "))
  }
}

extension ReceivedRequest {
  /// A description of a body that is not JSON.
  fileprivate var descriptionWithoutJSON: String {
    body.isEmpty ? "no body" : "not JSON: \(ReportFormatter.body(text))"
  }
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
  ///
  /// Of two values that are masked or cut, so that their texts are equal, the line says that they differ:
  /// `header "Authorization": expected ***, actual *** (the values differ)`.
  public var description: String {
    let note = expected == actual ? " (the values differ)" : ""
    return "\(aspect): expected \(expected), actual \(actual)\(note)"
  }
}
