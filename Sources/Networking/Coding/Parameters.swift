import Foundation

/// What a request says, before it is decided how: a tree of values that writes like a literal.
///
/// ```swift
/// let parameters: Parameters = ["user": .string(user), "page": 2, "tags": ["a", "b"]]
/// let other = try Parameters(encoding: NewBoard(title: "Fish"))
/// ```
///
/// How it goes over the wire, as a query, a form or JSON, is a matter of the request's ``ContentType``
/// and of the ``ParameterEncoding`` for it. Dictionaries keep their order, so that the same parameters
/// always give the same bytes.
///
/// It differs from ``JSON``, which is what came from a server: parameters may carry data, keep order,
/// and count it when they are compared.
public enum Parameters: Sendable, Hashable {
  /// Nothing: `null` in JSON; left out of queries and forms unless asked for.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case int(Int)
  /// A number that neither `Int` nor `Double` holds exactly.
  case decimal(Decimal)
  /// A floating-point number; one that is not finite is refused when it is encoded.
  case double(Double)
  /// Text.
  case string(String)
  /// Bytes: a part of their own in multipart forms, Base64 everywhere else.
  case data(Data)
  /// Several values, in order.
  case array([Parameters])
  /// Named values, in order.
  case dictionary(Members)

  /// Makes a dictionary of one that has no order, sorted by name.
  ///
  /// - Parameter values: the values by their names.
  public init(_ values: [String: Parameters]) {
    self = .dictionary(Members(values.sorted { $0.key < $1.key }))
  }

  /// Makes parameters of a JSON value; the members of objects are sorted by name.
  ///
  /// - Parameter json: the value.
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
        Members(values.sorted { $0.key < $1.key }.map { ($0.key, Parameters($0.value)) }))
    }
  }

  /// The value of a name, when this is a dictionary that has it.
  ///
  /// Setting makes a dictionary of whatever was there before; setting nil removes the name.
  ///
  /// - Parameter name: the name.
  public subscript(name: String) -> Parameters? {
    get {
      guard case .dictionary(let members) = self else { return nil }
      return members[name]
    }
    set {
      var members: Members = [:]
      if case .dictionary(let present) = self { members = present }
      members[name] = newValue
      self = .dictionary(members)
    }
  }
}

extension Parameters {
  /// The named values of a dictionary, in the order in which they were first set.
  ///
  /// A name occurs once: setting it again, also by a literal, replaces its value where it stands.
  public struct Members: Sendable {
    /// One name and its value.
    public struct Member: Sendable, Hashable {
      /// The name.
      public let name: String
      /// The value.
      public internal(set) var value: Parameters
    }

    private var members: [Member] = []
    /// Where the names stand; only for many of them, as looking through a few is quicker.
    private var positions: [String: Int]?

    /// Makes members of pairs.
    ///
    /// - Parameter pairs: names and values; of those with the same name the last value counts.
    public init(_ pairs: some Sequence<(key: String, value: Parameters)>) {
      members.reserveCapacity(pairs.underestimatedCount)
      for (name, value) in pairs { self[name] = value }
    }

    /// The value of a name; setting nil removes it.
    ///
    /// - Parameter name: the name.
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
      var positions: [String: Int] = [:]
      for (position, member) in members.enumerated() { positions[member.name] = position }
      self.positions = positions
    }
  }
}

extension Parameters.Members: RandomAccessCollection {
  /// Where the first member stands.
  public var startIndex: Int { 0 }
  /// The end, behind the last member.
  public var endIndex: Int { members.count }
  /// The member at a position.
  ///
  /// - Parameter position: a valid position.
  public subscript(position: Int) -> Member { members[position] }
}

extension Parameters.Members: Hashable {
  /// Whether both have the same members in the same order.
  public static func == (left: Self, right: Self) -> Bool { left.members == right.members }
  /// Feeds the members to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension Parameters.Members: ExpressibleByDictionaryLiteral {
  /// Makes members of a literal, in its order; of the same names the last value counts.
  ///
  /// - Parameter elements: names and values.
  public init(dictionaryLiteral elements: (String, Parameters)...) {
    self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
  }
}

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
