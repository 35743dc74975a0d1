public import Foundation

extension JSON: Codable {
  /// Decodes a value of any kind.
  ///
  /// A number of 2^53 or more that is an integer is exact, also if its text has an exponent, as
  /// that of a double has that `JSONEncoder` has written.
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
    guard let exact, value.magnitude >= 0x1p53, exact.isInteger else {
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
  /// Integers are exact up to 38 digits. Fractions have the precision of `Double`. If a name occurs
  /// more than once in an object, the first member counts, as with `JSONDecoder`.
  ///
  /// - Parameter data: The text, in UTF-8, UTF-16 or UTF-32.
  /// - Throws: Foundation's `CocoaError` if the text is empty, is not JSON, or contains a number
  ///   that is out of range.
  public init(parsing data: Data) throws {
    self = try Self.parse(data).json
  }

  /// Parses a JSON text, and returns whether an object of it has a name more than once.
  static func parse(_ data: Data) throws -> (json: JSON, hasRepeatedNames: Bool) {
    let json = JSON(
      foundation: try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
    guard json.memberCount != memberCount(ofText: data) else { return (json, false) }
    // `JSONSerialization` keeps the last member, `JSONDecoder` the first.
    return (try JSONDecoder().decode(JSON.self, from: data), true)
  }

  /// The number of members of all objects.
  private var memberCount: Int {
    switch self {
    case .array(let values): values.reduce(0) { $0 + $1.memberCount }
    case .dictionary(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
    case .null, .bool, .int, .decimal, .double, .string: 0
    }
  }

  private static func isByteOrderMark(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    bytes.first == 0xEF && bytes.dropFirst().starts(with: [0xBB, 0xBF])
  }

  /// Returns the number of members in a valid text: of the colons outside strings.
  ///
  /// `nil` for a text in UTF-16 or UTF-32, and for a text with a string that begins with U+FEFF,
  /// which `JSONSerialization` takes for a byte order mark and leaves out on Linux.
  private static func memberCount(ofText data: Data) -> Int? {
    data.withUnsafeBytes { bytes in
      var (count, isInString, isEscaped) = (0, false, false)
      for (index, byte) in bytes.enumerated() {
        switch byte {
        case 0: return nil
        case _ where isEscaped: isEscaped = false
        case UInt8(ascii: "\\"): isEscaped = isInString
        case UInt8(ascii: "\""):
          isInString.toggle()
          if isInString, isByteOrderMark(bytes[(index + 1)...]) { return nil }
        case UInt8(ascii: ":") where !isInString: count += 1
        default: break
        }
      }
      return count
    }
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
        self.init(long: number.decimalValue)
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

  /// Chooses the case of a number whose text has 18 characters or more.
  ///
  /// A double that ``data()`` has written becomes a double again, unless its text may be that of an
  /// integer. The values are equal then.
  private init(long number: Decimal) {
    let double = number.nearestDouble
    if double.magnitude < 0x1p53 || !number.isInteger {
      // A fraction has the precision of `Double`.
      self = .double(double)
    } else if double.magnitude >= 1e16, let integer = Int(number.description) {
      self = .int(integer)
    } else {
      self =
        Decimal(string: JSONWriter.text(of: double)) == number ? .double(double) : .decimal(number)
    }
  }

  /// Returns the value as a compact JSON text.
  ///
  /// Members are sorted by the UTF-8 bytes of their names.
  ///
  /// - Returns: The text in UTF-8.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite or if the values are nested too
  ///   deeply.
  public func data() throws -> Data {
    try JSONWriter.data(Parameters(self))
  }

  /// Returns the value as a compact JSON text with a given order of members.
  ///
  /// - Parameter rank: Returns the rank of a name. Members with equal ranks are sorted by the UTF-8
  ///   bytes of their names.
  /// - Returns: The text in UTF-8.
  /// - Throws: The errors of ``data()``.
  package func data(orderedBy rank: (_ name: String) -> Int) throws -> Data {
    try JSONWriter.data(parameters(orderedBy: rank))
  }

  private func parameters(orderedBy rank: (_ name: String) -> Int) -> Parameters {
    switch self {
    case .array(let values): return .array(values.map { $0.parameters(orderedBy: rank) })
    case .dictionary(let values):
      let ranked = values.map { (rank: rank($0.key), name: $0.key, value: $0.value) }
      let sorted = ranked.sorted {
        $0.rank == $1.rank ? $0.name.isOrdered(before: $1.name) : $0.rank < $1.rank
      }
      return .dictionary(
        Parameters.Members(
          sorted.map { (key: $0.name, value: $0.value.parameters(orderedBy: rank)) }))
    case .null, .bool, .int, .decimal, .double, .string: return Parameters(self)
    }
  }
}

extension JSON: CustomStringConvertible {
  /// The value as a compact JSON text, or an explanation if it cannot be written as JSON.
  public var description: String {
    (try? data()).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON: a number is not finite"
  }
}
