import Foundation

/// What two requests have to have in common to be one exchange.
///
/// It holds credentials, so nothing of it but the method and the redacted URL is ever shown.
struct SharingKey: Hashable, Sendable {
  /// Fields that number or trace a request and change nothing about its answer.
  ///
  /// Source: W3C Trace Context; the others are custom of long standing.
  private static let tracing = ["traceparent", "tracestate", "X-Request-ID", "X-Correlation-ID"]

  /// Without the fields that only trace it.
  private let request: HTTPRequest
  /// Where they go on a redirect is the same too, so they count whatever the origin of the request.
  private let credentials: NetworkingSettings.Credentials?
  private let supplier: TransportSupplier
  /// What a token's refresh asks for must not wait for an exchange that waits for the refresh.
  private let isIntercepted: Bool
  /// Policies cannot be compared.
  private let bringsRetryPolicy: Bool
  /// Of what differs most, taken once: fields are compared, but seldom tell two requests apart.
  private let hash: Int

  /// The key of an exchange; nil when it is one that is never shared.
  init?(_ exchange: Exchange) {
    guard [.get, .head].contains(exchange.request.method), exchange.call.delivery.isToMemory,
      case .none = exchange.request.body
    else { return nil }
    var request = exchange.request
    for name in Self.tracing where request.headers.contains(name) { request.headers.remove(name) }
    self.request = request
    credentials = exchange.credentials
    supplier = exchange.call.supplier
    isIntercepted = exchange.isIntercepted
    bringsRetryPolicy = exchange.call.retry != nil
    var hasher = Hasher()
    hasher.combine(request.method)
    hasher.combine(request.url)
    hasher.combine(request.headers["Authorization"])
    hasher.combine(credentials?.value)
    hash = hasher.finalize()
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(hash)
  }
}

extension SharingKey: CustomStringConvertible, CustomReflectable {
  var description: String { "\(request.method) \(Redaction.url(request.url.absoluteString))" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
