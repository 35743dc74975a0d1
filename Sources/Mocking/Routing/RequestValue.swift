package import Networking

/// A value that another module computes for each request, such as that of a template in a condition.
///
/// Two values are equal if they were written in the same way.
package struct RequestValue: Sendable, Hashable {
  /// The value as written, for reports, because the computed one may be a secret.
  let source: JSON
  private let compute: @Sendable (_ request: ReceivedRequest) -> JSON?

  /// Creates a value.
  ///
  /// - Parameters:
  ///   - source: The value as written.
  ///   - compute: A closure that returns the value for a request, or `nil` if it has none. It runs for each
  ///     comparison, any number of times.
  package init(
    source: JSON, _ compute: @escaping @Sendable (_ request: ReceivedRequest) -> JSON?
  ) {
    self.source = source
    self.compute = compute
  }

  /// Returns the value for a request, or `nil` if there is none, which matches nothing.
  func callAsFunction(for request: ReceivedRequest) -> JSON? { compute(request) }

  package static func == (left: RequestValue, right: RequestValue) -> Bool {
    left.source == right.source
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

extension TextPattern {
  /// Returns a pattern for a text that is computed for each request.
  ///
  /// - Parameters:
  ///   - text: The text, as a JSON string.
  ///   - isPart: Whether a text matches that contains it.
  /// - Returns: The pattern.
  package static func computed(_ text: RequestValue, isPart: Bool) -> TextPattern {
    TextPattern(kind: .computed(text, isPart: isPart))
  }

  /// Returns the pattern for a request: with its computed text, or unchanged if it has none.
  func rendered(for request: ReceivedRequest) -> TextPattern {
    guard case .computed(let value, let isPart) = kind, let text = value(for: request)?.string
    else { return self }
    return isPart ? .containing(text) : .equal(text)
  }

  /// Whether the text is computed, for which variables may be read.
  var isComputed: Bool { if case .computed = kind { true } else { false } }
}

extension JSONPattern {
  /// Returns a pattern for a value that is computed for each request.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - isPart: Whether a value matches that contains it.
  /// - Returns: The pattern.
  package static func computed(_ value: RequestValue, isPart: Bool) -> JSONPattern {
    JSONPattern(kind: .computed(value, isPart: isPart))
  }

  /// Returns the pattern for a request: with its computed value, or unchanged if it has none.
  func rendered(for request: ReceivedRequest) -> JSONPattern {
    guard case .computed(let value, let isPart) = kind, let value = value(for: request) else {
      return self
    }
    return isPart ? .containing(value) : .equal(value)
  }

  /// Whether the value is computed, for which variables may be read.
  var isComputed: Bool { if case .computed = kind { true } else { false } }
}

extension RequestCondition.PartPattern {
  /// Whether one of the texts is computed.
  var isComputed: Bool {
    [value, fileName, contentType].contains { $0?.isComputed == true }
  }

  /// Returns the patterns for a request, with their computed texts.
  func rendered(for request: ReceivedRequest) -> Self {
    Self(
      value: value?.rendered(for: request), fileName: fileName?.rendered(for: request),
      contentType: contentType?.rendered(for: request))
  }
}

extension RequestCondition {
  /// Returns a condition on a JSON body that is computed for each request.
  ///
  /// - Parameters:
  ///   - value: The body.
  ///   - isPart: Whether the body contains the value, instead of being equal to it.
  /// - Returns: The condition.
  package static func json(computed value: RequestValue, isPart: Bool) -> RequestCondition {
    RequestCondition(kind: .computedJSON(value, isPart: isPart))
  }

  /// Returns a condition on the value of an expression.
  ///
  /// - Parameters:
  ///   - text: The expression as written.
  ///   - problem: The error in the expression, which is that of a route with it.
  ///   - holds: A closure that evaluates the expression for a request, any number of times.
  /// - Returns: The condition.
  package static func expression(
    _ text: String, problem: String? = nil,
    _ holds: @escaping @Sendable (_ request: ReceivedRequest) -> Bool
  ) -> RequestCondition {
    RequestCondition(kind: .expression(text, problem: problem, holds))
  }
}
