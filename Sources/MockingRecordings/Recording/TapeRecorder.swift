import CatenaSystem
import Foundation
import Networking

/// A recorder of exchanges.
///
/// Events are recorded on the thread that delivers them. Completed exchanges are masked and written
/// on a serial queue, so that the transport's thread is not blocked.
final class TapeRecorder: Sendable {
  private struct RecordedEntry {
    /// The position of the exchange in the order of the starts.
    let number: Int
    var entry: HAR.Entry
    let isWrittenToPartialFile: Bool
  }

  private struct State {
    /// The completed exchanges in the order of their ends.
    var recorded: [RecordedEntry] = []
    /// The number of bytes of the recorded bodies.
    var bodyByteCount = 0
    /// The exchanges that the last ``TapeRecorder/save()`` left out.
    var leftOut: [ArchiveWarning] = []
    var partialFile: PartialTapeFile?
  }

  /// The limit for a recorded body, in bytes.
  var bodyLimit: Int { options.bodyLimit }
  private let file: URL
  private let options: Tape.Options
  private let redactor: RecordingRedactor
  /// The names of the partial files of earlier recordings that were not saved.
  private let earlierFiles: [String]
  private let queue = DispatchQueue(label: "catena.tape")
  /// The number of started exchanges.
  private let count = Atomic(0)
  /// The state, which is accessed only on the queue, except by `deinit`.
  private let state: Mutex<State>

  init(_ file: URL, _ options: Tape.Options) throws(RecordingError) {
    self.file = file
    self.options = options
    redactor = RecordingRedactor(options.redaction)
    let partialFile = try PartialTapeFile(of: file)
    earlierFiles = partialFile.earlierFiles
    state = Mutex(State(partialFile: partialFile))
  }

  /// Starts an exchange and records it.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - transport: The transport of the exchange.
  ///   - receive: The receiver of the events, which are delivered unchanged.
  /// - Returns: The handle of the transport.
  func start(
    _ request: HTTPRequest, over transport: any Transport,
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let number = count.add(1, ordering: .relaxed).oldValue
    let exchange = ExchangeRecorder(request, number: number, options: options)
    return transport.start(request) { event in
      // Records the event before it is delivered, so that the exchange is included if the receiver
      // of the last event saves the tape.
      if let ending = exchange.record(event) {
        self.queue.async { self.add(exchange, ending) }
      }
      receive(event)
    }
  }

  /// Masks a completed exchange and adds it to the recording.
  private func add(_ exchange: ExchangeRecorder, _ ending: ExchangeRecorder.Ending) {
    var entry = exchange.entry(ending)
    state.withLock { state in
      let size = entry.bodyByteCount
      if state.bodyByteCount + size > options.totalBodyLimit, size > 0 {
        entry.omitBodies(because: "the recording has reached \(options.totalBodyLimit) bytes")
      } else {
        state.bodyByteCount += size
      }
    }
    let knownCount = redactor.secrets.count
    redactor.adding(exchange.secretNames).redact(&entry)
    var search = TokenScanner(isAllowed: options.isTokenAllowed)
    search.scan(through: entry, at: exchange.number)
    // An exchange that may contain a secret is kept only in memory.
    let isWrittenToPartialFile = search.paths.isEmpty
    let recorded = RecordedEntry(
      number: exchange.number, entry: entry, isWrittenToPartialFile: isWrittenToPartialFile)
    state.withLock { state in
      if redactor.secrets.count > knownCount {
        maskEarlierEntries(&state, by: redactor.secrets.search(after: knownCount))
      }
      state.recorded.append(recorded)
      if isWrittenToPartialFile { state.partialFile?.append(entry) }
    }
  }

  /// Masks values in the earlier exchanges that the latest exchange has identified as secrets.
  private func maskEarlierEntries(_ state: inout State, by search: MultiPatternSearch) {
    var hasChanged = false
    for index in state.recorded.indices where search.mask(&state.recorded[index].entry) {
      state.recorded[index].entry.request.updateDerivedFields()
      state.recorded[index].entry.response.updateDerivedFields()
      if state.recorded[index].isWrittenToPartialFile { hasChanged = true }
    }
    if hasChanged {
      state.partialFile?.restart(state.recorded.filter(\.isWrittenToPartialFile).map(\.entry))
    }
  }

  /// The completed exchanges in the order of their starts, with all known secrets masked.
  ///
  /// Blocks until the queue has processed all completed exchanges.
  var entries: [HAR.Entry] {
    queue.sync { sortedEntries().map(\.entry) }
  }

  private func sortedEntries() -> [RecordedEntry] {
    state.withLock { $0.recorded }.sorted { $0.number < $1.number }
  }

  /// The bodies that were not recorded, the exchanges that were not written, and earlier recordings.
  var warnings: [ArchiveWarning] {
    let earlier = earlierFiles.map {
      ArchiveWarning(problem: "\($0) has exchanges of an earlier recording that was not saved")
    }
    return queue.sync {
      let omitted = sortedEntries().enumerated().flatMap { index, recorded in
        recorded.entry.omissions.map { ArchiveWarning(recorded.entry, at: index, problem: $0) }
      }
      // Compares the positions too, because `sorted` does not guarantee a stable order.
      return earlier
        + (omitted + state.withLock { $0.leftOut }).enumerated()
        .sorted { ($0.element.entry ?? 0, $0.offset) < ($1.element.entry ?? 0, $1.offset) }
        .map(\.element)
    }
  }

  /// Writes the recording to its file, and removes the partial file.
  ///
  /// - Throws: ``RecordingError`` if an exchange contains a suspected token, unless the options leave it
  ///   out, if the file cannot be written, or if another recorder has locked it since the last save.
  func save() throws(RecordingError) {
    let result = queue.sync { () -> Result<Void, RecordingError> in
      do throws(RecordingError) {
        return .success(try write())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private func write() throws(RecordingError) {
    var entries: [HAR.Entry] = []
    var leftOut: [ArchiveWarning] = []
    var paths: [String] = []
    for (index, recorded) in sortedEntries().enumerated() {
      var search = TokenScanner(isAllowed: options.isTokenAllowed)
      search.scan(through: recorded.entry, at: index)
      if search.paths.isEmpty {
        entries.append(recorded.entry)
      } else {
        paths += search.paths
        leftOut.append(
          ArchiveWarning(
            recorded.entry, at: index,
            problem: "left out: a value looks like a secret: \(search.paths[0])"))
      }
    }
    guard paths.isEmpty || options.suspectedTokens == .leavesOut else {
      throw .suspectedTokens(file: file, paths: paths)
    }
    try state.withLock { state throws(RecordingError) in
      // An earlier save removed the partial file and its lock.
      guard state.partialFile == nil else { return }
      let partialFile = try PartialTapeFile(of: file)
      partialFile.restart(state.recorded.filter(\.isWrittenToPartialFile).map(\.entry))
      state.partialFile = partialFile
    }
    leftOut += try HAR(log: HAR.Log(entries: entries)).write(to: file)
    let partialFile = state.withLock { state in
      state.leftOut = leftOut
      return state.partialFile.take()
    }
    partialFile?.remove()
  }

  /// Ends the recording without saving, although exchanges may be in progress.
  ///
  /// The partial file stays, unless it is empty, and another recorder can lock the recording.
  func close() {
    queue.sync { closePartialFile() }
  }

  private func closePartialFile() {
    let (isEmpty, partialFile) = state.withLock { ($0.recorded.isEmpty, $0.partialFile.take()) }
    if isEmpty { partialFile?.remove() }
  }

  deinit {
    closePartialFile()
  }
}

/// A recorder of one exchange, which collects its events.
final class ExchangeRecorder: Sendable {
  /// The end of an exchange.
  struct Ending: Sendable {
    let metrics: TransportMetrics
    /// The failure, or `nil` if the response is complete.
    let failure: TransportFailure?
  }

  private struct State {
    var head: HTTPResponseHead?
    /// The received body, or empty if it exceeds the limit.
    var body = Data()
    /// The number of received bytes.
    var byteCount = 0
  }

  /// The position of the exchange in the order of the starts.
  let number: Int
  /// The names of secrets of the client.
  let secretNames: SecretNames
  private let startedDateTime: String
  private let request: HAR.Request
  private let bodyLimit: Int
  private let state = Mutex(State())

  init(_ request: HTTPRequest, number: Int, options: Tape.Options) {
    self.number = number
    secretNames = request.attributes.secretNames
    startedDateTime = HAR.Entry.timestamp(options.now())
    bodyLimit = options.bodyLimit
    self.request = HAR.Request(request, bodyLimit: options.bodyLimit)
  }

  /// Records an event.
  ///
  /// - Parameter event: The event.
  /// - Returns: The end of the exchange if the event is the last one, otherwise `nil`.
  func record(_ event: TransportEvent) -> Ending? {
    switch event {
    case .connected, .servedLocally, .sent, .trailers: break
    case .head(let head): state.withLock { $0.head = head }
    case .body(let bytes):
      state.withLock { state in
        state.byteCount += bytes.count
        if state.byteCount <= bodyLimit { state.body.append(bytes) } else { state.body = Data() }
      }
    case .end(let metrics): return Ending(metrics: metrics, failure: nil)
    case .failure(let failure): return Ending(metrics: failure.metrics, failure: failure)
    }
    return nil
  }

  /// Returns the exchange, without masked secrets, and without a response body above the limit.
  func entry(_ ending: Ending) -> HAR.Entry {
    let state = state.withLock { $0 }
    var response = HAR.Response(
      state.head, body: state.body, metrics: ending.metrics, failure: ending.failure)
    if state.byteCount > bodyLimit {
      response.content.omit(
        byteCount: state.byteCount, reason: "it is larger than the limit of \(bodyLimit) bytes")
    }
    var request = request
    request.httpVersion = response.httpVersion
    return HAR.Entry(
      startedDateTime: startedDateTime, request: request, response: response,
      timings: HAR.Timings(ending.metrics))
  }
}

extension HAR.Entry {
  /// The number of bytes of the recorded bodies.
  fileprivate var bodyByteCount: Int {
    let response = response.content.isOmitted ? 0 : response.content.size
    return (request.postData?.text?.utf8.count ?? 0) + response
  }

  /// Removes the bodies, which are not recorded.
  fileprivate mutating func omitBodies(because reason: String) {
    if let body = request.postData, body.encoding != "size" {
      request.postData = HAR.PostData(
        mimeType: body.mimeType, text: "", encoding: "size",
        comment: "the body was not recorded, because \(reason)")
    }
    if response.content.size > 0, !response.content.isOmitted {
      response.content.omit(byteCount: response.content.size, reason: reason)
    }
  }

  /// Descriptions of the bodies that were not recorded.
  fileprivate var omissions: [String] {
    var comments: [String?] = []
    if request.postData?.encoding == "size" { comments.append(request.postData?.comment) }
    if response.content.isOmitted { comments.append(response.content.comment) }
    return comments.compactMap(\.self)
  }
}
