/// Who waits for a promise, and what it waits for: what its lock protects.
///
/// The methods take an event and return what is to be done about it; the promise does that after
/// unlocking, so that no code of a user, not even a `deinit`, ever runs under the lock.
@usableFromInline
struct PromiseMachine: ~Copyable, Sendable {
  /// Who settles a promise.
  @usableFromInline
  enum Settler: Sendable {
    /// The promise's resolver, which counts only until it has bound the promise to another one.
    case resolver
    /// What the promise waits for; it has ended and need not be told.
    case upstream
    /// Somebody who no longer waits: a cancellation, a timeout, a winner elsewhere.
    case consumer
  }

  @usableFromInline var isBound = false
  /// Settled by a consumer.
  @usableFromInline var isCancelled = false
  @usableFromInline var upstream: (any Upstream)?
  /// The reactions after the first one, which has a place of its own in the promise.
  @usableFromInline var others: [Reaction]?
  @usableFromInline var consumers: Int32 = 0
  @usableFromInline var departed: Int32 = 0

  @inlinable
  init(upstream: consuming (any Upstream)?) {
    self.upstream = upstream
  }

  // MARK: Settling

  @inlinable
  func accepts(_ settler: Settler) -> Bool {
    !(isBound && settler == .resolver)
  }

  // MARK: Attaching

  /// Not inlined, so that the common path, where this is not called, stays small.
  @usableFromInline @inline(never)
  mutating func append(_ reaction: consuming Reaction?) {
    guard let reaction else { return }
    if others == nil { others = [reaction] } else { others?.append(reaction) }
  }

  // MARK: Waiting

  var links: UpstreamLinks { upstream.map(UpstreamLinks.one) ?? .none }

  // MARK: Consumers leaving

  /// What follows from a consumer's leaving a pending promise.
  enum Departure: Sendable {
    /// Others still wait. The dead reactions are to be let go of after unlocking.
    case others(dead: [Reaction])
    case last
  }

  /// Dead reactions are swept out once they are half of all, so a promise that outlives
  /// thousands of consumers holds on to few of them, at a constant cost for each.
  mutating func consumerLeft() -> Departure {
    consumers -= 1
    guard consumers > 0 else { return .last }
    departed += 1
    guard departed >= 8, Int(departed) * 2 >= others?.count ?? 0 else { return .others(dead: []) }
    departed = 0
    // Each is asked once: one that died between two questions would be released under the lock.
    var (dead, alive): ([Reaction], [Reaction]) = ([], [])
    for reaction in others.take() ?? [] {
      if reaction.isDead { dead.append(reaction) } else { alive.append(reaction) }
    }
    if !alive.isEmpty { others = alive }
    return .others(dead: dead)
  }
}
