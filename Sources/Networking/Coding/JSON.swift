import Foundation

/// A JSON value, such as a server sends.
///
/// ```swift
/// let json = try JSON(parsing: data)
/// let title = json["boards"][0]["title"].string    // nil when anything on the way is missing
/// ```
///
/// Subscripts never trap: what is not there is ``null``. Numbers are equal when their values are, be
/// they whole or not, and the members of objects have no order.
///
/// In a `Decodable` type of your own it stands for a part of any shape.
///
/// Source: RFC 8259.
public enum JSON: Sendable {
  /// `null`, and what is not there.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case int(Int)
  /// A number that neither `Int` nor `Double` holds exactly, of up to 38 digits.
  case decimal(Decimal)
  /// Any other number.
  case double(Double)
  /// Text.
  case string(String)
  /// Several values, in order.
  case array([JSON])
  /// An object.
  case dictionary([String: JSON])

  /// An element of an array; ``null`` when this is no array or has no such element.
  ///
  /// - Parameter index: the position, from 0.
  public subscript(index: Int) -> JSON {
    guard case .array(let values) = self, values.indices.contains(index) else { return .null }
    return values[index]
  }

  /// A member of an object; ``null`` when this is no object or has no such member.
  ///
  /// - Parameter name: the member's name.
  public subscript(name: String) -> JSON {
    guard case .dictionary(let values) = self else { return .null }
    return values[name] ?? .null
  }
}

extension JSON: Hashable {
  /// Whether two values are the same; numbers by their value.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.int(let whole), .double(let other)), (.double(let other), .int(let whole)):
      Int(exactly: other) == whole
    case (.decimal(let left), .decimal(let right)): left == right
    case (.decimal(let exact), .int(let other)), (.int(let other), .decimal(let exact)):
      exact == Decimal(other)
    case (.decimal(let exact), .double(let other)), (.double(let other), .decimal(let exact)):
      Decimal(string: other.description) == exact
    default: false
    }
  }

  /// Feeds the value to the hasher, numbers that are equal alike.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(Double(value))
    case .decimal(let value): hasher.combine(NSDecimalNumber(decimal: value).doubleValue)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .dictionary(let values): hasher.combine(values)
    }
  }
}

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

extension JSON {
  /// Whether this is `null`, or was not there.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The truth value, or nil when this is none; numbers are not taken for one.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The whole number, or nil when this is none that `Int` holds; `2.0` is one.
  public var int: Int? {
    switch self {
    case .int(let value): value
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number as the nearest `Double`, or nil when this is no number.
  public var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): NSDecimalNumber(decimal: value).doubleValue
    default: nil
    }
  }

  /// The number, or nil when this is none.
  public var decimal: Decimal? {
    switch self {
    case .int(let value): Decimal(value)
    case .double(let value) where value.isFinite: Decimal(string: value.description)
    case .decimal(let value): value
    default: nil
    }
  }

  /// The text, or nil when this is none; numbers are not turned into one.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The elements, or nil when this is no array.
  public var array: [JSON]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// The members, or nil when this is no object.
  public var dictionary: [String: JSON]? {
    if case .dictionary(let values) = self { values } else { nil }
  }
}
