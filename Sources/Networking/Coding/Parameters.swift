public import Foundation

/// The parameters of a request: a tree of values that is independent of the format in which they
/// are sent.
///
/// ```swift
/// let parameters: Parameters = ["user": .string(user), "page": 2, "tags": ["a", "b"]]
/// let other = try Parameters(encoding: NewBoard(title: "Fish"))
/// ```
///
/// The ``ContentType`` of the request selects the format, such as a query, a form or JSON. The
/// ``ParameterEncoding`` for the content type produces it. Dictionaries keep their order, so that
/// equal parameters always become the same query, form or JSON text.
///
/// ``JSON`` is the counterpart for responses. Unlike it, parameters may contain data, and their
/// members have an order, which matters for equality.
public enum Parameters: Sendable, Hashable {
  /// `null` in JSON. Queries and forms omit it unless ``QueryFormat/nulls`` defines otherwise.
  case null
  /// A Boolean.
  case bool(Bool)
  /// An integer.
  case int(Int)
  /// A number that neither `Int` nor `Double` can hold exactly.
  case decimal(Decimal)
  /// A floating-point number. Encoders reject a number that is not finite.
  case double(Double)
  /// A string.
  case string(String)
  /// Bytes. Multipart forms send them unchanged, queries and forms as the text of
  /// ``QueryFormat/bytes``, and JSON as Base64.
  case data(Data)
  /// A date. Queries and forms send the text of ``QueryFormat/dates``. JSON has the number of seconds
  /// since the start of 2001, unless ``NetworkingConfiguration/encoder`` has another strategy.
  case date(Date)
  /// An array.
  case array([Parameters])
  /// A dictionary whose members have an order.
  case dictionary(Members)

  /// Creates a dictionary from a Swift dictionary.
  ///
  /// The members are sorted by the UTF-8 bytes of their names.
  ///
  /// - Parameter values: The values, keyed by name.
  public init(_ values: [String: Parameters]) {
    self = .dictionary(Members(values.sorted { $0.key.isOrdered(before: $1.key) }))
  }

  /// Creates parameters from a JSON value.
  ///
  /// The members of objects are sorted by the UTF-8 bytes of their names.
  ///
  /// - Parameter json: The value.
  public init(_ json: JSON) {
    switch json {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .decimal(let value): self = .decimal(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .array(let values): self = .array(values.map { Parameters($0) })
    case .dictionary(let values):
      self = .dictionary(
        Members(
          values.sorted { $0.key.isOrdered(before: $1.key) }.map { ($0.key, Parameters($0.value)) }
        ).keepingNames(true))
    }
  }
}

extension Parameters {
  /// The members of a dictionary, in the order in which their names were first set.
  ///
  /// A name occurs only once. Setting it again, even within one literal, replaces the value and
  /// keeps the position.
  public struct Members: Sendable {
    /// A name and its value.
    public struct Member: Sendable, Hashable {
      /// The name.
      public let name: String
      /// The value.
      public fileprivate(set) var value: Parameters
    }

    private var members: [Member] = []
    /// Whether a `JSONEncoder` leaves the names unchanged, because they are the keys of a dictionary.
    private(set) var keepsNames = false
    /// An index of the names.
    ///
    /// `nil` for up to 16 members, because a linear search is faster then.
    private var positions: [String: Int]?

    /// Creates members from pairs.
    ///
    /// - Parameter pairs: Names and values. If a name occurs more than once, the last value is
    ///   used.
    public init(_ pairs: some Sequence<(key: String, value: Parameters)>) {
      members.reserveCapacity(pairs.underestimatedCount)
      for (name, value) in pairs { self[name] = value }
    }

    /// Returns the members with another value of ``keepsNames``.
    func keepingNames(_ keepsNames: Bool) -> Members {
      copy(of: self) { $0.keepsNames = keepsNames }
    }

    /// The value of a member.
    ///
    /// Setting `nil` removes the member.
    ///
    /// - Parameter name: The name of the member.
    public subscript(name: String) -> Parameters? {
      get { position(of: name).map { members[$0].value } }
      set {
        switch (position(of: name), newValue) {
        case (let position?, let value?):
          members[position].value = value
        case (let position?, nil):
          members.remove(at: position)
          positions = nil
          buildIndexIfLarge()
        case (nil, let value?):
          positions?[name] = members.count
          members.append(Member(name: name, value: value))
          if positions == nil { buildIndexIfLarge() }
        case (nil, nil):
          break
        }
      }
    }

    private func position(of name: String) -> Int? {
      if let positions { return positions[name] }
      return members.firstIndex { $0.name == name }
    }

    private mutating func buildIndexIfLarge() {
      guard members.count > 16 else { return }
      positions = Dictionary(uniqueKeysWithValues: zip(members.lazy.map(\.name), members.indices))
    }
  }
}

extension Parameters.Members: RandomAccessCollection, Hashable, ExpressibleByDictionaryLiteral {
  /// The position of the first member.
  public var startIndex: Int { 0 }
  /// The position after the last member.
  public var endIndex: Int { members.count }
  /// The member at a position.
  ///
  /// - Parameter position: A valid position.
  public subscript(position: Int) -> Member { members[position] }

  /// Returns whether both have the same members in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.members == right.members }

  /// Feeds the members to a hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }

  /// Creates members in the order of a literal.
  ///
  /// - Parameter elements: Names and values. An optional value that is `nil` becomes
  ///   ``Parameters/null``. If a name occurs more than once, the last value is used.
  public init(dictionaryLiteral elements: (String, Parameters?)...) {
    self.init(elements.lazy.map { (key: $0.0, value: $0.1 ?? .null) })
  }
}

// MARK: - Literals

extension Parameters: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringInterpolation,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates ``null``.
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
  public init(arrayLiteral elements: Parameters...) { self = .array(elements) }

  /// Creates ``dictionary(_:)`` in the order of the literal.
  ///
  /// ```swift
  /// let parameters: Parameters = ["page": 1, "owner": owner.map { .string($0) }]
  /// ```
  ///
  /// An optional value that is `nil` becomes ``null``, which queries and forms omit. If a name occurs
  /// more than once, the last value is used.
  public init(dictionaryLiteral elements: (String, Parameters?)...) {
    self = .dictionary(Members(elements.lazy.map { (key: $0.0, value: $0.1 ?? .null) }))
  }
}

extension String {
  /// Whether the UTF-8 bytes of the string precede those of another one.
  ///
  /// The operator `<` is no order for names that differ in their Unicode normalization: of
  /// `"e\u{301}"` and `"\u{e9}/"`, none precedes the other.
  func isOrdered(before other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
