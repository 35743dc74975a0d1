extension JSON: ExpressibleByNilLiteral {
  /// Makes ``null``.
  public init(nilLiteral: ()) { self = .null }
}

extension JSON: ExpressibleByBooleanLiteral {
  /// Makes ``bool(_:)``.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
  /// Makes ``int(_:)``.
  public init(integerLiteral value: Int) { self = .int(value) }
}

extension JSON: ExpressibleByFloatLiteral {
  /// Makes ``double(_:)``.
  public init(floatLiteral value: Double) { self = .double(value) }
}

extension JSON: ExpressibleByStringInterpolation {
  /// Makes ``string(_:)``.
  public init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByArrayLiteral {
  /// Makes ``array(_:)``.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral {
  /// Makes ``dictionary(_:)``; of the same names the last value counts.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}
