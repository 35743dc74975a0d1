import Foundation
import Promises

/// One request of a client whose turn has come, with all that was in force when it was made.
final class Call: Sendable {
  private let request: Request
  private let headers: HTTPHeaders
  private let baseURL: URL?
  private let snapshot: NetworkingSettings.Snapshot
  private let plan: CallPlan
  private let transport: any Transport
  private let supplier: TransportSupplier
  private let delivery: Delivery
  private let retry: RetryPolicy?
  private let credentialSource: any CredentialSource
  private let offline: OfflineRole?
  /// Taken where the request is made, as it may be sent elsewhere.
  private let refresh = RefreshRound.current
  private let events: CallEvents?

  /// Makes a call.
  ///
  /// - Parameters:
  ///   - request: what to ask for.
  ///   - headers: the endpoint's own header fields.
  ///   - baseURL: the endpoint's own.
  ///   - snapshot: what of the client was in force.
  ///   - plan: what all calls of the client have in common.
  ///   - transport: what performs it.
  ///   - supplier: who says that it is this transport.
  ///   - delivery: what becomes of the body of the response.
  ///   - retry: the endpoint's own policy; nil leaves it to the client.
  ///   - credentialSource: who knows what credentials are in force later.
  ///   - offline: what it has to do with an offline store; nil is nothing.
  ///   - events: tells those who watch; nil when nobody does.
  init(
    request: Request, headers: HTTPHeaders, baseURL: URL?, snapshot: NetworkingSettings.Snapshot,
    plan: CallPlan, transport: any Transport, supplier: TransportSupplier, delivery: Delivery,
    retry: RetryPolicy?, credentialSource: any CredentialSource, offline: OfflineRole? = nil,
    telling events: CallEvents? = nil
  ) {
    self.request = request
    self.headers = headers
    self.baseURL = baseURL
    self.snapshot = snapshot
    self.plan = plan
    self.transport = transport
    self.supplier = supplier
    self.delivery = delivery
    self.retry = retry
    self.credentialSource = credentialSource
    self.offline = offline
    self.events = events
  }

  /// Waits for the middleware, builds the request and sends it on its way.
  func start() -> NetworkPromise {
    guard let events else { return begin() }
    return events.watching(begin)
  }

  private func begin() -> NetworkPromise {
    guard let middleware = snapshot.settings.middleware else {
      return firstly { try send(after: .zero) }
    }
    return gate(middleware).then(on: .inline) { waited in try self.send(after: waited) }
  }

  /// The middleware's promise, of how long it took; without a network for that, the request is kept as without
  /// one for itself.
  private func gate(_ middleware: (Request) -> Promise<Void>) -> Promise<Duration> {
    let waited = waiting(for: middleware)
    guard case .keeping(var capture) = offline else { return waited }
    capture.baseURL = snapshot.settings.baseURL() ?? baseURL
    return capture.keeping(waited, as: UUID().uuidString)
  }

  /// Waits for the middleware no longer than the call may take, as one that never settled its promise would
  /// keep its turn for ever.
  private func waiting(for middleware: (Request) -> Promise<Void>) -> Promise<Duration> {
    let scheduler = plan.scheduler
    let start = scheduler.now
    let gate = middleware(request)
    guard let limit = request.timeout ?? plan.callTimeout else {
      return gate.then(on: .inline) { Duration.zero }
    }
    let request = request
    return gate.timeout(limit, scheduler: scheduler) {
      Self.overdue(request, "the middleware has not called back")
    }
    .then(on: .inline) {
      let waited = scheduler.now - start
      guard waited < limit else {
        throw Self.overdue(request, "the middleware has taken all of it")
      }
      return waited
    }
  }

  private static func overdue(_ request: Request, _ reason: String) -> NetworkError {
    NetworkError(.timedOut(.call), reason, request: NetworkError.RequestSummary(request))
  }

  private func send(after waited: Duration) throws -> NetworkPromise {
    let url = snapshot.settings.baseURL() ?? baseURL
    let processed = try plan.wireRequest(
      of: request, headers: headers, baseURL: url, preProcess: snapshot.settings.preProcessRequest)
    var offline = offline
    if case .keeping(var capture) = offline {
      capture.baseURL = url
      offline = .keeping(capture)
    }
    let context = CallContext(
      timeout: request.timeout, after: waited, credentialSource: credentialSource,
      isIntercepted: request.isIntercepted, refresh: refresh, isShared: request.isShared,
      offline: offline,
      retry: retry, interceptors: snapshot.settings.interceptors,
      hopInterceptors: snapshot.settings.hopInterceptors,
      delivery: delivery, supplier: supplier, over: transport, trace: CallTrace(telling: events))
    return plan.pipeline.send(
      Exchange(processed, credentials: snapshot.settings.credentials, of: context))
  }
}
