import Foundation
import Networking
import Synchronization

/// Records exchanges.
///
/// What an exchange was is taken in where its events go by; it is masked and written on a queue, so that
/// the transport's thread is not held up.
final class TapeRecorder: Sendable {
  private struct Recorded {
    let number: Int
    var entry: HAR.Entry
    let isTooLarge: Bool
    let isDrafted: Bool
  }

  private struct State {
    /// In the order in which they ended.
    var recorded: [Recorded] = []
    var draft: TapeDraft?
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
    state = Mutex(State(draft: try TapeDraft(of: file)))
  }

  /// Starts an exchange.
  func start(
    _ request: HTTPRequest, over transport: any Transport,
    _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    let number = count.add(1, ordering: .relaxed).oldValue
    let exchange = RecordedExchange(request, number: number, options: options)
    return transport.start(request) { event in
      // Taken in before it is handed on, so that who saves on seeing the end has it saved.
      if let ending = exchange.note(event) {
        self.queue.async { self.add(exchange, ending) }
      }
      receive(event)
    }
  }

  private func add(_ exchange: RecordedExchange, _ ending: RecordedExchange.Ending) {
    var (entry, isTooLarge) = exchange.entry(ending)
    let known = redactor.secrets.count
    redactor.redact(&entry)
    var search = TokenSearch(isAllowed: options.allowing)
    search.look(through: entry, at: exchange.number)
    // What may be a secret is in memory alone.
    let isDrafted = search.places.isEmpty && !isTooLarge
    let recorded = Recorded(
      number: exchange.number, entry: entry, isTooLarge: isTooLarge, isDrafted: isDrafted)
    state.withLock { state in
      if redactor.secrets.count > known {
        maskEarlier(&state, by: redactor.secrets.search(after: known))
      }
      state.recorded.append(recorded)
      if isDrafted { state.draft?.append(entry) }
    }
  }

  /// Masks what has only now turned out to be secret.
  private func maskEarlier(_ state: inout State, by search: TextSearch) {
    var hasChanged = false
    for index in state.recorded.indices where search.mask(&state.recorded[index].entry) {
      state.recorded[index].entry.request.derive()
      state.recorded[index].entry.response.derive()
      if state.recorded[index].isDrafted { hasChanged = true }
    }
    if hasChanged { state.draft?.restart(state.recorded.filter(\.isDrafted).map(\.entry)) }
  }

  /// The exchanges that have ended, in the order in which they began, without what is known to be secret.
  var entries: [HAR.Entry] {
    queue.sync { masked().map(\.entry) }
  }

  private func masked() -> [Recorded] {
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
    var search = TokenSearch(isAllowed: options.allowing)
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
