import CatenaSystem
import Networking

/// A strict parser of a request head, line by line.
///
/// Source: RFC 9112 sections 2 to 6, RFC 9110 section 5.
struct RequestHeadParser {
  private let limits: MockServerLimits
  private var head: RequestHead?
  private var fields: [HTTPHeaders.Field] = []

  init(limits: MockServerLimits) {
    self.limits = limits
  }

  /// Whether the next line is the request line.
  var isAtStart: Bool { head == nil }

  /// The request line and the fields parsed so far, or `nil` before the request line.
  var partialHead: RequestHead? {
    var partial = head
    partial?.headers = HTTPHeaders(fields)
    return partial
  }

  /// Parses a line, and returns the head if the line is the empty line at its end.
  mutating func take(_ line: ArraySlice<UInt8>) throws(HTTPParseError) -> RequestHead? {
    guard head != nil else {
      // Empty lines before a request are ignored (RFC 9112 section 2.2).
      if !line.isEmpty {
        head = try Self.requestLine(line)
        fields.reserveCapacity(8)
      }
      return nil
    }
    guard line.isEmpty else {
      guard fields.count < limits.headerCount else {
        throw HTTPParseError(431, "more than \(limits.headerCount) header fields")
      }
      fields.append(try FieldLine.parse(line))
      return nil
    }
    return try finish()
  }

  // MARK: The request line

  private static func requestLine(_ line: ArraySlice<UInt8>) throws(HTTPParseError) -> RequestHead {
    let space = UInt8(ascii: " ")
    guard let first = line.firstIndex(of: space), let last = line.lastIndex(of: space),
      first < last, !line[(first + 1)..<last].contains(space)
    else {
      throw HTTPParseError(400, "the request line is not of the form METHOD TARGET VERSION")
    }
    let target = line[(first + 1)..<last]
    guard line[..<first].isToken else { throw HTTPParseError(400, "the method is not a token") }
    let minorVersion = try minorVersion(line[(last + 1)...])
    let method = HTTPMethod(rawValue: String(decoding: line[..<first], as: UTF8.self))
    guard isTarget(target, of: method) else {
      throw HTTPParseError(400, "the request target is neither a path nor a URL")
    }
    return RequestHead(
      method: method, target: String(decoding: target, as: UTF8.self), minorVersion: minorVersion,
      keepsAlive: minorVersion > 0)
  }

  private static func minorVersion(_ text: ArraySlice<UInt8>) throws(HTTPParseError) -> Int {
    // Fast path: HTTP/1.1.
    if text.elementsEqual("HTTP/1.1".utf8) { return 1 }
    let version = Array(text)
    if version == http10 { return 0 }
    let isVersion =
      version.count == 8 && version.starts(with: http11.prefix(5)) && version[6] == http11[6]
      && version[5].isASCIIDigit && version[7].isASCIIDigit
    throw isVersion
      ? HTTPParseError(505, "only HTTP/1.0 and HTTP/1.1 are supported")
      : HTTPParseError(400, "the request line does not end with an HTTP version")
  }

  private static let http11 = Array("HTTP/1.1".utf8)
  private static let http10 = Array("HTTP/1.0".utf8)

  /// Returns whether a target is in printable ASCII and is a path, an absolute `http` URL, or `*`
  /// for OPTIONS.
  private static func isTarget(_ target: ArraySlice<UInt8>, of method: HTTPMethod) -> Bool {
    guard let first = target.first, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return false
    }
    if first == UInt8(ascii: "/") { return true }
    if method == .options, target.elementsEqual("*".utf8) { return true }
    // A scheme is not case-sensitive (RFC 3986 section 3.1).
    return target.prefix(7).lazy.map { $0 | 0x20 }.elementsEqual("http://".utf8)
  }

  // MARK: Header fields

  private mutating func finish() throws(HTTPParseError) -> RequestHead? {
    guard var head else { return nil }
    head.headers = HTTPHeaders(fields)
    let hosts = head.headers.values(for: "Host")
    guard hosts.count == 1 || (hosts.isEmpty && head.minorVersion == 0) else {
      throw HTTPParseError(
        400, hosts.isEmpty ? "the Host field is missing" : "there is more than one Host field")
    }
    guard hosts.allSatisfy(HostHeader.isValid) else {
      throw HTTPParseError(400, "the Host field is malformed")
    }
    head.framing = try Self.framing(of: head)
    if let connection = head.headers["Connection"]?.lowercased() {
      let options = connection.split(separator: ",").map { String($0).trimmingOptionalWhitespace }
      if options.contains("close") {
        head.keepsAlive = false
      } else if options.contains("keep-alive") {
        head.keepsAlive = true
      }
    }
    if let expectation = head.headers["Expect"] {
      guard expectation.lowercased() == "100-continue" else {
        throw HTTPParseError(417, "the only supported expectation is 100-continue")
      }
      head.expectsContinue = head.minorVersion > 0 && head.framing != .none
    }
    return head
  }

  private static func framing(of head: RequestHead) throws(HTTPParseError) -> RequestHead.Framing {
    let lengths = head.headers.values(for: "Content-Length")
    let codings = head.headers.values(for: "Transfer-Encoding")
    if !codings.isEmpty {
      guard lengths.isEmpty else {
        throw HTTPParseError(400, "the head has both Content-Length and Transfer-Encoding")
      }
      guard head.minorVersion > 0 else {
        throw HTTPParseError(400, "HTTP/1.0 does not support Transfer-Encoding")
      }
      guard codings.count == 1, codings[0].lowercased() == "chunked" else {
        throw HTTPParseError(501, "the only supported transfer coding is chunked")
      }
      return .chunked
    }
    guard let text = lengths.first else { return .none }
    guard lengths.allSatisfy({ $0 == text }), !text.isEmpty,
      text.utf8.allSatisfy(\.isASCIIDigit)
    else { throw HTTPParseError(400, "the Content-Length is not one number") }
    guard let length = Int(text) else {
      throw HTTPParseError(413, "the Content-Length is too large")
    }
    return length == 0 ? .none : .sized(length)
  }
}

/// A parser for one header or trailer line, which consists of a name, a colon and a value.
///
/// Source: RFC 9112 section 5, RFC 9110 section 5.
enum FieldLine {
  static func parse(_ line: ArraySlice<UInt8>) throws(HTTPParseError) -> HTTPHeaders.Field {
    if let first = line.first, isSpace(first) {
      throw HTTPParseError(400, "a header line begins with a space; line folding is not supported")
    }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
      throw HTTPParseError(400, "a header line has no colon")
    }
    let name = line[..<colon]
    guard name.isToken else { throw HTTPParseError(400, "a header name is not a token") }
    var value = line[(colon + 1)...]
    while let first = value.first, isSpace(first) { value.removeFirst() }
    while let last = value.last, isSpace(last) { value.removeLast() }
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw HTTPParseError(400, "a header value contains a control character")
    }
    return HTTPHeaders.Field(name: String(decoding: name, as: UTF8.self), value: text(value))
  }

  /// Decodes UTF-8, or Latin-1 if the bytes are not UTF-8, so that no byte is lost.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    String(validUTF8: bytes)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// A validator for the value of a Host field.
///
/// The value is empty, or it is a name or an address with an optional port.
///
/// Source: RFC 9110 section 7.2, RFC 3986 section 3.2.2.
enum HostHeader {
  static func isValid(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.first == UInt8(ascii: "[") else {
        let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
        return isName(bytes[..<end]) && isPort(bytes[end...])
      }
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), end > 1 else { return false }
      return bytes[1..<end].allSatisfy { isUnreservedOrDelimiter($0) || $0 == UInt8(ascii: ":") }
        && isPort(bytes[(end + 1)...])
    }
  }

  private static func isName(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var rest = bytes
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard rest.popFirst()?.hexDigitValue != nil, rest.popFirst()?.hexDigitValue != nil else {
          return false
        }
      } else if !isUnreservedOrDelimiter(byte) {
        return false
      }
    }
    return true
  }

  private static func isPort(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = bytes.first else { return true }
    return first == UInt8(ascii: ":") && bytes.dropFirst().allSatisfy(\.isASCIIDigit)
  }

  /// Returns whether a byte is an unreserved character or a sub-delimiter.
  private static func isUnreservedOrDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
      UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: byte.isASCIIAlphanumeric
    }
  }
}

/// An error in a message that is malformed or too large, with the status of the response and a
/// reason in plain text.
struct HTTPParseError: Error, Hashable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// Returns the error of a request for whose body the other requests leave no memory.
  static func totalBodiesTooLarge(_ limit: Int) -> HTTPParseError {
    HTTPParseError(503, "the bodies of all requests have more than \(limit) bytes")
  }
}
