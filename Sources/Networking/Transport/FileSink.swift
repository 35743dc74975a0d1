import Foundation
import Synchronization

/// Writes the bytes of a response to a file, on a queue of its own.
///
///     filling ──end──▶ ending ──written, moved──▶ over
///        └──failure, cancellation, full disk────────▶ over
///
/// The transport's thread only adds to what is pending. The queue takes all that is pending at once; it is
/// set to work when a batch is together, or at the end.
final class FileSink: BodySink {
  private static let batch = 128 << 10

  private struct State {
    var pending: [Data] = []
    var pendingBytes = 0
    /// Whether the queue is at work.
    var isWriting = false
    /// Set once all has come.
    var metrics: TransportMetrics?
    var isFinished = false
    var file: PartialFile?

    /// Whether the queue is to be set to work; says so once.
    mutating func startWritingIfNeeded() -> Bool {
      guard !isWriting, !isFinished, metrics != nil || pendingBytes >= FileSink.batch else {
        return false
      }
      isWriting = true
      return true
    }

    mutating func step() -> Step {
      if isFinished { return .idle }
      if !pending.isEmpty, metrics != nil || pendingBytes >= FileSink.batch {
        defer {
          pending = []
          pendingBytes = 0
        }
        return .write(pending, to: file)
      }
      if let metrics {
        isFinished = true
        return .finish(file.take(), metrics)
      }
      isWriting = false
      return .idle
    }
  }

  private enum Step {
    case write([Data], to: PartialFile?)
    case finish(PartialFile?, TransportMetrics)
    case idle
  }

  private let target: FileTarget
  private let flow: FlowControl
  private let settle: @Sendable (Result<TransportMetrics, any Error>) -> Void
  private let queue = DispatchQueue(label: "Catena.Download")
  private let state = Mutex(State())

  /// - Parameters:
  ///   - target: where the file will be.
  ///   - flow: told how much is pending; it takes marks above a batch.
  ///   - settle: runs once, unless the file is abandoned: with a `PartialFile.Problem` when it cannot be
  ///     written.
  init(
    _ target: FileTarget, _ flow: FlowControl,
    _ settle: @escaping @Sendable (Result<TransportMetrics, any Error>) -> Void
  ) {
    self.target = target
    self.flow = flow
    self.settle = settle
  }

  func take(_ bytes: Data) {
    flow.add(bytes.count)
    let startWritingIfNeeded = state.withLock { state in
      guard !state.isFinished else { return false }
      state.pending.append(bytes)
      state.pendingBytes += bytes.count
      return state.startWritingIfNeeded()
    }
    if startWritingIfNeeded { queue.async { self.work() } }
  }

  func end(_ metrics: TransportMetrics) {
    let startWritingIfNeeded = state.withLock { state in
      state.metrics = metrics
      return state.startWritingIfNeeded()
    }
    if startWritingIfNeeded { queue.async { self.work() } }
  }

  func fail(_ error: NetworkError) {
    if discard() { settle(.failure(error)) }
  }

  func abandon() {
    _ = discard()
  }

  /// - Returns: false when it was over before.
  private func discard() -> Bool {
    let (isFirst, file) = state.withLock { state in
      defer {
        state.isFinished = true
        state.pending = []
      }
      return (!state.isFinished, state.file.take())
    }
    file?.discard()
    return isFirst
  }

  // MARK: On the queue

  private func work() {
    do {
      while true {
        switch state.withLock({ $0.step() }) {
        case .idle: return
        case .write(let pieces, let open):
          guard let file = try open ?? makeFile() else { return }
          for piece in pieces {
            try file.write(piece)
            flow.remove(piece.count)
          }
        case .finish(let open, let metrics):
          let file = try open ?? PartialFile(for: target.url, replacing: target.replaces)
          try file.commit()
          return settle(.success(metrics))
        }
      }
    } catch {
      _ = discard()
      settle(.failure(error))
      flow.cancel()
    }
  }

  /// Nil when it has been over meanwhile.
  private func makeFile() throws -> PartialFile? {
    let file = try PartialFile(for: target.url, replacing: target.replaces)
    return state.withLock { state in
      if state.isFinished { return nil }
      state.file = file
      return file
    }
  }
}

/// What becomes of the body of a response, and who is told how it gets on.
struct BodyDestination: Sendable {
  /// Where the body of a success, 2xx, goes; any other stays in memory.
  enum Kind: Sendable {
    case memory
    case file(FileTarget)
    case stream
  }

  var kind = Kind.memory
  /// The most that is taken into memory; nil is without limit.
  var maximumBodySize: Int?
  var progress: (any ProgressReporting)?

  var isToMemory: Bool {
    if case .memory = kind { true } else { false }
  }
}

/// A place for a file, and whether it may take that of another.
struct FileTarget: Sendable {
  let url: URL
  let replaces: Bool
}

/// A file that is being written beside the place where it will be.
///
/// It is there under its name at once and whole, or not at all. Released without ``commit()`` it is
/// removed.
final class PartialFile: Sendable {
  /// Why it cannot be written, as part of a sentence.
  struct FileError: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }

    fileprivate static var systemError: FileError { FileError(String(cString: strerror(errno))) }
  }

  private let target: String
  private let path: String
  private let replaces: Bool
  private let descriptor: Int32
  /// Whether there is a file at `path`.
  private let exists = Atomic(true)

  /// Makes the file, and the folders that it is to be in.
  ///
  /// - Parameters:
  ///   - target: where it will be.
  ///   - replaces: whether it may take the place of another.
  /// - Throws: why it cannot be made.
  init(for target: URL, replacing replaces: Bool) throws(FileError) {
    try Self.check(target, replacing: replaces)
    let folder = target.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      throw FileError("its folder cannot be made")
    }
    self.target = target.path
    self.replaces = replaces
    // Hidden, and short whatever the target's name is.
    path = folder.appending(path: ".\(UUID().uuidString).part").path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    if descriptor < 0 {
      exists.store(false, ordering: .relaxed)
      throw .systemError
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    discard()
  }

  /// Looks whether a file can be put somewhere, as far as that shows beforehand.
  static func check(_ target: URL, replacing replaces: Bool) throws(FileError) {
    guard target.isFileURL else { throw FileError("its URL is not a file's") }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isDirectory) else {
      return
    }
    if isDirectory.boolValue { throw FileError("there is a folder of its name") }
    if !replaces { throw FileError("there is a file of its name") }
  }

  func write(_ data: Data) throws(FileError) {
    let problem = data.withUnsafeBytes { bytes -> FileError? in
      var rest = bytes
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return .systemError }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return nil
    }
    if let problem { throw problem }
  }

  /// Moves it to its place; once.
  func commit() throws(FileError) {
    if replaces {
      guard rename(path, target) == 0 else { throw .systemError }
      exists.store(false, ordering: .relaxed)
    } else {
      // Unlike a move, a link never replaces what came to be there meanwhile.
      guard link(path, target) == 0 else {
        throw errno == EEXIST ? FileError("there is a file of its name") : .systemError
      }
      discard()
    }
  }

  /// Removes it from its folder at once, though somebody may still be writing.
  func discard() {
    if exists.exchange(false, ordering: .relaxed) { unlink(path) }
  }
}

/// A file in the temporary folder, for its owner's eyes only, that is removed with this object.
final class TemporaryFile: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "catena-copy-\(UUID().uuidString)")

  /// Makes a file.
  ///
  /// - Parameter write: writes what is to be in it.
  /// - Throws: what `write` throws, or why there can be no file.
  init(_ write: (FileHandle) async throws -> Void) async throws {
    try Data().write(to: url, options: .withoutOverwriting)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    try await write(handle)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
