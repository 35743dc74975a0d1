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
    guard let head = entry.response.head, entry.response.failureCode == nil,
      entry.unknownFailure == nil,
      let url = URL(reference: entry.request.url)
    else { return nil }
    let body = entry.request.postData?.data
    var headers = HTTPHeaders(
      entry.request.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) })
    // An archive has the body without its coding.
    headers.remove("Content-Encoding")
    if let type = entry.request.postData?.mimeType, !headers.contains("Content-Type") {
      headers["Content-Type"] = type
    }
    let sent = HTTPRequest(
      method: HTTPMethod(rawValue: entry.request.method), url: url, headers: headers)
    request = ReceivedRequest(sent, body: body ?? Data())
    hasRequestBody = entry.request.postData == nil || body != nil
    status = head.status
    self.headers = head.headers
    let content = entry.response.content
    let isMissing = content.text == nil && content.size != 0
    let isUnreadable = isMissing || !entry.response.remainingCodings.isEmpty
    self.body = isUnreadable ? nil : entry.response.body
  }
}

extension HAR.PostData {
  /// The body, or `nil` if only its size was recorded or if its base64 is invalid.
  fileprivate var data: Data? {
    encoding == "size"
      ? nil : HARBodyCoding.decode(content, encoding: encoding, mimeType: mimeType)
  }
}
