import Foundation
import Promises
import Synchronization

/// A body sink that writes a response body to a file, on its own dispatch queue.
///
///     receiving --end--> ending --written and moved--> finished
///         |                                               ^
///         +---- failure, cancellation, full disk ---------+
///
/// The transport's thread only appends to the pending bytes. The queue starts to write when a full
/// batch is pending or the body has ended, and takes all pending bytes at once.
final class FileSink: BodySink {
  private static let batchSize = 128 << 10

  /// The metrics of a complete exchange, and the fields after its body.
  typealias End = (metrics: TransportMetrics, trailers: HTTPHeaders)

  private struct State {
    var pending: [Data] = []
    var pendingBytes = 0
    /// Whether the queue is writing.
    var isWriting = false
    /// The end of the complete body, or `nil` while the body is incomplete.
    var end: End?
    var isFinished = false
    var file: PartialFile?

    /// Returns whether the caller must start the writer on the queue, and marks it as running.
    mutating func startWritingIfNeeded() -> Bool {
      guard !isWriting, !isFinished, end != nil || pendingBytes >= FileSink.batchSize else {
        return false
      }
      isWriting = true
      return true
    }

    mutating func step() -> Step {
      if isFinished { return .idle }
      if !pending.isEmpty, end != nil || pendingBytes >= FileSink.batchSize {
        defer {
          pending = []
          pendingBytes = 0
        }
        return .write(pending, to: file)
      }
      if let end {
        isFinished = true
        return .finish(file.take(), end)
      }
      isWriting = false
      return .idle
    }
  }

  private enum Step {
    case write([Data], to: PartialFile?)
    case finish(PartialFile?, End)
    case idle
  }

  private let target: FileTarget
  private let flow: FlowControl
  private let scheduler: any Scheduler
  private let completion: @Sendable (Result<End, any Error>) -> Void
  private let queue = DispatchQueue(label: "Catena.Download")
  private let state = Mutex(State())

  /// Makes a sink.
  ///
  /// - Parameters:
  ///   - target: The location of the finished file.
  ///   - flow: The flow control of the exchange. Its high mark must be above the batch size.
  ///   - scheduler: The scheduler that waits while the queue works.
  ///   - completion: A closure that runs once, unless the sink is abandoned. It gets a
  ///     `PartialFile.FileError` if the file cannot be written.
  init(
    _ target: FileTarget, _ flow: FlowControl, awaitedBy scheduler: any Scheduler,
    _ completion: @escaping @Sendable (Result<End, any Error>) -> Void
  ) {
    self.target = target
    self.flow = flow
    self.scheduler = scheduler
    self.completion = completion
  }

  func write(_ bytes: Data) {
    flow.add(bytes.count)
    let shouldStart = state.withLock { state in
      guard !state.isFinished else { return false }
      state.pending.append(bytes)
      state.pendingBytes += bytes.count
      return state.startWritingIfNeeded()
    }
    if shouldStart { onQueue { self.writePending() } }
  }

  func end(_ metrics: TransportMetrics, _ trailers: HTTPHeaders) {
    let shouldStart = state.withLock { state in
      state.end = (metrics, trailers)
      return state.startWritingIfNeeded()
    }
    if shouldStart { onQueue { self.writePending() } }
  }

  func fail(_ error: NetworkError) {
    let (isFirst, file) = finish()
    guard isFirst else { return }
    guard let file else { return completion(.failure(error)) }
    onQueue { [completion] in
      file.discard()
      completion(.failure(error))
    }
  }

  func abandon() {
    // The queue, not the transport's thread, removes and closes the file.
    if let file = finish().file { onQueue { file.discard() } }
  }

  /// Finishes the sink.
  ///
  /// - Returns: Whether the sink had not finished before, and the partial file if there is one.
  private func finish() -> (isFirst: Bool, file: PartialFile?) {
    state.withLock { state in
      defer {
        state.isFinished = true
        state.pending = []
      }
      return (!state.isFinished, state.file.take())
    }
  }

  /// Runs work on the queue.
  ///
  /// Virtual time does not advance before the work has ended.
  private func onQueue(_ work: @escaping @Sendable () -> Void) {
    let activity = scheduler.beginActivity()
    queue.async {
      work()
      activity?.end()
    }
  }

  // MARK: On the queue

  private func writePending() {
    do {
      while true {
        switch state.withLock({ $0.step() }) {
        case .idle: return
        case .write(let pieces, let openFile):
          guard let file = try openFile ?? makeFile() else { return }
          for piece in pieces {
            try file.write(piece)
            flow.remove(piece.count)
          }
        case .finish(let openFile, let end):
          let file = try openFile ?? PartialFile(for: target.url, replacing: target.replaces)
          try file.commit()
          return completion(.success(end))
        }
      }
    } catch {
      finish().file?.discard()
      completion(.failure(error))
      flow.cancel()
    }
  }

  /// Returns a new file, or `nil` if the sink has finished in the meantime.
  private func makeFile() throws -> PartialFile? {
    let file = try PartialFile(for: target.url, replacing: target.replaces)
    return state.withLock { state in
      if state.isFinished { return nil }
      state.file = file
      return file
    }
  }
}

/// A closure that decides, from the head of a response, whether its body is not needed.
package typealias Discard = @Sendable (_ head: HTTPResponseHead) -> Bool

/// The destination of a response body, and the receiver of its progress.
struct BodyDestination: Sendable {
  /// The destination of the body of a successful response (2xx); other bodies are kept in memory.
  enum Kind: Sendable {
    case memory
    case file(FileTarget)
    case stream
  }

  var kind = Kind.memory
  /// The maximum size in memory, in bytes, or `nil` for no limit.
  var maximumBodySize: Int?
  /// The limit for the time from the first bytes to the last in memory, or `nil` for no limit.
  ///
  /// It is compared when bytes arrive, so that an exchange needs no timer. The idle timeout covers
  /// the time in which none arrive.
  var timeLimit: Duration?
  /// Whether redirects are followed, so that their bodies are not delivered.
  var followsRedirects = false
  /// Returns whether another request is sent after an unsuccessful response, so that its body is not
  /// delivered.
  ///
  /// It is called at most once for a response, and only if its body takes long. `nil` means never.
  var discards: Discard?
  var progress: (any ProgressReporting)?
  /// The source of time.
  var scheduler: any Scheduler = .live
  /// The source of time of the deadlines, which stops while a transfer is paused.
  ///
  /// `nil` uses that of the client.
  var deadlineClock: (any Scheduler)?
  /// Whether the deadlines end when the head of a stream arrives.
  var deadlinesEndWithHead = false
  /// A receiver of a copy of a successful response whose body does not go to memory.
  var copy: (any ResponseCopy)?

  var isToMemory: Bool {
    if case .memory = kind { true } else { false }
  }
}

/// The location of a downloaded file, and whether an existing file is replaced.
struct FileTarget: Sendable {
  let url: URL
  let replaces: Bool
}

/// A file that is written under a temporary name in the folder of its target.
///
/// The target appears complete, in one step, or not at all. If the object is released without
/// ``commit()``, it removes the file.
final class PartialFile: Sendable {
  /// The reason that the file cannot be written, as part of a sentence.
  struct FileError: Error {
    let reason: String

    init(_ reason: String) {
      self.reason = reason
    }

    /// The reason in `errno`.
    static var systemError: FileError { FileError(String(cString: strerror(errno))) }
  }

  private let target: String
  private let path: String
  private let replaces: Bool
  private let descriptor: Int32
  /// Whether the file exists at `path`.
  private let exists = Atomic(true)

  /// Creates the file and its missing parent folders.
  ///
  /// - Parameters:
  ///   - target: The location of the finished file.
  ///   - replaces: Whether an existing file is replaced.
  ///   - permissions: The permissions of the file, from which the process's mask is removed.
  /// - Throws: The reason that the file cannot be created.
  init(
    for target: URL, replacing replaces: Bool, permissions: mode_t = 0o666
  ) throws(FileError) {
    try Self.prepare(target, replacing: replaces)
    self.target = target.path
    self.replaces = replaces
    // A hidden name. It is short even if the target's name has the maximum length.
    path = target.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part").path
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
    if descriptor < 0 {
      exists.store(false, ordering: .relaxed)
      throw .systemError
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    discard()
  }

  /// Checks whether a file can be written at a location, as far as it is possible in advance.
  static func check(_ target: URL, replacing replaces: Bool) throws(FileError) {
    guard target.isFileURL else { throw FileError("its URL is not a file URL") }
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: target.path, isDirectory: &isDirectory) else {
      return
    }
    if isDirectory.boolValue { throw FileError("a folder with that name already exists") }
    if !replaces { throw FileError("a file with that name already exists") }
  }

  /// Checks a location as ``check(_:replacing:)`` does, and creates its missing parent folders.
  static func prepare(_ target: URL, replacing replaces: Bool) throws(FileError) {
    try check(target, replacing: replaces)
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw FileError("its folder cannot be created")
    }
  }

  func write(_ data: Data) throws(FileError) {
    let failure = data.withUnsafeBytes { bytes -> FileError? in
      var rest = bytes
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
        if count < 0, errno == EINTR { continue }
        if count < 0 { return .systemError }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
      return nil
    }
    if let failure { throw failure }
  }

  /// Moves the file to its target.
  ///
  /// Call it once.
  func commit() throws(FileError) {
    try Self.move(path, to: target, replacing: replaces)
    exists.store(false, ordering: .relaxed)
  }

  /// Moves a complete file to a location on the same volume, in one step.
  ///
  /// - Throws: The reason that the file cannot be moved. It is left in place then.
  static func move(
    _ path: String, to target: String, replacing replaces: Bool
  ) throws(FileError) {
    if replaces {
      guard rename(path, target) == 0 else { throw .systemError }
    } else {
      // Unlike `rename`, `link` never replaces a file that was created in the meantime.
      guard link(path, target) == 0 else {
        throw errno == EEXIST ? FileError("a file with that name already exists") : .systemError
      }
      unlink(path)
    }
  }

  /// Removes the file immediately, even if another thread is still writing to it.
  func discard() {
    if exists.exchange(false, ordering: .relaxed) { unlink(path) }
  }
}

/// A temporary file that only its owner can read and that is removed when the object is released.
final class TemporaryFile: Sendable {
  let url = FileManager.default.temporaryDirectory.appending(
    path: "catena-copy-\(UUID().uuidString)")

  /// Creates a file and writes its content.
  ///
  /// - Parameter write: A closure that writes the content.
  /// - Throws: The error of `write`, or the reason that the file cannot be created.
  init(_ write: (FileHandle) async throws -> Void) async throws {
    // Created with its permissions, so that nobody else can open it before they are set.
    let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor != -1 else { throw PartialFile.FileError.systemError }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    defer { try? handle.close() }
    try await write(handle)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }
}
