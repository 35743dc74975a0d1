public import Foundation
import Mocking
public import Networking

/// A transport that records exchanges in a file, or replays them from the file without a network.
///
/// ```swift
/// let tape = try Tape(file, mode: .once, over: CurlTransport())
/// let networking = Networking<BoardsAPI>(transport: tape)
/// let boards = try await networking.request(.boards).validate().decode([Board].self).value
/// try tape.save()
/// ```
///
/// The first run records the responses of the server. Later runs replay them, byte for byte.
///
/// - **Saving.** ``save()`` writes the recording atomically. Until then, the completed exchanges
///   are in a file with the suffix `.partial`, which is also an HTTP archive. The file remains if
///   the process crashes or if the tape is released without saving. It is never replayed as a
///   complete recording, and a later recording does not replace it: its own file has the suffix
///   `.2.partial`, and a warning names the earlier one.
///   ``withTape(_:mode:over:options:isolation:_:)`` saves automatically.
/// - **One recorder.** A file with the suffix `.lock` prevents that two tapes record to the same file.
///   It is removed by ``save()``, or when the tape is released.
/// - **Secrets** are masked before anything is written: credentials, cookies and the values of
///   secret names, and all other occurrences of the same values. If another value looks like a
///   token, ``save()`` fails, unless ``Options-swift.struct/isTokenAllowed`` allows the value.
///   Requests are masked by the same rules before they are compared with the recording.
/// - **Order.** A recording contains the exchanges in the order of their start. If a request was
///   recorded three times, its three responses are replayed in order.
/// - **Failures** are also recorded, and are replayed with the same code.
/// - **Archives of other programs** are replayed as far as possible. ``warnings`` contains the entries
///   that are left out, such as those of aborted requests.
/// - **Tests.** In `withMocks(tape) { ... }` and with the trait `.mocked(tape)`, a tape responds to the
///   requests of all clients.
/// - **Threads.** A tape may be used from any thread, by many requests at once. The recording is
///   written on a separate queue, which does not delay exchanges.
public final class Tape: Transport {
  /// The mode of a tape: recording or replaying.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Replays the file.
    ///
    /// Requests that are not in the recording fail. The network is not used.
    case none
    /// Records if the file does not exist when the tape is created.
    ///
    /// Otherwise it replays the file, like `none`.
    case once
    /// Records, even if the file exists.
    ///
    /// An existing file is kept until the new recording is saved.
    case all
    /// Neither records nor replays.
    ///
    /// All requests are sent over the transport of the initializer.
    case passthrough
  }

  private enum Work {
    case recording(TapeRecorder)
    case replaying(TapePlayer)
    case passing
  }

  /// The file of the recording.
  public let file: URL
  /// The mode.
  public let mode: Mode
  private let work: Work
  private let transport: any Transport

  /// Creates a tape.
  ///
  /// - Parameters:
  ///   - file: The file URL of an HTTP archive, such as `boards.har`.
  ///   - mode: The mode.
  ///   - transport: The transport of the recorded exchanges.
  ///   - options: The options.
  /// - Throws: If the tape replays: ``RecordingError/missing(file:)``,
  ///   ``RecordingError/unreadable(file:reason:)`` or
  ///   ``RecordingError/malformed(file:line:column:path:problem:)``. If it records:
  ///   ``RecordingError/unwritable(file:reason:)``, or ``RecordingError/fileInUse(file:)`` if another
  ///   tape records to the file.
  public init(
    _ file: URL, mode: Mode = .once, over transport: any Transport, options: Options = Options()
  ) throws(RecordingError) {
    self.file = file
    self.mode = mode
    self.transport = transport
    let replays =
      mode == .none || (mode == .once && FileManager.default.fileExists(atPath: file.path))
    if mode == .passthrough {
      work = .passing
    } else if replays {
      work = .replaying(TapePlayer(try HAR(contentsOf: file), file, options))
    } else {
      work = .recording(try TapeRecorder(file, options))
    }
  }

  /// Creates a tape that replays a file.
  ///
  /// - Parameters:
  ///   - file: The file URL of an HTTP archive, recorded by a tape or a browser.
  ///   - options: The options.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)`` or
  ///   ``RecordingError/malformed(file:line:column:path:problem:)``.
  public convenience init(
    replaying file: URL, options: Options = Options()
  ) throws(RecordingError) {
    try self.init(
      file, mode: .none,
      over: FailingTransport(.mockFailed, reason: "a replaying tape does not use a network"),
      options: options)
  }

  /// Whether the tape records.
  public var isRecording: Bool {
    if case .recording = work { true } else { false }
  }

  /// The exchanges in the file that can be replayed, or the completed exchanges, masked, if the tape
  /// records.
  ///
  /// Blocks until all completed exchanges have been recorded.
  public var entries: [HAR.Entry] {
    switch work {
    case .recording(let recorder): recorder.entries
    case .replaying(let player): player.entries
    case .passing: []
    }
  }

  /// The exchanges that were left out, and other reasons why the recording is not complete.
  ///
  /// If the tape replays, they are known from the start. If it records, they are those of the exchanges
  /// recorded so far, and of the last ``save()``, after the files of earlier recordings that were not
  /// saved.
  public var warnings: [ArchiveWarning] {
    switch work {
    case .recording(let recorder): recorder.warnings
    case .replaying(let player): player.warnings
    case .passing: []
    }
  }

  /// The recorded exchanges that have not been replayed; empty if the tape records.
  ///
  /// At its end, a test can check that the whole recording was used.
  public var unplayed: [HAR.Entry] {
    if case .replaying(let player) = work { player.unplayed } else { [] }
  }

  /// Starts an exchange, or replays one.
  ///
  /// A replayed exchange ends before this method returns, and its events are delivered on the
  /// thread of the caller. A stream body is first read into memory, so that it can be recorded or
  /// compared; the exchange then starts when the body has been read. A stream that is known to be larger
  /// than ``Options-swift.struct/bodyLimit`` is not read when the tape records. A request that is not
  /// in the recording fails with ``NetworkError/Code-swift.enum/mockFailed``; the reason contains
  /// the request and the most similar recorded one, with secrets masked.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - receive: The receiver of the events.
  /// - Returns: A handle of the exchange. Its methods are no-ops for a replayed exchange.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    switch work {
    case .passing: return transport.start(request, receive)
    case .recording(let recorder):
      if let size = request.body.byteCount, size > recorder.bodyLimit {
        return recorder.start(request, over: transport, receive)
      }
      return request.bufferingStreamBody(receive) { [transport] request, receive in
        recorder.start(request, over: transport, receive)
      }
    case .replaying(let player):
      return request.bufferingStreamBody(receive) { request, receive in
        player.replay(request, receive)
      }
    }
  }

  /// Whether requests wait for a network: `false` if the tape replays.
  public var needsNetwork: Bool { player == nil }

  /// The player, if the tape replays.
  var player: TapePlayer? {
    if case .replaying(let player) = work { player } else { nil }
  }

  /// Writes the recording to its file.
  ///
  /// The recording contains all exchanges whose last event has been delivered. Exchanges in
  /// progress are not included. A later call writes all exchanges completed by then. A no-op if the
  /// tape does not record. The method must not be called from
  /// ``Options-swift.struct/isTokenAllowed``.
  ///
  /// - Throws: ``RecordingError/suspectedTokens(file:paths:)``, unless the options leave these exchanges
  ///   out, ``RecordingError/unwritable(file:reason:)``, or ``RecordingError/fileInUse(file:)`` if
  ///   another tape records to the file since an earlier call. The file is then unchanged.
  public func save() throws(RecordingError) {
    if case .recording(let recorder) = work { try recorder.save() }
  }

  /// Ends the recording without saving.
  fileprivate func close() {
    if case .recording(let recorder) = work { recorder.close() }
  }

  // The recorder may live on for exchanges in progress.
  deinit { close() }
}

extension Tape {
  /// Creates a tape that records over a new transport of the platform.
  ///
  /// It is a `CurlTransport` on Linux, and a `URLSessionTransport` on Apple platforms.
  ///
  /// - Parameters:
  ///   - file: The file URL of an HTTP archive, such as `boards.har`.
  ///   - mode: The mode.
  ///   - options: The options.
  /// - Throws: The errors of ``init(_:mode:over:options:)``.
  public convenience init(
    _ file: URL, mode: Mode = .once, options: Options = Options()
  ) throws(RecordingError) {
    try self.init(file, mode: mode, over: PlatformTransport.make(), options: options)
  }
}

extension Tape {
  /// The options of a tape.
  public struct Options: Sendable {
    /// The parts in which a request must be equal to a recorded one.
    public var matching: Matching
    /// The policy for a request that is made more often than it was recorded.
    public var afterLast: RepeatPolicy
    /// The additional rules for the names of secrets.
    public var redaction: Redaction
    /// The limit for a recorded body, in bytes.
    ///
    /// If a request body or a response body is larger, only its size is recorded. A request for such a
    /// response fails when it is replayed.
    public var bodyLimit: Int
    /// The limit for all recorded bodies together, in bytes.
    ///
    /// Only the sizes of the bodies of further exchanges are recorded.
    public var totalBodyLimit: Int
    /// The policy for exchanges with values that look like tokens.
    public var suspectedTokens: SuspectedTokenPolicy
    /// Returns whether a value that looks like a token may be recorded.
    ///
    /// Called for each such value, possibly several times, on the tape's queue. It must not block.
    public var isTokenAllowed: @Sendable (SuspectedToken) -> Bool
    /// Returns the current date, which is recorded as the start of an exchange.
    ///
    /// Called once for each exchange, on the thread that starts it.
    public var now: @Sendable () -> Date

    /// Creates options.
    ///
    /// - Parameters:
    ///   - matching: The parts in which a request must be equal to a recorded one.
    ///   - afterLast: The policy for a request that is made more often than it was recorded.
    ///   - redaction: The additional rules for the names of secrets.
    ///   - bodyLimit: The limit for a recorded body, in bytes.
    ///   - totalBodyLimit: The limit for all recorded bodies together, in bytes.
    ///   - suspectedTokens: The policy for exchanges with values that look like tokens.
    ///   - isTokenAllowed: Returns whether a value that looks like a token may be recorded.
    ///   - now: Returns the current date.
    public init(
      matching: Matching = .standard, afterLast: RepeatPolicy = .repeats,
      redaction: Redaction = Redaction(), bodyLimit: Int = 16 << 20,
      totalBodyLimit: Int = 512 << 20, suspectedTokens: SuspectedTokenPolicy = .failsSaving,
      isTokenAllowed: @escaping @Sendable (SuspectedToken) -> Bool = { _ in false },
      now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.matching = matching
      self.afterLast = afterLast
      self.redaction = redaction
      self.bodyLimit = max(bodyLimit, 0)
      self.totalBodyLimit = max(totalBodyLimit, 0)
      self.suspectedTokens = suspectedTokens
      self.isTokenAllowed = isTokenAllowed
      self.now = now
    }
  }

  /// The policy for exchanges with values that look like tokens and that are not allowed.
  public enum SuspectedTokenPolicy: Sendable, Hashable {
    /// ``Tape/save()`` throws ``RecordingError/suspectedTokens(file:paths:)`` and writes nothing.
    case failsSaving
    /// ``Tape/save()`` writes the other exchanges, and ``Tape/warnings`` contains those left out.
    case leavesOut
  }

  /// The policy for a request that is made more often than it was recorded.
  public enum RepeatPolicy: Sendable, Hashable {
    /// The last response is repeated.
    case repeats
    /// The request fails like one that is not in the recording.
    case fails
  }
}

/// Runs a closure with a ``Tape``, and saves the tape at the end.
///
/// If the closure throws, the tape is not saved. The exchanges recorded so far remain in the file
/// with the suffix `.partial`.
///
/// - Parameters:
///   - file: The file URL of an HTTP archive.
///   - mode: The mode.
///   - transport: The transport of the recorded exchanges.
///   - options: The options.
///   - isolation: The isolation of the caller, which the closure inherits.
///   - body: The closure, which receives the tape.
/// - Returns: The result of the closure.
/// - Throws: The error of the closure, or ``RecordingError``.
public func withTape<Result>(
  _ file: URL, mode: Tape.Mode = .once, over transport: any Transport,
  options: Tape.Options = Tape.Options(), isolation: isolated (any Actor)? = #isolation,
  _ body: (_ tape: Tape) async throws -> Result
) async throws -> Result {
  let tape = try Tape(file, mode: mode, over: transport, options: options)
  do {
    let result = try await body(tape)
    try tape.save()
    return result
  } catch {
    tape.close()
    throw error
  }
}
