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
