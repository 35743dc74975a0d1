#if os(Linux)
  import Foundation
  import Mocking
  import Networking
  import Promises
  import TestSupport

  /// A server on a socket that goes wrong as a cell says, and a client of it in virtual time.
  ///
  /// The time goes on only when there is nothing left but to wait: when the client has set the timer of a
  /// repetition, or when all that it has sent has reached a server that stays silent.
  final class MatrixStand: Sendable {
    private enum Event: Sendable {
      /// A hop begins.
      case hop
      /// The client waits for its time to pass.
      case timer(Duration)
      /// A request, or a connection, has reached the server, and gets no answer.
      case silence
      case settled
    }

    let server: MockServer
    /// When connections were accepted.
    let accepted = Log<Duration>()
    /// When hops began.
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
          if isStall { events.append(.silence) }
          return fault
        })
      client = Networking<Request>(
        transport: CurlTransport(), configuration: Self.configuration(cell, clock))
      client.callbackContext = .inline
      client.setBaseURL(server.url)
      client.hopInterceptors = [
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
        MatrixFault.beginning.addingTimeInterval(clock.now / .seconds(1))
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

    /// Takes all requests from the journal as they get into it.
    private static func watch(
      _ server: MockServer, _ events: Log<Event>, _ cell: MatrixCell, faults: Int = 0
    ) {
      server.takeRequest()
        .done(on: .inline) { [weak server] request in
          let faults = faults + (request.target == "/fault" ? 1 : 0)
          let isSilent =
            cell.fault.isStall && cell.fault.mock != nil && request.target == "/fault"
            && faults <= cell.faultCount ?? .max
          if isSilent { events.append(.silence) }
          if let server { watch(server, events, cell, faults: faults) }
        }
        .fail(on: .inline) { _ in }
    }

    /// Sends a request, and lets the time pass that it takes.
    func outcome(of request: Request) async -> Result<Response, any Error> {
      let start = events.entries.count
      let promise = client.request(request)
      promise.always(on: .inline) { [events] _ in events.append(.settled) }
      // Of the last hop: whether its limit counts, which is set once its request is on its way and not at
      // all when the answer was faster, and whether it stays without an answer.
      var (isLimited, isSilent) = (false, false)
      for index in start... {
        switch await events.entries(index + 1)[index] {
        case .settled: return await promise.result
        case .hop: (isLimited, isSilent) = (false, false)
        case .silence: isSilent = true
        case .timer(MatrixRule.attemptTimeout): isLimited = true
        case .timer(let wait): await clock.time.advance(by: wait)
        }
        if isLimited, isSilent {
          isSilent = false
          await clock.time.advance(by: MatrixRule.attemptTimeout)
        }
      }
      return await promise.result
    }

    /// When requests reached what goes wrong.
    func times(_ place: MatrixFault.Place) -> [Duration] {
      switch place {
      case .answer, .redirected: requests.map(\.time)
      case .connection: accepted.entries
      case .refusal: hops.entries
      }
    }

    /// The requests to what goes wrong, as the server's journal has them.
    var requests: [ReceivedRequest] {
      server.journal.entries.map(\.request).filter { $0.target == "/fault" }
    }
  }

  extension MatrixFault {
    /// What is answered; nil where it does not come to that.
    fileprivate var mock: Mock? {
      switch place {
      case .answer(let mock), .redirected(let mock): mock
      case .connection, .refusal: nil
      }
    }

    var isRefusal: Bool { if case .refusal = place { true } else { false } }
  }
#endif
