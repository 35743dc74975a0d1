import Mocking
import MockingDocuments
import Networking

/// The remaining work of the rendering of a template.
///
/// Values of a request can make a small template expensive. So each operation charges for its work and
/// for the value that it builds, both in bytes, before it begins.
struct TemplateWork {
  /// The limit for one rendering, and so for the values that it builds.
  static let limit = 128 << 20

  private(set) var remaining: Int

  init(limit: Int = Self.limit) {
    remaining = limit
  }

  /// Charges for work.
  ///
  /// - Parameters:
  ///   - size: The bytes to read or to build.
  ///   - count: The number of repetitions.
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  mutating func charge(_ size: Int, times count: Int = 1) throws(TemplateRenderError) {
    let (total, isTooLarge) = size.multipliedReportingOverflow(by: count)
    guard !isTooLarge, total <= remaining else {
      remaining = 0
      throw .tooMuchWork
    }
    remaining -= total
  }

  /// Charges for the text of a value, and for a result that is built from it.
  ///
  /// - Parameters:
  ///   - json: The value.
  ///   - growth: The size of the result, in relation to the text.
  /// - Returns: The text.
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  mutating func text(of json: JSON, growth: Int = 1) throws(TemplateRenderError) -> String {
    try charge(json.textSize, times: growth)
    return json.templateText
  }

  /// Charges for the elements of an array, or for the values of an object by name.
  ///
  /// - Parameter json: The value. Any other value has no elements.
  /// - Returns: The elements.
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  mutating func elements(of json: JSON) throws(TemplateRenderError) -> [JSON] {
    switch json {
    case .array(let elements): return elements
    case .dictionary: return try members(of: json).map(\.value)
    default: return []
    }
  }

  /// Charges for the members of an object, by name.
  ///
  /// - Parameter json: The value. Any other value has no members.
  /// - Returns: The members.
  /// - Throws: ``TemplateRenderError/tooMuchWork`` if it exceeds the limit.
  mutating func members(of json: JSON) throws(TemplateRenderError) -> [(key: String, value: JSON)] {
    guard case .dictionary(let members) = json else { return [] }
    try charge(2 * members.keys.reduce(0) { $0 + $1.utf8.count + JSON.memberSize })
    return members.sorted { $0.key < $1.key }
  }
}

extension JSON {
  /// The memory of an element of an array, in bytes.
  static let elementSize = 24
  /// The memory of a member of an object, in bytes, without the characters of its name.
  static let memberSize = 56

  /// The cost of reading the value once, in bytes, without a walk through its members.
  var approximateSize: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .array(let values): values.count * 16
    case .dictionary(let members): members.count * 32
    default: 8
    }
  }

  /// The maximum size of ``templateText`` in bytes, known without building it.
  var textSize: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .null: 0
    case .bool, .int, .decimal, .double, .array, .dictionary: encodedSize
    }
  }

  /// The maximum size of the value's JSON text in bytes, known without building it.
  var encodedSize: Int {
    var (size, rest) = (0, [self])
    while let value = rest.popLast() {
      switch value {
      case .null, .bool: size += 6
      case .int: size += 21
      case .double: size += 48
      // 38 digits and 128 zeros.
      case .decimal: size += 176
      case .string(let text): size += Self.quotedSize(text)
      case .array(let values):
        size += 3
        rest += values
      case .dictionary(let members):
        size += members.keys.reduce(3) { $0 + Self.quotedSize($1) }
        rest += members.values
      }
    }
    return size
  }

  /// Returns the maximum size of a string as JSON text, with the separator after it.
  private static func quotedSize(_ text: String) -> Int {
    var size = 3
    for byte in text.utf8 {
      switch byte {
      case 0x09, 0x0A, 0x0D, 0x22, 0x5C: size += 2
      case 0..<0x20: size += 6
      default: size += 1
      }
    }
    return size
  }

  /// Returns the cost of a comparison with another value, in bytes.
  func comparisonSize(with other: JSON) -> Int {
    switch (self, other) {
    case (.array(let left), .array(let right)) where left.count == right.count: totalSize
    case (.dictionary(let left), .dictionary(let right)) where left.count == right.count: totalSize
    default: min(approximateSize, other.approximateSize)
    }
  }
}
