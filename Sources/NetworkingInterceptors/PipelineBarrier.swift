import CatenaSystem
public import Networking
public import Promises

/// An interceptor that holds requests while some work runs, such as a migration of the account.
///
/// ```swift
/// barrier.hold(draining: true) { account.migrate() }
///   .done { show(account) }
/// ```
///
/// While the barrier is held, new requests wait. When the last hold ends, successfully or not, the
/// waiting requests continue in the order in which they arrived. Requests in flight are not
/// interrupted. A hold may wait for them to end before its work starts.
///
/// A request that waits while the user changes is not sent for the next user. It fails with
/// ``NetworkError/Code-swift.enum/sessionEnded``.
///
/// Requests that are ``RequestOption/notIntercepted`` pass the barrier, and no hold waits for them. The
/// work of a hold must make its requests this way. A waiting request can be cancelled, and its
/// deadline continues.
public final class PipelineBarrier: Interceptor {
  private let machine = Mutex(BarrierMachine())

  /// Makes a barrier without holds.
  public init() {}

  /// Holds new requests until a promise settles.
  ///
  /// - Parameter work: The promise. It is not cancelled by the barrier.
  public func hold<Value: Sendable>(while work: Promise<Value>) {
    let id = machine.withLock { $0.nextID() }
    apply { $0.hold(id, nil) }
    work.always(on: .inline) { _ in self.apply { $0.release(id) } }
  }

  /// Holds new requests until some work is done.
  ///
  /// - Parameters:
  ///   - draining: Whether to wait for the requests in flight before the work starts. A request in
  ///     flight must not wait for a draining hold that it has started itself, because neither would
  ///     end.
  ///   - isolation: The actor of the caller.
  ///   - body: A closure that starts the work. It runs once. If the work need not wait, it runs
  ///     before this method returns, unless it is isolated to another actor than the caller.
  ///     Otherwise it runs on its actor or, without one, on the thread on which the last request in
  ///     flight ends. An error that it throws rejects the returned promise.
  /// - Returns: A promise with the result of the promise of `body`. Cancelling it ends the hold.
  @discardableResult
  public func hold<Value: Sendable>(
    draining: Bool = false, isolation: isolated (any Actor)? = #isolation,
    @_inheritActorContext _ body: @escaping @Sendable @isolated(any) () throws -> Promise<Value>
  ) -> Promise<Value> {
    let isIsolatedToCaller = body.isolation === isolation
    let body = IsolatedClosure(body)
    let drained = Promise<BarrierMachine.WorkStart>.pending()
    let id = machine.withLock { $0.nextID() }
    let work = drained.promise.then(on: .inline) { workStart -> Promise<Value> in
      switch workStart {
      case .afterRequests(let scheduler): return try body.start((), awaitedBy: scheduler)
      case .atOnce where isIsolatedToCaller: return try body(())
      case .atOnce: return try body.start((), awaitedBy: nil)
      }
    }
    work.always(on: .inline) { _ in self.apply { $0.release(id) } }
    apply { $0.hold(id, draining ? drained.resolver : nil) }
    if !draining { drained.resolver.fulfill(.atOnce) }
    return work
  }

  /// Sends the exchange when there is no hold.
  ///
  /// - Parameters:
  ///   - exchange: The request and its context.
  ///   - next: The remaining stages.
  /// - Returns: A promise of the response.
  public func intercept(_ exchange: Exchange, next: @escaping Next) -> NetworkPromise {
    guard exchange.isIntercepted else { return next(exchange) }
    let (id, gate) = machine.withLock { $0.enter() }
    let response = gate.map {
      $0.then(on: .inline) { _ in next(try exchange.withCurrentCredentials()) }
    }
    return (response ?? next(exchange))
      .always(on: .inline) { _ in self.apply(after: exchange) { $0.leave(id) } }
  }

  /// Changes the state, and performs the effects.
  ///
  /// - Parameters:
  ///   - exchange: The exchange that has ended, if any.
  ///   - change: The change.
  private func apply(
    after exchange: Exchange? = nil, _ change: (inout BarrierMachine) -> BarrierMachine.Effects
  ) {
    let effects = machine.withLock { change(&$0) }
    for resolver in effects.resumed {
      resolver.fulfill(exchange.map { .afterRequests($0.scheduler) } ?? .atOnce)
    }
    // Rejected as cancelled, so that it is not reported as abandoned.
    effects.dropped?.reject(CancellationError())
  }
}

/// The state of a barrier: its holds, the waiting requests, and the requests in flight.
struct BarrierMachine {
  /// The effects of a change.
  ///
  /// The resolvers are called after unlocking.
  struct Effects {
    /// The resolvers of the requests that continue, or of the holds whose work starts, in order.
    var resumed: [Resolver<WorkStart>] = []
    /// The resolver of a waiting request, or of a hold before its work, that has ended.
    var dropped: Resolver<WorkStart>?
  }

  /// The time at which the work of a hold starts.
  enum WorkStart: Sendable {
    /// Within the call that begins the hold.
    case atOnce
    /// When the last request in flight has ended, which belongs to a client with this scheduler.
    case afterRequests(any Scheduler)
  }

  private var lastID = 0
  private var holds: Set<Int> = []
  /// The holds that wait for requests in flight.
  private var draining: [Int: Resolver<WorkStart>] = [:]
  /// The waiting requests.
  private var waiting: [Int: Resolver<WorkStart>] = [:]
  private var inFlight: Set<Int> = []

  /// Returns a number for a request or a hold.
  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  /// Adds a request.
  ///
  /// - Returns: The number of the request, and a promise that is fulfilled when it may continue. `nil`
  ///   if it may continue at once.
  mutating func enter() -> (id: Int, gate: Promise<WorkStart>?) {
    let id = nextID()
    guard !holds.isEmpty else {
      inFlight.insert(id)
      return (id, nil)
    }
    let pending = Promise<WorkStart>.pending(
      on: .inline, file: "the work of a pipeline barrier", line: 0)
    waiting[id] = pending.resolver
    return (id, pending.promise)
  }

  /// Removes a request that has ended, waiting or in flight.
  mutating func leave(_ id: Int) -> Effects {
    if let resolver = waiting.removeValue(forKey: id) { return Effects(dropped: resolver) }
    guard inFlight.remove(id) != nil, inFlight.isEmpty else { return Effects() }
    return Effects(resumed: takeInOrder(&draining))
  }

  /// Adds a hold.
  ///
  /// - Parameters:
  ///   - id: The number of the hold.
  ///   - resolver: The resolver to fulfil when the requests in flight have ended. `nil` does not
  ///     wait for them.
  /// - Returns: The effects, with the resolver if no request is in flight.
  mutating func hold(_ id: Int, _ resolver: Resolver<WorkStart>?) -> Effects {
    holds.insert(id)
    guard let resolver else { return Effects() }
    guard !inFlight.isEmpty else { return Effects(resumed: [resolver]) }
    draining[id] = resolver
    return Effects()
  }

  /// Removes a hold.
  ///
  /// After the last one all waiting requests continue.
  mutating func release(_ id: Int) -> Effects {
    holds.remove(id)
    var effects = Effects(dropped: draining.removeValue(forKey: id))
    guard holds.isEmpty else { return effects }
    inFlight.formUnion(waiting.keys)
    effects.resumed = takeInOrder(&waiting)
    return effects
  }

  private func takeInOrder(
    _ resolvers: inout [Int: Resolver<WorkStart>]
  ) -> [Resolver<WorkStart>] {
    defer { resolvers = [:] }
    return resolvers.sortedByPositions { $0.key < $1.key }.map(\.value)
  }
}
