import Foundation

/// The folder of a store: where its entries lie, come from and go to.
///
///     entries/      a folder for each entry, with its file and the copies of its payload's files
///     incoming/     what is being written or removed; whatever is in it while nobody has the lock was
///                   left by a process that died, and goes
///     quarantine/   what was found in entries/ and is none
///     lock          had by whoever changes something, for as long as that takes
///     replay.lock   had by a replay from its beginning to its end
///
/// An entry comes and goes by one renaming of its folder, so it is there whole or not at all. What is
/// not said to need the lock can be done by anybody at any time.
struct EntryDirectory: Sendable {
  let path: String
  let disk: FileSystem

  init(_ folder: URL, disk: FileSystem) throws {
    path = folder.standardizedFileURL.path
    self.disk = disk
    for folder in [entries, incoming, quarantine] { try disk.createDirectories(folder) }
  }

  private var entries: String { "\(path)/entries" }
  private var incoming: String { "\(path)/incoming" }
  private var quarantine: String { "\(path)/quarantine" }

  /// Runs a body with the lock, once nobody else has it; it must not run a user's code.
  func withExclusiveLock<Value>(_ body: (_ lock: borrowing FileLock) throws -> Value) throws
    -> Value
  {
    let lock = try FileLock(waitingFor: "\(path)/lock")
    removeIncomplete()
    return try body(lock)
  }

  /// The lock of replays, or nil when one is under way.
  func replayLock() throws -> FileLock? {
    try FileLock(tryLocking: "\(path)/replay.lock")
  }

  /// What there is: the entries by their names, in order, and the names of what is none.
  func list() throws -> (names: [EntryName], unrecognized: [FileName]) {
    var names: [EntryName] = []
    var unrecognized: [FileName] = []
    for found in try disk.names(in: entries) {
      if let name = EntryName(found.text), disk.isDirectory(path(of: name)) {
        names.append(name)
      } else {
        unrecognized.append(found)
      }
    }
    return (names.sorted(), unrecognized.sorted { $0.text < $1.text })
  }

  /// Reads an entry.
  ///
  /// - Returns: nil when it has gone.
  /// - Throws: ``Corruption`` when it is not what was written; ``NetworkError`` when it cannot be read.
  func read(_ name: EntryName) throws -> EntryRecord? {
    let folder = path(of: name)
    guard let record = try EntryRecord.read("\(folder)/\(EntryRecord.fileName)") else {
      if disk.isDirectory(folder) { throw CorruptEntryError("its file is missing") }
      return nil
    }
    guard record.number == name.number, record.key == name.key else {
      throw CorruptEntryError("it is another entry's")
    }
    guard record.files.count == record.request.files.count else {
      throw CorruptEntryError("it does not say what its files are")
    }
    return record
  }

  /// Checks the copies of a payload's files, byte by byte.
  ///
  /// - Throws: ``Corruption`` when one is not what was written.
  func verifyFiles(of record: EntryRecord, _ name: EntryName) throws {
    for (position, file) in record.files.enumerated()
    where try disk.contentSummary(fileURL(name, position).path) != file {
      throw CorruptEntryError("the file \(position + 1) of its payload is not what was written")
    }
  }

  /// Where the copy of a payload's file lies.
  func fileURL(_ name: EntryName, _ position: Int) -> URL {
    URL(fileURLWithPath: "\(path(of: name))/\(EntryRecord.fileName(position))")
  }

  /// Writes an entry whole; it is there, and stays, once this has returned.
  ///
  /// Needs the lock.
  ///
  /// - Parameters:
  ///   - name: what it is to be called.
  ///   - files: the files of its payload, to be copied.
  ///   - limit: how many bytes it may take.
  ///   - record: makes the record of what is known of the copies.
  /// - Returns: the record and how many bytes it takes; nil, with nothing written, when that is more
  ///   than the limit.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  func add(
    _ name: EntryName, copying files: [URL], limit: Int64,
    _ record: (_ files: [StoredFile]) throws -> EntryRecord
  ) throws -> (record: EntryRecord, byteCount: Int64)? {
    let place = "\(incoming)/\(name.text)"
    do {
      try disk.createDirectory(place)
      var copies: [StoredFile] = []
      var rest = limit
      for (position, file) in files.enumerated() {
        let target = "\(place)/\(EntryRecord.fileName(position))"
        guard let copy = try disk.copy(file, to: target, limit: rest) else {
          try? disk.remove(place)
          return nil
        }
        copies.append(copy)
        rest -= copy.byteCount
      }
      let record = try record(copies)
      let data = try record.encoded()
      rest -= Int64(data.count)
      guard rest >= 0 else {
        try? disk.remove(place)
        return nil
      }
      try disk.write(data, to: "\(place)/\(EntryRecord.fileName)")
      try disk.synchronize(place)
      try disk.move(place, to: path(of: name))
      do {
        try disk.synchronize(entries)
      } catch {
        try? disk.move(path(of: name), to: place)
        throw error
      }
      return (record, limit - rest)
    } catch {
      // What cannot be removed now will be swept.
      try? disk.remove(place)
      throw error
    }
  }

  /// Writes an entry's file anew.
  ///
  /// Needs the lock.
  func rewrite(_ record: EntryRecord, _ name: EntryName) throws {
    guard disk.isDirectory(path(of: name)) else { return }
    let place = "\(incoming)/\(name.text)"
    do {
      try disk.write(try record.encoded(), to: place)
      try disk.move(place, to: "\(path(of: name))/\(EntryRecord.fileName)")
    } catch {
      try? disk.remove(place)
      throw error
    }
  }

  /// Removes an entry; it has gone, and stays so, once this has returned.
  ///
  /// Needs the lock.
  ///
  /// - Returns: false when it had gone before.
  @discardableResult
  func remove(_ name: EntryName) throws -> Bool {
    guard disk.isDirectory(path(of: name)) else { return false }
    let place = "\(incoming)/\(name.text)"
    try disk.move(path(of: name), to: place)
    try disk.synchronize(entries)
    // It is no entry any more; what cannot be removed now will be swept.
    try? disk.remove(place)
    return true
  }

  /// Puts something that is no entry where it does no harm.
  ///
  /// Needs the lock.
  ///
  /// - Parameter name: what it is called in `entries`.
  /// - Returns: where it is now.
  /// - Throws: ``NetworkError`` of the code ``NetworkError/Code-swift.enum/offlineStoreFailed``.
  func moveToQuarantine(_ name: FileName) throws -> URL {
    let prefix = UUID().uuidString + " "
    let text = FileName.shortened(name.text, to: FileName.limit - prefix.utf8.count)
    let place = "\(quarantine)/\(prefix)\(text)"
    try disk.move(FilePath(entries) / name, to: place)
    try disk.synchronize(quarantine)
    try disk.synchronize(entries)
    return URL(fileURLWithPath: place)
  }

  /// What was set unthrottledQueue.
  func quarantined() throws -> [URL] {
    try disk.names(in: quarantine).map(\.text).sorted().map {
      URL(fileURLWithPath: "\(quarantine)/\($0)")
    }
  }

  /// Removes all that was set unthrottledQueue.
  ///
  /// Needs the lock.
  func emptyQuarantine() throws {
    for name in try disk.names(in: quarantine) { try disk.remove(FilePath(quarantine) / name) }
  }

  /// Removes what was left unfinished; what cannot be removed is in nobody's way.
  private func removeIncomplete() {
    for name in (try? disk.names(in: incoming)) ?? [] {
      try? disk.remove(FilePath(incoming) / name)
    }
  }

  private func path(of name: EntryName) -> String { "\(entries)/\(name.text)" }
}

/// What an entry's folder is called: its place in the order, and its idempotency key.
struct EntryName: Sendable, Hashable, Comparable {
  static let digits = 15
  static let maximumNumber = 999_999_999_999_999

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
