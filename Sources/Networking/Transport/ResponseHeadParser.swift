/// Makes a response's head of the lines of it, as a library that has taken the message apart gives them.
///
/// Heads of interim responses, 1xx, are passed over, and so is what comes behind the final head: the
/// fields of a trailer.
struct ResponseHeadParser {
  private var status = 0
  private var version = ""
  private var fields: [HTTPHeaders.Field] = []

  /// Whether there has been a status line, perhaps that of an interim response.
  var isBegun: Bool { status > 0 }
  /// Whether the head is complete.
  private(set) var isComplete = false

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
      fields.append(HTTPHeaders.Field(name: name.text, value: value.text))
    }
    return nil
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
    version = UnsafeRawBufferPointer(rebasing: line[Self.prefix.count..<space]).text
    fields.removeAll()
    fields.reserveCapacity(8)
    return true
  }

  /// A value on a line of its own, which belongs to the field before.
  ///
  /// Source: RFC 9112 section 5.2.
  private mutating func continueField(_ line: UnsafeRawBufferPointer) {
    guard let last = fields.indices.last else { return }
    fields[last].value += " " + line.trimmingStart().text
  }

  private mutating func finish() -> HTTPResponseHead? {
    guard status >= 200 || status == 101 else {
      fields.removeAll()
      return nil
    }
    isComplete = true
    defer { fields = [] }
    return HTTPResponseHead(status: status, version: version, headers: HTTPHeaders(fields))
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
