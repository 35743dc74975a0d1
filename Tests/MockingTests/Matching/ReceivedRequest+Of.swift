import Foundation
import Networking

@testable import Mocking

extension ReceivedRequest {
  /// A request of a test's own.
  static func of(
    _ method: String, _ target: String, _ headers: HTTPHeaders = [:], _ body: String = ""
  ) -> ReceivedRequest {
    let parts = RequestTarget(target)
    return ReceivedRequest(
      method: HTTPMethod(rawValue: method), target: target,
      path: ReceivedPath(text: parts.map { String($0.path) } ?? target, parts?.segments ?? []),
      headers: headers, trailers: [:], body: Data(body.utf8), bodyByteCount: body.utf8.count,
      version: "1.1", connection: 0, exchange: 0, time: .zero)
  }
}
