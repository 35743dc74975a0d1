import CatenaSystem
import Foundation

/// The folder of a disk store.
///
///     00/ ... ff/         a folder for each first byte of the digest of a URL
///       DIGEST            the record of the URL: all its responses, with the bodies that are small
///       DIGEST.ID.body    a large body
///     incoming/           files that are being written
///     lock.0 ... lock.3   held while a record changes
///
/// A record appears and changes by one rename, so it exists completely or not at all. A body file
/// never changes, and has its final name before a record refers to it. Nothing is synchronized to
/// the disk: after a loss of power a file may be incomplete, and its checksum then shows that. All
/// methods block, and are called on the queues of the store.
struct DiskCacheFiles: Sendable {
  /// The largest body that is a part of its record.
  static let inlineLimit = 16 << 10
  static let lockCount = 4
  /// The length of the largest record.
  ///
  /// A larger file is none.
  private static let maximumRecordSize = 16 << 20
  private static let chunkSize = 256 << 10

  let path: String
  let fileSystem: FileSystem

  private var incoming: String { "\(path)/incoming" }

  /// Returns the folder of a record.
  func folder(of name: String) -> String { "\(path)/\(name.prefix(2))" }

  func path(of name: String) -> String { "\(path)/\(name.prefix(2))/\(name)" }

  /// Acquires the lock of some of the records, or returns `nil` if it is still held at the end of a
  /// time limit.
  func lock(_ number: Int, waitingAtMost limit: Duration) throws -> FileLock? {
    try fileSystem.createDirectories(incoming)
    return try FileLock(tryLocking: "\(path)/lock.\(number)", waitingAtMost: limit)
  }

  /// Reads a record.
  ///
  /// A file that is not a valid record, or that belongs to another user, is removed.
  ///
  /// - Parameters:
  ///   - name: The name of the record.
  ///   - key: The URL of the record. `nil` uses the one in the record, which has no secrets.
  ///   - isTouched: Whether the record counts as used now.
  /// - Returns: The record, or `nil` if there is no valid one.
  /// - Throws: `FileError` if the file exists and cannot be read now, for example because the
  ///   process has too many open files.
  func read(_ name: String, of key: CacheKey?, isTouched: Bool) throws -> CacheRecord? {
    guard let file = try OpenFile.existing(path(of: name)),
      let length = try file.length
    else { return nil }
    guard length <= Self.maximumRecordSize, try file.isOwn,
      let record = CacheRecordCoding.decode(
        try file.read(Int(length)), name, of: key, bodiesIn: folder(of: name))
    else {
      try? fileSystem.remove(path(of: name))
      return nil
    }
    if isTouched { file.touch(olderThan: 60) }
    return record
  }

  /// Writes a record in place of an earlier one.
  ///
  /// - Returns: The length of the file.
  func write(_ record: CacheRecord, _ name: String) throws -> Int {
    let data = CacheRecordCoding.encode(record, name)
    guard data.count <= Self.maximumRecordSize else {
      throw FileError(path(of: name), "is too long", number: nil)
    }
    try createFolder(of: name)
    try fileSystem.replace(
      path(of: name), with: data, through: makeTemporaryPath(), isDurable: false)
    return data.count
  }

  /// Writes a body to a new file.
  func write(_ body: Data, bodyOf name: String) throws -> StoredBodyFile {
    let writer = try BodyFileWriter(self)
    var rest = body
    while !rest.isEmpty {
      try writer.write(rest.prefix(Self.chunkSize))
      rest = rest.dropFirst(Self.chunkSize)
    }
    return try writer.finish(name)
  }

  fileprivate func createFolder(of name: String) throws {
    let folder = folder(of: name)
    guard mkdir(folder, 0o700) != 0, errno != EEXIST else { return }
    try fileSystem.createDirectories(folder)
  }

  /// Returns a path for a new file, which contains the number of the process.
  fileprivate func makeTemporaryPath() -> String {
    "\(incoming)/\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
  }

  /// Passes the contents of a body file to a closure, in pieces.
  ///
  /// - Parameters:
  ///   - body: The file.
  ///   - consume: A closure that receives each piece.
  /// - Returns: Whether the file exists and its length and checksum are those of the record.
  /// - Throws: The error of the closure, or `FileError` if the file cannot be read now.
  static func read(
    _ body: StoredBodyFile, _ consume: (_ piece: Data) throws -> Void
  ) throws -> Bool {
    guard let file = try OpenFile.existing(body.path),
      try file.length == body.byteCount, try file.isOwn
    else { return false }
    return try file.readAll(limit: body.byteCount, consume)
      == ContentSummary(byteCount: body.byteCount, checksum: body.checksum)
  }

  // MARK: Maintenance

  /// The files of one record.
  struct Item {
    var name: String
    var bytes: Int64
    var used: Date
    var bodies: [String] = []
  }

  /// Returns the records in a part of the folder, and removes files without a record.
  ///
  /// - Parameter shard: The first byte of their names.
  /// - Returns: The records, unordered.
  func scan(_ shard: Int) -> [Item] {
    let folder = "\(path)/\(shard.hexadecimal(digits: 2))"
    guard let names = try? fileSystem.names(in: folder) else { return [] }
    var items: [String: Item] = [:]
    var bodies: [String: [String]] = [:]
    for name in names.map(\.text) {
      if let dot = name.firstIndex(of: ".") {
        bodies[String(name[..<dot]), default: []].append("\(folder)/\(name)")
      } else if let status = Self.status("\(folder)/\(name)") {
        items[name] = Item(name: name, bytes: status.byteCount, used: status.lastModified)
      }
    }
    let now = Date()
    for (name, paths) in bodies {
      // `nil` if the record cannot be read now.
      let referenced = try? Set(read(name, of: nil, isTouched: false)?.files.map(\.path) ?? [])
      for path in paths {
        guard let status = Self.status(path) else { continue }
        if items[name] != nil, referenced?.contains(path) ?? true {
          items[name]?.bytes += status.byteCount
          items[name]?.bodies.append(path)
        } else if now.timeIntervalSince(status.lastModified) > 60 {
          // A newer one may be about to get its record.
          try? fileSystem.remove(path)
        }
      }
    }
    return Array(items.values)
  }

  /// Removes the files of processes that have ended while they wrote.
  func removeAbandoned() {
    for name in ((try? fileSystem.names(in: incoming)) ?? []).map(\.text) {
      let process = name.split(separator: "-").first.flatMap { pid_t($0) } ?? 0
      let isRunning = process > 0 && (kill(process, 0) == 0 || errno != ESRCH)
      let changed = Self.status("\(incoming)/\(name)")?.lastModified ?? .distantPast
      guard !isRunning || Date().timeIntervalSince(changed) > 24 * 3_600 else { continue }
      try? fileSystem.remove("\(incoming)/\(name)")
    }
  }

  /// Returns the status of a regular file.
  private static func status(_ path: String) -> FileStatus? {
    (try? FileStatus(path)).flatMap { $0.isRegular ? $0 : nil }
  }
}

/// A body file that is being written.
///
/// If the object is released without ``finish(_:)``, it removes the file. Its methods are called on
/// one queue at a time.
final class BodyFileWriter: Sendable {
  private struct State: ~Copyable {
    var file: OpenFile
    var checksum = Checksum()
    var count: Int64 = 0
    var isFinished = false
  }

  private let files: DiskCacheFiles
  private let temporary: String
  private let state: Mutex<State>

  init(_ files: DiskCacheFiles) throws {
    self.files = files
    temporary = files.makeTemporaryPath()
    files.fileSystem.beforeOperation("create body")
    try files.fileSystem.createDirectories("\(files.path)/incoming")
    state = Mutex(State(file: try OpenFile(creating: temporary)))
  }

  deinit {
    if state.withLock({ !$0.isFinished }) { unlink(temporary) }
  }

  func write(_ data: Data) throws {
    files.fileSystem.beforeOperation("write body")
    try state.withLock { state in
      try state.file.write(data)
      state.checksum.add(data)
      state.count += Int64(data.count)
    }
  }

  /// Gives the file its final name.
  ///
  /// - Parameter name: The name of the record.
  /// - Returns: The file.
  /// - Throws: `FileError` if the file cannot be renamed.
  func finish(_ name: String) throws -> StoredBodyFile {
    try files.createFolder(of: name)
    let id = String(UInt64.random(in: 0 ... .max), radix: 16)
    let path = "\(files.path(of: name)).\(id).body"
    try files.fileSystem.move(temporary, to: path)
    return state.withLock { state in
      state.isFinished = true
      return StoredBodyFile(path: path, byteCount: state.count, checksum: state.checksum.text)
    }
  }
}

/// A stored body that is being read.
///
/// It can be read after a process has removed its file.
final class StoredBodyReader: Sendable {
  private let body: StoredBody
  private let file: OpenFile?

  /// Opens the file of the body, if it is in one.
  ///
  /// Returns `nil` if the file does not exist, or belongs to another user.
  init?(_ body: StoredBody) throws {
    self.body = body
    guard let stored = body.file else {
      file = nil
      return
    }
    guard let file = try OpenFile.existing(stored.path), try file.isOwn else { return nil }
    self.file = .some(file)
  }

  /// Returns bytes, empty at the end, or `nil` if they cannot be read.
  func read(upTo count: Int, at position: Int) -> Data? {
    switch body {
    case .data(let data): Data(data.dropFirst(position).prefix(count))
    case .file: try? file?.read(count, at: Int64(position))
    }
  }
}
