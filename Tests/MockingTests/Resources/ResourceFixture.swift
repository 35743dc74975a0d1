import Foundation
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources

/// A response of a resource.
struct ResourceResponse {
  let status: Int
  let headers: HTTPHeaders
  let text: String

  /// The body as JSON; `null` if there is none.
  var json: JSON { (try? JSON(parsing: Data(text.utf8))) ?? .null }
  /// The ids of the items of the body.
  var ids: [JSON] { json.array?.map { $0["id"] } ?? [] }
  /// The pointers of the errors of problem details.
  var pointers: [String] { json["errors"].array?.map { $0["pointer"].string ?? "" } ?? [] }
}

extension Transport {
  /// Sends a request with a JSON body, if any.
  func send(
    _ method: HTTPMethod, _ target: String, _ body: String? = nil,
    type: String? = "application/json", _ headers: HTTPHeaders = [:]
  ) async -> ResourceResponse {
    var headers = headers
    if body != nil, let type { headers["Content-Type"] = type }
    let request = HTTPRequest(
      method: method, url: URL(string: "http://a\(target)") ?? URL(filePath: "/"), headers: headers,
      body: body.map { .data(Data($0.utf8)) } ?? .none)
    let record = await perform(request)
    return ResourceResponse(
      status: record.head?.status ?? 0, headers: record.head?.headers ?? [:],
      text: String(decoding: record.body, as: UTF8.self))
  }
}

extension Resource {
  /// A transport with the routes of the resource.
  var transport: MockTransport { MockTransport(routes: routes()) }
}
