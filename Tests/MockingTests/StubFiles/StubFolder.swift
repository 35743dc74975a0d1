import Foundation
import TestSupport

@testable import Mocking

/// A folder with a file of stubs.
struct StubFolder {
  let folder = TemporaryFolder()

  var file: URL { folder.url("stubs.json") }

  init(_ text: String) throws {
    try Data(text.utf8).write(to: file)
  }

  /// The file read, in memory.
  func transport(_ scheduler: any Scheduler = .live) throws -> MockTransport {
    MockTransport(routes: try StubFile(contentsOf: file).routes, scheduler: scheduler)
  }
}

extension Transport {
  /// The status and the body of an answer, `200 text`; or the code of a failure.
  func answer(_ target: String, _ headers: HTTPHeaders = [:]) async -> String {
    await answer(.get, target, headers)
  }

  /// The status and the body of an answer to any method; or the code of a failure.
  func answer(
    _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = [:], body: String = ""
  ) async -> String {
    let url = URL(string: "http://a\(target)") ?? URL(filePath: "/")
    let request = HTTPRequest(
      method: method, url: url, headers: headers,
      body: body.isEmpty ? .none : .data(Data(body.utf8)))
    let performed = await perform(request)
    if let failure = performed.failure { return "\(failure.code)" }
    return "\(performed.head?.status ?? 0) \(String(decoding: performed.body, as: UTF8.self))"
  }
}
