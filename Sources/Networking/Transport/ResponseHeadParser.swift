import CatenaSystem
import Foundation

/// A parser that makes a response head from its lines, as libcurl delivers them.
///
/// The parser skips interim responses (1xx). The lines after the final head are the fields of a
/// trailer. Invalid ones are ignored, because the response is usable without them.
///
/// Consecutive responses of a server often have the same fields. The parser reuses the strings of
/// fields that are equal to the previous head's. If all fields are equal, it reuses the whole array
/// without a copy.
struct ResponseHeadParser {
  private var status = 0
  private var version = ""
  /// The fields of this head; empty while all of them match the previous head.
  private var fields: [HTTPHeaders.Field] = []
  /// The fields of the previous head.
  private var previousFields: [HTTPHeaders.Field] = []
  /// The number of fields while all of them match the previous head.
  ///
  /// It is `nil` after the first difference; `fields` then contains all fields.
  private var matchingFieldCount: Int? = 0

  /// Whether the current head has a status line.
  private(set) var isInHead = false
  /// The number of interim heads.
  private(set) var interimCount = 0
  /// Whether only status lines of HTTP/1 are valid.
  var requiresHTTP1 = false

  /// Whether a status line was read, possibly that of an interim response.
  var hasStatusLine: Bool { status > 0 }
  /// Whether the head is complete.
  private(set) var isComplete = false
  /// The fields after the body.
  private(set) var trailers: [HTTPHeaders.Field] = []
  /// The reason that the response is malformed, as a sentence without a period, or `nil`.
  private(set) var violation: String?
  /// The size of all lines of the response, including interim heads and the trailer.
  private var size = 0

  /// The maximum size of all lines of a response, in bytes.
  ///
  /// It is the limit of libcurl since 8.3. Earlier versions have only a limit for each line.
  static let maximumSize = 300 << 10

  /// The maximum number of interim responses (1xx), each of which is a sign of activity.
  static let maximumInterimCount = 100

  /// Prepares the parser for the head of another response.
  ///
  /// - Parameter isHTTP1: Whether the connection cannot use another version than HTTP/1. libcurl would
  ///   send several requests at once on a connection whose status line has the version 2.
  mutating func reset(isHTTP1: Bool = false) {
    requiresHTTP1 = isHTTP1
    isInHead = false
    interimCount = 0
    status = 0
    isComplete = false
    violation = nil
    size = 0
    trailers = []
    resetFields()
  }

  /// Parses the next line, with or without its line break.
  ///
  /// After each line, ``violation`` tells whether the response is malformed.
  ///
  /// - Returns: The head, if the line is the empty line that completes it.
  mutating func parse(_ line: UnsafeRawBufferPointer) -> HTTPResponseHead? {
    size += line.count
    guard size <= Self.maximumSize else {
      violation = "The head of the response is larger than \(Self.maximumSize) bytes"
      return nil
    }
    guard !isComplete else {
      addTrailer(line)
      return nil
    }
    // A line that is only blank continues a field, and does not end the head.
    let isFolded = line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t")
    let line = line.trimmingEnd()
    if isFolded {
      continueField(line)
      return nil
    }
    guard let first = line.first else { return finish() }
    if !isInHead, first == UInt8(ascii: "H"), line.starts(with: Self.versionPrefix),
      parseStatusLine(line)
    {
      return nil
    }
    if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).trimmingEnd()
      let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingStart()
      if name.count < colon {
        check(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        if HTTPHeaders.isFramingField(name.text) { violation = Self.ambiguousFraming }
      }
      add(name, value)
    } else {
      check(line)
    }
    return nil
  }

  private mutating func addTrailer(_ line: UnsafeRawBufferPointer) {
    let line = line.trimmingEnd()
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.first?.isBlank == false,
      !line.contains(where: { $0 == UInt8(ascii: "\r") || $0 == 0 })
    else { return }
    let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).text
    guard name.isToken else { return }
    let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingStart().text
    trailers.append(HTTPHeaders.Field(name: name, value: value))
  }

  private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let index = matchingFieldCount ?? fields.count
    guard index < previousFields.count else {
      stopReusingPrevious()
      check(name)
      check(value)
      return fields.append(HTTPHeaders.Field(name: name.text, value: value.text))
    }
    let hasName = previousFields[index].name.hasBytes(of: name)
    let hasValue = previousFields[index].value.hasBytes(of: value)
    if matchingFieldCount != nil, hasName, hasValue { return matchingFieldCount = index + 1 }
    stopReusingPrevious()
    check(name)
    check(value)
    fields.append(
      HTTPHeaders.Field(
        name: hasName ? previousFields[index].name : name.text,
        value: hasValue ? previousFields[index].value : value.text))
  }

  /// Rejects a carriage return or NUL, which another recipient may take for the end of a field.
  ///
  /// Fields that match the previous head were checked before.
  ///
  /// Source: RFC 9110 section 5.5, RFC 9112 section 2.2.
  private mutating func check(_ bytes: UnsafeRawBufferPointer) {
    if bytes.contains(where: { $0 == UInt8(ascii: "\r") || $0 == 0 }) {
      violation = "A field of the response contains a carriage return or NUL"
    }
  }

  /// The reason for a framing field that libcurl does not recognize, and other recipients do.
  private static let ambiguousFraming =
    "The framing fields of the response are folded or have a space before the colon"

  /// Copies the matching fields, because the head differs from the previous one from here on.
  private mutating func stopReusingPrevious() {
    guard let count = matchingFieldCount else { return }
    fields.reserveCapacity(max(8, previousFields.count))
    fields += previousFields[..<count]
    matchingFieldCount = nil
  }

  private mutating func resetFields() {
    fields = []
    matchingFieldCount = 0
  }

  private static let versionPrefix: [UInt8] = Array("HTTP/".utf8)

  /// Parses a status line such as `HTTP/1.1 200 OK`, or returns `false` if the line is not one.
  private mutating func parseStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")), line.count >= space + 4 else {
      return false
    }
    var status = 0
    for byte in line[(space + 1)..<(space + 4)] {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return false }
      status = status * 10 + Int(byte - UInt8(ascii: "0"))
    }
    self.status = status
    let version = UnsafeRawBufferPointer(rebasing: line[Self.versionPrefix.count..<space])
    if requiresHTTP1, version.first != UInt8(ascii: "1") {
      violation = "The response has a version of HTTP that its connection does not use"
    }
    if !self.version.hasBytes(of: version) { self.version = version.text }
    isInHead = true
    resetFields()
    return true
  }

  /// Appends a folded line to the value of the previous field.
  ///
  /// Source: RFC 9112 section 5.2.
  private mutating func continueField(_ line: UnsafeRawBufferPointer) {
    stopReusingPrevious()
    check(line)
    guard let last = fields.indices.last else { return }
    if HTTPHeaders.isFramingField(fields[last].name) { violation = Self.ambiguousFraming }
    let text = line.trimmingStart().text
    if !text.isEmpty { fields[last].value += " " + text }
  }

  private mutating func finish() -> HTTPResponseHead? {
    defer {
      resetFields()
      isInHead = false
    }
    guard isInHead else {
      violation = "The status line of the response is invalid"
      return nil
    }
    guard violation == nil else { return nil }
    guard status >= 200 || status == 101 else {
      interimCount += 1
      if interimCount > Self.maximumInterimCount {
        violation = "The server sent more than \(Self.maximumInterimCount) interim responses"
      }
      return nil
    }
    if matchingFieldCount == previousFields.count {
      isComplete = true
      return head(of: previousFields)
    }
    stopReusingPrevious()
    violation = Self.framingViolation(in: fields)
    guard violation == nil else { return nil }
    isComplete = true
    let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    previousFields = size <= Self.maximumKeptSize ? fields : []
    return head(of: fields)
  }

  /// Returns the reason that the length of the body cannot be determined, or `nil`.
  ///
  /// `Content-Length` is ignored if there is a `Transfer-Encoding`. A list of equal numbers counts as
  /// one number. The only transfer coding that a client without a `TE` field accepts is `chunked`.
  ///
  /// Source: RFC 9112 sections 6.1 and 6.3.
  static func framingViolation(in fields: [HTTPHeaders.Field]) -> String? {
    var length: Int64?
    var reason: String?
    var hasTransferCoding = false
    for field in fields {
      if HTTPHeaders.areNamesEqual(field.name, "Transfer-Encoding") {
        hasTransferCoding = true
        guard ["chunked", "identity"].contains(field.value.lowercased()) else {
          return "The response has an unknown transfer coding"
        }
      } else if HTTPHeaders.areNamesEqual(field.name, "Content-Length") {
        for text in field.value.split(separator: ",", omittingEmptySubsequences: false) {
          guard let number = Int64(digits: text), length ?? number == number else {
            reason = "The Content-Length of the response is invalid"
            break
          }
          length = number
        }
      }
    }
    return hasTransferCoding ? nil : reason
  }

  /// The largest size of a head, in bytes of names and values, that is kept for comparison with the
  /// next.
  private static let maximumKeptSize = 8 << 10

  private func head(of fields: [HTTPHeaders.Field]) -> HTTPResponseHead {
    HTTPResponseHead(status: status, version: version, headers: HTTPHeaders(fields))
  }
}

extension HTTPHeaders {
  /// Returns whether a field frames the body, so that the transport sets it.
  static func isFramingField(_ name: String) -> Bool {
    areNamesEqual(name, "Content-Length") || areNamesEqual(name, "Transfer-Encoding")
  }
}

extension HTTPHeaders.Field {
  /// Whether the name is a token and the value has no byte that ends the field.
  var isSendable: Bool {
    name.isToken
      && !value.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
  }
}

extension Int64 {
  /// Makes a number from decimal digits, with blanks around them; `nil` for any other text, and for
  /// numbers that are too large.
  fileprivate init?(digits text: Substring) {
    let bytes = text.utf8.drop { $0.isBlank }
    let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    guard !digits.isEmpty, bytes[digits.endIndex...].allSatisfy({ $0.isBlank }),
      let number = Int64(Substring(digits))
    else { return nil }
    self = number
  }
}

extension String {
  /// The members of a list with commas, in lower case.
  var listMembers: [String] {
    split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      .filter { !$0.isEmpty }
  }

  /// Whether the UTF-8 of the string equals the bytes.
  fileprivate func hasBytes(of bytes: UnsafeRawBufferPointer) -> Bool {
    guard utf8.count == bytes.count else { return false }
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
    return utf8.withContiguousStorageIfAvailable { text in
      memcmp(text.baseAddress.unsafelyUnwrapped, start, bytes.count) == 0
    } ?? utf8.elementsEqual(bytes)
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes decoded as UTF-8 if they are valid, else as ISO-8859-1, in which every byte is a
  /// character.
  fileprivate var text: String {
    // Fast path for ASCII, which nearly all fields are: `String(validating:)` takes four times as
    // long.
    if allSatisfy({ $0 < 0x80 }) { return String(decoding: self, as: UTF8.self) }
    return String(validUTF8: self)
      ?? String(decoding: map(UInt16.init), as: UTF16.self)
  }

  fileprivate func trimmingEnd() -> UnsafeRawBufferPointer {
    var end = count
    while end > 0, self[end - 1].isBlank { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: self[..<end])
  }

  fileprivate func trimmingStart() -> UnsafeRawBufferPointer {
    var start = 0
    while start < count, self[start].isBlank { start += 1 }
    return UnsafeRawBufferPointer(rebasing: self[start...])
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
      || self == UInt8(ascii: "\n")
  }
}
