import CatenaSystem
public import Foundation
public import Promises

/// A promise of a response, the result of each request.
public typealias NetworkPromise = Promise<Response>

/// The response of a server.
///
/// The body is in ``data``, with two exceptions for a 2xx status: the body of a download is in
/// ``file``, and a streaming body arrives in ``bytes``.
///
/// A response is a value. Copies share their storage.
public struct Response: Sendable {
  /// The location of the body.
  enum Content: Sendable {
    case memory(Data)
    case file(URL)
    case streaming(StreamingBody)
  }

  private struct Parts: Sendable {
    let head: HTTPResponseHead
    let content: Content
    let request: HTTPRequest
    let metrics: TransportMetrics
    var attempts: [Attempt]
    let trailers: HTTPHeaders
    let provenance: Provenance
    var statusCheck: StatusCheck?
  }

  // A single reference, so that passing a response from one promise to another is cheap.
  private var storage: CopyOnWrite<Parts>

  /// Creates a response, for tests and for interceptors that return their own responses.
  ///
  /// - Parameters:
  ///   - head: The status and the header fields.
  ///   - data: The body.
  ///   - request: The request, as it was sent.
  ///   - metrics: The metrics of the exchange.
  ///   - attempts: The attempts of the call if there were several. The last one produced this
  ///     response.
  ///   - trailers: The fields after the body.
  public init(
    head: HTTPResponseHead, data: Data = Data(), request: HTTPRequest,
    metrics: TransportMetrics = TransportMetrics(), attempts: [Attempt] = [],
    trailers: HTTPHeaders = [:]
  ) {
    self.init(head, .memory(data), to: request, metrics, attempts, trailers: trailers)
  }

  init(
    _ head: HTTPResponseHead, _ content: Content, to request: HTTPRequest,
    _ metrics: TransportMetrics = TransportMetrics(), _ attempts: [Attempt] = [],
    trailers: HTTPHeaders = [:], from provenance: Provenance = Provenance()
  ) {
    var (head, trailers) = (head, trailers)
    if !request.attributes.isEmpty {
      let names = request.attributes.secretNames
      (head.headers.secretNames, trailers.secretNames) = (names, names)
    }
    storage = CopyOnWrite(
      Parts(
        head: head, content: content, request: request, metrics: metrics, attempts: attempts,
        trailers: trailers, provenance: provenance))
  }

  /// Creates a response whose body is in a file.
  package init(
    _ head: HTTPResponseHead, file: URL, to request: HTTPRequest, _ metrics: TransportMetrics,
    trailers: HTTPHeaders = [:]
  ) {
    self.init(head, .file(file), to: request, metrics, trailers: trailers)
  }

  /// Suspends or resumes the connection of a streaming body.
  package func setHeld(_ isHeld: Bool) {
    if case .streaming(let streaming) = content { streaming.source.setHeld(isHeld) }
  }

  var content: Content { storage.value.content }

  /// The status code.
  public var status: Int { storage.value.head.status }

  /// The header fields, in the order in which they were received.
  public var headers: HTTPHeaders { storage.value.head.headers }

  /// The header fields after the body, in the order in which they were received.
  ///
  /// They are separate from ``headers``. Those of a streaming body may be missing until ``bytes`` has
  /// been read to its end. ``URLSessionTransport`` does not deliver them.
  ///
  /// Source: RFC 9110 section 6.5.
  public var trailers: HTTPHeaders {
    if case .streaming(let streaming) = storage.value.content { return streaming.source.trailers }
    return storage.value.trailers
  }

  /// The status, the version and the header fields.
  public var head: HTTPResponseHead { storage.value.head }

  /// The body after content decoding.
  ///
  /// Empty if there is no body, or if it is not in memory.
  public var data: Data {
    if case .memory(let data) = storage.value.content { data } else { Data() }
  }

  /// The file of a downloaded body.
  ///
  /// `nil` if the body is not in a file.
  public var file: URL? { if case .file(let url) = storage.value.content { url } else { nil } }

  /// The body as a sequence of pieces: a streaming body as it arrives, otherwise ``data``.
  public var bytes: ResponseBytes { ResponseBytes(content: content) }

  /// The request as it was sent, after redirects.
  public var request: HTTPRequest { storage.value.request }

  /// The URL of the response, after redirects.
  public var url: URL { storage.value.request.url }

  /// The client's decoder for JSON bodies, which `decode` uses unless it is given another one.
  ///
  /// This is ``NetworkingConfiguration/decoder``, or a `JSONDecoder` with default settings. It must
  /// not be modified. A ``ResponseSerializing`` type can use it.
  public var decoder: JSONDecoder { request.attributes[DecoderKey.self] }

  /// The metrics of the last hop.
  ///
  /// The metrics of a streaming response do not include the body.
  public var metrics: TransportMetrics { storage.value.metrics }

  /// The attempts of the call, of which the last one produced this response.
  ///
  /// Empty if there was only one.
  public var attempts: [Attempt] { storage.value.attempts }

  /// Returns the response with the attempts of its call.
  package func after(_ attempts: [Attempt]) -> Response {
    copy(of: self) { ($0.storage.value.attempts, $0.storage.value.statusCheck) = (attempts, nil) }
  }

  /// The check of the status, if it is not 2xx and the call is logged.
  package var statusCheck: StatusCheck? { storage.value.statusCheck }

  /// Returns the response with a check of its status.
  func withStatusCheck(_ check: StatusCheck) -> Response {
    copy(of: self) { $0.storage.value.statusCheck = check }
  }

  /// Whether the status is 2xx.
  var hasSuccessStatus: Bool { (200..<300).contains(status) }

  /// Whether the rest of the body was discarded.
  var isTruncated: Bool { storage.value.provenance.isTruncated }

  /// The source of the response: the network, or a cache.
  ///
  /// A mock or a recording counts as the network.
  public var source: Source { storage.value.provenance.source }

  /// The age of a response from a cache, the time since the server has made or confirmed it.
  ///
  /// `nil` if ``source-swift.property`` is `network`. Source: RFC 9111 section 4.2.3.
  public var age: Duration? { storage.value.provenance.age }

  /// The time at which a response from a cache was received, or validated for the last time.
  ///
  /// `nil` if ``source-swift.property`` is `network`.
  public var storedAt: Date? { storage.value.provenance.storedAt }

  /// The media type of the `Content-Type` field.
  ///
  /// `nil` if the field is missing or malformed.
  public var contentType: MediaType? { headers["Content-Type"].flatMap(MediaType.init(_:)) }
}

extension Response {
  /// The source of a response.
  public enum Source: Sendable, Hashable {
    /// The server has sent the response for this request.
    case network
    /// The response is from a cache, and fresh.
    case cache
    /// The response is from a cache, and the server has confirmed for this request that it has not
    /// changed.
    case revalidated
    /// The response is from a cache, and may be out of date.
    case stale(StaleReason)
  }

  /// The reason why a stale response is served.
  public enum StaleReason: String, Sendable, Hashable {
    /// The request or its policy accepts a stale response.
    case allowed
    /// The response is validated in the background, as its server allows with
    /// `stale-while-revalidate`.
    case revalidating
    /// The server has failed, and it or the request allows a stale response with `stale-if-error`.
    case error
    /// There is no network.
    case offline
  }

  /// The source of a response, and the times of a stored one.
  struct Provenance: Sendable {
    var source = Source.network
    var age: Duration?
    var storedAt: Date?
    /// Whether the rest of the body was discarded.
    var isTruncated = false
  }
}

extension Response.Source: CustomStringConvertible {
  /// A short text, such as `revalidated` or `stale (offline)`.
  public var description: String {
    switch self {
    case .network: "network"
    case .cache: "cache"
    case .revalidated: "revalidated"
    case .stale(let reason): "stale (\(reason.rawValue))"
    }
  }
}

extension Response: BrieflyDescribed {
  /// The status and the request, without secrets: `200 GET https://api.example.com/v1/boards`.
  public var description: String { "\(status) \(request)" }

  /// The members without secrets: masked header fields, and the size of the body.
  public var customMirror: Mirror {
    let body =
      switch content {
      case .memory(let data): "\(data.count) bytes"
      case .file(let url): "file \(url.path)"
      case .streaming: "streaming"
      }
    return Mirror(
      self,
      children: [
        "head": head, "body": body, "trailers": trailers, "request": request, "metrics": metrics,
        "attempts": attempts, "source": source,
      ])
  }
}

/// The check of a status other than 2xx, which the caller should make before the body is decoded.
package final class StatusCheck: Sendable {
  private let isDone = Atomic(false)
  private let report: @Sendable () -> Void

  /// - Parameter report: The closure that reports a body that is decoded without the check.
  init(report: @escaping @Sendable () -> Void) { self.report = report }

  /// Records that the status has been validated.
  func pass() { isDone.store(true, ordering: .relaxed) }

  /// Reports that the body has been decoded, at most once and unless the status has been validated.
  package func noteDecoding() {
    if !isDone.exchange(true, ordering: .relaxed) { report() }
  }
}
