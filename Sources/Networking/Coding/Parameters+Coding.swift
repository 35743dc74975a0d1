import Foundation

/// A form of its own that loses nothing, so that a request that was kept is the one that comes back:
/// order, bytes, and whether a number was whole all survive. It is not the JSON that is sent; that is
/// ``JSONParameterEncoder``'s.
extension Parameters: Codable {
  private enum Kind: String, CodingKey {
    case null
    case bool
    case int
    case decimal
    case double
    case string
    case data
    case array
    case dictionary
  }

  private struct Pair: Codable {
    var name: String
    var value: Parameters
  }

  /// Reads what ``encode(to:)`` has written.
  ///
  /// - Parameter decoder: what to read from.
  /// - Throws: `DecodingError` for anything else.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Kind.self)
    switch container.allKeys.first {
    case .null: self = .null
    case .bool: self = .bool(try container.decode(Bool.self, forKey: .bool))
    case .int: self = .int(try container.decode(Int.self, forKey: .int))
    case .decimal: self = .decimal(try container.decode(Decimal.self, forKey: .decimal))
    case .double:
      if let value = try? container.decode(Double.self, forKey: .double) {
        self = .double(value)
      } else {
        self = .double(Double(try container.decode(String.self, forKey: .double)) ?? .nan)
      }
    case .string: self = .string(try container.decode(String.self, forKey: .string))
    case .data: self = .data(try container.decode(Data.self, forKey: .data))
    case .array: self = .array(try container.decode([Parameters].self, forKey: .array))
    case .dictionary:
      let pairs = try container.decode([Pair].self, forKey: .dictionary)
      self = .dictionary(Members(pairs.lazy.map { (key: $0.name, value: $0.value) }))
    case nil:
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "These are no parameters."))
    }
  }

  /// Writes a dictionary of one kind and its value.
  ///
  /// - Parameter encoder: what to write to.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .null: try container.encode(true, forKey: .null)
    case .bool(let value): try container.encode(value, forKey: .bool)
    case .int(let value): try container.encode(value, forKey: .int)
    case .decimal(let value): try container.encode(value, forKey: .decimal)
    case .double(let value) where value.isFinite: try container.encode(value, forKey: .double)
    case .double(let value): try container.encode("\(value)", forKey: .double)
    case .string(let value): try container.encode(value, forKey: .string)
    case .data(let value): try container.encode(value, forKey: .data)
    case .array(let values): try container.encode(values, forKey: .array)
    case .dictionary(let members):
      try container.encode(
        members.map { Pair(name: $0.name, value: $0.value) }, forKey: .dictionary)
    }
  }
}

extension Parameters {
  /// Makes parameters of any value that can encode itself.
  ///
  /// Names stand in the order in which the value encodes them; those of a dictionary with string keys
  /// are sorted, as it has no order of its own. `Data` becomes ``data(_:)``, a `URL` its text, a
  /// `Decimal` a number, and ``Parameters`` and ``JSON`` inside the value stay what they are. Numbers
  /// that are not finite are taken here, and refused when the parameters are encoded.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - date: what to make of a `Date`; nil leaves it to `Date`, which gives the seconds since 2001.
  /// - Throws: what the value's `encode(to:)` throws.
  public init(encoding value: some Encodable, date: ((Date) -> Parameters)? = nil) throws {
    let encoder = ParameterTreeEncoder(date: date)
    try encoder.encode(value)
    self = encoder.node.parameters
  }
}
