public import Foundation

/// A JSON value, such as the body of a response.
///
/// ```swift
/// let json = try JSON(parsing: data)
/// let title = json["boards"][0]["title"].string    // nil if a part of the path is missing
/// json["boards"][0]["tags"] = ["new"]              // adds missing objects on the path
/// ```
///
/// Subscripts never trap. They return ``null`` for a missing element or member. Numbers of
/// different cases are equal if their values are equal. The members of an object have no order.
///
/// Use it in a `Decodable` type for a property whose structure is not known.
///
/// Source: RFC 8259.
public enum JSON: Sendable {
  /// `null`. Also the result of a subscript for a missing value.
  case null
  /// A Boolean.
  case bool(Bool)
  /// An integer.
  case int(Int)
  /// A number of up to 38 digits that neither `Int` nor `Double` can hold exactly.
  case decimal(Decimal)
  /// Any other number.
  case double(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSON])
  /// An object.
  case dictionary([String: JSON])

  /// The element of an array at an index, or ``null`` if the value is not an array or the index is
  /// out of range.
  ///
  /// A value that is set replaces the element, or is appended if the index is the number of elements.
  /// A value that is not an array counts as an empty array. A value that is set at any other index is
  /// discarded.
  ///
  /// - Parameter index: The index, starting at 0.
  public subscript(index: Int) -> JSON {
    get {
      guard case .array(let values) = self, values.indices.contains(index) else { return .null }
      return values[index]
    }
    _modify {
      var element = self[index]
      guard index >= 0, index <= (array?.count ?? 0) else {
        yield &element
        return
      }
      var values = array ?? []
      // Without the old references, the array and the element are changed in place.
      self = .null
      if index == values.count { values.append(.null) } else { values[index] = .null }
      defer {
        values[index] = element
        self = .array(values)
      }
      yield &element
    }
  }

  /// The member of an object with a name, or ``null`` if the value is not an object or has no such
  /// member.
  ///
  /// A value that is set replaces the member or adds it. A value that is not an object is replaced by
  /// an object with this member. ``null`` is stored as a value; ``remove(_:)`` removes a member.
  ///
  /// - Parameter name: The name of the member.
  public subscript(name: String) -> JSON {
    get {
      guard case .dictionary(let values) = self else { return .null }
      return values[name] ?? .null
    }
    _modify {
      var values = dictionary ?? [:]
      // Without the old reference, the object is changed in place.
      self = .null
      defer { self = .dictionary(values) }
      yield &values[name, default: .null]
    }
  }

  /// Removes the member of an object.
  ///
  /// - Parameter name: The name of the member.
  /// - Returns: The value of the member, or `nil` if the value is not an object or has no such
  ///   member.
  @discardableResult
  public mutating func remove(_ name: String) -> JSON? {
    guard case .dictionary(var values) = self, values[name] != nil else { return nil }
    self = .null
    let value = values.removeValue(forKey: name)
    self = .dictionary(values)
    return value
  }
}

extension JSON: Hashable {
  /// Returns whether two values are equal.
  ///
  /// Numbers are compared by value, not by case.
  public static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.array(let left), .array(let right)): left == right
    case (.dictionary(let left), .dictionary(let right)): left == right
    default: areEqualScalars(left, right)
    }
  }

  /// Compares values of which at most one is an array or an object.
  ///
  /// It is outside of `==`, so that the frames of the recursion are small.
  @inline(never) private static func areEqualScalars(_ left: JSON, _ right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.string(let left), .string(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left == right
    case (.int(let integer), .double(let other)), (.double(let other), .int(let integer)):
      Int(exactly: other) == integer
    case (.decimal(let left), .decimal(let right)): left == right
    case (.decimal(let exact), .int(let other)), (.int(let other), .decimal(let exact)):
      exact == Decimal(other)
    case (.decimal(let exact), .double(let other)), (.double(let other), .decimal(let exact)):
      Decimal(string: JSONWriter.text(of: other)) == exact
    default: false
    }
  }

  /// Feeds the value to a hasher.
  ///
  /// Equal numbers of different cases have the same hash. Numbers that no `Double` holds have hashes
  /// of their own, although many of them may be near to one `Double`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value):
      let double = Double(value)
      hasher.combine(double)
      if Int(exactly: double) != value { hasher.combine(String(value)) }
    case .decimal(let value):
      let double = value.nearestDouble
      hasher.combine(double)
      guard !Self.areEqualScalars(self, .double(double)) else { return }
      // Equal decimals may have different numbers of zeros at their ends.
      var compact = value
      NSDecimalCompact(&compact)
      hasher.combine(compact.description)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .array(let values): hasher.combine(values)
    case .dictionary(let values): hasher.combine(values)
    }
  }
}

extension Decimal {
  /// The nearest value of type `Double`.
  ///
  /// The conversion of `NSDecimalNumber` is not exact.
  var nearestDouble: Double { Double(description) ?? .nan }

  var isInteger: Bool {
    var (number, rounded) = (self, Decimal())
    NSDecimalRound(&rounded, &number, 0, .plain)
    return rounded == self
  }
}

// MARK: - Literals

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
  ///
  /// In an expression with a value and `nil`, such as `isEmpty ? nil : json`, the literal is ``null``,
  /// even if the result is a `JSON?`. Write `JSON?.none` for no value.
  public init(nilLiteral: ()) { self = .null }

  /// Creates ``bool(_:)``.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates ``int(_:)``.
  public init(integerLiteral value: Int) { self = .int(value) }

  /// Creates ``double(_:)``.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Creates ``string(_:)``.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates ``array(_:)``.
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }

  /// Creates ``dictionary(_:)``.
  ///
  /// If a name occurs more than once, the last value is used.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .dictionary(Dictionary(elements) { _, last in last })
  }
}

// MARK: - Typed access

extension JSON {
  /// Whether the value is `null` or was missing.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The Boolean, or `nil` for any other value.
  ///
  /// Numbers are not converted.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The integer, or `nil` if the value is not an integer that fits into `Int`.
  ///
  /// `2.0` is the integer 2.
  public var int: Int? {
    switch self {
    case .int(let value): value
    case .double(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The number as the nearest `Double`, or `nil` if the value is not a number.
  public var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): value.nearestDouble
    default: nil
    }
  }

  /// The number as a `Decimal`, or `nil` if the value is not a finite number.
  public var decimal: Decimal? {
    switch self {
    case .int(let value): Decimal(value)
    case .double(let value) where value.isFinite: Decimal(string: JSONWriter.text(of: value))
    case .decimal(let value): value
    default: nil
    }
  }

  /// The string, or `nil` for any other value.
  ///
  /// Numbers are not converted.
  public var string: String? { if case .string(let value) = self { value } else { nil } }

  /// The elements as strings, or `nil` if the value is not an array of strings only.
  public var strings: [String]? {
    guard case .array(let elements) = self else { return nil }
    let strings = elements.compactMap(\.string)
    return strings.count == elements.count ? strings : nil
  }

  /// The elements, or `nil` if the value is not an array.
  public var array: [JSON]? { if case .array(let values) = self { values } else { nil } }

  /// The members, or `nil` if the value is not an object.
  public var dictionary: [String: JSON]? {
    if case .dictionary(let values) = self { values } else { nil }
  }
}
