import Foundation

extension JSON: Codable {
  /// Reads any value.
  ///
  /// - Parameter decoder: what to read from.
  /// - Throws: `DecodingError` for a value that is none of JSON's.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = Self.number(value, try? container.decode(Decimal.self))
    } else if let values = try? container.decode([String: JSON].self) {
      self = .dictionary(values)
    } else {
      self = .array(try container.decode([JSON].self))
    }
  }

  /// A number beyond what `Double` holds exactly, as it was written where that is known.
  private static func number(_ value: Double, _ exact: Decimal?) -> JSON {
    guard let exact, value.magnitude >= 0x1p53, value.rounded() == value else {
      return .double(value)
    }
    return .decimal(exact)
  }

  /// Writes the value as what it is, an object as a dictionary and so on.
  ///
  /// - Parameter encoder: what to write to.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .dictionary(let values): try container.encode(values)
    }
  }
}
