extension Parameters: ExpressibleByNilLiteral {
  /// Makes ``null``.
  public init(nilLiteral: ()) { self = .null }
}

extension Parameters: ExpressibleByBooleanLiteral {
  /// Makes ``bool(_:)``.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Parameters: ExpressibleByIntegerLiteral {
  /// Makes ``int(_:)``.
  public init(integerLiteral value: Int) { self = .int(value) }
}

extension Parameters: ExpressibleByFloatLiteral {
  /// Makes ``double(_:)``.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension Parameters: ExpressibleByStringInterpolation {
  /// Makes ``string(_:)``.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Parameters: ExpressibleByArrayLiteral {
  /// Makes ``array(_:)``.
  public init(arrayLiteral elements: Parameters...) { self = .array(elements) }
}

extension Parameters: ExpressibleByDictionaryLiteral {
  /// Makes ``dictionary(_:)`` in the literal's order; of the same names the last value counts.
  public init(dictionaryLiteral elements: (String, Parameters)...) {
    self = .dictionary(Members(elements.lazy.map { (key: $0.0, value: $0.1) }))
  }
}
