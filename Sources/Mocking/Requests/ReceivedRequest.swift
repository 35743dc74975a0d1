import Foundation
import Networking

/// A request as a ``MockServer`` has received it, or a ``MockTransport`` in its stead.
public struct ReceivedRequest: Sendable, Hashable {
  /// The method.
  public let method: HTTPMethod
  /// The target as it stands in the request line: a path with its query, as a rule.
  public let target: String
  /// The path and the values of the route's variables.
  public internal(set) var path: ReceivedPath
  /// The header fields in the order received.
  public let headers: HTTPHeaders
  /// The header fields after a chunked body.
  public let trailers: HTTPHeaders
  /// The body, without any chunked coding; empty when there was none, or when the route discards it.
  public internal(set) var body: Data
  /// How many bytes the body had, discarded or not.
  public let bodyByteCount: Int
  /// The version spoken, `1.0` or `1.1`; in memory always that.
  public let version: String
  /// Which of the server's connections it came on, counted from 0 in the order accepted; 0 in memory.
  public let connection: Int
  /// Which of its connection's requests it is, counted from 0; in memory, which of the transport's.
  public let exchange: Int
  /// When it was complete, on the ``Scheduler`` of the server or transport.
  public let time: Duration

  /// The query, decoded.
  public var query: RequestQuery { RequestQuery(RequestTarget(target)?.query) }

  /// The body as UTF-8, repaired where it is none.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Decodes the body as JSON.
  ///
  /// - Parameters:
  ///   - type: what to make of it.
  ///   - decoder: the decoder.
  /// - Returns: the value.
  /// - Throws: what the decoder throws.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }
}

/// The path of a request received, with the values of its route's variables.
public struct ReceivedPath: Sendable, Hashable, CustomStringConvertible {
  /// The path as it was sent, still percent-encoded, without the query.
  public let text: String
  /// The segments between the slashes, each percent-decoded by itself.
  public let segments: [String]
  /// The values of the variables by name, percent-decoded.
  public internal(set) var variables: [String: String]

  init(text: String, _ segments: [String] = [], _ variables: [String: String] = [:]) {
    self.text = text
    self.segments = segments
    self.variables = variables
  }

  /// The value of a variable, percent-decoded; empty when the template has none of that name.
  ///
  /// - Parameter name: the name, as between the braces of the template, without the `*`.
  public subscript(name: String) -> String { variables[name] ?? "" }

  /// The path as it was sent.
  public var description: String { text }
}

/// The query of a request received, decoded.
public struct RequestQuery: Sendable, Hashable {
  /// One name and its value.
  public struct Item: Sendable, Hashable {
    /// The name, decoded.
    public let name: String
    /// The value, decoded; empty when there is no equals sign.
    public let value: String
  }

  /// The items in order; a name may occur more than once.
  public let items: [Item]

  /// Items are parted by `&`; a `+` is a space.
  ///
  /// One that cannot be decoded stays as it was sent.
  init(_ text: Substring?) {
    items = (text ?? "").split(separator: "&").map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ side: Substring) -> String {
        PercentDecoding.decode(side, plusIsSpace: true) ?? String(side)
      }
      return Item(name: decoded(sides[0]), value: sides.count > 1 ? decoded(sides[1]) : "")
    }
  }

  /// The first value of a name, or nil when there is none.
  ///
  /// - Parameter name: the name, in this very spelling.
  public subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// Every value of a name, in order.
  ///
  /// - Parameter name: the name, in this very spelling.
  /// - Returns: the values; empty when there is none.
  public func values(for name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }
}

/// The parts of a request target.
struct RequestTarget: Hashable {
  /// As it stands in the target, still encoded.
  let path: Substring
  /// What follows the question mark; nil when there is none.
  let query: Substring?
  /// The path's segments, decoded one by one, so that an encoded slash does not part them.
  let segments: [String]

  /// Nil when the path has a `%` without two hexadecimal digits.
  init?(_ target: String) {
    var rest = target[...]
    if rest.utf8.first != UInt8(ascii: "/"), let scheme = rest.firstRange(of: "://") {
      let authority = rest[scheme.upperBound...]
      rest = authority.firstIndex { $0 == "/" || $0 == "?" }.map { authority[$0...] } ?? ""
    }
    if let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) {
      path = rest[..<mark]
      query = rest[rest.utf8.index(after: mark)...]
    } else {
      path = rest
      query = nil
    }
    guard let segments = Self.segments(of: path) else { return nil }
    self.segments = segments
  }

  private static func segments(of path: Substring) -> [String]? {
    let raw = path.utf8.first == UInt8(ascii: "/") ? path.dropFirst() : path
    var segments: [String] = []
    for part in raw.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      guard let segment = PercentDecoding.decode(Substring(part)) else { return nil }
      segments.append(segment)
    }
    return segments
  }
}

/// Percent-decoding of the parts of a request target.
enum PercentDecoding {
  /// Decodes; nil when a `%` is not followed by two hexadecimal digits.
  ///
  /// What is no UTF-8 is repaired.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    let utf8 = text.utf8
    guard
      utf8.contains(where: { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) })
    else { return String(text) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue
        else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
