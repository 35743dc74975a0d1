import Foundation

extension JSON: Codable {
  /// Decodes a value of any kind.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the value is not one of the kinds of JSON.
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
      self = Self.number(value, exact: try? container.decode(Decimal.self))
    } else if let values = try? container.decode([String: JSON].self) {
      self = .dictionary(values)
    } else {
      self = .array(try container.decode([JSON].self))
    }
  }

  /// Returns `exact` for an integer that `Double` may not hold exactly, and a double for any other
  /// number.
  ///
  /// Without `exact` the result is always a double.
  private static func number(_ value: Double, exact: Decimal?) -> JSON {
    guard let exact, value.magnitude >= 0x1p53, value.rounded() == value else {
      return .double(value)
    }
    return .decimal(exact)
  }

  /// Encodes the value as the corresponding Swift type, such as an object as a dictionary.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The errors of the encoder.
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
  /// Parses a JSON text.
  ///
  /// A single number, string, Boolean or `null` is valid too.
  ///
  /// Integers are exact up to 38 digits. Fractions have the precision of `Double`.
  ///
  /// - Parameter data: The text, in UTF-8, UTF-16 or UTF-32.
  /// - Throws: Foundation's `CocoaError` if the text is empty, is not JSON, or contains a number
  ///   that is out of range.
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

  /// Converts a number of `JSONSerialization` according to its Objective-C type code.
  ///
  /// The code is `c` for Booleans, `i`, `q` or `Q` for integers and `d` for fractions. Numbers that
  /// are too long for these types are of the class `NSDecimalNumber`.
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
      // Avoids `decimalValue`: on Linux it returns a negative number for values beyond `Int64`.
      let text = number.stringValue
      if let value = Int(text) {
        self = .int(value)
      } else {
        self = Decimal(string: text).map { .decimal($0) } ?? .double(number.doubleValue)
      }
    }
  }

  /// Returns the value as a compact JSON text.
  ///
  /// Members are sorted by name.
  ///
  /// - Returns: The text in UTF-8.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite or if the values are nested too
  ///   deeply.
  public func data() throws -> Data {
    try JSONWriter.data(Parameters(self))
  }
}

extension JSON: CustomStringConvertible {
  /// The value as a compact JSON text, or an explanation if it cannot be written as JSON.
  public var description: String {
    (try? data()).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON: a number is not finite"
  }
}
