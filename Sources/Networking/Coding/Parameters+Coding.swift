public import Foundation

/// A lossless representation, so that a stored request is restored unchanged.
///
/// It preserves the order of members, data, and the cases of numbers. It is not the JSON that is
/// sent to a server; ``JSONParameterEncoder`` produces that.
extension Parameters: Codable {
  /// The only key of the encoded container.
  ///
  /// It names the case.
  private enum Kind: String, CodingKey {
    case null, bool, int, decimal, double, string, data, date, array, dictionary, map
  }

  /// A member of a dictionary.
  ///
  /// Members are encoded as an array because their order matters.
  private struct Pair: Codable {
    var name: String
    var value: Parameters
  }

  /// Decodes parameters that were encoded by ``encode(to:)``.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the data has another structure.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    let kind = try container.onlyKey()
    switch kind {
    case .null: self = .null
    case .bool: self = .bool(try container.decode(Bool.self, forKey: .bool))
    case .int: self = .int(try container.decode(Int.self, forKey: .int))
    case .decimal: self = .decimal(try container.decode(Decimal.self, forKey: .decimal))
    case .double: self = .double(try Self.double(in: container, .double))
    case .string: self = .string(try container.decode(String.self, forKey: .string))
    case .data: self = .data(try container.decode(Data.self, forKey: .data))
    case .date:
      self = .date(Date(timeIntervalSinceReferenceDate: try Self.double(in: container, .date)))
    case .array: self = .array(try container.decode([Parameters].self, forKey: .array))
    case .dictionary, .map:
      let pairs = try container.decode([Pair].self, forKey: kind)
      let members = Members(pairs.lazy.map { (key: $0.name, value: $0.value) })
      self = .dictionary(members.keepingNames(kind == .map))
    }
  }

  /// Encodes the parameters as a container with one key, which names the case.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .int(let value): try container.encode(value, forKey: .int)
    case .decimal(let value): try container.encode(value, forKey: .decimal)
    case .double(let value): try Self.encode(value, in: &container, .double)
    case .string(let value): try container.encode(value, forKey: .string)
    case .data(let value): try container.encode(value, forKey: .data)
    case .date(let value):
      try Self.encode(value.timeIntervalSinceReferenceDate, in: &container, .date)
    case .array(let values): try container.encode(values, forKey: .array)
    case .dictionary(let members):
      try container.encode(
        members.map { Pair(name: $0.name, value: $0.value) },
        forKey: members.keepsNames ? .map : .dictionary)
    }
  }

  private static func double(
    in container: KeyedDecodingContainer<Kind>, _ kind: Kind
  ) throws -> Double {
    if let value = try? container.decode(Double.self, forKey: kind) { return value }
    return Double(try container.decode(String.self, forKey: kind)) ?? .nan
  }

  /// Encodes a number that is not finite as a string, because JSON cannot represent it.
  private static func encode(
    _ value: Double, in container: inout KeyedEncodingContainer<Kind>, _ kind: Kind
  ) throws {
    if value.isFinite {
      try container.encode(value, forKey: kind)
    } else {
      try container.encode("\(value)", forKey: kind)
    }
  }
}

extension Parameters {
  /// Creates parameters from an `Encodable` value.
  ///
  /// - Members keep the order in which the value encodes them. The members of a dictionary with
  ///   string keys are sorted by name, because a dictionary has no order.
  /// - `Data` becomes ``data(_:)``, a `Date` becomes ``date(_:)``, a `URL` becomes a string with its
  ///   text, and a `Decimal` becomes a number. ``Parameters`` and ``JSON`` within the value are
  ///   inserted unchanged.
  /// - Numbers that are not finite are accepted here. ``ParameterEncoding/encode(_:)`` rejects
  ///   them.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - date: A conversion for `Date`. `nil` creates ``date(_:)``, which ``QueryFormat/dates`` and
  ///     the encoders of the client convert to text or a number.
  ///   - data: A conversion for `Data`. `nil` creates ``data(_:)``, which ``QueryFormat/bytes`` and the
  ///     encoders of the client convert to text.
  /// - Throws: The errors of the value's `encode(to:)`.
  public init(
    encoding value: some Encodable, date: ((Date) -> Parameters)? = nil,
    data: ((Data) -> Parameters)? = nil
  ) throws {
    let encoder = ParameterTreeEncoder(date: date, data: data)
    try encoder.encode(value)
    self = encoder.node.parameters
  }

  /// Creates a dictionary from the values of a literal, which may have different types.
  ///
  /// - Parameters:
  ///   - values: Names and values. `nil` becomes ``null``. If a name occurs more than once, the last
  ///     value is used.
  ///   - keepsNames: Whether a `JSONEncoder` leaves the names unchanged.
  /// - Throws: The errors of the values' `encode(to:)`.
  init(encoding values: KeyValuePairs<String, (any Encodable)?>, keepsNames: Bool = false) throws {
    let pairs = try values.map { name, value in
      (key: name, value: try value.map { try Parameters(encoding: $0) } ?? .null)
    }
    self = .dictionary(Members(pairs).keepingNames(keepsNames))
  }

  /// The parameters without members of dictionaries that are `null`.
  var omittingNulls: Parameters {
    switch self {
    case .array(let values): return .array(values.map(\.omittingNulls))
    case .dictionary(let members):
      let present = members.lazy.filter { !$0.value.isNull }
      let kept = Members(present.map { (key: $0.name, value: $0.value.omittingNulls) })
      return .dictionary(kept.keepingNames(members.keepsNames))
    default: return self
    }
  }
}
