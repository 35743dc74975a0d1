import CatenaSystem
import Foundation
public import Networking
public import Promises

/// A sender of the webhooks of one server, transport or provider.
///
/// ```swift
/// let delivery = try await server.webhooks.takeDelivery().value
/// #expect(delivery.outcome == .delivered)
/// ```
///
/// A webhook is sent by a client of this library, never on the thread that serves requests. Its
/// delay and the delays of retries pass on the backend's ``Scheduler``. All members may be used from
/// any thread.
///
/// A webhook has the header field `X-Mock-Webhook-Depth`. If a webhook causes another one, the
/// second has the number 2; a chain of more than 8 is refused, so that two backends cannot call each
/// other for ever. At most 1,000 webhooks can wait at the same time.
public final class WebhookSender: Sendable {
  private struct State {
    var journal = WebhookJournal()
    /// The timers and the requests of pending deliveries, by number.
    var activities: [Int: Activity] = [:]
    var transport: (any Transport)?
  }

  private enum Activity {
    case waiting(ScheduledAction)
    case sending(Promise<Response>)
  }

  private let state = Mutex(State())

  init() {}

  /// The transport that sends the webhooks.
  ///
  /// `nil`, the default, uses the transport of the platform. A test without sockets sets a
  /// ``MockTransport``, which receives the webhooks.
  public var transport: (any Transport)? {
    get { state.withLock { $0.transport } }
    set { state.withLock { $0.transport = newValue } }
  }

  /// The records of the deliveries, in the order of the responses.
  ///
  /// At least the latest 1,000 are kept.
  public var deliveries: [WebhookDelivery] { state.withLock { $0.journal.deliveries } }

  /// Takes the next finished delivery that has not been taken, when one is available.
  ///
  /// - Returns: A promise of the delivery. Several promises receive deliveries in the order of the
  ///   calls. It is rejected with ``MockServerError/stopped`` if the server has been stopped.
  public func takeDelivery() -> Promise<WebhookDelivery> {
    WaiterList.promise { resolver in
      state.withLock { $0.journal.take(resolver) }
    } cancel: { [weak self] id in
      let resolver = self?.state.withLock { $0.journal.cancelWaiter(id) }
      withExtendedLifetime(resolver) {}
    }
  }

  // MARK: Starting

  /// Starts the webhooks of a response.
  ///
  /// - Parameters:
  ///   - sources: The webhooks of the mock.
  ///   - request: The request.
  ///   - response: The response.
  ///   - values: The generated values, which include the clock.
  func start(
    _ sources: [WebhookSource], for request: ReceivedRequest,
    after response: WebhookSource.SentResponse, _ values: TemplateValues
  ) {
    for source in sources {
      let cause = "\(request.method) \(Redactor.standard.maskedURL(request.path.text))"
      do {
        guard let webhook = try source.make(request, values, response) else { continue }
        start(webhook, cause, depth: Self.depth(of: request) + 1, values)
      } catch {
        let number = state.withLock { $0.journal.add(Webhook(to: ""), cause: cause) }
        finish(number, .refused(reason: "the webhook cannot be created: \(error)"))
      }
    }
  }

  private func start(_ webhook: Webhook, _ cause: String, depth: Int, _ values: TemplateValues) {
    let (number, isFull, isStopped) = state.withLock { state in
      let isFull = state.journal.pendingCount >= WebhookJournal.limit
      return (state.journal.add(webhook, cause: cause), isFull, state.journal.isStopped)
    }
    if isStopped { return finish(number, .cancelled) }
    if let problem = webhook.problem { return finish(number, .refused(reason: problem)) }
    if depth > Self.maximumDepth {
      return finish(number, .refused(reason: "webhooks cause each other in a loop"))
    }
    if isFull { return finish(number, .refused(reason: "too many webhooks wait")) }
    let attempts = WebhookAttempts(webhook: webhook, depth: depth, number: number, values: values)
    schedule(attempts, after: webhook.delay)
  }

  private static let depthField = "X-Mock-Webhook-Depth"
  private static let maximumDepth = 8

  private static func depth(of request: ReceivedRequest) -> Int {
    let depth = request.headers[depthField].flatMap { Int($0) } ?? 0
    return min(max(depth, 0), maximumDepth)
  }

  // MARK: Attempts

  private func schedule(_ attempts: WebhookAttempts, after delay: Duration) {
    let timer = attempts.values.scheduler.schedule(after: delay) { [weak self] in
      self?.send(attempts)
    }
    let stale = state.withLock { state -> ScheduledAction? in
      if state.journal.isStopped { return timer }
      // The timer may have fired already, and the delivery may have ended.
      guard state.journal.isPending(attempts.number) else { return nil }
      if case .sending = state.activities[attempts.number] { return nil }
      state.activities[attempts.number] = .waiting(timer)
      return nil
    }
    stale?.cancel()
  }

  private func send(_ attempts: WebhookAttempts) {
    guard let url = URL(reference: attempts.webhook.url), !state.withLock({ $0.journal.isStopped })
    else { return }
    let scheduler = attempts.values.scheduler
    let time = scheduler.now
    guard var request = attempts.request(to: url) else {
      return finish(attempts.number, .refused(reason: "the platform has no HMAC-SHA256"))
    }
    request.headers[Self.depthField] = String(attempts.depth)
    let promise = client(on: scheduler).request(request)
    let isStopped = state.withLock { state in
      state.activities[attempts.number] = .sending(promise)
      return state.journal.isStopped
    }
    promise.always(on: .inline) { [weak self] result in
      self?.handle(result, of: attempts, startedAt: time)
    }
    if isStopped { promise.cancel() }
  }

  private func handle(
    _ result: Result<Response, any Error>, of attempts: WebhookAttempts, startedAt time: Duration
  ) {
    var (status, failure): (Int?, NetworkError.Code?)
    switch result {
    case .success(let response): status = response.status
    case .failure(let error):
      if error.isCancellation { return finish(attempts.number, .cancelled) }
      failure = (error as? NetworkError)?.code ?? .connectionLost
    }
    let attempt = WebhookDelivery.Attempt(time: time, status: status, failure: failure)
    state.withLock { state in
      state.journal.record(attempt, of: attempts.number)
      state.activities[attempts.number] = nil
    }
    if let status, (200..<300).contains(status) { return finish(attempts.number, .delivered) }
    // A request that the client rejects would be rejected again.
    let isFinal = [.invalidURL, .invalidHeader, .unsupported].contains(failure)
    guard status.map({ $0 >= 500 }) ?? !isFinal, let next = attempts.next else {
      return finish(attempts.number, .failed)
    }
    schedule(next.attempts, after: next.delay)
  }

  private func finish(_ number: Int, _ outcome: WebhookDelivery.Outcome) {
    let settled = state.withLock { state in
      state.activities[number] = nil
      return state.journal.finish(number, outcome)
    }
    if let settled { settled.waiter.fulfill(settled.delivery) }
  }

  /// Returns a client that sends one webhook.
  private func client(on scheduler: any Scheduler) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.headers = [:]
    configuration.redirects = .refuse
    configuration.cookies = .none
    configuration.retryBudget = nil
    configuration.callTimeout = .seconds(30)
    configuration.maximumBodySize = 1 << 20
    configuration.scheduler = scheduler
    if let transport { return Networking(transport: transport, configuration: configuration) }
    return Networking(configuration: configuration)
  }

  // MARK: Stopping

  /// Cancels all webhooks that have not been delivered, and refuses further ones.
  func stop() {
    let (waiters, activities) = state.withLock { state in
      defer { state.activities = [:] }
      return (state.journal.stop(), state.activities)
    }
    for waiter in waiters { waiter.reject(MockServerError.stopped) }
    for activity in activities.values {
      switch activity {
      case .waiting(let timer): timer.cancel()
      case .sending(let promise): promise.cancel()
      }
    }
  }
}

/// The state of the attempts to send one webhook.
private struct WebhookAttempts: Sendable {
  let webhook: Webhook
  let depth: Int
  let number: Int
  let values: TemplateValues
  /// The number of retries so far.
  var retryCount = 0

  /// Returns the request of an attempt, or `nil` if it cannot be signed.
  func request(to url: URL) -> Request? {
    var request = Request(
      webhook.method, RequestPath(raw: url.absoluteString), headers: webhook.headers)
    if !webhook.body.isEmpty { request.payload = .data(webhook.body) }
    if let signature = webhook.signature {
      guard let fields = signature.fields(for: webhook.body, at: values.now) else { return nil }
      for (name, value) in fields { request.headers[name] = value }
    }
    return request
  }

  /// The next attempt and the delay before it, or `nil` if no retries are left.
  var next: (attempts: WebhookAttempts, delay: Duration)? {
    guard retryCount < webhook.retries else { return nil }
    var next = self
    next.retryCount += 1
    let factor = 1 << min(retryCount, 16)
    return (next, min(max(webhook.backoff, .zero) * factor, max(.seconds(60), webhook.backoff)))
  }
}
