import Mocking
public import Networking

extension ResourceOptions {
  /// A rule for the values of a member.
  ///
  /// ```swift
  /// $0.types = ["quantity": .integer]
  /// $0.rules = [
  ///   "quantity": MemberRule(minimum: 1, maximum: 99),
  ///   "status": MemberRule(allowed: ["placed", "sent"]),
  /// ]
  /// ```
  ///
  /// A rule for numbers ignores values of other types, and so does a rule for strings. `null` and a
  /// missing member meet every rule; ``required`` excludes them.
  public struct MemberRule: Sendable, Hashable {
    /// The least number.
    ///
    /// `nil` for no limit.
    public var minimum: Double?
    /// The greatest number.
    ///
    /// `nil` for no limit.
    public var maximum: Double?
    /// The least number of characters of a string, or of elements of an array.
    ///
    /// `nil` for no limit.
    public var minLength: Int?
    /// The greatest number of characters of a string, or of elements of an array.
    ///
    /// `nil` for no limit.
    public var maxLength: Int?
    /// The regular expression of which a string contains a match, as in ``TextPattern/matching(_:)``.
    ///
    /// `nil` for any string. If it is malformed, no string is valid.
    public var pattern: String? { didSet { expression = pattern.map { RegularExpression($0) } } }
    /// The allowed values.
    ///
    /// `nil` for all values.
    public var allowed: [JSON]?
    private var expression: RegularExpression?

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - minimum: The least number.
    ///   - maximum: The greatest number.
    ///   - minLength: The least number of characters or elements.
    ///   - maxLength: The greatest number of characters or elements.
    ///   - pattern: The regular expression of which a string contains a match.
    ///   - allowed: The allowed values.
    public init(
      minimum: Double? = nil, maximum: Double? = nil, minLength: Int? = nil,
      maxLength: Int? = nil, pattern: String? = nil, allowed: [JSON]? = nil
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.minLength = minLength
      self.maxLength = maxLength
      self.pattern = pattern
      self.allowed = allowed
      expression = pattern.map { RegularExpression($0) }
    }

    /// Returns the errors of a value, such as `must be at least 1`.
    func problems(of value: JSON) -> [String] {
      guard !value.isNull else { return [] }
      var problems: [String] = []
      if let number = value.double {
        if let minimum, number < minimum {
          problems.append("must be at least \(Self.text(of: minimum))")
        }
        if let maximum, number > maximum {
          problems.append("must be at most \(Self.text(of: maximum))")
        }
      }
      problems += lengthProblems(of: value)
      if let expression, case .string(let text) = value, !expression.isFound(in: text) {
        problems.append("must match \(ReportFormatter.quoted(pattern ?? ""))")
      }
      if let allowed, !allowed.contains(value) {
        let names = allowed.prefix(20).map(\.description).joined(separator: ", ")
        problems.append("must be one of \(names)")
      }
      return problems
    }

    private func lengthProblems(of value: JSON) -> [String] {
      let count: Int
      let unit: String
      switch value {
      case .string(let text): (count, unit) = (text.count, "character")
      case .array(let elements): (count, unit) = (elements.count, "element")
      default: return []
      }
      func text(_ limit: Int) -> String { "\(limit) \(unit)\(limit == 1 ? "" : "s")" }
      if let minLength, count < minLength { return ["must have at least \(text(minLength))"] }
      if let maxLength, count > maxLength { return ["must have at most \(text(maxLength))"] }
      return []
    }

    private static func text(of number: Double) -> String {
      Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
  }
}
