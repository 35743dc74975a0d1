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
    case streaming(StreamingBody)
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
    if case .streaming(let streaming) = storage.content {
      return ResponseBytes(source: .streaming(streaming))
    }
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

extension Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Status and request, without secrets: `200 GET https://api.example.com/v1/boards`.
  public var description: String { "\(status) \(request)" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// What there is to see without secrets: header fields masked, of the body its size.
  public var customMirror: Mirror {
    let body =
      switch content {
      case .memory(let data): "\(data.count) bytes"
      case .file(let url): "file \(url.path)"
      case .streaming: "on its way"
      }
    return Mirror(
      self,
      children: [
        "head": head, "body": body, "request": request, "metrics": metrics, "attempts": attempts,
      ])
  }
}

/// What comes before a response's body: the status and the header fields.
public struct HTTPResponseHead: Sendable, Hashable {
  /// The status code, 200 to 599 and whatever else a server sends in three digits; interim responses,
  /// 1xx, are for the transport and not reported.
  public var status: Int
  /// The version spoken, `1.0`, `1.1`, `2` or `3`.
  public var version: String
  /// The header fields in the order received.
  ///
  /// A transport that decodes the body leaves `Content-Encoding` and `Content-Length` as the server
  /// sent them.
  public var headers: HTTPHeaders

  /// Makes a head.
  ///
  /// - Parameters:
  ///   - status: the status code.
  ///   - version: the version spoken.
  ///   - headers: the header fields.
  public init(status: Int, version: String = "1.1", headers: HTTPHeaders = [:]) {
    self.status = status
    self.version = version
    self.headers = headers
  }
}

/// One time that a request was sent, or tried to be, in the course of a call.
public struct Attempt: Sendable {
  /// What came of it.
  public enum Outcome: Sendable {
    /// A response of this status.
    case status(Int)
    /// This error, and no response.
    case failure(any Error)
    /// Nothing yet, when the call ended.
    case unfinished
  }

  /// Its number in the call, from 1.
  public let number: Int
  /// How long was waited before it; nothing before the first.
  public let delay: Duration
  /// How long it took, without ``delay``.
  public let duration: Duration
  /// What came of it.
  public let outcome: Outcome

  /// Makes an account of an attempt, for tests and for interceptors that answer themselves.
  ///
  /// - Parameters:
  ///   - number: its number in the call, from 1.
  ///   - delay: how long was waited before it.
  ///   - duration: how long it took.
  ///   - outcome: what came of it.
  public init(
    number: Int, delay: Duration = .zero, duration: Duration = .zero, outcome: Outcome
  ) {
    self.number = number
    self.delay = delay
    self.duration = duration
    self.outcome = outcome
  }
}
