import Foundation
import Networking

extension HAR.Entry {
  /// The reason why the exchange cannot be replayed, or `nil`.
  var reasonNotToReplay: String? {
    let scheme = request.url.prefix { $0 != ":" }.lowercased()
    if scheme != "http", scheme != "https" { return "\(scheme) is not requested over HTTP" }
    if request.method == "CONNECT" { return "CONNECT opens a tunnel of a proxy" }
    if response.status == 0, response.failureCode == nil {
      return "there was no response" + (response.error.map { ": \($0.prefix(100))" } ?? "")
    }
    if (1...199).contains(response.status) {
      return "the status \(response.status) is not that of a final response"
    }
    return nil
  }

  /// Whether the archive does not contain the body of the response.
  var isWithoutItsBody: Bool {
    response.content.text == nil && response.content.size > 0 && !response.content.isOmitted
      && response.hasBody && request.method != "HEAD" && unknownFailure == nil
  }

  /// The failure of an exchange that another program has recorded after the head of the response, if the
  /// archive does not contain a body.
  ///
  /// A browser that reports a status such as 404 as an error has received the whole response.
  var unknownFailure: String? {
    guard response.hasBody, !(300...399).contains(response.status), response.status != 0,
      response.failureCode == nil, request.method != "HEAD",
      response.content.text?.isEmpty ?? true
    else { return nil }
    return [response.error, response.otherMembers["_failureText"]?.string].compactMap { $0 }
      .first { !$0.isEmpty && $0 != "net::ERR_HTTP_RESPONSE_CODE_FAILURE" }
  }

  /// Returns the events that a transport reports for this exchange.
  ///
  /// A response with the status 304 and a body is one that a browser has completed from its cache. A
  /// request without a condition receives it with the status 200.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - headers: The header fields of the request.
  ///   - byteCount: The size of the body of the request. `nil` reports the recorded size.
  /// - Returns: The events.
  func events(
    to method: HTTPMethod, _ headers: HTTPHeaders, byteCount: Int64? = nil
  ) -> [TransportEvent] {
    var response = response
    if response.status == 304, response.content.text?.isEmpty == false,
      !headers.contains("If-None-Match"), !headers.contains("If-Modified-Since")
    {
      response.status = 200
    }
    let failureCode = response.failureCode ?? (unknownFailure == nil ? nil : .connectionLost)
    var events: [TransportEvent] = []
    let sent = byteCount ?? Int64(max(request.bodySize, 0))
    let hasBody = response.hasBody && method != .head
    let body = hasBody ? response.body ?? Data() : Data()
    let received = response.bodySize >= 0 ? response.bodySize : body.count
    let metrics = timings.metrics(bytesSent: Int(clamping: sent), bytesReceived: received)
    if let head = response.head {
      if sent > 0 { events.append(.sent(bytes: sent, total: sent)) }
      events.append(.head(head))
      if !body.isEmpty { events.append(.body(body)) }
      guard failureCode != nil else { return events + [.end(metrics)] }
    }
    return events + [
      .failure(
        TransportFailure(
          code: failureCode ?? .cannotConnect, detail: response.errorDetail ?? "",
          metrics: metrics))
    ]
  }
}

extension HAR.Response {
  /// The code of a failure that a tape has recorded.
  ///
  /// `nil` for a complete response, and for a failure that another program has recorded.
  var failureCode: NetworkError.Code? { error.flatMap(HARErrorCode.code) }

  /// Whether a response with this status has a body.
  ///
  /// Source: RFC 9110 sections 15.3.5 and 15.4.5.
  fileprivate var hasBody: Bool { status != 204 && status != 304 }
}
