import Foundation
import TestSupport
import Testing

@testable import Mocking
@testable import MockingStubs

/// The admin API of a backend in memory, whose requests need no socket.
struct AdminFixture {
  let transport: MockTransport
  let api: AdminAPI

  init(
    _ routes: [Route] = [Route(.get, "/boards", .json([])).id("boards")], token: String? = nil,
    options: AdminAPI.Options = AdminAPI.Options()
  ) {
    transport = MockTransport(routes: routes)
    api = AdminAPI(
      AdminBackend(AdministeredBackend(transport, on: .live)),
      AdminAccess(url: URL.of("http://127.0.0.1:8080"), token: token), options)
    api.start()
  }

  /// Creates the API of a backend with the routes of a stub file.
  init(stubs text: String) throws {
    let folder = TemporaryFolder()
    let file = folder.url("stubs.json")
    try Data(text.utf8).write(to: file)
    self.init(try StubFile(contentsOf: file).routes)
  }

  /// Sends a request to the API.
  func send(
    _ method: HTTPMethod, _ path: String, _ body: String? = nil, type: String? = "application/json",
    headers: HTTPHeaders = ["Host": "127.0.0.1:8080"]
  ) -> AdminAnswer {
    var headers = headers
    if body != nil, let type { headers["Content-Type"] = type }
    let target = "/__mock/\(path)"
    return AdminAnswer(
      api.response(to: .admin(method, target, headers, body: Data((body ?? "").utf8))).mock)
  }
}

/// A response of the admin API.
struct AdminAnswer {
  let status: Int
  let headers: HTTPHeaders
  let text: String

  /// The body as JSON; `null` if there is none.
  var json: JSON { (try? JSON(parsing: Data(text.utf8))) ?? .null }

  init(_ mock: Mock) {
    status = mock.status
    headers = mock.headers
    if case .data(let data) = mock.body {
      text = String(decoding: data, as: UTF8.self)
    } else {
      text = ""
    }
  }
}

extension ReceivedRequest {
  /// A request to the admin API as a server receives it.
  static func admin(
    _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders, body: Data = Data(),
    byteCount: Int? = nil
  ) -> ReceivedRequest {
    let parsed = RequestTarget(target)
    return ReceivedRequest(
      method: method, target: target,
      path: ReceivedPath(text: parsed.map { String($0.path) } ?? target, parsed?.segments ?? []),
      headers: headers, trailers: [:], body: body, bodyByteCount: byteCount ?? body.count,
      version: "1.1", connection: 0, exchange: 0, time: .zero)
  }
}
