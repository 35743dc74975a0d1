package import Foundation
package import Networking

/// The request and the complete response of an entry of a recording.
package struct RecordedExchange {
  /// The request with the header fields of the body, but without the body.
  package let request: HTTPRequest
  /// The body of the request without its coding.
  ///
  /// `nil` if there is none, or if it is not known; see ``knowsRequestBody``.
  package let requestBody: Data?
  /// Whether the body of the request was recorded completely, or there is none.
  package let knowsRequestBody: Bool
  /// The head of the response.
  package let head: HTTPResponseHead
  /// The decoded body of the response.
  ///
  /// `nil` if it is not known.
  package let body: Data?

  /// Reads an entry, or returns `nil` if it has no complete response.
  package init?(_ entry: HAR.Entry) {
    guard let head = entry.response.head, entry.response.failureCode == nil,
      entry.unknownFailure == nil, let url = URL(reference: entry.request.url)
    else { return nil }
    self.head = head
    var headers = HTTPHeaders(
      entry.request.headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) })
    // An archive has the body without its coding.
    headers.remove("Content-Encoding")
    let data = entry.request.postData
    if let type = data?.mimeType, !headers.contains("Content-Type") {
      headers["Content-Type"] = type
    }
    request = HTTPRequest(
      method: HTTPMethod(rawValue: entry.request.method), url: url, headers: headers)
    requestBody = data.flatMap { data in
      data.encoding == "size"
        ? nil
        : HARBodyCoding.decode(data.content, encoding: data.encoding, mimeType: data.mimeType)
    }
    knowsRequestBody = data == nil || requestBody != nil
    let content = entry.response.content
    let isMissing = content.text == nil && content.size != 0
    body = isMissing || !entry.response.remainingCodings.isEmpty ? nil : entry.response.body
  }
}
