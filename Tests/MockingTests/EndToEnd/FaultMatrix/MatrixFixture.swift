import CatenaSystem
import Foundation
import Mocking
import Networking
import NetworkingInterceptors
import Promises
import TestSupport

/// A server on a socket with the fault of a cell, and a client in virtual time.
///
/// Time advances only when nothing else can happen: after the client sets the timer of a retry,
/// or after all sent data has reached a server that does not respond.
final class MatrixFixture: Sendable {
  private enum Event: Sendable {
    /// A hop starts.
    case hop
    /// The client has set a timer.
    case timer(Duration)
    /// A request or a connection has reached the server, which does not respond.
    case stalled
    case settled
  }

  let server: MockServer
  /// The times of accepted connections.
  let accepted = Log<Duration>()
  /// The start times of the hops.
  let hops = Log<Duration>()
  private let client: Networking<Request>
  private let clock: RecordingScheduler
  private let events: Log<Event>

  init(_ cell: MatrixCell) throws {
    let events = Log<Event>()
    let clock = RecordingScheduler { events.append(.timer($0)) }
    (self.clock, self.events) = (clock, events)
    let isStall = cell.fault.isStall
    server = try MockServer(
      routes: Self.routes(cell), scheduler: clock.time,
      connectionFault: { [accepted] index in
        guard case .connection(let fault) = cell.fault.place else { return nil }
        accepted.append(clock.now)
        if let count = cell.faultCount, index >= count { return nil }
        if isStall { events.append(.stalled) }
        return fault
      })
    client = Networking<Request>(
      transport: PlatformTransport.make(), configuration: Self.configuration(cell, clock))
    client.callbackContext = .inline
    client.baseURL = server.url
    client.interceptors[.hop] = [
      RequestAdapter { [hops, server] request in
        hops.append(clock.now)
        events.append(.hop)
        if let count = cell.faultCount, hops.entries.count > count, cell.fault.isRefusal {
          try server.acceptConnections()
        }
        return request
      }
    ]
    if cell.fault.isRefusal { server.refuseConnections() }
    Self.watch(server, events, cell)
  }

  private static func configuration(
    _ cell: MatrixCell, _ clock: RecordingScheduler
  ) -> NetworkingConfiguration {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.retry = cell.method.policy(cell.policy.make())
    configuration.retryBudget = nil
    configuration.attemptTimeout = MatrixRule.attemptTimeout
    configuration.connectTimeout = nil
    configuration.idleTimeout = nil
    configuration.scheduler = clock
    configuration.wallClock = {
      MatrixFault.startDate.addingTimeInterval(clock.now / .seconds(1))
    }
    return configuration
  }

  private static func routes(_ cell: MatrixCell) -> [Route] {
    let count = Counter()
    return [
      Route(.get, "/warm") { _ in .status(200) },
      Route(nil, "/start") { _ in .redirect(to: "/fault", status: 307) },
      Route(nil, "/fault") { _ in
        if let limit = cell.faultCount, count.add() > limit { return .text("well") }
        return cell.fault.mock ?? .text("well")
      },
    ]
  }

  /// Takes each request from the journal when it is recorded.
  private static func watch(
    _ server: MockServer, _ events: Log<Event>, _ cell: MatrixCell, faults: Int = 0
  ) {
    server.takeRequest()
      .done(on: .inline) { [weak server] request in
        let faults = faults + (request.target == "/fault" ? 1 : 0)
        let isStalled =
          cell.fault.isStall && cell.fault.mock != nil && request.target == "/fault"
          && faults <= cell.faultCount ?? .max
        if isStalled { events.append(.stalled) }
        if let server { watch(server, events, cell, faults: faults) }
      }
      .fail(on: .inline) { _ in }
  }

  /// Sends a request, advances virtual time until the call ends, and returns the result.
  func outcome(of request: Request) async -> Result<Response, any Error> {
    let start = events.entries.count
    let promise = client.request(request)
    promise.always(on: .inline) { [events] _ in events.append(.settled) }
    // The state of the last hop: whether its timeout is set, and whether its request or
    // connection has stalled at the server. The timeout is set after the request is sent, unless
    // the response is faster.
    var (isLimited, isStalled) = (false, false)
    for index in start... {
      switch await events.entries(index + 1)[index] {
      case .settled: return await promise.result
      case .hop: (isLimited, isStalled) = (false, false)
      case .stalled: isStalled = true
      case .timer(MatrixRule.attemptTimeout): isLimited = true
      case .timer(let wait): await clock.time.advance(by: wait)
      }
      if isLimited, isStalled {
        isStalled = false
        await clock.time.advance(by: MatrixRule.attemptTimeout)
      }
    }
    return await promise.result
  }

  /// Returns the times at which requests reached the fault.
  func times(_ place: MatrixFault.Place) -> [Duration] {
    switch place {
    case .response, .redirected: requests.map(\.time)
    case .connection: accepted.entries
    case .refusal: hops.entries
    }
  }

  /// The requests to the faulty route in the server's journal.
  var requests: [ReceivedRequest] {
    server.journal.entries.map(\.request).filter { $0.target == "/fault" }
  }
}

extension MatrixFault {
  /// The mocked response.
  ///
  /// `nil` if no response is sent.
  fileprivate var mock: Mock? {
    switch place {
    case .response(let mock), .redirected(let mock): mock
    case .connection, .refusal: nil
    }
  }

  var isRefusal: Bool { if case .refusal = place { true } else { false } }
}

/// A seeded source of random numbers for a policy.
final class SeededRandomSource: Sendable {
  private let generator: Mutex<SeededGenerator>

  init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  func next(in range: ClosedRange<Double>) -> Double {
    generator.withLock { Double.random(in: range, using: &$0) }
  }

  /// Returns the delays that full jitter selects with these numbers.
  func delays(of times: [Duration]) -> [Duration] {
    times.map { $0 * next(in: 0...1) }
  }
}
