import CatenaSystem
import Foundation

/// A writer of JSON texts that keeps the order of members.
///
/// Foundation's encoders do not keep it.
///
/// Source: RFC 8259.
struct JSONWriter {
  private var bytes: [UInt8] = []

  /// Returns parameters as a JSON text in UTF-8.
  ///
  /// - Throws: ``ParameterEncodingError`` with the key path of the value if a number is not finite
  ///   or if the values are nested too deeply.
  static func data(_ parameters: Parameters) throws -> Data {
    var writer = JSONWriter()
    writer.bytes.reserveCapacity(128)
    do throws(Failure) {
      try writer.write(parameters, depth: 0)
    } catch {
      let keyPath = FieldWriter.text(of: error.path.reversed())
      throw error.isTooDeep
        ? ParameterEncodingError.tooDeep(keyPath)
        : ParameterEncodingError(keyPath: keyPath, reason: "is not a finite number")
    }
    return Data(writer.bytes)
  }

  /// The reason for a failure, and the path to the value.
  ///
  /// Each level adds its step to the path when it rethrows, so that a successful run does not track
  /// paths.
  private struct Failure: Error {
    var isTooDeep: Bool
    /// The steps of the path, innermost first.
    var path: [JSONValuePath.Step] = []
    func appending(_ step: JSONValuePath.Step) -> Failure {
      copy(of: self) { $0.path.append(step) }
    }
  }

  private mutating func write(_ value: Parameters, depth: Int) throws(Failure) {
    switch value {
    case .array(let values):
      guard depth < ParameterEncodingError.depthLimit else { throw Failure(isTooDeep: true) }
      bytes.append(UInt8(ascii: "["))
      for (position, value) in values.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        do throws(Failure) {
          try write(value, depth: depth + 1)
        } catch { throw error.appending(.element(position)) }
      }
      bytes.append(UInt8(ascii: "]"))
    case .dictionary(let members):
      guard depth < ParameterEncodingError.depthLimit else { throw Failure(isTooDeep: true) }
      bytes.append(UInt8(ascii: "{"))
      for (position, member) in members.enumerated() {
        if position > 0 { bytes.append(UInt8(ascii: ",")) }
        write(member.name)
        bytes.append(UInt8(ascii: ":"))
        do throws(Failure) {
          try write(member.value, depth: depth + 1)
        } catch { throw error.appending(.member(member.name)) }
      }
      bytes.append(UInt8(ascii: "}"))
    default: try writeScalar(value)
    }
  }

  /// Writes a value that is neither an array nor a dictionary.
  ///
  /// It is outside of ``write(_:depth:)``, so that the frames of the recursion are small.
  private mutating func writeScalar(_ value: Parameters) throws(Failure) {
    switch value {
    case .null, .array, .dictionary: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    case .int(let value): bytes += value.description.utf8
    case .decimal(let value):
      guard value.isFinite else { throw Failure(isTooDeep: false) }
      bytes += value.description.utf8
    case .double(let value):
      guard value.isFinite else { throw Failure(isTooDeep: false) }
      bytes += Self.text(of: value).utf8
    case .string(let value): write(value)
    case .data(let value): write(value.base64EncodedString())
    case .date(let value): try writeScalar(.double(value.timeIntervalSinceReferenceDate))
    }
  }

  /// Returns a finite number as text.
  ///
  /// Beyond 2^53 the shortest text of a double is that of another integer. All digits of such a double
  /// are written, so that it differs from that integer.
  static func text(of value: Double) -> String {
    guard (0x1p53..<1e37).contains(value.magnitude) else { return value.description }
    return String(format: "%.1f", value)
  }

  /// Writes a string.
  ///
  /// Quotation marks, reverse solidi and control characters must be escaped.
  ///
  /// Source: RFC 8259 section 7.
  private mutating func write(_ string: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
      case UInt8(ascii: "\r"): bytes += #"\r"#.utf8
      case UInt8(ascii: "\t"): bytes += #"\t"#.utf8
      case 0..<0x20:
        bytes += #"\u00"#.utf8
        bytes += byte.hexadecimalDigits
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension Decimal {
  fileprivate var isFinite: Bool { !isNaN && !isInfinite }
}
