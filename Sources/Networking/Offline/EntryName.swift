import Foundation

/// What an entry's folder is called: its place in the order, and its idempotency key.
struct EntryName: Sendable, Hashable, Comparable {
  static let digits = 15
  static let lastNumber = 999_999_999_999_999

  let number: Int
  let key: UUID

  init(number: Int, key: UUID) {
    self.number = number
    self.key = key
  }

  /// Reads a folder's name, which has to be just as ``text`` writes it; nil for any other.
  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let key = UUID(uuidString: String(parts[1]))
    else { return nil }
    self.init(number: number, key: key)
    guard number > 0, self.text == text else { return nil }
  }

  var fileName: FileName { FileName(bytes: Array(text.utf8)) }

  var text: String {
    let digits = String(number)
    let zeros = String(repeating: "0", count: max(0, Self.digits - digits.count))
    return "\(zeros)\(digits)-\(key.uuidString)"
  }

  static func < (left: EntryName, right: EntryName) -> Bool {
    (left.number, left.key.uuidString) < (right.number, right.key.uuidString)
  }
}
