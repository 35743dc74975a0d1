import CatenaSystem
package import Foundation
package import Networking
import Promises

/// A transport that delivers the events of a closure synchronously, and records requests.
///
/// An exchange whose events have no terminal one stays open until it is cancelled.
package final class FakeTransport: Transport {
  package typealias Handler = @Sendable (HTTPRequest) -> [TransportEvent]

  private let handler: Handler
  private let log = Log<HTTPRequest>()
  private let cancellations = Counter()

  package let needsNetwork: Bool

  package init(needsNetwork: Bool = true, _ handler: @escaping Handler) {
    self.needsNetwork = needsNetwork
    self.handler = handler
  }

  /// The requests started, in order.
  package var requests: [HTTPRequest] { log.entries }

  /// The number of calls of `cancel()`.
  package var cancelled: Int { cancellations.value }

  package func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    log.append(request)
    for event in handler(request) { receive(event) }
    return Handle(cancellations, receive)
  }

  private struct Handle: TransportHandle {
    let cancellations: Counter
    let receive: @Sendable (TransportEvent) -> Void

    init(_ cancellations: Counter, _ receive: @escaping @Sendable (TransportEvent) -> Void) {
      self.cancellations = cancellations
      self.receive = receive
    }

    func cancel() {
      cancellations.add()
      receive(.failure(TransportFailure(code: .cancelled)))
    }

    func suspend() {}
    func resume() {}
  }
}

extension [TransportEvent] {
  /// Returns the events of a complete response.
  package static func response(
    _ status: Int, _ headers: HTTPHeaders = [:], _ body: String = ""
  ) -> [TransportEvent] {
    let head = HTTPResponseHead(status: status, headers: headers)
    let body = body.isEmpty ? [] : [TransportEvent.body(Data(body.utf8))]
    return [.head(head)] + body + [.end(TransportMetrics())]
  }
}

extension URL {
  /// Returns the URL of a well-formed literal.
  package static func of(_ text: StaticString) -> URL {
    guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is not a URL") }
    return url
  }
}
