import Foundation
import Networking
import Promises
import Synchronization

/// A transport that answers what it is told to, at once or when a test says so.
package final class FakeTransport: Transport {
  package typealias Answer = @Sendable (HTTPRequest) -> [TransportEvent]

  private let answer: Answer
  private let log = Log<HTTPRequest>()
  private let cancellations = Counter()

  package init(_ answer: @escaping Answer) {
    self.answer = answer
  }

  /// What was asked for, in order.
  package var requests: [HTTPRequest] { log.entries }

  /// How many exchanges were cancelled.
  package var cancelled: Int { cancellations.value }

  package func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportHandle {
    log.append(request)
    for event in answer(request) { receive(event) }
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
  /// The events of a whole response.
  package static func response(
    _ status: Int, _ headers: HTTPHeaders = [:], _ body: String = ""
  ) -> [TransportEvent] {
    let head = HTTPResponseHead(status: status, headers: headers)
    let body = body.isEmpty ? [] : [TransportEvent.body(Data(body.utf8))]
    return [.head(head)] + body + [.end(TransportMetrics())]
  }
}

extension URL {
  /// A URL of a test's own, which is well-formed.
  package static func of(_ text: StaticString) -> URL {
    guard let url = URL(string: "\(text)") else { preconditionFailure("\(text) is no URL") }
    return url
  }
}
