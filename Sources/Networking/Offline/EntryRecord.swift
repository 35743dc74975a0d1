import Foundation

/// An entry as its file has it.
///
/// The file is a line that says what it is, how long the rest is and what that adds up to, and then
/// JSON, so that a file which was cut off, changed or written by somebody else is told from one that is
/// whole. The files of a payload lie beside it and are named in it by their position only, as the
/// store's folder may come to lie elsewhere.
struct EntryRecord: Codable, Equatable {
  static let fileName = "entry"

  let number: Int
  let key: UUID
  let queue: String
  let baseURL: URL?
  /// Without credentials; in the place of each payload's file there is a URL that leads nowhere.
  let request: Request
  /// The names of the header fields that were left out.
  let withheld: [String]
  var created: Date
  var expires: Date?
  var attempts: Int
  let files: [StoredFile]

  var lifespan: Lifespan {
    get { Lifespan(created: created, expires: expires) }
    set { (created, expires) = (newValue.created, newValue.expires) }
  }

  /// What a payload's file is called inside the entry's folder.
  static func fileName(_ position: Int) -> String { "file-\(position)" }

  /// The bytes of the file.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .secondsSince1970
    let body = try encoder.encode(self)
    return Data("\(Self.format) \(body.count) \(Self.checksum(of: body))\n".utf8) + body
  }

  /// Reads an entry's file.
  ///
  /// - Returns: nil when it is not there.
  /// - Throws: ``Corruption`` when it is not an entry as it was written; ``NetworkError`` when it
  ///   cannot be read now.
  static func read(_ path: String) throws -> EntryRecord? {
    guard let file = try OpenFile.open(path, O_RDONLY | O_NOFOLLOW) else { return nil }
    guard let length = file.length else { throw CorruptEntryError("it is not a plain file") }
    let head = try file.read(Int(min(length, 128)))
    guard let end = head.firstIndex(of: UInt8(ascii: "\n")) else {
      throw CorruptEntryError(
        length == 0 ? "it is empty" : "it is not an entry of an offline store")
    }
    let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ")
    guard words.count == 3, words[0].hasPrefix("Catena-Offline/") else {
      throw CorruptEntryError("it is not an entry of an offline store")
    }
    guard words[0] == format else {
      throw CorruptEntryError("it is of another version, \(words[0])")
    }
    let start = head.distance(from: head.startIndex, to: end) + 1
    // Checked before memory is asked for.
    guard let count = Int64(words[1]), count == length - Int64(start) else {
      throw CorruptEntryError("it is not as long as it says")
    }
    let rest = try file.read(Int(length) - head.count)
    let body = Data(head.dropFirst(start) + rest)
    guard checksum(of: body) == words[2] else { throw CorruptEntryError("its checksum is wrong") }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    do {
      return try decoder.decode(EntryRecord.self, from: body)
    } catch {
      throw CorruptEntryError((error as? DecodingError)?.explanation ?? "it cannot be decoded")
    }
  }

  private static let format = "Catena-Offline/1"

  private static func checksum(of data: Data) -> String {
    var checksum = Checksum()
    data.withUnsafeBytes { checksum.add($0) }
    return checksum.text
  }
}

/// Why something in a store's folder is not an entry, as part of a sentence.
struct CorruptEntryError: Error, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// When an entry was accepted, and until when it is to be sent, by a clock that may have been wrong.
///
/// A machine without a clock of its own begins in 1970, or at another time long ago, until it has asked
/// the network. So what lies ahead of the clock by more than a day, or was over more than ten years ago,
/// was not measured by the clock that is asked now: then nobody knows its age, and it is not held to be
/// over. A clock that was wrong by less is believed.
struct Lifespan {
  let created: Date
  let expires: Date?

  private static let day: TimeInterval = 24 * 3_600
  private static let decade = 3_652 * day

  /// Whether it is over.
  func isExpired(at now: Date) -> Bool {
    guard let expires else { return false }
    return expires <= now && !isImplausible(at: now)
  }

  /// Whether it was measured by another clock than the one that shows this time.
  func isImplausible(at now: Date) -> Bool {
    guard let expires else { return false }
    return now.timeIntervalSince(expires) > Self.decade
      || created.timeIntervalSince(now) > Self.day
  }

  /// As long a one from now on.
  func beginning(at now: Date) -> Lifespan {
    Lifespan(
      created: now, expires: expires.map { now.addingTimeInterval($0.timeIntervalSince(created)) })
  }
}

/// What a store knows of a copy of a payload's file.
struct StoredFile: Sendable, Hashable, Codable {
  let byteCount: Int64
  let checksum: String
}

/// Tells whether bytes are those that were written, as far as accidents go: it is no cryptography.
///
/// Source: the FNV-1a hash, 64 bits, RFC 9923 section 2.
struct Checksum: Sendable {
  private var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var value = value
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    self.value = value
  }

  /// Sixteen hexadecimal digits.
  var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
