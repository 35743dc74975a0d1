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

extension JSON {
  /// Reads a JSON text; a lone number, string or `null` is one too.
  ///
  /// Whole numbers are exact to 38 digits, fractions as `Double` has them.
  ///
  /// - Parameter data: the text, in UTF-8, UTF-16 or UTF-32.
  /// - Throws: Foundation's `CocoaError` when it is not JSON, is empty, or has a number that nothing
  ///   holds.
  public init(parsing data: Data) throws {
    self.init(foundation: try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
  }

  private init(foundation value: Any) {
    switch value {
    case let value as String: self = .string(value)
    case let value as NSNumber: self.init(number: value)
    case let values as [String: Any]: self = .dictionary(values.mapValues(JSON.init(foundation:)))
    case let values as [Any]: self = .array(values.map(JSON.init(foundation:)))
    default: self = .null
    }
  }

  /// `JSONSerialization` makes truth values of the type `c`, whole numbers of `i`, `q` or `Q`,
  /// fractions of `d`, and `NSDecimalNumber` of what is too long for those.
  private init(number: NSNumber) {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .bool(number.boolValue)
    case UInt8(ascii: "d"), UInt8(ascii: "f"):
      if let number = number as? NSDecimalNumber {
        self = .decimal(number.decimalValue)
      } else {
        self = .double(number.doubleValue)
      }
    default:
      // Not `decimalValue`, which on Linux takes what is beyond `Int64` for negative.
      let text = number.stringValue
      if let value = Int(text) {
        self = .int(value)
      } else {
        self = Decimal(string: text).map { .decimal($0) } ?? .double(number.doubleValue)
      }
    }
  }

  /// The value as a compact JSON text, members sorted by name.
  ///
  /// - Returns: the text in UTF-8.
  /// - Throws: ``ParameterEncodingError`` when a number in it is not finite.
  public func data() throws -> Data {
    try JSONWriter.data(Parameters(self))
  }
}

extension JSON: CustomStringConvertible {
  /// The value as a compact JSON text; numbers that are not finite read as Swift writes them.
  public var description: String {
    (try? data()).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON: a number is not finite"
  }
}
