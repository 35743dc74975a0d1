public import Foundation

extension JSON: Codable {
  /// Decodes a value of any kind.
  ///
  /// A number of 2^53 or more that is an integer is exact, also if its text has an exponent, as
  /// that of a double has that `JSONEncoder` has written.
  ///
  /// The time of values in a body, an event or a line that this library decodes with a `JSONDecoder` is
  /// in proportion to the length of the text, which can be nested 128 levels deep: all but a few small
  /// values are taken from the text, as by ``init(parsing:)``. A `JSONDecoder` that allows JSON5, assumes a top-level dictionary or has
  /// a key strategy of the caller, and any decoder elsewhere, tries all kinds, because a decoder does not
  /// tell the kind of a value. The error of a failed attempt takes time in proportion to the square of
  /// the depth.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: `DecodingError` if the value is not one of the kinds of JSON, if the text cannot be
  ///   parsed, or, if all kinds are tried, if an array or an object is nested more than 64 levels
  ///   deep, counted from the root of the decoder.
  public init(from decoder: any Decoder) throws {
    if let value = try JSONText.of(decoder)?.value(of: decoder) {
      self = value
      return
    }
    let container = try decoder.singleValueContainer()
    switch try DecodedValue(container) {
    case .scalar(let value): self = value
    case .array: self = .array(try container.decode([JSON].self))
    case .dictionaryOrArray:
      do {
        self = .dictionary(try container.decode([String: JSON].self))
      } catch {
        try DecodedValue.rethrowErrorOfMember(error, container)
        self = .array(try container.decode([JSON].self))
      }
    }
  }

  /// The limit for the depth of a value that a `Decoder` reads or an `Encoder` writes.
  ///
  /// Each level takes several large frames.
  static let maximumCodingDepth = 64

  /// The result of the attempts to decode a value that is neither an array nor an object.
  ///
  /// They are outside of ``init(from:)``, so that its frame is small.
  private enum DecodedValue {
    case scalar(JSON)
    case array
    case dictionaryOrArray

    /// Creates the result.
    ///
    /// The errors of `JSONDecoder` name the kind of the value, which saves attempts that would fail.
    /// For other decoders, all kinds are tried.
    init(_ container: any SingleValueDecodingContainer) throws {
      if container.decodeNil() {
        self = .scalar(.null)
        return
      }
      let mismatch: any Error
      do {
        self = .scalar(.string(try container.decode(String.self)))
        return
      } catch { mismatch = error }
      let context = (mismatch as? DecodingError)?.context
      // It ends with "but found an array instead."
      let description = context?.debugDescription ?? ""
      if description.hasSuffix("array instead.") {
        self = .array
      } else if description.hasSuffix("dictionary instead.") {
        self = .dictionaryOrArray
      } else if !description.hasSuffix("bool instead."), let number = try Self.number(container) {
        self = .scalar(number)
      } else if let value = try? container.decode(Bool.self) {
        self = .scalar(.bool(value))
      } else {
        self = .dictionaryOrArray
      }
      if case .scalar = self { return }
      let path = context?.codingPath ?? container.codingPath
      guard path.count < maximumCodingDepth else {
        throw DecodingError.dataCorrupted(
          DecodingError.Context(
            codingPath: path,
            debugDescription: "It is nested more than \(maximumCodingDepth) levels deep."))
      }
    }

    /// Returns a number, or `nil` for any other value.
    ///
    /// An integer that `Double` may not hold exactly is decoded as `Int` or `Decimal`.
    private static func number(_ container: any SingleValueDecodingContainer) throws -> JSON? {
      let value: Double
      do {
        value = try container.decode(Double.self)
      } catch DecodingError.dataCorrupted(let context) {
        // A number that is out of range.
        throw DecodingError.dataCorrupted(context)
      } catch {
        return (try? container.decode(Int.self)).map { .int($0) }
      }
      guard value.magnitude >= 0x1p53 else {
        return Int(exactly: value).map { .int($0) } ?? .double(value)
      }
      if let integer = try? container.decode(Int.self) { return .int(integer) }
      guard let exact = try? container.decode(Decimal.self), exact.isInteger else {
        return .double(value)
      }
      return .decimal(exact)
    }

    /// Throws an error again unless it says that the value of the container is not an object.
    static func rethrowErrorOfMember(
      _ error: any Error, _ container: any SingleValueDecodingContainer
    ) throws {
      guard let error = error as? DecodingError, let context = error.context else { return }
      if context.codingPath.count > container.codingPath.count { throw error }
    }
  }

  /// Encodes the value as the corresponding Swift type, such as an object as a dictionary.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: `EncodingError` if an array or an object is nested more than 64 levels deep in this
  ///   value, and the errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    guard isNested(atMost: Self.maximumCodingDepth) else {
      throw EncodableParameters.depthError(JSON.null, of: encoder)
    }
    try EncodableParameters(parameters: Parameters(self), depth: 0).encode(to: encoder)
  }
}

extension JSON {
  /// Returns whether arrays and objects are nested at most a number of levels deep.
  private func isNested(atMost depth: Int) -> Bool {
    switch self {
    case .array(let values): depth > 0 && values.allSatisfy { $0.isNested(atMost: depth - 1) }
    case .dictionary(let values):
      depth > 0 && values.values.allSatisfy { $0.isNested(atMost: depth - 1) }
    default: true
    }
  }

  /// Parses a JSON text.
  ///
  /// A single number, string, Boolean or `null` is valid too.
  ///
  /// Integers are exact up to 38 digits. Fractions have the precision of `Double`. If a name occurs
  /// more than once in an object, the first member counts, as with `JSONDecoder`. The time is
  /// proportional to the length of the text.
  ///
  /// - Parameter data: The text, in UTF-8, UTF-16 or UTF-32.
  /// - Throws: Foundation's `CocoaError` if the text is empty, is not JSON, contains a number that is
  ///   out of range, or is nested more than 128 levels deep.
  public init(parsing data: Data) throws { self = try Self.parse(data).json }

  /// The limit for the depth of a text, which bounds the recursion of all that read the value.
  package static let maximumDepth = 128

  /// Parses a JSON text, and returns whether an object of it has a name more than once.
  static func parse(_ data: Data) throws -> (json: JSON, hasRepeatedNames: Bool) {
    var steps = 0
    return try parse(data, counting: &steps)
  }

  /// Parses a JSON text, and counts the converted values and the bytes of a rewritten text, so that a
  /// test can assert that the work grows in proportion to the text.
  static func parse(
    _ data: Data, counting steps: inout Int
  ) throws -> (json: JSON, hasRepeatedNames: Bool) {
    let json = try JSON(serialized: data, &steps)
    guard json.memberCount != memberCount(ofText: data) else { return (json, false) }
    // `JSONSerialization` keeps the last member with a name.
    var text = JSONTextNormalizer(data)
    let normalized = text.normalized()
    steps += text.stepCount
    return (try JSON(serialized: normalized, &steps), text.hasRepeatedNames)
  }

  /// Converts the result of `JSONSerialization`.
  private init(serialized text: Data, _ steps: inout Int) throws {
    let value = try JSONSerialization.jsonObject(with: text, options: .fragmentsAllowed)
    self = try JSON(foundation: value, depth: 0, &steps)
  }

  /// The number of members of all objects.
  private var memberCount: Int {
    switch self {
    case .array(let values): values.reduce(0) { $0 + $1.memberCount }
    case .dictionary(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
    case .null, .bool, .int, .decimal, .double, .string: 0
    }
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
          if isInString, bytes[(index + 1)...].starts(with: JSONTextNormalizer.byteOrderMark) {
            return nil
          }
        case UInt8(ascii: ":") where !isInString: count += 1
        default: break
        }
      }
      return count
    }
  }

  /// Converts a value of `JSONSerialization`.
  ///
  /// The containers come before `NSNumber`, because on Linux the cast of a container to this class
  /// converts all values in it.
  private init(foundation value: Any, depth: Int, _ steps: inout Int) throws {
    steps += 1
    switch value {
    case let value as String: self = .string(value)
    case let values as [String: Any]:
      try Self.checkDepth(depth)
      self = .dictionary(
        try values.mapValues { try JSON(foundation: $0, depth: depth + 1, &steps) })
    case let values as [Any]:
      try Self.checkDepth(depth)
      self = .array(try values.map { try JSON(foundation: $0, depth: depth + 1, &steps) })
    case let value as NSNumber: self.init(number: value)
    default: self = .null
    }
  }

  private static func checkDepth(_ depth: Int) throws {
    guard depth < maximumDepth else {
      throw CocoaError(
        .propertyListReadCorrupt,
        userInfo: ["NSDebugDescription": "It is nested more than \(maximumDepth) levels deep."])
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
    // Made once, because it takes longer than the rest.
    let text = number.description
    let double = Double(text) ?? .nan
    let hasPoint = text.contains(".")
    if double.magnitude < 0x1p53 || hasPoint && !number.isInteger {
      // A fraction has the precision of `Double`.
      self = .double(double)
    } else if double.magnitude >= 1e16, let integer = Int(text) {
      self = .int(integer)
    } else {
      let written = JSONWriter.text(of: double)
      let hasAllDigits = written.hasSuffix(".0") && !hasPoint
      let isWritten = hasAllDigits ? written == text + ".0" : Decimal(string: written) == number
      self = isWritten ? .double(double) : .decimal(number)
    }
  }

  /// Returns the value as a compact JSON text.
  ///
  /// Members are sorted by the UTF-8 bytes of their names.
  ///
  /// - Returns: The text in UTF-8.
  /// - Throws: ``ParameterEncodingError`` if a number is not finite or if the values are nested too
  ///   deeply.
  public func data() throws -> Data { try JSONWriter.data(Parameters(self)) }
}

extension JSON: CustomStringConvertible {
  /// The value as a compact JSON text, or an explanation if it cannot be written as JSON.
  public var description: String {
    (try? data()).map { String(decoding: $0, as: UTF8.self) } ?? "not JSON: a number is not finite"
  }
}
