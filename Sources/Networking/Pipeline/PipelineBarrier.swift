import Promises
import Synchronization

/// Holds requests back while one thing happens, such as a change of users.
///
/// ```swift
/// barrier.hold(draining: true) { store.switchUser(to: ann) }
///   .done { show(ann) }
/// ```
///
/// While it is held new requests wait, and go on in the order in which they came when the last hold has
/// ended, however that ended. Those in flight go on, and a hold may wait for them to end first.
///
/// Requests that are ``Request/notIntercepted()`` pass by, neither held nor waited for: what happens
/// meanwhile makes its requests so. A request that waits is cancelled as any other is, and the deadline of
/// its call goes on.
public final class PipelineBarrier: Interceptor {
  private let machine = Mutex(BarrierMachine())

  /// Makes a barrier that nothing holds.
  public init() {}

  /// Holds new requests back from now until a promise has settled.
  ///
  /// - Parameter work: what happens meanwhile; it is only looked at, and not cancelled by anybody here.
  public func hold<Value>(while work: Promise<Value>) {
    let id = machine.withLock { $0.nextID() }
    apply { $0.hold(id, nil) }
    work.always(on: .inline) { _ in self.apply { $0.release(id) } }
  }

  /// Holds new requests back from now until something has happened.
  ///
  /// - Parameters:
  ///   - draining: whether to wait first for the requests in flight to end. What is itself started by
  ///     one of those, and awaited by it, would wait for itself.
  ///   - body: starts what is to happen; runs once, here and now or when the last one in flight has
  ///     ended. Throwing is failing.
  /// - Returns: a promise with the outcome of `body`'s; cancelling it ends the hold.
  @discardableResult
  public func hold<Value>(
    draining: Bool = false, _ body: @escaping @Sendable () throws -> Promise<Value>
  ) -> Promise<Value> {
    let drained = Promise<Void>.pending()
    let id = machine.withLock { $0.nextID() }
    let work = drained.promise.then(on: .inline) { try body() }
    work.always(on: .inline) { _ in self.apply { $0.release(id) } }
    apply { $0.hold(id, draining ? drained.resolver : nil) }
    if !draining { drained.resolver.fulfill() }
    return work
  }

  /// Sends the exchange when nothing holds it back.
  ///
  /// - Parameters:
  ///   - exchange: the request.
  ///   - next: the stages further in.
  /// - Returns: a promise of the answer.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted else { return next(exchange) }
    var gate: Promise<Void>?
    let (id, mayPass) = machine.withLock { machine in
      let id = machine.nextID()
      let mayPass = machine.enter(
        id,
        { () -> Resolver<Void> in
          let pending = Promise<Void>.pending(on: .inline)
          gate = pending.promise
          return pending.resolver
        }())
      return (id, mayPass)
    }
    let responsePromise = gate.map {
      $0.then(on: .inline) { next(exchange.withCurrentCredentials()) }
    }
    return (mayPass ? next(exchange) : responsePromise ?? next(exchange))
      .always(on: .inline) { _ in self.apply { $0.leave(id) } }
  }

  private func apply(_ change: (inout BarrierMachine) -> BarrierMachine.Effects) {
    let effects = machine.withLock { change(&$0) }
    for resolver in effects.released { resolver.fulfill() }
    // Its promise is being cancelled, or else nobody would have it: not an oversight to be reported.
    effects.dropped?.reject(CancellationError())
  }
}

/// Who waits before a barrier, who is behind it, and what holds it down.
struct BarrierMachine {
  /// What a change lets happen; the resolvers are called after unlocking.
  struct Effects {
    /// To be fulfilled, in order.
    var released: [Resolver<Void>] = []
    /// To be rejected as cancelled: what waits for nothing any more.
    var dropped: Resolver<Void>?
  }

  private var lastID = 0
  private var holds: Set<Int> = []
  /// Holds that wait for what is in flight.
  private var draining: [Int: Resolver<Void>] = [:]
  /// Requests that wait.
  private var waiting: [Int: Resolver<Void>] = [:]
  private var inFlight: Set<Int> = []

  /// A number for a request or a hold.
  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// A request comes.
  ///
  /// - Parameters:
  ///   - id: its number.
  ///   - resolver: lets it go, when it has to wait.
  /// - Returns: true when it may go on at once.
  mutating func enter(_ id: Int, _ resolver: @autoclosure () -> Resolver<Void>) -> Bool {
    guard holds.isEmpty else {
      waiting[id] = resolver()
      return false
    }
    inFlight.insert(id)
    return true
  }

  /// A request has ended, before or behind the barrier.
  mutating func leave(_ id: Int) -> Effects {
    if let resolver = waiting.removeValue(forKey: id) { return Effects(dropped: resolver) }
    guard inFlight.remove(id) != nil, inFlight.isEmpty else { return Effects() }
    return Effects(released: takeInOrder(&draining))
  }

  /// The barrier comes down.
  ///
  /// - Parameters:
  ///   - id: the hold's number.
  ///   - resolver: called when what is in flight has ended; nil when that is no matter.
  /// - Returns: the same resolver when there is nothing to wait for.
  mutating func hold(_ id: Int, _ resolver: Resolver<Void>?) -> Effects {
    holds.insert(id)
    guard let resolver else { return Effects() }
    guard !inFlight.isEmpty else { return Effects(released: [resolver]) }
    draining[id] = resolver
    return Effects()
  }

  /// A hold has ended; with the last one everybody is let go.
  mutating func release(_ id: Int) -> Effects {
    holds.remove(id)
    var effects = Effects(dropped: draining.removeValue(forKey: id))
    guard holds.isEmpty else { return effects }
    inFlight.formUnion(waiting.keys)
    effects.released = takeInOrder(&waiting)
    return effects
  }

  private func takeInOrder(_ resolvers: inout [Int: Resolver<Void>]) -> [Resolver<Void>] {
    defer { resolvers = [:] }
    return resolvers.sorted { $0.key < $1.key }.map(\.value)
  }
}
