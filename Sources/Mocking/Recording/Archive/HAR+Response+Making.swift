import Foundation
import Networking

extension HAR.Response {
  /// What came of an exchange, with all its secrets.
  init(_ head: HTTPResponseHead?, body: Data, metrics: TransportMetrics, failure: TransportFailure?)
  {
    let status = head?.status ?? 0
    self.init(
      status: status, statusText: StatusPhrase.of(status),
      httpVersion: "HTTP/\(head?.version ?? "1.1")",
      headers: (head?.headers ?? [:]).map { HAR.Field(name: $0.name, value: $0.value) })
    content.mimeType = head?.headers["Content-Type"] ?? "x-unknown"
    content.set(body)
    bodySize = head == nil ? -1 : Int(metrics.bytesReceived)
    if bodySize > 0, body.count > bodySize { content.compression = body.count - bodySize }
    error = failure.map { FailureName.of($0.code) }
    errorDetail = failure.flatMap { $0.detail.isEmpty ? nil : $0.detail }
  }

  /// Fills in what repeats the header fields in another form.
  mutating func derive() {
    func values(_ name: String) -> [String] {
      headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
    cookies = values("set-cookie").compactMap(CookieText.set)
    redirectURL = values("location").first ?? ""
  }

  /// The status and the header fields; nil when there was no answer.
  var head: HTTPResponseHead? {
    guard status > 0 else { return nil }
    return HTTPResponseHead(
      status: status, version: version,
      headers: HTTPHeaders(headers.map { HTTPHeaders.Field(name: $0.name, value: $0.value) }))
  }

  /// `1.1` of `HTTP/1.1`, `2` of `h2` and `HTTP/2.0`, as others write it.
  private var version: String {
    let text = httpVersion.lowercased()
    let number = text.hasPrefix("http/") ? text.dropFirst(5) : text.drop { $0 == "h" }
    switch number {
    case "2.0": return "2"
    case "3.0": return "3"
    case "1.0", "1.1", "2", "3": return String(number)
    default: return "1.1"
    }
  }
}
