import CatenaSystem
import Foundation

/// The contents of an entry's file.
///
/// The first line has the format version and the length and checksum of the rest, which is JSON.
/// These reveal a truncated, changed or unrelated file. The copies of payload files are in the same
/// folder. They are identified by their positions only, because the store's folder can be moved.
struct EntryRecord: Codable, Equatable {
  static let fileName = "entry"

  let number: Int
  let key: UUID
  let queue: String
  let baseURL: URL?
  /// The request without credentials; a placeholder URL replaces the URL of each payload file.
  let request: Request
  /// The names of the header fields that were removed because they carry credentials.
  let withheld: [String]
  /// Whether the request has the defaults of the client's endpoint type.
  ///
  /// `nil` if that is not known.
  let inheritsDefaults: Bool?
  var created: Date
  var expires: Date?
  var attempts: Int
  let files: [ContentSummary]

  var name: EntryName { EntryName(number: number, key: key) }

  var lifespan: Lifespan {
    get { Lifespan(created: created, expires: expires) }
    set { (created, expires) = (newValue.created, newValue.expires) }
  }

  /// The maximum number of bytes of all payload files, which no disk reaches.
  private static let maximumByteCount: Int64 = 1 << 60

  /// Whether the lengths of the payload files and the number of attempts are in the range in which
  /// sums do not overflow.
  var hasValidNumbers: Bool {
    var rest = Self.maximumByteCount
    for file in files {
      guard (0...rest).contains(file.byteCount) else { return false }
      rest -= file.byteCount
    }
    return (0..<Int.max).contains(attempts)
  }

  /// Returns the name of a payload file in the entry's folder.
  static func fileName(_ position: Int) -> String { "file-\(position)" }

  /// Returns the contents of the file.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    let body = try encoder.encode(self)
    return Data("\(Self.format) \(body.count) \(Checksum(body).text)\n".utf8) + body
  }

  /// Reads the file of an entry.
  ///
  /// - Returns: The record, or `nil` if the file does not exist.
  /// - Throws: ``CorruptEntryError`` if the file is not a valid entry; `FileError` if it cannot be
  ///   read now.
  static func read(_ path: String) throws -> EntryRecord? {
    guard let file = try OpenFile.existing(path) else { return nil }
    guard let length = try file.length else {
      throw CorruptEntryError("the entry file is not a regular file")
    }
    try CorruptEntryError.unless(try file.isOwn, "the entry file belongs to another user")
    try CorruptEntryError.unless(length > 0, "the entry file is empty")
    let head = try file.read(Int(min(length, 128)))
    let line = head.prefix { $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    try CorruptEntryError.unless(
      line.count < head.count && words.count == 3 && words[0].hasPrefix("Catena-Offline/"),
      "the file is not an offline entry")
    try CorruptEntryError.unless(words[0] == format, "the format \(words[0]) is not supported")
    let start = line.count + 1
    // Checked before memory is allocated.
    guard let count = Int64(words[1]), count == length - Int64(start) else {
      throw CorruptEntryError("the length does not match")
    }
    let rest = try file.read(Int(length) - head.count)
    // Not by `+`, which traps in Foundation if both are empty and the first is a slice.
    var body = Data(capacity: Int(count))
    body.append(contentsOf: head.dropFirst(start))
    body.append(rest)
    try CorruptEntryError.unless(
      Checksum(body).text == words[2], "the checksum does not match")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do {
      return try decoder.decode(EntryRecord.self, from: body)
    } catch {
      throw CorruptEntryError(
        (error as? DecodingError)?.explanation ?? "the entry cannot be decoded")
    }
  }

  private static let format = "Catena-Offline/1"
}

/// The error for a file or folder that is not a valid entry.
struct CorruptEntryError: Error, Equatable {
  /// The reason, as a clause.
  let reason: String

  init(_ reason: String) { self.reason = reason }

  /// Throws an error unless a condition is met.
  static func unless(
    _ condition: Bool, _ reason: @autoclosure () -> String
  ) throws(CorruptEntryError) {
    if !condition { throw CorruptEntryError(reason()) }
  }
}

/// The creation and expiry times of an entry, which may come from a wrong clock.
///
/// A machine without a battery-backed clock starts in 1970 or at another early time, until it has
/// synchronized its clock over the network. Therefore a lifespan is implausible if its creation is
/// more than a day in the future, or its expiry is more than ten years in the past. The age of such
/// an entry is unknown, and it does not count as expired. Smaller errors of the clock are not
/// detected.
struct Lifespan {
  let created: Date
  let expires: Date?

  private static let day: TimeInterval = 24 * 3_600
  private static let decade = 3_652 * day

  /// Returns whether the lifespan has ended.
  func isExpired(at now: Date) -> Bool {
    guard let expires else { return false }
    return expires <= now && !isImplausible(at: now)
  }

  /// Returns whether the lifespan was measured with a wrong clock.
  func isImplausible(at now: Date) -> Bool {
    guard let expires else { return false }
    return now.timeIntervalSince(expires) > Self.decade
      || created.timeIntervalSince(now) > Self.day
  }

  /// Returns a lifespan of the same length that starts now.
  func restarted(at now: Date) -> Lifespan {
    Lifespan(
      created: now, expires: expires.map { now.addingTimeInterval($0.timeIntervalSince(created)) })
  }
}
