import Foundation

/// Makes a response's head of the lines of it, as a library that has taken the message apart gives them.
///
/// Heads of interim responses, 1xx, are passed over, and so is what comes behind the final head: the
/// fields of a trailer.
///
/// The answers of a server say much the same. What stands where it stood in the head before is not made
/// anew but taken from there, and of a head that is all the same the fields are not even copied.
struct ResponseHeadParser {
  private var status = 0
  private var version = ""
  /// Those of this head, from the first on that is not as in the head before.
  private var fields: [HTTPHeaders.Field] = []
  /// Those of the head before.
  private var previousFields: [HTTPHeaders.Field] = []
  /// How many are the same until now; nil once one is not, and all of them are in `fields`.
  private var matchingFieldCount: Int? = 0

  /// Whether there has been a status line, perhaps that of an interim response.
  var isBegun: Bool { status > 0 }
  /// Whether the head is complete.
  private(set) var isComplete = false

  /// Begins the head of another response.
  mutating func reset() {
    status = 0
    isComplete = false
    forgetFields()
  }

  /// Takes the next line, with or without its line break.
  ///
  /// - Returns: the head, when the line was the empty one that completes it.
  mutating func take(_ line: UnsafeRawBufferPointer) -> HTTPResponseHead? {
    guard !isComplete else { return nil }
    let line = line.trimmingEnd()
    guard let first = line.first else { return finish() }
    if first == UInt8(ascii: "H"), line.starts(with: Self.prefix), takeStatusLine(line) {
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
    let place = matchingFieldCount ?? fields.count
    guard place < previousFields.count else {
      stopReusingPrevious()
      return fields.append(HTTPHeaders.Field(name: name.text, value: value.text))
    }
    let hasName = previousFields[place].name.hasBytes(of: name)
    let hasValue = previousFields[place].value.hasBytes(of: value)
    if matchingFieldCount != nil, hasName, hasValue { return matchingFieldCount = place + 1 }
    stopReusingPrevious()
    fields.append(
      HTTPHeaders.Field(
        name: hasName ? previousFields[place].name : name.text,
        value: hasValue ? previousFields[place].value : value.text))
  }

  /// From here on the head is another than that before.
  private mutating func stopReusingPrevious() {
    guard let count = matchingFieldCount else { return }
    fields.reserveCapacity(max(8, previousFields.count))
    fields += previousFields[..<count]
    matchingFieldCount = nil
  }

  private mutating func forgetFields() {
    fields = []
    matchingFieldCount = 0
  }

  private static let prefix: [UInt8] = Array("HTTP/".utf8)

  /// `HTTP/1.1 200 OK`; false when it is none.
  private mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")), line.count >= space + 4 else {
      return false
    }
    var status = 0
    for byte in line[(space + 1)..<(space + 4)] {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return false }
      status = status * 10 + Int(byte - UInt8(ascii: "0"))
    }
    self.status = status
    let version = UnsafeRawBufferPointer(rebasing: line[Self.prefix.count..<space])
    if !self.version.hasBytes(of: version) { self.version = version.text }
    forgetFields()
    return true
  }

  /// A value on a line of its own, which belongs to the field before.
  ///
  /// Source: RFC 9112 section 5.2.
  private mutating func continueField(_ line: UnsafeRawBufferPointer) {
    stopReusingPrevious()
    guard let last = fields.indices.last else { return }
    fields[last].value += " " + line.trimmingStart().text
  }

  private mutating func finish() -> HTTPResponseHead? {
    defer { forgetFields() }
    guard status >= 200 || status == 101 else { return nil }
    isComplete = true
    if matchingFieldCount == previousFields.count { return head(of: previousFields) }
    stopReusingPrevious()
    let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    previousFields = size <= Self.keptBytes ? fields : []
    return head(of: fields)
  }

  /// A longer head is not kept for the next.
  private static let keptBytes = 8 << 10

  private func head(of fields: [HTTPHeaders.Field]) -> HTTPResponseHead {
    HTTPResponseHead(status: status, version: version, headers: HTTPHeaders(fields))
  }
}

extension String {
  /// Whether its UTF-8 is these bytes.
  fileprivate func hasBytes(of bytes: UnsafeRawBufferPointer) -> Bool {
    guard utf8.count == bytes.count, let start = bytes.baseAddress else {
      return bytes.isEmpty && isEmpty
    }
    return utf8.withContiguousStorageIfAvailable { own in
      own.baseAddress.map { memcmp($0, start, bytes.count) == 0 } ?? true
    } ?? utf8.elementsEqual(bytes)
  }
}

extension UnsafeRawBufferPointer {
  /// UTF-8 where that is what it is, or else ISO-8859-1, of which every byte is a character.
  fileprivate var text: String {
    // Nearly always ASCII, and then `String(validating:)` takes four times as long.
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
