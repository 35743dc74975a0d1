import CatenaSystem
import Foundation
import Mocking
import Networking
import TestSupport

/// A server of the tus protocol in memory, with one upload.
final class TusServer: Sendable {
  /// The response to a PATCH.
  enum Step: Sendable {
    case accept
    /// Some bytes are stored, and the connection is lost.
    case lose(after: Int)
    /// Nothing is stored.
    case refuse(Int)
  }

  private struct State {
    var steps: [Step]
    var content = Data()
    var exists = false
  }

  /// All requests, as `PATCH 5`, with the offset.
  let lines = Log<String>()
  let requests = Log<ReceivedRequest>()
  private let state: Mutex<State>
  /// The `Location` of a new upload.
  ///
  /// `nil` sends none.
  private let location: String?
  /// Fields of the responses that replace the correct ones.
  private let fields: HTTPHeaders

  init(location: String? = "/files/1", fields: HTTPHeaders = [:], _ steps: Step...) {
    self.location = location
    self.fields = fields
    state = Mutex(State(steps: steps))
  }

  /// The stored bytes.
  var content: Data { state.withLock { $0.content } }

  /// Removes the upload.
  func remove() {
    state.withLock { $0.exists = false }
  }

  /// Returns a client of the server.
  func client(
    _ retry: RetryPolicy = .never, _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    change(&configuration)
    let transport = MockTransport {
      Route(nil, "/{all*}") { [self] request in respond(to: request) }
    }
    let client = Networking<Request>(
      transport: transport, retry: retry, configuration: configuration)
    client.callbackContext = .inline
    client.baseURL = .of("https://films.example/")
    return client
  }

  private func respond(to request: ReceivedRequest) -> Mock {
    requests.append(request)
    lines.append("\(request.method) \(request.headers["Upload-Offset"] ?? "-")")
    var response = state.withLock { Self.response(to: request, location, &$0) }
    for field in fields { response.headers[field.name] = field.value }
    return response
  }

  private static func response(
    to request: ReceivedRequest, _ location: String?, _ state: inout State
  ) -> Mock {
    switch request.method {
    case .options: return .status(204, headers: ["Tus-Checksum-Algorithm": "md5,sha1,sha256"])
    case .post:
      state.exists = true
      state.content = Data()
      var response = Mock.status(201)
      response.headers["Location"] = location
      return response
    case _ where !state.exists: return .status(404)
    case .head: return .status(200, headers: ["Upload-Offset": "\(state.content.count)"])
    case .delete:
      state.exists = false
      return .status(204)
    default: break
    }
    guard request.headers["Upload-Offset"] == "\(state.content.count)" else { return .status(409) }
    switch state.steps.isEmpty ? .accept : state.steps.removeFirst() {
    case .accept: state.content += request.body
    case .lose(let count):
      state.content += request.body.prefix(count)
      return .failure(.connectionLost)
    case .refuse(let status): return .status(status)
    }
    return .status(204, headers: ["Upload-Offset": "\(state.content.count)"])
  }
}
