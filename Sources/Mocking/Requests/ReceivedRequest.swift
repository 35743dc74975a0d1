import Foundation
import Networking

/// A request that a ``MockServer``, ``MockTransport`` or ``MockProvider`` has received.
public struct ReceivedRequest: Sendable, Hashable {
  /// The method.
  public let method: HTTPMethod
  /// The target of the request line, usually a path with a query.
  public let target: String
  /// The path with the values of the route's variables.
  public internal(set) var path: ReceivedPath
  /// The header fields in the order received.
  public let headers: HTTPHeaders
  /// The header fields after a chunked body.
  public let trailers: HTTPHeaders
  /// The body without the chunked coding.
  ///
  /// Empty if there was none or the route discards it.
  public internal(set) var body: Data
  /// The number of bytes of the body, even if it was discarded.
  public let bodyByteCount: Int
  /// The HTTP version, `1.0` or `1.1`; always `1.1` in memory.
  public let version: String
  /// The index of the connection, counted from 0 in the order accepted; 0 in memory.
  public let connection: Int
  /// The index of the request on its connection, counted from 0.
  ///
  /// In memory, the index on the transport.
  public let exchange: Int
  /// The time at which the request was complete, on the ``Scheduler`` of the server or transport.
  public let time: Duration

  /// The decoded query.
  public var query: RequestQuery { RequestQuery(RequestTarget(target)?.query) }

  /// The body as UTF-8, with invalid sequences replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Decodes the JSON body.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - decoder: The decoder.
  /// - Returns: The value.
  /// - Throws: The error of the decoder.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }
}

/// The path of a received request, with the values of the route's variables.
public struct ReceivedPath: Sendable, Hashable, CustomStringConvertible {
  /// The path as sent, percent-encoded, without the query.
  public let text: String
  /// The segments between the slashes, each percent-decoded separately.
  public let segments: [String]
  /// The percent-decoded values of the variables by name.
  public internal(set) var variables: [String: String]

  init(text: String, _ segments: [String] = [], _ variables: [String: String] = [:]) {
    self.text = text
    self.segments = segments
    self.variables = variables
  }

  /// The percent-decoded value of a variable.
  ///
  /// Empty if the template has no variable with this name.
  ///
  /// - Parameter name: The name between the braces of the template, without the `*`.
  public subscript(name: String) -> String { variables[name] ?? "" }

  /// The path as sent.
  public var description: String { text }
}

/// The decoded query of a received request.
public struct RequestQuery: Sendable, Hashable {
  /// A name with its value.
  public struct Item: Sendable, Hashable {
    /// The decoded name.
    public let name: String
    /// The decoded value.
    ///
    /// Empty if the item has no equals sign.
    public let value: String
  }

  /// The items in order.
  ///
  /// A name may occur more than once.
  public let items: [Item]

  /// Parses items separated by `&`, with `+` decoded as a space.
  ///
  /// An item that cannot be decoded stays as sent.
  init(_ text: Substring?) {
    items = (text ?? "").split(separator: "&").map { part in
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ side: Substring) -> String {
        PercentDecoding.decode(side, plusIsSpace: true) ?? String(side)
      }
      return Item(name: decoded(sides[0]), value: sides.count > 1 ? decoded(sides[1]) : "")
    }
  }

  /// The first value of a name.
  ///
  /// `nil` if there is none.
  ///
  /// - Parameter name: The name, case-sensitive.
  public subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// Returns all values of a name, in order.
  ///
  /// - Parameter name: The name, case-sensitive.
  /// - Returns: The values. Empty if there are none.
  public func values(for name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }
}

/// The parts of a request target.
struct RequestTarget: Hashable {
  /// The path, still encoded.
  let path: Substring
  /// The part after the question mark.
  ///
  /// `nil` if there is no question mark.
  let query: Substring?
  /// The segments of the path, decoded separately, so that an encoded slash does not separate
  /// segments.
  let segments: [String]

  /// Parses a target.
  ///
  /// Fails if the path has a `%` without two hexadecimal digits.
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

/// Percent-decoding for the parts of a request target.
enum PercentDecoding {
  /// Decodes a text.
  ///
  /// Returns `nil` if a `%` is not followed by two hexadecimal digits.
  ///
  /// Invalid UTF-8 sequences are replaced.
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
