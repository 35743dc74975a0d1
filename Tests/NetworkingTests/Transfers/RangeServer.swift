import CatenaSystem
import Foundation
import Networking
import TestSupport

/// A server in memory with one file, of which it sends ranges by RFC 9110.
final class RangeServer: Sendable {
  /// The response to one request.
  enum Step: Sendable {
    /// The file, or the requested range.
    case serve
    /// The same, but the connection is lost after some bytes of the body.
    case lose(after: Int)
    /// The same, but nothing follows after some bytes of the body.
    case hang(after: Int)
    /// The same of another file, which replaces the file.
    case change(Data, tag: String?)
    /// The whole file, whatever the request asks for.
    case ignoreRange
    /// Any events.
    case events([TransportEvent])
    /// The range, with other header fields.
    case serveWith(HTTPHeaders)
  }

  private struct State: Sendable {
    var content: Data
    var fields: HTTPHeaders
    var steps: [Step]
  }

  private final class Storage: Sendable {
    let state: Mutex<State>

    init(_ state: State) {
      self.state = Mutex(state)
    }
  }

  let transport: FakeTransport
  let content: Data

  /// - Parameters:
  ///   - content: The file.
  ///   - fields: The header fields of its responses.
  ///   - steps: The first responses. The others are ``Step/serve``.
  init(_ content: Data, fields: HTTPHeaders = ["ETag": "\"one\""], _ steps: Step...) {
    self.content = content
    let storage = Storage(State(content: content, fields: fields, steps: steps))
    transport = FakeTransport { request in
      storage.state.withLock { state in
        let step = state.steps.isEmpty ? Step.serve : state.steps.removeFirst()
        return Self.events(step, request, &state)
      }
    }
  }

  /// The `Range` fields of the requests.
  var ranges: [String?] { transport.requests.map { $0.headers["Range"] } }

  private static func events(
    _ step: Step, _ request: HTTPRequest, _ state: inout State
  ) -> [TransportEvent] {
    if case .events(let events) = step { return events }
    if case .change(let content, let tag) = step {
      state.content = content
      state.fields["ETag"] = tag
    }
    var fields = state.fields
    var request = request
    if case .ignoreRange = step { request.headers["Range"] = nil }
    var status = 200
    var bytes = 0..<state.content.count
    let condition = request.headers["If-Range"]
    let isCurrent =
      condition == nil || condition == fields["ETag"]
      || condition == fields["Last-Modified"]
    if isCurrent, let range = request.headers["Range"] {
      let ends = range.dropFirst("bytes=".count).split(
        separator: "-", omittingEmptySubsequences: false)
      let first = Int(ends[0]) ?? 0
      let last = min(Int(ends[1]) ?? .max, state.content.count - 1)
      guard first <= last else {
        fields["Content-Range"] = "bytes */\(state.content.count)"
        return [.head(HTTPResponseHead(status: 416, headers: fields)), .end(TransportMetrics())]
      }
      status = 206
      bytes = first..<(last + 1)
      fields["Content-Range"] = "bytes \(first)-\(last)/\(state.content.count)"
    }
    fields["Content-Length"] = String(bytes.count)
    if case .serveWith(let others) = step {
      for field in others { fields[field.name] = field.value.isEmpty ? nil : field.value }
    }
    let body = state.content[bytes]
    let head = TransportEvent.head(HTTPResponseHead(status: status, headers: fields))
    switch step {
    case .lose(let count):
      let failure = TransportEvent.failure(TransportFailure(code: .connectionLost))
      return [head] + (count > 0 ? [.body(body.prefix(count))] : []) + [failure]
    case .hang(let count): return [head, .body(body.prefix(count))]
    default: return [head] + (body.isEmpty ? [] : [.body(body)]) + [.end(TransportMetrics())]
    }
  }
}

extension RangeServer {
  /// Returns a client of the server.
  func client(_ retry: RetryPolicy = .never) -> Networking<Request> {
    let client = Networking<Request>(
      transport: transport, retry: retry, configuration: .plain)
    client.callbackContext = .inline
    client.baseURL = .of("http://films.example/")
    return client
  }
}
