/// A masker for tables of comma-separated values whose header names secrets.
///
/// The header decides which columns are secret. The separator is the first `,`, `;` or tab of the
/// header. The masker makes one pass over the bytes, and returns a table without a secret column
/// unchanged.
///
/// Source: RFC 4180.
struct CSVMasker {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let separator: UInt8
  private var builder: MaskedTextBuilder

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    builder = MaskedTextBuilder(of: bytes)
    separator = Self.separator(of: bytes)
  }

  /// Masks the secret cells of a table.
  ///
  /// - Parameters:
  ///   - text: The table. Its first record is the header.
  ///   - masking: The provider of the replacements.
  ///   - names: The rules that decide which columns are secret.
  /// - Returns: The masked table.
  static func masked(
    _ text: String, by masking: Redactor.MaskProvider, names: SecretNames
  ) -> String {
    var text = text
    let masked = text.withUTF8 { bytes -> String? in
      var masker = CSVMasker(bytes)
      masker.mask(masking, names)
      return masker.builder.text
    }
    return masked ?? text
  }

  private mutating func mask(_ masking: Redactor.MaskProvider, _ names: SecretNames) {
    var (position, columns) = (0, [String?]())
    var hasSecrets = false
    while position < bytes.count {
      let cell = cell(at: position)
      let name = text(cell.content)
      columns.append(names.contains(name) ? name : nil)
      hasSecrets = hasSecrets || columns.last != .some(nil)
      position = cell.end + 1
      if !isSeparator(at: cell.end) { break }
    }
    // Fast path: most tables have no secrets.
    guard hasSecrets else { return }
    var column = 0
    while position < bytes.count {
      let cell = cell(at: position)
      if column < columns.count, let name = columns[column], !cell.content.isEmpty,
        let mask = masking(
          name,
          { limit in
            text(
              cell.content
                .lowerBound..<TextMasker.end(
                  of: limit, from: cell.content.lowerBound, before: cell.content.upperBound))
          })
      {
        builder.replace(cell.content, with: mask)
      }
      column = isSeparator(at: cell.end) ? column + 1 : 0
      position = cell.end + 1
    }
  }

  /// Returns the content of the cell at a position without its quotation marks, and the position of
  /// the separator or line break after it.
  private func cell(at start: Int) -> (content: Range<Int>, end: Int) {
    guard bytes[start] == UInt8(ascii: "\"") else {
      let end = cellEnd(from: start)
      let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
      return (start..<(hasReturn ? end - 1 : end), end)
    }
    var position = start + 1
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "\"") {
        guard position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "\"") else { break }
        position += 1
      }
      position += 1
    }
    return (start + 1..<position, cellEnd(from: position))
  }

  private func cellEnd(from start: Int) -> Int {
    var position = start
    while position < bytes.count, bytes[position] != separator,
      bytes[position] != UInt8(ascii: "\n")
    {
      position += 1
    }
    return position
  }

  private func isSeparator(at position: Int) -> Bool {
    position < bytes.count && bytes[position] == separator
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  private static func separator(of bytes: UnsafeBufferPointer<UInt8>) -> UInt8 {
    for byte in bytes {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t"): return byte
      case UInt8(ascii: "\n"): return UInt8(ascii: ",")
      default: continue
      }
    }
    return UInt8(ascii: ",")
  }
}

extension Redactor {
  /// The media types of tables with a header.
  static let tableTypes: Set<String> = [
    "text/csv", "application/csv", "text/tab-separated-values",
  ]
}
