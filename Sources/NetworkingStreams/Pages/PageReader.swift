import CatenaSystem
import Foundation
import Networking
import Promises

/// The description of a walk over the pages of a list.
struct PageWalk: Sendable {
  let rule: PageRule
  /// The maximum number of pages.
  let limit: Int
  /// The number of pages that are requested before they are asked for.
  let ahead: Int
  /// The client's context at the time of the call.
  let context: RequestContext
  /// Returns the sessions of a request that is made now.
  let sessions: @Sendable () -> CallSessions
  /// Returns the request of the first page.
  let first: @Sendable () throws -> Request
  /// Adds a request to the client's queue.
  ///
  /// The closure changes the wire request. The sessions are those of all pages of one iterator.
  let start:
    @Sendable (
      _ request: Request, _ sessions: CallSessions,
      _ prepare: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest
    ) -> NetworkPromise
}

/// The pages of one iterator.
///
/// One page is requested at a time. A request starts when the consumer waits, or when fewer pages
/// than `ahead` are ready.
final class PageReader: Sendable {
  /// The reference of an iterator, whose release stops the reader.
  final class Handle: Sendable {
    let reader: PageReader

    init(_ reader: PageReader) {
      self.reader = reader
    }

    deinit {
      reader.stop()
    }
  }

  private typealias Consumer = TaskContinuation<Result<Response?, any Error>>

  /// A request of a page.
  private struct Attempt {
    let number: Int
    let request: Request
    /// The promise of the response, which is set after the request has been started.
    var promise: NetworkPromise?
  }

  private struct State {
    /// The pages that the consumer has not taken.
    var ready = FIFO<Response>()
    var readyCount = 0
    /// The end of the sequence after the ready pages.
    var end: Result<Void, any Error>?
    /// The error of the last request after the ready pages, which the consumer has not received.
    var failure: (any Error)?
    var consumer: Consumer?
    /// The request of the next page, unless it is in progress.
    var next: Request?
    /// Whether the next page has been requested without success, so that it is requested on demand only.
    var isRepeated = false
    /// The attempt in progress.
    ///
    /// The result of an attempt that is not in progress any more is ignored.
    var attempt: Attempt?
    /// The number of attempts.
    var attemptCount = 0
    /// Whether a call of `startNext` is in its loop, possibly in an outer frame of the same thread.
    var isStarting = false
    /// The number of pages that have been received.
    var receivedCount = 0
    var visited = VisitedPages()
    /// The sessions of all pages, after the first one was requested.
    var sessions: CallSessions?

    /// Takes the request to start now, if there is one.
    ///
    /// - Parameters:
    ///   - walk: The walk, which limits the pages that are requested ahead.
    ///   - isStarter: Whether the caller is in its loop.
    /// - Returns: The request as the attempt in progress, or `nil`.
    mutating func startAttempt(_ walk: PageWalk, by isStarter: Bool) -> Attempt? {
      guard isStarter || !isStarting else { return nil }
      guard end == nil, failure == nil, attempt == nil,
        consumer != nil || (readyCount < walk.ahead && !isRepeated), let next
      else {
        isStarting = false
        return nil
      }
      isStarting = true
      self.next = nil
      attemptCount += 1
      attempt = Attempt(number: attemptCount, request: next)
      return attempt
    }

    /// Ends the attempt in progress without a page, so that the page is requested again on demand.
    ///
    /// - Returns: The promise of the attempt.
    mutating func withdrawAttempt() -> NetworkPromise? {
      guard let withdrawn = attempt.take() else { return nil }
      next = withdrawn.request
      isRepeated = true
      return withdrawn.promise
    }

    /// Takes the next result for the consumer, if there is one.
    mutating func takeResult() -> Result<Response?, any Error>? {
      if let response = ready.popFirst() {
        readyCount -= 1
        return .success(response)
      }
      // An error is thrown once.
      if let failure = failure.take() { return .failure(failure) }
      guard let end else { return nil }
      if case .failure = end { self.end = .success(()) }
      return end.map { nil }
    }
  }

  private let walk: PageWalk
  /// The origin of the first page.
  private let home = Mutex<Origin?>(nil)
  private let state: Mutex<State>

  init(_ walk: PageWalk) {
    self.walk = walk
    var state = State()
    if walk.limit > 0 {
      do {
        let first = try walk.first()
        state.next = first
        state.visited.insert(first)
      } catch {
        state.end = .failure(error)
      }
    } else {
      state.end = .success(())
    }
    self.state = Mutex(state)
  }

  /// Whether a further call of ``next(isolation:)`` can return a page or throw an error of the walk.
  var hasNext: Bool {
    state.withLock { state in
      if case .success? = state.end { return state.readyCount > 0 || state.failure != nil }
      return true
    }
  }

  /// Returns the next page, or `nil` after the last one.
  func next(isolation actor: isolated (any Actor)?) async throws -> Response? {
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      return try await Consumer.wait(isolation: actor) { consumer in
        let result = state.withLock { state -> Result<Response?, any Error>? in
          if let result = state.takeResult() { return result }
          guard state.consumer == nil else { return .failure(Self.concurrentRead) }
          // The handler of a cancellation may have run before.
          guard !Task.isCancelled else { return .failure(CancellationError()) }
          state.consumer = consumer
          return nil
        }
        if let result { consumer.resume(returning: result) }
        startNext()
      }.get()
    } onCancel: {
      cancelConsumer()
    }
  }

  /// Cancels the call of the consumer that waits for a page, and the request of the page.
  private func cancelConsumer() {
    let (promise, consumer) = state.withLock { state -> (NetworkPromise?, Consumer?) in
      guard let consumer = state.consumer.take() else { return (nil, nil) }
      return (state.withdrawAttempt(), consumer)
    }
    promise?.cancel()
    consumer?.resume(returning: .failure(CancellationError()))
  }

  /// Cancels the current request, ends the sequence, and requests no other page.
  func stop() {
    let (promise, consumer) = state.withLock { state in
      state.end = .success(())
      state.failure = nil
      state.ready = FIFO()
      state.readyCount = 0
      return (state.attempt.take()?.promise, state.consumer.take())
    }
    promise?.cancel()
    consumer?.resume(returning: .failure(CancellationError()))
  }

  private static var concurrentRead: NetworkError {
    NetworkError(
      .alreadyRead, "the pages are being read by another task, and can be read only by one")
  }

  /// Starts the requests that are due.
  ///
  /// A response can arrive before its request has been started, for example from memory. A loop instead
  /// of a recursion keeps the stack small.
  private func startNext() {
    var isStarter = false
    while let attempt = state.withLock({ $0.startAttempt(walk, by: isStarter) }) {
      isStarter = true
      start(attempt)
    }
  }

  private func start(_ attempt: Attempt) {
    // The attempts follow one another.
    let sessions = state.withLock { $0.sessions } ?? walk.sessions()
    state.withLock { $0.sessions = sessions }
    let promise = walk.start(attempt.request, sessions) { [self] in prepare($0) }
    let isWithdrawn = state.withLock { state in
      guard state.attempt?.number == attempt.number else { return true }
      state.attempt?.promise = promise
      return false
    }
    promise.parse { [self] response in receive(response, of: attempt) }
      .fail(on: .inline, policy: .allErrors) { [self] error in fail(attempt, error) }
    if isWithdrawn { promise.cancel() }
  }

  /// Removes the secrets and the client certificate from a request to an origin other than that of
  /// the first page.
  private func prepare(_ request: HTTPRequest) -> HTTPRequest {
    let origin = Origin(request.url)
    let isHome = home.withLock { home in
      if home == nil { home = origin }
      return home == origin
    }
    guard !isHome else { return request }
    var request = request
    request.withholdSecrets()
    return request
  }

  private func receive(_ response: Response, of attempt: Attempt) {
    let number = state.withLock { $0.receivedCount } + 1
    var next: Request?
    var end: Result<Void, any Error>?
    do {
      if number < walk.limit {
        let page = Page(number: number, request: attempt.request, response: response)
        next = try walk.rule.next(page).map { try Self.request($0, after: page) }
      }
      if next == nil { end = .success(()) }
    } catch {
      end = .failure(error)
    }
    let consumer = state.withLock { state -> Consumer? in
      guard state.attempt?.number == attempt.number else { return nil }
      state.attempt = nil
      state.isRepeated = false
      state.receivedCount = number
      if number == 1 { state.visited.insert(response.request.url) }
      if let next {
        if state.visited.insert(next) {
          state.next = next
        } else {
          end = .failure(
            NetworkError(.pageLoop, response, "page \(number + 1) has been requested before"))
        }
      }
      state.end = end
      if let consumer = state.consumer.take() { return consumer }
      state.ready.append(response)
      state.readyCount += 1
      return nil
    }
    consumer?.resume(returning: .success(response))
    startNext()
  }

  private func fail(_ attempt: Attempt, _ error: any Error) {
    let consumer = state.withLock { state -> Consumer? in
      guard state.attempt?.number == attempt.number else { return nil }
      _ = state.withdrawAttempt()
      if let consumer = state.consumer.take() { return consumer }
      state.failure = error
      return nil
    }
    consumer?.resume(returning: .failure(error))
  }

  /// Returns the request of the next page.
  private static func request(_ next: PageRule.Next, after page: Page) throws -> Request {
    switch next {
    case .request(let request): return request
    case .parameters(let parameters): return page.request.with(.parameters(parameters))
    case .url(let text):
      var components = URL(reference: text, relativeTo: page.response.url).flatMap {
        URLComponents(url: $0, resolvingAgainstBaseURL: true)
      }
      components?.fragment = nil
      guard let url = components?.url, Origin(url) != nil else {
        throw NetworkError(.malformedResponse, page.response, "the next page has no valid URL")
      }
      guard url.scheme == "https" || page.response.url.scheme != "https" else {
        throw NetworkError(
          .redirectRefused, page.response, "the next page leads from https to http")
      }
      var request = page.request
      request.path = RequestPath(raw: url.absoluteString)
      // The URL has the whole query.
      if request.payload != nil
        || (request.contentType ?? .standard(for: request.method)) == .query
      {
        request.parameters = nil
      }
      return request
    }
  }
}

/// The pages that have been requested.
///
/// Only their hash values are kept, so that long lists need little memory. Two pages of a list of a
/// million have equal values with a probability below 1 in 10 million.
private struct VisitedPages {
  private var hashes: Set<Int> = []

  /// Adds the request of a page.
  ///
  /// - Returns: Whether the page has not been requested before.
  @discardableResult
  mutating func insert(_ request: Request) -> Bool {
    // An absolute URL is also that of a response.
    if let url = URL(reference: request.path.text), Origin(url) != nil, request.parameters == nil,
      request.payload == nil
    {
      return hashes.insert(url.absoluteString.hashValue).inserted
    }
    return hashes.insert(request.hashValue).inserted
  }

  mutating func insert(_ url: URL) {
    hashes.insert(url.absoluteString.hashValue)
  }
}
