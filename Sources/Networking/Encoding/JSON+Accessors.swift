import Foundation

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
