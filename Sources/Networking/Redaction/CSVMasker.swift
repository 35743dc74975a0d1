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

  private init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    let first = bytes.first(from: 0) { $0.isOne(of: ",;\t\n") }
    let isColumn = first < bytes.count && bytes[first] != UInt8(ascii: "\n")
    separator = isColumn ? bytes[first] : UInt8(ascii: ",")
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
    MaskedTextBuilder.masked(text) { bytes, builder in
      let table = CSVMasker(bytes)
      var (columns, column, isHeader) = ([String?](), 0, true)
      var position = 0
      while position < bytes.count {
        let (content, end) = table.cell(at: position)
        if isHeader {
          let name = bytes.text(content)
          columns.append(names.contains(name) ? name : nil)
        } else if column < columns.count, let name = columns[column], !content.isEmpty,
          let mask = masking(name, { bytes.text(content.prefix($0)) })
        {
          builder.replace(content, with: mask)
        }
        let isLast = end == bytes.count || bytes[end] != table.separator
        (column, position) = (isLast ? 0 : column + 1, end + 1)
        if isHeader, isLast {
          // Fast path: most tables have no secrets.
          guard columns.contains(where: { $0 != nil }) else { return }
          isHeader = false
        }
      }
    }
  }

  /// Returns the content of the cell at a position without its quotation marks, and the position of
  /// the separator or line break after it.
  private func cell(at start: Int) -> (content: Range<Int>, end: Int) {
    let mark = UInt8(ascii: "\"")
    let isQuoted = bytes[start] == mark
    var contentEnd = start
    if isQuoted {
      contentEnd = bytes.first(from: start + 1) { $0 == mark }
      // A mark within the content is doubled.
      while bytes.has("\"\"", at: contentEnd) {
        contentEnd = bytes.first(from: contentEnd + 2) { $0 == mark }
      }
    }
    let end = bytes.first(from: contentEnd) { $0 == separator || $0 == UInt8(ascii: "\n") }
    if isQuoted { return (start + 1..<contentEnd, end) }
    let hasReturn = end > start && bytes[end - 1] == UInt8(ascii: "\r")
    return (start..<(hasReturn ? end - 1 : end), end)
  }
}

extension Redactor {
  /// The media types of tables with a header.
  static let tableTypes: Set<String> = [
    "text/csv", "application/csv", "text/tab-separated-values",
  ]
}
