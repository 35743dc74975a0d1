import CatenaSystem
package import Foundation
import Promises

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

  private struct State: ~Copyable {
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
  ///     `FileError` if the file cannot be written.
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
package typealias Discard = @Sendable (_ head: HTTPResponseHead, _ request: HTTPRequest) -> Bool

/// The destination of the body of a successful response (2xx); other bodies are kept in memory.
package enum BodyDestination: Sendable {
  /// The memory, from which the response delivers it.
  case memory
  /// A file.
  case file(FileTarget)
  /// The reader of a stream, which receives it as it arrives.
  case stream

  var isMemory: Bool { if case .memory = self { true } else { false } }
}

/// The location of a downloaded file, and whether an existing file is replaced.
package struct FileTarget: Sendable {
  /// The file URL.
  package let url: URL
  /// Whether an existing file is replaced.
  package let replaces: Bool

  /// Makes a location.
  package init(url: URL, replaces: Bool) {
    self.url = url
    self.replaces = replaces
  }
}

extension FileTarget {
  private static let checks = DispatchQueue(label: "Catena.Download", attributes: .concurrent)

  /// Checks whether the file can be written, as far as it is possible in advance.
  ///
  /// - Parameter then: A closure that gets the reason that it cannot be written, if any. It runs at once,
  ///   or on a queue if this is an I/O thread, which a slow file system must not block.
  func check(_ then: @escaping @Sendable (FileError?) -> Void) {
    @Sendable func check() {
      do throws(FileError) {
        try PartialFile.check(url, replacing: replaces)
        then(nil)
      } catch {
        then(error)
      }
    }
    if TransportThread.isCurrent { Self.checks.async(execute: check) } else { check() }
  }
}
