import CatenaAdapterSupport
public import Foundation
public import Networking
public import Promises
public import Tracing

/// An interceptor that records each hop of a client as a span of a tracer, and sends the context of the span.
///
/// ```swift
/// networking.addTracing()
/// ```
///
/// ``Networking/Networking/addTracing(by:origins:)`` adds it, and remembers the context in which each call is made.
///
/// - **Spans.** Each attempt and each redirect is a `client` span with the attributes of the semantic conventions. Its
///   parent is the span in which the call was made. The span of a stream ends when the head has arrived. A response
///   that the cache provides has no span.
/// - **Context.** The instrument writes the fields, such as `traceparent`, unless the request has them. They are sent to
///   the origin of the client's base URL and to the listed ones only.
/// - **Errors.** A status from 400 on and a failure set the status of the span. A cancelled hop has the attribute
///   `error.type`, but no status.
///
/// Source: OpenTelemetry semantic conventions, "Semantic conventions for HTTP spans".
public struct TracingInterceptor: Interceptor {
  private let tracer: (any Tracer)?
  private let origins: Set<Origin>
  private let baseURL: @Sendable () -> URL?

  /// Creates an interceptor for the level `hop`.
  ///
  /// - Parameters:
  ///   - tracer: The tracer. `nil` uses the one of the program, `InstrumentationSystem.tracer`, at each hop.
  ///   - origins: The URLs of further origins that receive the context. A URL without a host is ignored.
  ///   - baseURL: A closure that returns the base URL of the client, whose origin receives the context.
  public init(
    tracer: (any Tracer)? = nil, origins: [URL] = [],
    baseURL: @escaping @Sendable () -> URL? = { nil }
  ) {
    self.tracer = tracer
    self.origins = Set(origins.compactMap { Origin($0) })
    self.baseURL = baseURL
  }

  /// Records a hop.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: The promise of `next`.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    let tracer = tracer ?? InstrumentationSystem.tracer
    let context =
      exchange.request.attributes[ServiceContextKey.self] ?? ServiceContext.current ?? .topLevel
    return intercept(exchange, in: context, by: tracer, next: next)
  }

  private func intercept(
    _ exchange: Exchange, in context: ServiceContext, by tracer: some Tracer, next: @escaping Next
  ) -> NetworkPromise {
    var exchange = exchange
    let method = exchange.request.method.knownName
    let span = tracer.startSpan(
      method == "_OTHER" ? "HTTP" : method, context: context, ofKind: .client)
    span.describe(exchange.request)
    if isTrusted(exchange.request.url) {
      for field in tracer.fields(for: span.context)
      where !exchange.request.headers.contains(field.name) {
        exchange.request.headers[field.name] = field.value
      }
    }
    return next(exchange).always(on: .inline) { span.end(with: $0) }
  }

  private func isTrusted(_ url: URL) -> Bool {
    guard let origin = Origin(url) else { return false }
    return origins.contains(origin) || baseURL().flatMap { Origin($0) } == origin
  }
}

extension Networking {
  /// Records each hop of this client as a span of a tracer, and sends the context of the span.
  ///
  /// It adds a ``TracingInterceptor`` inside the other interceptors of the level `hop`, and replaces `beforeEach` by a
  /// hook that first calls the current one. A hook that is set afterwards loses the context of a call that waits in the
  /// queue.
  ///
  /// - Parameters:
  ///   - tracer: The tracer. `nil` uses the one of the program, `InstrumentationSystem.tracer`, at each hop.
  ///   - origins: The URLs of further origins that receive the context. A URL without a host is ignored.
  public func addTracing(by tracer: (any Tracer)? = nil, origins: [URL] = []) {
    let beforeEach = beforeEach
    self.beforeEach = { request in
      var request = beforeEach?(request) ?? request
      let own = request.attributes[ServiceContextKey.self]
      request.attributes[ServiceContextKey.self] = own ?? ServiceContext.current
      return request
    }
    interceptors.append(
      TracingInterceptor(tracer: tracer, origins: origins) { [weak self] in self?.baseURL },
      at: .hop)
  }
}

/// The key of the context in which a call is made.
///
/// The option `.attribute(ServiceContextKey.self, context)` sets the context of one call.
public enum ServiceContextKey: RequestAttributeKey {
  /// No context: the current one of the code that makes the call.
  public static let defaultValue: ServiceContext? = nil
}

extension Span {
  /// Sets the attributes of the request of a hop.
  fileprivate func describe(_ request: HTTPRequest) {
    let summary = NetworkError.RequestSummary(request)
    updateAttributes { attributes in
      attributes["http.request.method"] = request.method.knownName
      attributes["url.full"] = summary.url
      if let origin = Origin(request.url) {
        attributes["server.address"] = origin.host
        attributes["server.port"] = origin.port
      }
    }
  }

  /// Sets the attributes and the status of the result of a hop, and ends the span.
  fileprivate func end(with result: Result<Response, any Error>) {
    switch result {
    case .success(let response):
      updateAttributes { attributes in
        attributes["http.response.status_code"] = response.status
        attributes["network.protocol.version"] = response.head.version
        if response.status >= 400 { attributes["error.type"] = "\(response.status)" }
      }
      if response.status >= 400 { setStatus(SpanStatus(code: .error)) }
    case .failure(let error):
      let code = (error as? NetworkError)?.code
      let isCancelled = error is CancellationError || code == .cancelled
      attributes["error.type"] = isCancelled ? "cancelled" : code?.errorType ?? "\(type(of: error))"
      // The description of the error has no secrets.
      if !isCancelled {
        recordError(error)
        setStatus(SpanStatus(code: .error, message: "\(error)"))
      }
    }
    end()
  }
}
