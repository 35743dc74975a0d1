public import Networking

/// A pattern for a JSON value, such as a member of a body or a variable.
///
/// A literal creates ``equal(_:)``.
///
/// ```swift
/// .json(at: "$.user.name", "Ada")
/// .json(at: "$.items[*].price", .equal(12.5))
/// .json(at: "$.total", .atLeast(100))
/// .json(at: "$.stars", .between(1...5))
/// .json(at: "$.tags", .containing("new"))
/// .json(at: "$.email", .matching("@example\\.com$"))
/// .json(at: "$.coupon", .absent)
/// ```
///
/// If a path selects several values, one matching value is sufficient.
public struct JSONPattern: Sendable, Hashable {
  enum Kind: Hashable {
    case equal(JSON)
    case present
    case absent
    case containing(JSON)
    case matching(RegularExpression)
    case atLeast(Double)
    case atMost(Double)
    case between(ClosedRange<Double>)
    case computed(RequestValue, isPart: Bool)
  }

  let kind: Kind

  /// Matches any value, also `null`.
  public static let present = JSONPattern(kind: .present)

  /// Matches if there is no value.
  public static let absent = JSONPattern(kind: .absent)

  /// Returns a pattern for a value.
  ///
  /// - Parameter value: The value. The order of members and the notation of numbers are ignored.
  /// - Returns: The pattern.
  public static func equal(_ value: JSON) -> JSONPattern { JSONPattern(kind: .equal(value)) }

  /// Returns a pattern for a value that contains another one.
  ///
  /// - Parameter part: The contained value. A string contains a part of its text. An array contains a
  ///   value that one of its elements equals or, if both are objects, has the members of. An object
  ///   contains an object whose members it has. Two arrays must have the same number of elements, and
  ///   each must contain the element at the same index.
  /// - Returns: The pattern.
  public static func containing(_ part: JSON) -> JSONPattern {
    JSONPattern(kind: .containing(part))
  }

  /// Returns a pattern for a string, number or Boolean whose text contains a match of a regular
  /// expression.
  ///
  /// - Parameter expression: The expression, as in ``TextPattern/matching(_:)``.
  /// - Returns: The pattern.
  public static func matching(_ expression: String) -> JSONPattern {
    JSONPattern(kind: .matching(RegularExpression(expression)))
  }

  /// Returns a pattern for a number that is not less than another one.
  ///
  /// - Parameter number: The least number.
  /// - Returns: The pattern. Values that are not numbers do not match, not even texts with digits.
  public static func atLeast(_ number: Double) -> JSONPattern {
    JSONPattern(kind: .atLeast(number))
  }

  /// Returns a pattern for a number that is not greater than another one.
  ///
  /// - Parameter number: The greatest number.
  /// - Returns: The pattern. Values that are not numbers do not match, not even texts with digits.
  public static func atMost(_ number: Double) -> JSONPattern { JSONPattern(kind: .atMost(number)) }

  /// Returns a pattern for a number in a range.
  ///
  /// - Parameter range: The range, with its bounds.
  /// - Returns: The pattern. Values that are not numbers do not match, not even texts with digits.
  public static func between(_ range: ClosedRange<Double>) -> JSONPattern {
    JSONPattern(kind: .between(range))
  }

  /// Whether the pattern matches only if there is no value.
  var isAbsent: Bool { kind == .absent }

  /// Returns whether a value matches.
  ///
  /// ``absent`` matches no value.
  func matches(_ value: JSON) -> Bool {
    switch kind {
    case .present: return true
    case .absent, .computed: return false
    case .equal(let wanted): return value == wanted
    case .containing(let part):
      switch (value, part) {
      case (.string(let text), .string(let part)): return TextOccurrences.contains(part, in: text)
      case (.array, .array): return value.contains(part)
      case (.array(let elements), _): return elements.contains { $0.contains(part) }
      default: return value.contains(part)
      }
    case .matching(let expression):
      switch value {
      case .string(let text): return expression.isFound(in: text)
      case .bool, .int, .decimal, .double: return expression.isFound(in: value.description)
      case .null, .array, .dictionary: return false
      }
    case .atLeast(let least): return value.double.map { $0 >= least } ?? false
    case .atMost(let most): return value.double.map { $0 <= most } ?? false
    case .between(let range): return value.double.map { range.contains($0) } ?? false
    }
  }

  /// The error in the pattern, or `nil` if it is valid.
  var validationError: MockServerError? {
    guard case .matching(let expression) = kind else { return nil }
    return expression.serverError
  }
}

extension JSONPattern: CustomStringConvertible {
  /// The expected value, such as `"Ada"`, `any value` or `a value containing "new"`, with the values
  /// of secret names masked.
  public var description: String {
    switch kind {
    case .equal(let value): ReportFormatter.json(value)
    case .present: "any value"
    case .absent: "none"
    case .containing(let part): "a value containing \(ReportFormatter.json(part))"
    case .matching(let expression): expression.expectation(ReportFormatter.masked)
    case .atLeast(let least): "a number of at least \(Self.text(of: least))"
    case .atMost(let most): "a number of at most \(Self.text(of: most))"
    case .computed(let value, let isPart):
      (isPart ? "a value containing " : "") + ReportFormatter.json(value.source)
    case .between(let range):
      "a number from \(Self.text(of: range.lowerBound)) to \(Self.text(of: range.upperBound))"
    }
  }

  private static func text(of number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}

extension JSONPattern: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates an ``equal(_:)`` pattern for `null`.
  public init(nilLiteral: ()) { self = .equal(.null) }

  /// Creates an ``equal(_:)`` pattern.
  public init(booleanLiteral value: Bool) { self = .equal(.bool(value)) }

  /// Creates an ``equal(_:)`` pattern.
  public init(integerLiteral value: Int) { self = .equal(.int(value)) }

  /// Creates an ``equal(_:)`` pattern.
  public init(floatLiteral value: Double) { self = .equal(.double(value)) }

  /// Creates an ``equal(_:)`` pattern.
  public init(stringLiteral value: String) { self = .equal(.string(value)) }

  /// Creates an ``equal(_:)`` pattern.
  public init(arrayLiteral elements: JSON...) { self = .equal(.array(elements)) }

  /// Creates an ``equal(_:)`` pattern.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .equal(.dictionary(Dictionary(elements) { _, last in last }))
  }
}
