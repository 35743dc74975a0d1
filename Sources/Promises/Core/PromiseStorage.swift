/// Who waits for a promise, and what it waits for: what its lock protects.
///
/// The methods take an event and return what is to be done about it; the promise does that after
/// unlocking, so that no code of a user, not even a `deinit`, ever runs under the lock.
@usableFromInline
struct PromiseMachine: ~Copyable, Sendable {
  /// Who settles a promise.
  @usableFromInline
  enum SettlementSource: Sendable {
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
  func accepts(_ source: SettlementSource) -> Bool {
    !(isBound && source == .resolver)
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
  enum ConsumerRemoval: Sendable {
    /// Others still wait. The dead reactions are to be let go of after unlocking.
    case others(dead: [Reaction])
    case last
  }

  /// Dead reactions are swept out once they are half of all, so a promise that outlives
  /// thousands of consumers holds on to few of them, at a constant cost for each.
  mutating func consumerCancelled() -> ConsumerRemoval {
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

/// Room for one value, which does not make the layout of the class that has it depend on the value's
/// type.
///
/// A generic class with a field of type `Value?` looks that type's metadata up each time an instance
/// is destroyed, which costs as much as a third of a short chain. This slot is three plain words;
/// small values live in them, larger ones in a block of their own. It knows nothing of whether it is
/// full: its owner does, and has to call ``destroy(_:)`` exactly once if it is.
@usableFromInline
struct ValueSlot: Sendable {
  @usableFromInline var words: (UInt, UInt, UInt) = (0, 0, 0)

  @inlinable
  init() {}

  @inlinable
  static func fits<Value>(_ type: Value.Type) -> Bool {
    MemoryLayout<Value>.size <= MemoryLayout<(UInt, UInt, UInt)>.size
      && MemoryLayout<Value>.alignment <= MemoryLayout<UInt>.alignment
  }

  /// Puts a value into the empty slot.
  @inlinable
  mutating func fill<Value>(with value: Value) {
    withUnsafeMutableBytes(of: &words) { bytes in
      guard let start = bytes.baseAddress else { return }
      if Self.fits(Value.self) {
        start.initializeMemory(as: Value.self, to: value)
      } else {
        let block = UnsafeMutablePointer<Value>.allocate(capacity: 1)
        block.initialize(to: value)
        start.storeBytes(of: block, as: UnsafeMutablePointer<Value>.self)
      }
    }
  }

  /// A copy of the value in the full slot.
  @inlinable
  func read<Value>(as type: Value.Type) -> Value {
    withUnsafeBytes(of: words) { bytes in
      if Self.fits(Value.self) {
        bytes.assumingMemoryBound(to: Value.self)[0]
      } else {
        bytes.load(as: UnsafeMutablePointer<Value>.self).pointee
      }
    }
  }

  /// Destroys the value in the full slot.
  @inlinable
  mutating func destroy<Value>(_ type: Value.Type) {
    // Nothing to do for a number and its like, of which the general way takes a hundred instructions.
    if _isPOD(Value.self), Self.fits(Value.self) { return }
    withUnsafeMutableBytes(of: &words) { bytes in
      guard let start = bytes.baseAddress else { return }
      if Self.fits(Value.self) {
        start.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      } else {
        let block = start.load(as: UnsafeMutablePointer<Value>.self)
        block.deinitialize(count: 1)
        block.deallocate()
      }
    }
  }
}
