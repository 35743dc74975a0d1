import Foundation
import Promises

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A promise of a response: what every request answers with at first.
public typealias NetworkPromise = Promise<Response>

/// What a server answered.
///
/// Its body is in ``data``, but for two cases, both of a status that says success, 2xx: a download's is in
/// ``file``, and a stream's is still on its way and comes by ``bytes``.
///
/// It is a value; copies share their storage.
public struct Response: Sendable {
  /// Where the body is.
  enum Content: Sendable {
    case memory(Data)
    case file(URL)
    case live(LiveBytes)
  }

  private final class Storage: Sendable {
    let head: HTTPResponseHead
    let content: Content
    let request: HTTPRequest
    let metrics: TransportMetrics
    let attempts: [Attempt]

    init(
      head: HTTPResponseHead, content: Content, request: HTTPRequest, metrics: TransportMetrics,
      attempts: [Attempt]
    ) {
      self.head = head
      self.content = content
      self.request = request
      self.metrics = metrics
      self.attempts = attempts
    }
  }

  // One word, so that handing it from promise to promise moves no more than that.
  private let storage: Storage

  /// Makes a response, for tests and for interceptors that answer themselves.
  ///
  /// - Parameters:
  ///   - head: the status and header fields.
  ///   - data: the body.
  ///   - request: what it answers, as sent.
  ///   - metrics: how long it took.
  ///   - attempts: what came of each of several attempts, this one the last.
  public init(
    head: HTTPResponseHead, data: Data = Data(), request: HTTPRequest,
    metrics: TransportMetrics = TransportMetrics(), attempts: [Attempt] = []
  ) {
    self.init(head, .memory(data), to: request, metrics, attempts)
  }

  init(
    _ head: HTTPResponseHead, _ content: Content, to request: HTTPRequest,
    _ metrics: TransportMetrics = TransportMetrics(), _ attempts: [Attempt] = []
  ) {
    storage = Storage(
      head: head, content: content, request: request, metrics: metrics, attempts: attempts)
  }

  var content: Content { storage.content }

  /// The status code.
  public var status: Int { storage.head.status }

  /// The header fields in the order received.
  public var headers: HTTPHeaders { storage.head.headers }

  /// The status, the version and the header fields.
  public var head: HTTPResponseHead { storage.head }

  /// The body, decoded from any content coding; empty when there was none, or it is not in memory.
  public var data: Data {
    if case .memory(let data) = storage.content { data } else { Data() }
  }

  /// Where a download put the body; nil when it is not in a file.
  public var file: URL? {
    if case .file(let url) = storage.content { url } else { nil }
  }

  /// The body in pieces: of a stream as they come, otherwise ``data``.
  public var bytes: ResponseBytes {
    if case .live(let live) = storage.content { return ResponseBytes(source: .live(live)) }
    return ResponseBytes(source: .memory(data))
  }

  /// The request that it answers, as it was sent: the last one, after redirects.
  public var request: HTTPRequest { storage.request }

  /// Where it came from: the last URL, after redirects.
  public var url: URL { storage.request.url }

  /// How long the parts of the last hop took; nothing yet of a body that is still on its way.
  public var metrics: TransportMetrics { storage.metrics }

  /// What came of each attempt, this response's the last; empty when there was but one.
  public var attempts: [Attempt] { storage.attempts }

  /// The same response at the end of a call of several attempts.
  func after(_ attempts: [Attempt]) -> Response {
    Response(head, content, to: request, metrics, attempts)
  }

  /// The media type of the body as the server names it; nil when it names none or nonsense.
  public var contentType: MediaType? {
    headers["Content-Type"].flatMap(MediaType.init(_:))
  }

  /// The same as Foundation's class, made anew each time it is asked for.
  ///
  /// Several values of a name are joined there, as that class has it. Nil when Foundation refuses.
  public var httpURLResponse: HTTPURLResponse? {
    var fields: [String: String] = [:]
    for field in headers {
      fields[field.name] = fields[field.name].map { "\($0), \(field.value)" } ?? field.value
    }
    return HTTPURLResponse(
      url: url, statusCode: status, httpVersion: "HTTP/\(head.version)", headerFields: fields)
  }
}
