import Foundation
import Networking

extension Mock {
  /// What a transport has told of an exchange, to be answered in its own right.
  ///
  /// - Parameters:
  ///   - method: the request's; an answer to `HEAD` keeps the length that it names.
  ///   - events: all of them. A body that broke off does so again.
  ///   - failed: what is answered where there was no head.
  init(
    to method: HTTPMethod, _ events: [TransportEvent], failed: (TransportFailure) -> Mock
  ) {
    var head: HTTPResponseHead?
    var body = Data()
    var failure: TransportFailure?
    for event in events {
      switch event {
      case .connected, .answered, .sent, .end: break
      case .head(let received): head = received
      case .body(let bytes): body += bytes
      case .failure(let reason): failure = reason
      }
    }
    guard let head else {
      self = failure.map(failed) ?? .unavailable("there was no answer")
      return
    }
    self.init(
      status: head.status, headers: head.headers.endToEnd, body: body.isEmpty ? .none : .data(body))
    if method == .head { keepFraming(of: head.headers) }
    if failure != nil {
      // With a byte more, so that the head says that there is more to come.
      self.body = .data(body + [0])
      interruption = Interruption(fault: .reset, stage: .body(afterBytes: body.count))
    }
  }

  /// Says of a body that does not come what the origin said of it.
  ///
  /// The length of a coded body is not that of the decoded one, which is not known; like one in chunks
  /// it gets none.
  ///
  /// Source: RFC 9110 section 8.6.
  private mutating func keepFraming(of headers: HTTPHeaders) {
    if let length = headers["Content-Length"], !headers.contains("Content-Encoding") {
      self.headers["Content-Length"] = length
    } else {
      body = .chunks([])
    }
  }
}

extension HTTPHeaders {
  /// The fields that are not about one connection, nor about how a body was coded that has been decoded.
  ///
  /// Source: RFC 9110 sections 7.6.1 and 8.4.
  var endToEnd: HTTPHeaders {
    let named = values(for: "Connection").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    var headers = self
    for name in Self.hopByHop + named { headers.remove(name) }
    return headers
  }

  private static let hopByHop = [
    "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
    "TE",
    "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length", "Content-Encoding",
  ]
}
