import Foundation

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
