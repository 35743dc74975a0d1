import Foundation
import Networking
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Records exchanges.
///
/// What an exchange was is taken in where its events go by; it is masked and written on a queue, so that
/// the transport's thread is not held up.
final class TapeRecorder: Sendable {
  private struct RecordedEntry {
    let number: Int
    var entry: HAR.Entry
    let isTooLarge: Bool
    let isWrittenToPartialFile: Bool
  }

  private struct State {
    /// In the order in which they ended.
    var recorded: [RecordedEntry] = []
    var draft: PartialTapeFile?
  }

  private let file: URL
  private let options: Tape.Options
  private let redactor: Redactor
  private let queue = DispatchQueue(label: "catena.tape")
  private let count = Atomic(0)
  // Taken on the queue alone, but for the time of a deinit.
  private let state: Mutex<State>

  init(_ file: URL, _ options: Tape.Options) throws(RecordingError) {
    self.file = file
    self.options = options
    redactor = Redactor(options.redaction)
    state = Mutex(State(draft: try PartialTapeFile(of: file)))
  }

  /// Starts an exchange.
  func start(
    _ request: HTTPRequest, over transport: any Transport,
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let number = count.add(1, ordering: .relaxed).oldValue
    let exchange = ExchangeRecorder(request, number: number, options: options)
    return transport.start(request) { event in
      // Taken in before it is handed on, so that who saves on seeing the end has it saved.
      if let ending = exchange.note(event) {
        self.queue.async { self.add(exchange, ending) }
      }
      receive(event)
    }
  }

  private func add(_ exchange: ExchangeRecorder, _ ending: ExchangeRecorder.Ending) {
    var (entry, isTooLarge) = exchange.entry(ending)
    let known = redactor.secrets.count
    redactor.redact(&entry)
    var search = TokenScanner(isAllowed: options.allowing)
    search.look(through: entry, at: exchange.number)
    // What may be a secret is in memory alone.
    let isWrittenToPartialFile = search.places.isEmpty && !isTooLarge
    let recorded = RecordedEntry(
      number: exchange.number, entry: entry, isTooLarge: isTooLarge, isWrittenToPartialFile: isWrittenToPartialFile)
    state.withLock { state in
      if redactor.secrets.count > known {
        maskEarlier(&state, by: redactor.secrets.search(after: known))
      }
      state.recorded.append(recorded)
      if isWrittenToPartialFile { state.draft?.append(entry) }
    }
  }

  /// Masks what has only now turned out to be secret.
  private func maskEarlier(_ state: inout State, by search: MultiPatternSearch) {
    var hasChanged = false
    for index in state.recorded.indices where search.mask(&state.recorded[index].entry) {
      state.recorded[index].entry.request.derive()
      state.recorded[index].entry.response.derive()
      if state.recorded[index].isWrittenToPartialFile { hasChanged = true }
    }
    if hasChanged { state.draft?.restart(state.recorded.filter(\.isWrittenToPartialFile).map(\.entry)) }
  }

  /// The exchanges that have ended, in the order in which they began, without what is known to be secret.
  var entries: [HAR.Entry] {
    queue.sync { masked().map(\.entry) }
  }

  private func masked() -> [RecordedEntry] {
    state.withLock { $0.recorded }.sorted { $0.number < $1.number }
  }

  /// Puts what was recorded in place.
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
    let all = masked()
    var search = TokenScanner(isAllowed: options.allowing)
    for (index, recorded) in all.enumerated() { search.look(through: recorded.entry, at: index) }
    guard search.places.isEmpty else {
      throw .suspectedTokens(file: file, places: search.places)
    }
    let large = all.indices.filter { all[$0].isTooLarge }
    guard large.isEmpty else {
      throw .tooLarge(
        file: file, places: large.map { "log.entries[\($0)].response.content" },
        limit: options.bodyLimit)
    }
    try HAR(log: HAR.Log(entries: all.map(\.entry))).write(to: file)
    let draft = state.withLock { $0.draft.take() }
    draft?.remove()
  }

  deinit {
    let (isEmpty, draft) = state.withLock { ($0.recorded.isEmpty, $0.draft.take()) }
    if isEmpty { draft?.remove() }
  }
}

/// An exchange that is being recorded, while its events go by.
final class ExchangeRecorder: Sendable {
  private struct State {
    var head: HTTPResponseHead?
    var body = Data()
    var byteCount = 0
  }

  /// Which of the tape's exchanges it is, in the order in which they began.
  let number: Int
  private let startedDateTime: String
  private let request: HAR.Request
  private let bodyLimit: Int
  private let state = Mutex(State())

  init(_ request: HTTPRequest, number: Int, options: Tape.Options) {
    self.number = number
    startedDateTime = HAR.Entry.timestamp(options.now())
    bodyLimit = options.bodyLimit
    self.request = HAR.Request(request, bodyLimit: options.bodyLimit)
  }

  /// Takes in an event.
  ///
  /// - Returns: how the exchange ended, once it has.
  func note(_ event: TransportEvent) -> Ending? {
    switch event {
    case .connected, .answered, .sent: break
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

  struct Ending: Sendable {
    let metrics: TransportMetrics
    let failure: TransportFailure?
  }

  /// The exchange as it is written down, with all its secrets; and whether its body was too large.
  func entry(_ ending: Ending) -> (entry: HAR.Entry, isTooLarge: Bool) {
    let state = state.withLock { $0 }
    let response = HAR.Response(
      state.head, body: state.body, metrics: ending.metrics, failure: ending.failure)
    var request = request
    request.httpVersion = response.httpVersion
    let entry = HAR.Entry(
      startedDateTime: startedDateTime, request: request, response: response,
      timings: HAR.Timings(ending.metrics))
    return (entry, state.byteCount > bodyLimit)
  }
}

/// The exchanges of a recording that is not saved yet, in a file beside it.
///
/// Each is added by one write, which leaves an archive that can be read; so what was added is there
/// whatever becomes of the process. It costs the same however many there are.
final class PartialTapeFile {
  private static let start = Data(
    #"{"log":{"version":"1.2","creator":{"name":"Catena","version":"1"},"entries":["#.utf8)
  private static let end = Data("\n]}}\n".utf8)

  private let path: String
  private let descriptor: Int32
  private var offset = 0
  private var isFirst = true

  init(of file: URL) throws(RecordingError) {
    let folder = try AtomicFileWriter.makeFolder(of: file)
    path = folder.appending(path: file.lastPathComponent + ".partial").path
    // What an earlier recording has left is not this one's, nor are its owner and mode.
    unlink(path)
    descriptor = try AtomicFileWriter.create(path, for: file)
    if AtomicFileWriter.writeAll(Self.start + Self.end, to: descriptor, at: 0) {
      offset = Self.start.count
    }
  }

  deinit {
    close(descriptor)
  }

  /// Adds an exchange; one that cannot be written is left out, and saved all the same in the end.
  func append(_ entry: HAR.Entry) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard offset > 0, let data = try? encoder.encode(entry) else { return }
    let addition = Data((isFirst ? "\n" : ",\n").utf8) + data
    guard AtomicFileWriter.writeAll(addition + Self.end, to: descriptor, at: offset) else { return }
    offset += addition.count
    isFirst = false
  }

  /// Begins again with other exchanges.
  func restart(_ entries: [HAR.Entry]) {
    guard offset > 0, ftruncate(descriptor, 0) == 0 else { return }
    offset =
      AtomicFileWriter.writeAll(Self.start + Self.end, to: descriptor, at: 0) ? Self.start.count : 0
    isFirst = true
    for entry in entries { append(entry) }
  }

  /// Removes the file.
  func remove() {
    unlink(path)
  }
}
