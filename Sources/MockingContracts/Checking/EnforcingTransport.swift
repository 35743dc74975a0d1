import CatenaSystem
import Foundation
package import Mocking
import Networking

/// A transport whose responses wait until a monitor has checked them.
///
/// A response that does not keep the contract is replaced by problem details.
struct EnforcingTransport: Transport {
  private let transport: any Transport
  private let monitor: ContractMonitor

  init(_ transport: any Transport, _ monitor: ContractMonitor) {
    self.transport = transport
    self.monitor = monitor
  }

  func start(
    _ request: HTTPRequest, _ receive: @escaping @Sendable (_ event: TransportEvent) -> Void
  ) -> any TransportHandle {
    let held = HeldResponse()
    return transport.start(request) { [monitor] event in
      switch held.add(event) {
      case .wait: break
      case .pass(let events): events.forEach(receive)
      case .check(let head, let body, let events):
        monitor.check {
          CheckedExchange(request, head, body)
        } whenChecked: { violations in
          let responses = violations.filter { $0.side == .response }
          guard !responses.isEmpty, case .end = event else { return events.forEach(receive) }
          let problem = Mock.problem(
            502, "the response of the server does not keep the contract",
            members: ["errors": .array(responses.map(\.json))])
          receive(.head(HTTPResponseHead(status: problem.status, headers: problem.headers)))
          if case .data(let data) = problem.body { receive(.body(data)) }
          receive(event)
        }
      }
    }
  }
}

/// The events of a response that is held back until its end.
private final class HeldResponse: Sendable {
  enum Action {
    case wait
    case pass([TransportEvent])
    /// The response is complete.
    case check(HTTPResponseHead, Data, [TransportEvent])
  }

  private struct State {
    var events: [TransportEvent] = []
    var head: HTTPResponseHead?
    var body = Data()
    /// Whether the events are passed on at once.
    var isReleased = false
  }

  private let state = Mutex(State())

  func add(_ event: TransportEvent) -> Action {
    state.withLock { state in
      guard !state.isReleased else { return .pass([event]) }
      state.events.append(event)
      switch event {
      case .head(let head): state.head = head
      case .body(let data): state.body.append(data)
      case .end:
        state.isReleased = true
        return state.head.map { .check($0, state.body, state.events) } ?? .pass(state.events)
      case .failure: state.isReleased = true
      default: break
      }
      guard state.isReleased || state.body.count > CheckedExchange.bodyLimit else { return .wait }
      state.isReleased = true
      defer { (state.events, state.body) = ([], Data()) }
      return .pass(state.events)
    }
  }
}

extension Contract {
  /// Returns a route that refuses requests that do not keep the contract, before a route that forwards
  /// them.
  ///
  /// All other requests have the next route.
  package func refusal() -> Route {
    let gate = ContractGate(content)
    return Route(nil, "/{path*}") { request in gate.problem(of: request) ?? .status(500) }
      .preparing { _ = gate.problem(of: $0) }
      .where("the request does not keep the contract") { gate.problem(of: $0) != nil }
  }
}

/// A check of requests that are forwarded.
final class ContractGate: Sendable {
  private let content: Contract.Content
  private let operations: OperationTable
  /// The responders of the operations, which keep the bodies that they have made.
  private let responders = Mutex<[OperationTable.Match: ContractResponder]>([:])

  init(_ content: Contract.Content) {
    self.content = content
    operations = OperationTable(content)
  }

  /// Returns the response to a request that does not keep the contract, or `nil` if it does.
  func problem(of request: ReceivedRequest) -> Mock? {
    request.result(of: self) { () -> Mock? in
      operations.find(request.method, request.target).flatMap {
        responder($0).problem(of: request)
      }
    }
  }

  /// Returns the responder of an operation, which is made for its first request.
  func responder(_ match: OperationTable.Match) -> ContractResponder {
    responders.withLock { responders in
      if let known = responders[match] { return known }
      let responder = ContractResponder(
        content.operations[match.index], at: match.path, of: content, seed: 0, validates: true)
      responders[match] = responder
      return responder
    }
  }
}
