import CatenaSystem
import Dispatch
import Foundation
import Mocking
import MockingResources
import Networking
import Promises

/// The server-sent events of the admin API: the latest ones, and the streams of the readers.
///
/// Each reader has a buffer of 256 KiB. A reader that is slower is disconnected. It connects again
/// with the id of its last event, and receives the later ones. If they are no longer kept, it receives
/// the event `reset` instead.
///
/// All members may be used from any thread.
final class AdminEvents: Sendable {
  private struct Event {
    let number: Int
    let bytes: Data
  }

  private struct State {
    var lastNumber = 0
    /// The latest events, which are trimmed when there are twice as many as are kept.
    var kept: [Event] = []
    var readers: [Int: BodyPipe] = [:]
    var readerCount = 0
    var isStopped = false
    /// Whether there has been a reader, without which no event is made.
    var isFollowed = false
  }

  /// The maximum number of readers.
  static let maximumReaders = 32
  /// The number of events that are kept.
  static let keptCount = 1_000

  private let state = Mutex(State())
  /// A text in all ids, so that those of another server are not mistaken for own ones.
  private let instance: String
  private let timer = Mutex<(any DispatchSourceTimer)?>(nil)

  init(instance: String) {
    self.instance = instance
  }

  /// Whether there has been a reader.
  var isFollowed: Bool { state.withLock { $0.isFollowed } }

  /// The number of connected readers.
  var readerCount: Int { state.withLock { $0.readers.count } }

  // MARK: Writing

  /// Sends an event to all readers.
  ///
  /// - Parameters:
  ///   - name: The type of the event.
  ///   - data: The data.
  func publish(_ name: String, _ data: JSON = [:]) {
    let text = (try? data.data()).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    let slow = state.withLock { state -> [BodyPipe] in
      guard state.isFollowed else { return [] }
      state.lastNumber += 1
      let event = MockEvent(text, event: name, id: "\(instance)-\(state.lastNumber)")
      state.kept.append(Event(number: state.lastNumber, bytes: event.bytes))
      if state.kept.count >= Self.keptCount * 2 { state.kept.removeFirst(Self.keptCount) }
      return Self.send(event.bytes, &state)
    }
    for reader in slow { reader.cancel() }
  }

  /// Sends a comment, which keeps idle connections open.
  func sendComment() {
    let slow = state.withLock { Self.send(Data(":\n\n".utf8), &$0) }
    for reader in slow { reader.cancel() }
  }

  /// Adds bytes to all buffers, and returns the removed readers whose buffers were full.
  private static func send(_ bytes: Data, _ state: inout State) -> [BodyPipe] {
    var slow: [BodyPipe] = []
    for (number, reader) in state.readers {
      if reader.isFull {
        state.readers[number] = nil
        slow.append(reader)
      } else {
        // In the lock, so that the events of a reader have an order.
        reader.append(bytes)
      }
    }
    return slow
  }

  // MARK: Reading

  /// Returns the events after the one with an id.
  ///
  /// - Parameter id: The id. `nil` returns all events that are kept.
  /// - Returns: The events. For an unknown id, or if events after it are no longer kept, the event `reset`.
  func events(after id: String?) -> Data {
    state.withLock { state in
      state.isFollowed = true
      return self.events(
        after: id ?? "\(instance)-\(state.kept.first.map { $0.number - 1 } ?? 0)", state)
    }
  }

  private func events(after id: String, _ state: State) -> Data {
    let parts = id.split(separator: "-", maxSplits: 1)
    let first = state.kept.first?.number ?? state.lastNumber + 1
    guard parts.count == 2, parts[0] == instance, let number = Int(parts[1]),
      number <= state.lastNumber,
      number >= first - 1
    else {
      return MockEvent("{}", event: "reset", id: "\(instance)-\(state.lastNumber)").bytes
    }
    return state.kept.drop { $0.number <= number }.reduce(into: Data()) { $0 += $1.bytes }
  }

  /// Opens a stream of the events from now on.
  ///
  /// - Parameter id: The id of the last event that the reader has received. The stream begins with the
  ///   events after it.
  /// - Returns: The stream, or `nil` if there are too many readers.
  func open(after id: String?) -> BodyPipe? {
    let pipe = BodyPipe()
    let number = state.withLock { state -> Int? in
      guard !state.isStopped, state.readers.count < Self.maximumReaders else { return nil }
      state.isFollowed = true
      state.readerCount += 1
      state.readers[state.readerCount] = pipe
      // Also makes the server send the head.
      pipe.append(Data("retry: 2000\n\n".utf8))
      if let id { pipe.append(events(after: id, state)) }
      return state.readerCount
    }
    guard let number else { return nil }
    pipe.attach(Reader(events: self, number: number))
    startTimer()
    return pipe
  }

  fileprivate func remove(_ number: Int) {
    let removed = state.withLock { $0.readers.removeValue(forKey: number) }
    withExtendedLifetime(removed) {}
  }

  /// Ends all streams.
  func stop() {
    let readers = state.withLock { state in
      state.isStopped = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.finish(isComplete: true) }
    timer.withLock { $0.take() }?.cancel()
  }

  /// Starts the timer of the comments.
  private func startTimer() {
    timer.withLock { timer in
      guard timer == nil else { return }
      let new = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
      new.schedule(deadline: .now() + 15, repeating: 15)
      new.setEventHandler { [weak self] in self?.sendComment() }
      new.activate()
      timer = new
    }
  }

  deinit {
    timer.withLock { $0.take() }?.cancel()
  }
}

/// The producer of the stream of one reader, which the reader cancels when it disconnects.
private struct Reader: TransportHandle {
  let events: AdminEvents
  let number: Int

  func cancel() { events.remove(number) }
  // The buffer is full: the next event disconnects the reader.
  func suspend() {}
  func resume() {}
}

/// The changes of a journal, of scenarios and of the items of resources, as events.
///
/// Changes are collected and turned into events on a private queue. Several changes of a request that
/// follow each other quickly are one event. If changes arrive faster than they are sent, an event
/// `reset` replaces them.
final class AdminFeed: Sendable {
  private struct State {
    var numbers: [Int] = []
    var known: Set<Int> = []
    var isReset = false
    var isScheduled = false
    var scenarioChanges = 0
    /// The numbers of the changes of all stores.
    var revisions: [ObjectIdentifier: Int] = [:]
    /// The stores of the routes, and the routes in which they were found.
    var found: (routes: any AnyObject & Sendable, routeCount: Int, stores: [ResourceStore])?
  }

  private static let maximumCount = 2_000
  private let backend: AdminBackend
  private let events: AdminEvents
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "AdminFeed", qos: .utility)

  init(_ backend: AdminBackend, _ events: AdminEvents) {
    self.backend = backend
    self.events = events
  }

  /// Adds a change.
  ///
  /// It returns quickly, because it runs on the thread of the server.
  func add(_ change: JournalChange) {
    guard events.isFollowed else { return }
    let isFirst = state.withLock { state in
      switch change {
      case .reset: (state.numbers, state.known, state.isReset) = ([], [], true)
      case .changed(let number, _):
        if state.known.insert(number).inserted { state.numbers.append(number) }
        if state.numbers.count > Self.maximumCount {
          (state.numbers, state.known, state.isReset) = ([], [], true)
        }
      }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { queue.async { [self] in flush() } }
  }

  /// Publishes the collected changes.
  private func flush() {
    let (numbers, isReset) = state.withLock { state in
      defer { (state.numbers, state.known) = ([], []) }
      defer { (state.isReset, state.isScheduled) = (false, false) }
      return (state.numbers, state.isReset)
    }
    if isReset { events.publish("reset") }
    for number in numbers {
      guard let detail = backend.journal.detail(number + 1) else { continue }
      events.publish("request", detail.summary(backend))
    }
    let changes = backend.scenarios.changeCount
    let isChanged = state.withLock { state in
      defer { state.scenarioChanges = changes }
      return state.scenarioChanges != changes
    }
    if isChanged { events.publish("scenarios") }
    if updateRevisions() { events.publish("resources") }
  }

  /// Prepares the recognition of changes.
  func start() { _ = updateRevisions() }

  /// Returns whether the items of a resource have changed since the last call.
  private func updateRevisions() -> Bool {
    let routes = backend.routes
    guard let identity = routes.identity else { return false }
    let routeCount = routes.count
    let known = state.withLock { $0.found }
    // The search visits all routes, so its result is used until routes are added or removed.
    let isKnown = known?.routes === identity && known?.routeCount == routeCount
    let stores = isKnown ? known?.stores ?? [] : backend.stores
    var revisions: [ObjectIdentifier: Int] = [:]
    for store in stores {
      revisions[ObjectIdentifier(store)] = store.revision
    }
    return state.withLock { [revisions] state in
      defer { state.revisions = revisions }
      state.found = (identity, routeCount, stores)
      return state.revisions != revisions
    }
  }

  /// Waits until the changes so far have been published.
  func wait() {
    queue.sync {}
  }
}
