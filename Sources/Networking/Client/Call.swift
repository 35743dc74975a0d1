import Foundation
import Promises

/// One request of a client whose turn has come, with all that was in force when it was made.
struct Call: Sendable {
  let request: Request
  /// The endpoint's own header fields and base URL.
  let headers: HTTPHeaders
  let baseURL: URL?
  let settings: NetworkingSettings
  let configuration: NetworkingConfiguration
  let baseURLs: BaseURLCache
  let pipeline: Pipeline
  let transport: any Transport
  let delivery: Delivery
  /// Tells those who watch; nil when nobody does.
  let events: CallEvents?
  /// The endpoint's own; nil leaves it to the client.
  let retry: RetryPolicy?
  let credentialSource: any CredentialSource

  /// Waits for the middleware, builds the request and sends it on its way.
  func start() -> NetworkPromise {
    guard let events else { return begin() }
    return events.watching(begin)
  }

  private func begin() -> NetworkPromise {
    guard let middleware = settings.middleware else { return firstly { try send() } }
    return middleware(request).then(on: .inline) { try send() }
  }

  private func send() throws -> NetworkPromise {
    let base = try (settings.baseURL() ?? baseURL).map { try baseURLs.baseURL($0) }
    let builder = RequestBuilder(
      baseURL: base, headers: configuration.headers, encoders: configuration.encoders,
      connectTimeout: configuration.connectTimeout, idleTimeout: configuration.idleTimeout)
    let built = try builder.build(request, endpointHeaders: headers)
    let processed = try settings.preProcessRequest?(built) ?? built
    return pipeline.send(
      Exchange(
        processed, timeout: request.timeout, credentials: settings.credentials,
        credentialSource: credentialSource, isIntercepted: request.isIntercepted, retry: retry,
        interceptors: settings.interceptors, delivery: delivery, telling: events,
        over: transport))
  }
}
