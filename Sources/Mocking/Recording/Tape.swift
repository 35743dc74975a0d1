import Foundation
import Networking

/// A transport that records exchanges in a file, or replays them from it with no network at all.
///
/// ```swift
/// let tape = try Tape(file, mode: .once, over: CurlTransport())
/// let networking = Networking<BoardsAPI>(transport: tape)
/// let boards = try await networking.request(.boards).validate().decode([Board].self).value
/// try tape.save()
/// ```
///
/// The first run records what the server answers; every later one replays it, to the byte.
///
/// - **Saving.** ``save()`` puts the recording in place, whole or not at all. Until then each exchange that
///   has ended is in a file of the same name with `.partial` behind it, an HTTP archive too: what was
///   recorded before a crash is there, and no recording that broke off is ever taken for a whole one. A
///   tape that is released unsaved leaves it there. ``withTape(_:mode:over:options:isolation:_:)`` saves by
///   itself.
/// - **Secrets** are masked before anything is written: credentials, cookies, and what goes by telling
///   names, see ``Redaction``; and wherever else the same values turn up. Values that look like tokens and
///   go by no such name make ``save()`` fail, unless ``Options-swift.struct/allowing`` lets them pass. A
///   request to replay is masked by the same rules before it is looked for.
/// - **Order.** A recording has the exchanges in the order in which they began. The same request asked
///   three times replays its three answers in turn.
/// - **Failures** are recorded too, and replay with the same code.
/// - **Threads.** It may be used from any thread, and by many requests at once. Recording writes on a queue
///   of its own, and does not hold up the exchange.
public final class Tape: Transport {
  /// Whether to record or to replay.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// Replays. What was not recorded fails, and nothing touches the network.
    case none
    /// Records if the file is not there when the tape is made, and replays otherwise, as `none` does.
    case once
    /// Records anew. The file that is there stays until the new one is saved.
    case all
    /// Neither records nor replays: everything goes to the other transport.
    case passthrough
  }

  private enum Work {
    case recording(TapeRecorder)
    case replaying(TapePlayer)
    case passing
  }

  /// The file recorded to, or replayed from.
  public let file: URL
  /// What was asked for.
  public let mode: Mode
  private let work: Work
  private let transport: any Transport

  /// Makes a tape.
  ///
  /// - Parameters:
  ///   - file: an HTTP archive, of the name `boards.har` or the like.
  ///   - mode: whether to record or to replay.
  ///   - transport: what performs the exchanges that are recorded.
  ///   - options: what to do otherwise than by default.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)`` or
  ///   ``RecordingError/malformed(file:line:column:path:problem:)`` where a file is to be replayed, and
  ///   ``RecordingError/unwritable(file:reason:)`` where one is to be recorded.
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

  /// Makes a tape that replays, and needs no other transport.
  ///
  /// - Parameters:
  ///   - file: an HTTP archive, be it recorded by a tape or by a browser.
  ///   - options: what to do otherwise than by default.
  /// - Throws: ``RecordingError/missing(file:)``, ``RecordingError/unreadable(file:reason:)`` or
  ///   ``RecordingError/malformed(file:line:column:path:problem:)``.
  public convenience init(
    replaying file: URL, options: Options = Options()
  ) throws(RecordingError) {
    try self.init(
      file, mode: .none, over: FailingTransport(reason: "there is no network here"),
      options: options)
  }

  /// Whether exchanges are being recorded.
  public var isRecording: Bool {
    if case .recording = work { true } else { false }
  }

  /// The exchanges: when recording those that have ended, masked; when replaying all that are in the file.
  ///
  /// It waits for those that have ended to be taken in.
  public var entries: [HAR.Entry] {
    switch work {
    case .recording(let recorder): recorder.entries
    case .replaying(let player): player.entries
    case .passing: []
    }
  }

  /// What is in the recording and was not asked for; empty when recording.
  ///
  /// A test that wants all of it used asks this at its end.
  public var unplayed: [HAR.Entry] {
    if case .replaying(let player) = work { player.unplayed } else { [] }
  }

  /// Starts an exchange, or replays one.
  ///
  /// A replayed one is over before this returns: its events come on the caller's thread. Only a body that
  /// is a stream is read into memory first, be it to be recorded or to be compared. A request that
  /// was not recorded fails by ``NetworkError/Code-swift.enum/mockFailed``; the reason names the request
  /// and the recorded one that is nearest to it, without their secrets.
  ///
  /// - Parameters:
  ///   - request: what to send, or to look for.
  ///   - receive: gets the events of the exchange.
  /// - Returns: a handle on the exchange; it does nothing for one that is replayed.
  public func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    switch work {
    case .passing: return transport.start(request, receive)
    case .recording(let recorder):
      return request.bufferingStreamBody(receive) { [transport] request, receive in
        recorder.start(request, over: transport, receive)
      }
    case .replaying(let player):
      return request.bufferingStreamBody(receive) { request, receive in
        if request.reportsConnection { receive(.answered(by: "tape")) }
        for event in player.answer(request) { receive(event) }
        return FinishedExchange()
      }
    }
  }

  /// Puts what has been recorded in place of the file; where nothing is recorded it does nothing.
  ///
  /// Exchanges that have not ended are left out; those whose response has been handed over are in. It may be
  /// called again, and then writes what has come since as well. Not to be called within
  /// ``Options-swift.struct/allowing``.
  ///
  /// - Throws: ``RecordingError/suspectedTokens(file:places:)``,
  ///   ``RecordingError/tooLarge(file:places:limit:)``, ``RecordingError/unwritable(file:reason:)``; the
  ///   file is as it was then.
  public func save() throws(RecordingError) {
    if case .recording(let recorder) = work { try recorder.save() }
  }
}

#if os(Linux)
  extension Tape {
    /// Makes a tape over a ``CurlTransport`` of its own.
    ///
    /// - Parameters:
    ///   - file: an HTTP archive, of the name `boards.har` or the like.
    ///   - mode: whether to record or to replay.
    ///   - options: what to do otherwise than by default.
    /// - Throws: what ``init(_:mode:over:options:)`` throws.
    public convenience init(
      _ file: URL, mode: Mode = .once, options: Options = Options()
    ) throws(RecordingError) {
      try self.init(file, mode: mode, over: CurlTransport(), options: options)
    }
  }
#endif

extension Tape {
  /// What a tape does otherwise than by default.
  public struct Options: Sendable {
    /// What has to be the same for a recorded request to be the one asked for.
    public var matching: Set<Matcher>
    /// What happens when a request is asked more often than it was recorded.
    public var afterLast: RepeatPolicy
    /// Which names go with secrets.
    public var redaction: Redaction
    /// How many bytes of a body are recorded.
    ///
    /// A request's body beyond it is kept by its size alone; a
    /// response's makes ``Tape/save()`` fail, as it could not be replayed.
    public var bodyLimit: Int
    /// Whether a value that looks like a token is none, and may be written down.
    ///
    /// Called for each, perhaps several times, on the tape's own queue, which it must not make wait.
    public var allowing: @Sendable (SuspectedToken) -> Bool
    /// The time of day, for when exchanges began; called once each, where it is started.
    public var now: @Sendable () -> Date

    /// Makes options.
    ///
    /// - Parameters:
    ///   - matching: what has to be the same for a recorded request to be the one asked for.
    ///   - afterLast: what happens when a request is asked more often than it was recorded.
    ///   - redaction: which names go with secrets.
    ///   - bodyLimit: how many bytes of a body are recorded.
    ///   - allowing: whether a value that looks like a token is none.
    ///   - now: the time of day.
    public init(
      matching: Set<Matcher> = [.method, .url], afterLast: RepeatPolicy = .repeats,
      redaction: Redaction = Redaction(), bodyLimit: Int = 16 << 20,
      allowing: @escaping @Sendable (SuspectedToken) -> Bool = { _ in false },
      now: @escaping @Sendable () -> Date = { Date() }
    ) {
      self.matching = matching
      self.afterLast = afterLast
      self.redaction = redaction
      self.bodyLimit = max(bodyLimit, 0)
      self.allowing = allowing
      self.now = now
    }
  }

  /// What has to be the same for a recorded request to be the one asked for.
  public enum Matcher: Sendable, Hashable {
    /// The method.
    case method
    /// The URL: origin, path and query, the parameters in any order.
    case url
    /// The path and query alone, the parameters in any order, of whatever server; for servers on a port
    /// that is another each time.
    case path
    /// The parameters of the query in their order; together with ``url`` or ``path``.
    case queryOrder
    /// The values of a header field, as they are after masking.
    case header(String)
    /// The body: JSON by its value, forms by their fields, others by their bytes, all as they are after
    /// masking; one of which only the size was kept by its size.
    case body
  }

  /// What happens when a request is asked more often than it was recorded.
  public enum RepeatPolicy: Sendable, Hashable {
    /// It has its last answer again.
    case repeats
    /// It fails as one that was not recorded.
    case fails
  }
}

/// Runs code with a ``Tape``, and saves it at the end.
///
/// When the code throws nothing is saved, so that a recording that broke off is never taken for a whole
/// one; what was recorded until then is beside the file, in one of the same name with `.partial` behind.
///
/// - Parameters:
///   - file: an HTTP archive.
///   - mode: whether to record or to replay.
///   - transport: what performs the exchanges that are recorded.
///   - options: what to do otherwise than by default.
///   - isolation: where the code runs: where the caller does.
///   - body: the code, which gets the tape.
/// - Returns: what the code returns.
/// - Throws: what the code throws, and ``RecordingError``.
public func withTape<Result>(
  _ file: URL, mode: Tape.Mode = .once, over transport: any Transport,
  options: Tape.Options = Tape.Options(), isolation: isolated (any Actor)? = #isolation,
  _ body: (_ tape: Tape) async throws -> Result
) async throws -> Result {
  let tape = try Tape(file, mode: mode, over: transport, options: options)
  let result = try await body(tape)
  try tape.save()
  return result
}
