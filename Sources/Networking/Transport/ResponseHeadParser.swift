import Foundation

/// A parser that makes a response head from its lines, as libcurl delivers them.
///
/// The parser skips interim responses (1xx). It ignores lines after the final head, which are the
/// fields of a trailer.
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

  /// Whether a status line was read, possibly that of an interim response.
  var hasStatusLine: Bool { status > 0 }
  /// Whether the head is complete.
  private(set) var isComplete = false

  /// Prepares the parser for the head of another response.
  mutating func reset() {
    status = 0
    isComplete = false
    resetFields()
  }

  /// Parses the next line, with or without its line break.
  ///
  /// - Returns: The head, if the line is the empty line that completes it.
  mutating func parse(_ line: UnsafeRawBufferPointer) -> HTTPResponseHead? {
    guard !isComplete else { return nil }
    let line = line.trimmingEnd()
    guard let first = line.first else { return finish() }
    if first == UInt8(ascii: "H"), line.starts(with: Self.versionPrefix), parseStatusLine(line) {
      return nil
    }
    if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      continueField(line)
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      let name = UnsafeRawBufferPointer(rebasing: line[..<colon]).trimmingEnd()
      let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmingStart()
      add(name, value)
    }
    return nil
  }

  private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let index = matchingFieldCount ?? fields.count
    guard index < previousFields.count else {
      stopReusingPrevious()
      return fields.append(HTTPHeaders.Field(name: name.text, value: value.text))
    }
    let hasName = previousFields[index].name.hasBytes(of: name)
    let hasValue = previousFields[index].value.hasBytes(of: value)
    if matchingFieldCount != nil, hasName, hasValue { return matchingFieldCount = index + 1 }
    stopReusingPrevious()
    fields.append(
      HTTPHeaders.Field(
        name: hasName ? previousFields[index].name : name.text,
        value: hasValue ? previousFields[index].value : value.text))
  }

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
    if !self.version.hasBytes(of: version) { self.version = version.text }
    resetFields()
    return true
  }

  /// Appends a folded line to the value of the previous field.
  ///
  /// Source: RFC 9112 section 5.2.
  private mutating func continueField(_ line: UnsafeRawBufferPointer) {
    stopReusingPrevious()
    guard let last = fields.indices.last else { return }
    fields[last].value += " " + line.trimmingStart().text
  }

  private mutating func finish() -> HTTPResponseHead? {
    defer { resetFields() }
    guard status >= 200 || status == 101 else { return nil }
    isComplete = true
    if matchingFieldCount == previousFields.count { return head(of: previousFields) }
    stopReusingPrevious()
    let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    previousFields = size <= Self.maximumKeptSize ? fields : []
    return head(of: fields)
  }

  /// The largest size of a head, in bytes of names and values, that is kept for comparison with the
  /// next.
  private static let maximumKeptSize = 8 << 10

  private func head(of fields: [HTTPHeaders.Field]) -> HTTPResponseHead {
    HTTPResponseHead(status: status, version: version, headers: HTTPHeaders(fields))
  }
}

extension String {
  /// Whether the UTF-8 of the string equals the bytes.
  fileprivate func hasBytes(of bytes: UnsafeRawBufferPointer) -> Bool {
    guard utf8.count == bytes.count, let start = bytes.baseAddress else {
      return bytes.isEmpty && isEmpty
    }
    return utf8.withContiguousStorageIfAvailable { text in
      text.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true
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
    return String(validating: self, as: UTF8.self)
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
