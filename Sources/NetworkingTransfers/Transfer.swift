import CatenaSystem
public import Foundation
import Networking
public import Promises

/// A download or an upload that can be paused, resumed, observed and cancelled.
///
/// The functions `transfer` of a client start one.
///
/// ```swift
/// let transfer = networking.transfer(.film(id: 7), to: file)
/// for await progress in transfer.progress {
///   bar.show(progress.fraction, progress.bytesPerSecond, progress.timeLeft)
/// }
/// let response = try await transfer.value
/// ```
///
/// - **Promise.** ``response`` settles when the transfer ends. Like the promise of a request, it is
///   fulfilled with a response of any status; `validate` rejects the others.
/// - **Lifetime.** Releasing the object does not affect the transfer. Cancelling ``response``, or
///   the only promise derived from it, cancels the transfer. So does
///   ``Networking/cancelAllRequests()``.
/// - **Pauses.** A paused transfer keeps its connection. With libcurl it stops reading from the
///   socket, so that the server has to wait. With `URLSession` the task is suspended on Apple
///   platforms, which is only advice, and is not on Linux; up to 1 MiB that still arrives stays in memory,
///   and the rest goes to a temporary file. No deadline of the client runs during a pause.
/// - **Threads.** All members may be used from any thread.
public final class Transfer: Sendable {
  /// A promise of the response.
  ///
  /// Its handlers run in the client's ``Networking/callbackContext``.
  public let response: NetworkPromise
  private let control: TransferControl

  init(_ response: NetworkPromise, _ control: TransferControl) {
    self.response = response
    self.control = control
  }

  /// The response, available when the transfer has ended.
  ///
  /// If the awaiting task is cancelled, the transfer is cancelled, too, unless ``response`` has other
  /// consumers.
  ///
  /// - Throws: The error of ``response``.
  public var value: Response {
    get async throws { try await response.value }
  }

  /// Pauses the transfer.
  ///
  /// Bytes that the client has already received are still written. If the connection is lost during
  /// the pause, ``resume()`` continues on a new one: a download by a range request if the server
  /// supports it, a resumable upload at the server's offset. A transfer that has not sent its
  /// request waits until it is resumed. A no-op after the end, and while the transfer is paused.
  public func pause() {
    control.gate.setPaused(true)
  }

  /// Continues the transfer after ``pause()``.
  ///
  /// Pauses are not counted: one call ends the pause. A no-op if the transfer is not paused.
  public func resume() {
    control.gate.setPaused(false)
  }

  /// Cancels the transfer, also while it is paused.
  ///
  /// ``response`` is rejected with `CancellationError` at once. The partial file of a resumable
  /// download and the state of a resumable upload are kept.
  public func cancel() {
    response.cancel()
  }

  /// Whether the transfer is paused.
  public var isPaused: Bool { control.gate.isPaused }

  /// The progress as a sequence.
  ///
  /// ``RequestOption/onProgress(_:)`` has a handler instead. It receives the bytes of the whole transfer,
  /// as ``TransferProgress/received`` of a download and ``TransferProgress/sent`` of an upload.
  ///
  /// Each access creates a new sequence, which begins with the current progress and ends after the
  /// end of the transfer. It does not throw. A reader that is slower than the transfer receives only
  /// the latest progress.
  public var progress: AsyncStream<Progress> { control.reports() }

  /// The progress at this time.
  public var currentProgress: Progress { control.progress }

  /// Removes the partial files of an unfinished resumable download.
  ///
  /// A no-op if there are none. The file at the target is not changed. It waits until a transfer that has been
  /// cancelled before has closed them.
  ///
  /// - Parameter target: The file URL of the destination.
  /// - Throws: ``NetworkError`` with the code
  ///   ``NetworkError/Code-swift.enum/transferInProgress`` if a transfer uses them, or
  ///   ``NetworkError/Code-swift.enum/fileNotWritten`` if they cannot be removed.
  public static func removePartialDownload(of target: URL) async throws {
    try await PartialDownload.remove(beside: target)
  }
}

extension Transfer {
  /// The progress of a transfer.
  public struct Progress: Sendable, Hashable {
    /// The number of bytes so far, including those of earlier runs of a resumable transfer.
    ///
    /// It becomes smaller if the transfer has to start again.
    public var bytes: Int64
    /// The total number of bytes.
    ///
    /// `nil` if it is not known.
    public var total: Int64?
    /// The number of bytes a second, as an average of the last five seconds.
    ///
    /// 0 at the beginning, and during a pause.
    public var bytesPerSecond: Double
    /// Whether the transfer is paused.
    public var isPaused: Bool

    /// Creates a progress value.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes so far.
    ///   - total: The total number of bytes. `nil` if it is not known.
    ///   - bytesPerSecond: The number of bytes a second.
    ///   - isPaused: Whether the transfer is paused.
    public init(
      bytes: Int64 = 0, total: Int64? = nil, bytesPerSecond: Double = 0, isPaused: Bool = false
    ) {
      self.bytes = bytes
      self.total = total
      self.bytesPerSecond = bytesPerSecond
      self.isPaused = isPaused
    }

    /// The completed fraction, from 0 to 1.
    ///
    /// `nil` if the total is not known or 0.
    public var fraction: Double? { TransferProgress.Amount(bytes: bytes, total: total).fraction }

    /// The estimated time until the end, at the current rate.
    ///
    /// `nil` if the total or the rate is not known. The longest estimate is a year.
    public var timeLeft: Duration? {
      guard let total, bytesPerSecond > 0 else { return nil }
      let seconds = Double(max(total - bytes, 0)) / bytesPerSecond
      return .seconds(min(seconds, 365 * 24 * 60 * 60))
    }
  }
}

/// The shared state of a transfer and its handle: the pause and the progress.
final class TransferControl: ProgressReceiver {
  private struct State {
    var progress = Transfer.Progress()
    var meter = RateMeter()
    var listeners: [Int: AsyncStream<Transfer.Progress>.Continuation] = [:]
    var nextListener = 0
    var hasEnded = false

    /// Updates the progress at a time, and returns the listeners that receive it.
    mutating func update(
      at now: Duration, restarting restarts: Bool, _ change: (inout Transfer.Progress) -> Void
    ) -> [AsyncStream<Transfer.Progress>.Continuation] {
      guard !hasEnded else { return [] }
      let before = progress
      change(&progress)
      if restarts || progress.isPaused || progress.isPaused != before.isPaused {
        meter = RateMeter()
      }
      progress.bytesPerSecond = meter.add(progress.bytes, at: now)
      return progress == before ? [] : Array(listeners.values)
    }
  }

  let gate: PauseGate
  let scheduler: any Scheduler
  private let isUpload: Bool
  private let receiver: (any ProgressReceiver)?
  private let state = Mutex(State())

  /// Makes the state of a transfer.
  ///
  /// - Parameters:
  ///   - scheduler: The source of time.
  ///   - isUpload: Whether the progress is that of a request body.
  ///   - receiver: The receiver of the progress of the caller's option.
  init(
    _ scheduler: any Scheduler, isUpload: Bool = false,
    reportingTo receiver: (any ProgressReceiver)? = nil
  ) {
    self.scheduler = scheduler
    self.isUpload = isUpload
    self.receiver = receiver
    gate = PauseGate(scheduler)
    _ = gate.observe { [weak self] isPaused in self?.update { $0.isPaused = isPaused } }
  }

  var progress: Transfer.Progress { state.withLock { $0.progress } }

  /// Changes the progress and reports it.
  ///
  /// - Parameters:
  ///   - restarts: Whether the change is no progress, so that the rate begins again.
  ///   - change: The change, which must not use this object.
  func update(restarting restarts: Bool = false, _ change: (inout Transfer.Progress) -> Void) {
    let now = scheduler.now
    // Reported under the lock, so that an older progress does not follow a newer one. A stream only
    // stores the value.
    state.withLock { state in
      let listeners = state.update(at: now, restarting: restarts, change)
      for listener in listeners { listener.yield(state.progress) }
    }
    // The receiver reads the latest progress under its own lock, so that none follows a newer one.
    receiver?.change { reported in
      let progress = self.progress
      let amount = TransferProgress.Amount(bytes: progress.bytes, total: progress.total)
      if isUpload { reported.sent = amount } else { reported.received = amount }
    }
  }

  /// Returns a new sequence of the progress.
  func reports() -> AsyncStream<Transfer.Progress> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = state.withLock { state -> Int? in
        continuation.yield(state.progress)
        guard !state.hasEnded else { return nil }
        state.nextListener += 1
        state.listeners[state.nextListener] = continuation
        return state.nextListener
      }
      guard let number else { return continuation.finish() }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
      }
    }
  }

  /// Ends the sequences of the progress.
  func end() {
    let listeners = state.withLock { state in
      state.hasEnded = true
      defer { state.listeners = [:] }
      return Array(state.listeners.values)
    }
    for listener in listeners { listener.finish() }
  }

  // MARK: The progress of an upload in one request

  func begin() {
    update(restarting: true) { $0.bytes = 0 }
  }

  func change(_ change: (inout TransferProgress) -> Void) {
    var bodies = TransferProgress()
    change(&bodies)
    // A change of the response does not concern the upload.
    guard bodies.sent != TransferProgress.Amount() else { return }
    update { progress in
      progress.bytes = bodies.sent.bytes
      progress.total = bodies.sent.total
    }
  }
}

/// A meter of the rate of a transfer over the last five seconds.
struct RateMeter {
  private static let window = Duration.seconds(5)
  private static let spacing = Duration.milliseconds(250)

  /// The samples in order of time, at most one for each spacing, and the last one.
  private var samples: [(time: Duration, bytes: Int64)] = []

  /// Adds the total number of bytes at a time.
  ///
  /// - Returns: The number of bytes a second, or 0 if there is only one sample.
  mutating func add(_ bytes: Int64, at now: Duration) -> Double {
    if let last = samples.last, bytes < last.bytes { samples = [] }
    // The last sample moves until it has its distance from the one before.
    if samples.count > 1, now - samples[samples.count - 2].time < Self.spacing {
      samples.removeLast()
    }
    samples.append((now, bytes))
    while samples.count > 2, now - samples[1].time >= Self.window { samples.removeFirst() }
    guard let first = samples.first, now > first.time else { return 0 }
    return Double(bytes - first.bytes) / ((now - first.time) / .seconds(1))
  }
}
