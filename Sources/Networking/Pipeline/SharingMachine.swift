import Promises

/// The exchanges under way that may be shared, and who waits for each.
///
/// ```
/// none --enter--> starting --began--> under way --ended--> none
///                 starting, under way --the last one left--> none
/// ```
///
/// Callers are counted here and not by their promises, so that one who comes in the moment in which the
/// last one leaves finds no exchange, and starts another.
struct SharingMachine {
  /// A caller's place in an exchange.
  struct Ticket: Sendable {
    /// The exchange's number, which tells it from those of the same key before and after it.
    fileprivate let exchange: Int
    /// The caller's number in the exchange.
    let caller: Int
  }

  /// What follows from a caller's leaving.
  enum LeaveResult {
    /// Others still wait, or it was over; what the caller brought is to be released after unlocking.
    case callersRemain(Resolver<Response>?)
    /// Nobody waits: the work is to be cancelled. Nil when it has not begun, which then says no.
    case abandoned(NetworkPromise?, Resolver<Response>?)
  }

  private struct Flight {
    let key: SharingKey
    let shared: SharedExchange
    var callers: [Int: Resolver<Response>]
    var work: NetworkPromise?
    var lastCaller = 0

    mutating func join(_ caller: Resolver<Response>) -> (number: Int, shared: SharedExchange) {
      lastCaller += 1
      callers[lastCaller] = caller
      return (lastCaller, shared)
    }
  }

  private var flights: [Int: Flight] = [:]
  /// Keys are looked at when somebody comes and when all is over, and not in between.
  private var numbers: [SharingKey: Int] = [:]
  private var lastNumber = 0

  /// How many exchanges are under way.
  var count: Int { flights.count }

  /// Somebody wants an answer.
  ///
  /// - Returns: the caller's place, and whether it is the first, who has to start the exchange.
  mutating func enter(
    _ key: SharingKey, _ caller: Resolver<Response>, reportingTo events: CallEvents? = nil
  ) -> (ticket: Ticket, shared: SharedExchange, isFirst: Bool) {
    if let number = numbers[key], let place = flights[number]?.join(caller) {
      return (Ticket(exchange: number, caller: place.number), place.shared, false)
    }
    lastNumber += 1
    let flight = Flight(
      key: key, shared: SharedExchange(reportingTo: events), callers: [0: caller])
    flights[lastNumber] = flight
    numbers[key] = lastNumber
    return (Ticket(exchange: lastNumber, caller: 0), flight.shared, true)
  }

  /// The exchange has been started.
  ///
  /// - Returns: whether anybody still waits for it; otherwise it is to be cancelled.
  mutating func began(_ ticket: Ticket, _ work: NetworkPromise) -> Bool {
    flights[ticket.exchange]?.work = work
    return flights[ticket.exchange] != nil
  }

  /// A caller does not want the answer any more.
  mutating func left(_ ticket: Ticket) -> LeaveResult {
    let caller = flights[ticket.exchange]?.callers.removeValue(forKey: ticket.caller)
    guard flights[ticket.exchange]?.callers.isEmpty == true else { return .callersRemain(caller) }
    return .abandoned(remove(ticket.exchange)?.work, caller)
  }

  /// The exchange is over.
  ///
  /// - Returns: those who wait for it, in the order in which they came.
  mutating func ended(_ ticket: Ticket) -> [Resolver<Response>] {
    guard let callers = remove(ticket.exchange)?.callers else { return [] }
    guard callers.count > 1 else { return Array(callers.values) }
    return callers.sorted { $0.key < $1.key }.map(\.value)
  }

  private mutating func remove(_ number: Int) -> Flight? {
    guard let flight = flights.removeValue(forKey: number) else { return nil }
    numbers[flight.key] = nil
    return flight
  }
}
