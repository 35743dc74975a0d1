import CatenaSystem
import Foundation
import Networking

/// The partial file of a download, and its state beside it.
///
/// All methods that use the disk block. The file of a resumable download has a name of its own for
/// each target, and is kept when the download ends without success. Any other file is removed. The object
/// has the lease of a resumable download until it is closed: no other transfer changes the files then, and
/// this one does not after another process has taken over the lease.
///
/// A file that has got a second name, such as a hard link of a backup, is replaced by a copy before it is
/// written to, so that no other file changes. It is only continued if it is the file of the state.
///
/// The number of received bytes of a single segment is the length of the file, so that no byte that
/// was written is requested again. Several segments have their numbers in the state, which is written
/// for each 256 KiB.
final class PartialDownload: Sendable {
  /// A range of the file that one connection at a time receives.
  struct Segment: Sendable, Hashable, Codable {
    var start: Int64
    /// The end.
    ///
    /// `nil` for the end of the file, if that is not known.
    var end: Int64?
    var received: Int64 = 0

    /// The position of the next byte.
    ///
    /// It does not overflow in a valid state.
    var next: Int64 { start + received }

    var isComplete: Bool { next == end }
  }

  /// The state of a download, as it is stored.
  struct Content: Sendable, Hashable, Codable {
    var version = 1
    /// A checksum of the URL, which may contain secrets.
    var resource: String
    var validator: StrongValidator
    var total: Int64?
    var segments: [Segment]
    /// The number of the file in the file system.
    ///
    /// It tells whether a file with a second name is that of the download.
    var fileNumber: UInt64?

    /// The number of received bytes.
    var received: Int64 { segments.reduce(0) { $0 + $1.received } }

    /// Whether the segments cover the file in order, and have no more bytes than their ranges, and the
    /// validator can be sent.
    ///
    /// A file of unknown length has one segment. The numbers may be those of any file, so nothing is
    /// added to them.
    var isValid: Bool {
      guard version == 1, validator.isValid, (1...64).contains(segments.count),
        total != nil || segments.count == 1
      else { return false }
      var position: Int64 = 0
      for segment in segments {
        let end = segment.end ?? .max
        guard segment.start == position, (segment.end == nil) == (total == nil), end >= position,
          (0...end - position).contains(segment.received)
        else { return false }
        position = end
      }
      return position == total ?? .max
    }
  }

  private struct State {
    var content: Content?
    /// The number of bytes received since the state was written.
    var unsaved: Int64 = 0
    var isClosed = false
  }

  private static let savingInterval: Int64 = 256 << 10

  let target: FileTarget
  let isResumable: Bool
  private let path: String
  private let file: OwnFile
  /// The lease of a resumable download.
  private let lease: FileLease?
  private let state: Mutex<State>

  /// Opens or creates the partial file, and reads its state.
  ///
  /// - Parameters:
  ///   - target: The destination.
  ///   - isResumable: Whether the file is kept for a later download.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten` or `transferInProgress`.
  init(_ target: FileTarget, isResumable: Bool) throws {
    self.target = target
    self.isResumable = isResumable
    let folder = target.url.deletingLastPathComponent()
    try NetworkError.reporting(.fileNotWritten) {
      try PartialFile.prepare(target.url, replacing: target.replaces)
    }
    path =
      isResumable
      ? Self.path(beside: target.url)
      : folder.appending(path: PartialFile.newName()).path
    lease = isResumable ? try Self.takeLease(path) : nil
    var file = try OwnFile(path, creating: 0o666, isNew: !isResumable)
    var content = isResumable ? try Self.load(path, of: file) : nil
    let status = try file.status
    if isResumable, status.linkCount > 1 {
      if content?.fileNumber != status.identity.number { content = nil }
      file = try file.replaced(at: path, copying: content != nil)
    }
    self.file = file
    state = Mutex(State(content: content))
  }

  deinit {
    close()
  }

  private static func takeLease(_ path: String) throws -> FileLease {
    try .ofTransfer("\(path).lease")
  }

  /// Changes the files, unless another process has taken over the lease.
  private func change(_ body: () throws -> Void) throws {
    guard let lease else { return try body() }
    try lease.changeTransfer(body)
  }

  /// Returns the state of a file, or `nil` if there is none that fits.
  private static func load(_ path: String, of file: OwnFile) throws -> Content? {
    let length = try file.status.byteCount
    guard length > 0, var content = try HiddenFile.read(Content.self, from: "\(path).json"),
      content.isValid
    else { return nil }
    if content.segments.count == 1 {
      content.segments[0].received = length
      guard content.isValid else { return nil }
    } else if content.segments.contains(where: { $0.received > 0 && $0.next > length }) {
      return nil
    }
    return content
  }

  /// The state.
  ///
  /// `nil` if the download has to start from the beginning.
  var content: Content? { state.withLock { $0.content } }

  /// Removes all bytes, and stores a new state.
  ///
  /// - Parameter content: The state. `nil` if the download cannot be continued.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten`.
  func start(_ content: Content?) throws {
    // In this order, so that bytes never have the validator of others.
    try change { try file.truncate(to: 0) }
    state.withLock { $0.content = content }
    try save()
  }

  /// Sets the total of a download with a single segment, which was not known at its beginning.
  func setTotal(_ total: Int64) throws {
    state.withLock { state in
      state.content?.total = total
      state.content?.segments[0].end = total
    }
    try save()
  }

  /// Forgets the last byte of a complete file, so that it is requested again.
  func dropLastByte() throws {
    let length = state.withLock { state -> Int64? in
      guard let last = state.content?.segments.lastIndex(where: { $0.received > 0 }) else {
        return nil
      }
      state.content?.segments[last].received -= 1
      // The length of the file is the number of received bytes of a single segment.
      return state.content?.segments.count == 1 ? state.content?.received : nil
    }
    if let length { try change { try file.truncate(to: length) } }
  }

  /// Writes bytes at a position.
  ///
  /// - Parameters:
  ///   - pieces: The bytes.
  ///   - position: The position in the file.
  ///   - segment: The segment of the bytes. `nil` without a state.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten`.
  func write(_ pieces: [Data], at position: Int64, of segment: Int?) throws {
    try change {
      var position = position
      for piece in pieces {
        try file.write(piece, at: position)
        position += Int64(piece.count)
      }
    }
    guard let segment else { return }
    let count = pieces.reduce(0) { $0 + Int64($1.count) }
    let mustSave = state.withLock { state in
      guard state.content?.segments.indices.contains(segment) == true else { return false }
      state.content?.segments[segment].received += count
      state.unsaved += count
      return state.unsaved >= Self.savingInterval && state.content?.segments.count != 1
    }
    if mustSave { try save() }
  }

  private func save() throws {
    let content = state.withLock { state in
      state.unsaved = 0
      return state.content
    }
    guard isResumable else { return }
    try change {
      guard var content else { return HiddenFile.remove("\(path).json") }
      content.fileNumber = try file.status.identity.number
      try HiddenFile.write(content, to: "\(path).json")
    }
  }

  /// Returns the hash of a part of the file.
  ///
  /// - Parameters:
  ///   - part: The part, which ends with the file if that is shorter.
  ///   - algorithm: The hash function.
  ///   - isCancelled: Returns whether to stop early.
  /// - Returns: The hash, which is of no use after a stop.
  /// - Throws: ``NetworkError`` with the code `fileNotWritten` or `unsupported`.
  func hash(
    of part: Range<Int64>, by algorithm: ContentDigest.Algorithm, unless isCancelled: () -> Bool
  ) throws -> Data {
    var hasher = try ContentHasher(algorithm)
    var rest = part
    while !isCancelled(), !rest.isEmpty {
      let count = Int(min(256 << 10, rest.upperBound - rest.lowerBound))
      let bytes = try file.read(count, at: rest.lowerBound)
      guard !bytes.isEmpty else { break }
      bytes.withUnsafeBytes { hasher.add($0) }
      rest = (rest.lowerBound + Int64(bytes.count))..<rest.upperBound
    }
    return try hasher.end()
  }

  /// Moves the complete file to its target.
  func commit() throws {
    try file.synchronize()
    let path = target.url.path
    try change {
      try NetworkError.reporting(.fileNotWritten) {
        try PartialFile.move(self.path, to: path, replacing: target.replaces)
      }
      HiddenFile.remove("\(self.path).json")
    }
    state.withLock { $0.isClosed = true }
    // The new name is durable after this; a failure has no other effect.
    try? FileSystem().synchronize(FilePath.split(path).folder)
    lease?.release()
  }

  /// Ends the download without success, and removes the file unless it can be continued.
  ///
  /// A no-op after the first call and after ``commit()``.
  func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    // A state that cannot be written has lost some positions at most.
    if content != nil { try? save() }
    if !isResumable || content == nil || content?.received == 0 { removeFiles() }
    lease?.release()
  }

  /// Ends the download without success, and removes its files.
  func discard() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    removeFiles()
    lease?.release()
  }

  private func removeFiles() {
    // After the loss of the lease the files are those of another process.
    try? change {
      if isResumable { HiddenFile.remove("\(path).json") }
      HiddenFile.remove(path)
    }
  }

  /// Returns the path of the partial file of a resumable download.
  static func path(beside target: URL) -> String { HiddenFile.path(beside: target, "download") }

  /// Removes the files of an unfinished download, after a cancelled one has closed them.
  static func remove(beside target: URL) async throws {
    let path = path(beside: target)
    try await ClosingFiles.shared.run(path) { try removeFiles(at: path, beside: target) }
  }

  private static func removeFiles(at path: String, beside target: URL) throws {
    guard target.isFileURL else { return }
    // If that is not known, the lease has the reason.
    guard (try? FileSystem().exists(path)) ?? true else {
      return HiddenFile.remove("\(path).json")
    }
    let lease = try takeLease(path)
    try lease.changeTransfer {
      HiddenFile.remove("\(path).json")
      unlink(path)
    }
    lease.release()
  }
}
