import CatenaSystem
import Foundation

/// The folder of a store and the operations on its entries.
///
///     entries/      a folder for each entry, with its file and the copies of its payload files
///     incoming/     entries that are being written or removed; a process that acquires the lock
///                   deletes the files that terminated processes have left
///     quarantine/   invalid entries that were found in entries/
///     lock          held during each change
///     replay.lock   the lease of a replay
///
/// An entry is added and removed by one rename of its folder, so it exists completely or not at
/// all. Methods that require the lock say so, and are called in ``withExclusiveLock(_:)``, which
/// converts their errors. All others can be called without it, and their errors of the file system
/// have the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
struct EntryDirectory: Sendable {
  let path: String
  let fileSystem: FileSystem

  init(_ folder: URL, fileSystem: FileSystem) throws {
    path = folder.standardizedFileURL.path
    self.fileSystem = fileSystem
    try NetworkError.reporting(.offlineStoreFailed) {
      // A backup that is restored must not send the requests again.
      try fileSystem.createDirectoriesWithoutBackup(path)
      for folder in [entries, incoming, quarantine] { try fileSystem.createDirectories(folder) }
    }
  }

  private var entries: String { "\(path)/entries" }
  private var incoming: String { "\(path)/incoming" }
  private var quarantine: String { "\(path)/quarantine" }

  /// Runs a closure with the lock, waiting for it if necessary.
  ///
  /// The closure must not call code of the store's user.
  func withExclusiveLock<Value>(_ body: (_ lock: borrowing FileLock) throws -> Value) throws
    -> Value
  {
    try NetworkError.reporting(.offlineStoreFailed) {
      let lock = try FileLock(waitingFor: "\(path)/lock")
      removeIncomplete()
      return try body(lock)
    }
  }

  /// Takes the lease of a replay, or returns `nil` if a replay is running.
  func replayLease() throws -> FileLease? {
    try NetworkError.reporting(.offlineStoreFailed) {
      try FileLease(taking: "\(path)/replay.lock")
    }
  }

  /// Returns the names of the entries in order, and the names of everything else in `entries`.
  ///
  /// A file with the name of an entry that cannot be examined now counts as an entry, because it
  /// must not be moved to quarantine. Reading it reports the error.
  func list() throws -> (names: [EntryName], unrecognized: [FileName]) {
    var names: [EntryName] = []
    var unrecognized: [FileName] = []
    let all = try NetworkError.reporting(.offlineStoreFailed) { try fileSystem.names(in: entries) }
    for found in all {
      if let name = EntryName(found.text), (try? fileSystem.isDirectory(path(of: name))) ?? true {
        names.append(name)
      } else {
        unrecognized.append(found)
      }
    }
    return (names.sortedByPositions(by: <), unrecognized.sortedByPositions { $0.text < $1.text })
  }

  /// Reads an entry.
  ///
  /// - Returns: The record, or `nil` if the entry no longer exists.
  /// - Throws: ``CorruptEntryError`` if the entry is not valid; ``NetworkError`` if it cannot be
  ///   read.
  func read(_ name: EntryName) throws -> EntryRecord? {
    let found = try NetworkError.reporting(.offlineStoreFailed) {
      let folder = path(of: name)
      let record = try EntryRecord.read("\(folder)/\(EntryRecord.fileName)")
      if record == nil, try fileSystem.isDirectory(folder) {
        throw CorruptEntryError("the entry file is missing")
      }
      return record
    }
    guard let record = found else { return nil }
    try CorruptEntryError.unless(record.name == name, "the file belongs to another entry")
    try CorruptEntryError.unless(
      record.files.count == record.request.files.count,
      "the number of payload files does not match")
    try CorruptEntryError.unless(record.hasValidNumbers, "a number is out of range")
    return record
  }

  /// Checks the lengths and checksums of the payload files.
  ///
  /// - Throws: ``CorruptEntryError`` if a file is missing or has changed; ``NetworkError`` if a
  ///   file cannot be read.
  func verifyFiles(of record: EntryRecord, _ name: EntryName) throws {
    try NetworkError.reporting(.offlineStoreFailed) {
      for (position, file) in record.files.enumerated()
      where try fileSystem.contentSummary(fileURL(name, position).path) != file {
        throw CorruptEntryError("payload file \(position + 1) is missing or has changed")
      }
    }
  }

  /// Returns the URL of the copy of a payload file.
  func fileURL(_ name: EntryName, _ position: Int) -> URL {
    URL(fileURLWithPath: "\(path(of: name))/\(EntryRecord.fileName(position))")
  }

  /// Writes an entry, which is on disk when this method returns.
  ///
  /// Requires the lock.
  ///
  /// - Parameters:
  ///   - name: The name of the entry.
  ///   - files: The payload files to copy.
  ///   - limit: The maximum number of bytes of the entry.
  ///   - record: A closure that makes the record from the lengths and checksums of the copies.
  /// - Returns: The record and the number of bytes of the entry. `nil`, with nothing written, if
  ///   the entry exceeds the limit.
  /// - Throws: `FileError` if reading or writing fails.
  func add(
    _ name: EntryName, copying files: [URL], limit: Int64,
    _ record: (_ files: [ContentSummary]) throws -> EntryRecord
  ) throws -> (record: EntryRecord, byteCount: Int64)? {
    let incomingPath = "\(incoming)/\(name.text)"
    var isStored = false
    // If this fails, the next process that acquires the lock removes the remains.
    defer { if !isStored { try? fileSystem.remove(incomingPath) } }
    try fileSystem.createDirectory(incomingPath)
    var copies: [ContentSummary] = []
    var remaining = limit
    for (position, file) in files.enumerated() {
      let target = "\(incomingPath)/\(EntryRecord.fileName(position))"
      guard let copy = try fileSystem.copy(file, to: target, limit: remaining) else { return nil }
      copies.append(copy)
      remaining -= copy.byteCount
    }
    let record = try record(copies)
    let data = try record.encoded()
    remaining -= Int64(data.count)
    guard remaining >= 0 else { return nil }
    try fileSystem.write(data, to: "\(incomingPath)/\(EntryRecord.fileName)")
    try fileSystem.synchronize(incomingPath)
    try fileSystem.move(incomingPath, to: path(of: name))
    isStored = true
    do {
      try fileSystem.synchronize(entries)
    } catch {
      // Otherwise the complete entry stays in place and will be sent. It is therefore accepted,
      // although it may not survive a loss of power.
      if (try? fileSystem.move(path(of: name), to: incomingPath)) != nil {
        isStored = false
        throw error
      }
    }
    return (record, limit - remaining)
  }

  /// Replaces the file of an entry.
  ///
  /// Requires the lock.
  func rewrite(_ record: EntryRecord) throws {
    let entryPath = path(of: record.name)
    guard try fileSystem.isDirectory(entryPath) else { return }
    try fileSystem.replace(
      "\(entryPath)/\(EntryRecord.fileName)", with: try record.encoded(),
      through: "\(incoming)/\(record.name.text)")
  }

  /// Removes an entry.
  ///
  /// Requires the lock.
  ///
  /// If the folder of the entries cannot be synchronized, the entry has left the store all the same.
  /// After a loss of power it may be there again, and its request is then sent once more.
  ///
  /// - Returns: `false` if the entry did not exist.
  /// - Throws: `FileError` if the entry is still in the store.
  @discardableResult
  func remove(_ name: EntryName) throws -> Bool {
    guard try fileSystem.isDirectory(path(of: name)) else { return false }
    let incomingPath = "\(incoming)/\(name.text)"
    try fileSystem.move(path(of: name), to: incomingPath)
    try? fileSystem.synchronize(entries)
    // It is no longer an entry. If this fails, the next lock holder removes it.
    try? fileSystem.remove(incomingPath)
    return true
  }

  /// Moves an invalid entry to quarantine.
  ///
  /// Requires the lock.
  ///
  /// - Parameter name: Its name in `entries`.
  /// - Returns: The new location.
  /// - Throws: `FileError` if it cannot be moved.
  func moveToQuarantine(_ name: FileName) throws -> URL {
    let prefix = UUID().uuidString + " "
    let text = FileName.shortened(name.text, to: FileName.maximumLength - prefix.utf8.count)
    let quarantinePath = "\(quarantine)/\(prefix)\(text)"
    try fileSystem.move(FilePath(entries) / name, to: quarantinePath)
    // It is in quarantine now. If a loss of power undoes that, the next replay moves it again.
    try? fileSystem.synchronize(quarantine)
    try? fileSystem.synchronize(entries)
    return URL(fileURLWithPath: quarantinePath)
  }

  /// Returns the files and folders in quarantine.
  func quarantined() throws -> [URL] {
    try NetworkError.reporting(.offlineStoreFailed) {
      try fileSystem.names(in: quarantine).map(\.text).sorted().map {
        URL(fileURLWithPath: "\(quarantine)/\($0)")
      }
    }
  }

  /// Removes all files and folders in quarantine.
  ///
  /// Requires the lock.
  func emptyQuarantine() throws {
    for name in try fileSystem.names(in: quarantine) {
      try fileSystem.remove(FilePath(quarantine) / name)
    }
  }

  /// Removes the remains of incomplete operations, and ignores errors because these do no harm.
  private func removeIncomplete() {
    for name in (try? fileSystem.names(in: incoming)) ?? [] {
      try? fileSystem.remove(FilePath(incoming) / name)
    }
  }

  private func path(of name: EntryName) -> String { "\(entries)/\(name.text)" }
}

/// The name of an entry's folder: its number and its idempotency key.
struct EntryName: Sendable, Hashable, Comparable {
  static let digits = 15
  static let maximumNumber = Int(clamping: 999_999_999_999_999 as Int64)

  let number: Int
  let key: UUID
}

extension EntryName {
  /// Parses the name of a folder.
  ///
  /// Returns `nil` unless the name is exactly in the format of ``text``.
  init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let number = Int(parts[0]), let key = UUID(uuidString: String(parts[1]))
    else { return nil }
    self.init(number: number, key: key)
    guard (1...Self.maximumNumber).contains(number), self.text == text else { return nil }
  }

  var fileName: FileName { FileName(bytes: Array(text.utf8)) }

  var text: String { "\(Self.padded(number))-\(key.uuidString)" }

  /// Returns a number with leading zeros.
  static func padded(_ number: Int) -> String { String(format: "%0\(digits)ld", number) }

  static func < (left: EntryName, right: EntryName) -> Bool {
    (left.number, left.key.uuidString) < (right.number, right.key.uuidString)
  }
}

extension FileLock {
  /// The number in the lock file, or 0 if there is none.
  var number: Int {
    get throws(FileError) {
      let digits = String(decoding: try file.read(EntryName.digits, at: 0), as: UTF8.self)
      return digits.utf8.count == EntryName.digits ? Int(digits).map { max(0, $0) } ?? 0 : 0
    }
  }

  /// Writes a number to the lock file, always in the same bytes.
  func writeNumber(_ number: Int) throws(FileError) {
    try file.write(Data(EntryName.padded(number).utf8), at: 0)
  }
}
