import Foundation
import Mocking
import MockingRecordings
import Networking

/// An exchange that is checked against a contract.
struct CheckedExchange: Sendable {
  let request: ReceivedRequest
  /// Whether the body of the request is known.
  let hasRequestBody: Bool
  let status: Int
  let headers: HTTPHeaders
  /// The decoded body of the response.
  ///
  /// `nil` if it is not known.
  let body: Data?

  /// The size of a body above which it is not read.
  static let bodyLimit = 8 << 20
}

extension CheckedExchange {
  /// Creates the exchange of a response that a client has received.
  ///
  /// The file of a request body is read, which can block the thread.
  init(_ response: Response) {
    // The bytes of a file or of a stream are not in memory.
    let isElsewhere =
      response.file != nil || response.data.isEmpty && response.headers["Content-Length"] != "0"
    self.init(response.request, response.head, isElsewhere ? nil : response.data)
  }

  /// Creates an exchange.
  ///
  /// The file of a request body is read, which can block the thread.
  init(_ sent: HTTPRequest, _ head: HTTPResponseHead, _ body: Data?) {
    let bytes = LimitedBodyReader.read(sent.body, limit: Self.bodyLimit)
    request = ReceivedRequest(sent, body: bytes ?? Data())
    hasRequestBody = bytes != nil
    status = head.status
    headers = head.headers
    self.body = body
  }

  /// Creates the exchange of a recording, or returns `nil` if it has no complete response.
  init?(_ entry: HAR.Entry) {
    guard let exchange = RecordedExchange(entry) else { return nil }
    request = ReceivedRequest(exchange.request, body: exchange.requestBody ?? Data())
    hasRequestBody = exchange.knowsRequestBody
    status = exchange.head.status
    headers = exchange.head.headers
    body = exchange.body
  }
}
