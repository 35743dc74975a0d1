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
    var isOver = false
    var file: PartialFile?

    /// Whether the queue is to be set to work; says so once.
    mutating func begins() -> Bool {
      guard !isWriting, !isOver, metrics != nil || pendingBytes >= FileSink.batch else {
        return false
      }
      isWriting = true
      return true
    }

    mutating func step() -> Step {
      if isOver { return .rest }
      if !pending.isEmpty, metrics != nil || pendingBytes >= FileSink.batch {
        defer {
          pending = []
          pendingBytes = 0
        }
        return .write(pending, to: file)
      }
      if let metrics {
        isOver = true
        return .finish(file.take(), metrics)
      }
      isWriting = false
      return .rest
    }
  }

  private enum Step {
    case write([Data], to: PartialFile?)
    case finish(PartialFile?, TransportMetrics)
    case rest
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
    let begins = state.withLock { state in
      guard !state.isOver else { return false }
      state.pending.append(bytes)
      state.pendingBytes += bytes.count
      return state.begins()
    }
    if begins { queue.async { self.work() } }
  }

  func end(_ metrics: TransportMetrics) {
    let begins = state.withLock { state in
      state.metrics = metrics
      return state.begins()
    }
    if begins { queue.async { self.work() } }
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
        state.isOver = true
        state.pending = []
      }
      return (!state.isOver, state.file.take())
    }
    file?.discard()
    return isFirst
  }

  // MARK: On the queue

  private func work() {
    do {
      while true {
        switch state.withLock({ $0.step() }) {
        case .rest: return
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
      if state.isOver { return nil }
      state.file = file
      return file
    }
  }
}
