/// The consumers and the upstream of a promise, protected by the promise's lock.
///
/// The methods take an event and return the action for it. The promise performs the action after
/// unlocking, so that no user code, not even a `deinit`, runs under the lock.
@usableFromInline
struct PromiseMachine: ~Copyable, Sendable {
  /// The origin of a settlement.
  @usableFromInline
  enum SettlementSource: Sendable {
    /// The promise's resolver.
    ///
    /// It is ignored after the promise has been bound to another promise.
    case resolver
    /// The upstream of the promise.
    ///
    /// It has ended, so it is not notified.
    case upstream
    /// The upstream of the promise of a `done`, before its handler runs.
    ///
    /// Reactions that are attached from then on run after the handler.
    case observed
    /// A consumer that no longer waits: a cancellation, a timeout, or a combinator that already has
    /// its outcome.
    case consumer
    /// The departure of the last consumer.
    ///
    /// It is ignored if another consumer has arrived since.
    case lastConsumer

    /// Whether the promise no longer needs its upstream, which must be notified.
    @inlinable var leavesUpstream: Bool { self == .consumer || self == .lastConsumer }
  }

  /// Whether the promise follows another promise and ignores its resolver.
  @usableFromInline var isBound = false
  /// Whether a consumer settled the promise.
  @usableFromInline var isCancelled = false
  @usableFromInline var upstream: (any Upstream)?
  /// All reactions except the first one, which the promise stores inline.
  @usableFromInline var otherReactions: [Reaction]?
  @usableFromInline var consumers: Int32 = 0
  /// The number of consumers removed since dead reactions were last removed.
  @usableFromInline var departed: Int32 = 0

  @inlinable
  init(upstream: consuming (any Upstream)?) { self.upstream = upstream }

  // MARK: Settling

  @inlinable
  func accepts(_ source: SettlementSource) -> Bool {
    switch source {
    case .resolver: !isBound
    // Counted again under the lock that settles: a consumer may have arrived after the last one
    // departed.
    case .lastConsumer: consumers <= 0
    case .upstream, .observed, .consumer: true
    }
  }

  // MARK: Attaching

  /// Not inlined, so that the common path, which does not call this, stays small.
  @usableFromInline @inline(never)
  mutating func append(_ reaction: consuming Reaction?) {
    guard let reaction else { return }
    if otherReactions == nil {
      otherReactions = [reaction]
    } else {
      otherReactions?.append(reaction)
    }
  }

  // MARK: Upstream

  var links: UpstreamLinks { upstream.map(UpstreamLinks.one) ?? .none }

  // MARK: Removing consumers

  /// The result of removing a consumer of a pending promise.
  enum ConsumerRemoval: Sendable {
    /// Other consumers remain.
    ///
    /// The dead reactions must be released after unlocking.
    case others(dead: [Reaction])
    case last
  }

  /// Removes one consumer.
  ///
  /// Dead reactions are removed once they are half of all reactions. A promise that outlives
  /// thousands of consumers therefore retains few of them, at a constant amortized cost.
  mutating func consumerCancelled() -> ConsumerRemoval {
    consumers -= 1
    guard consumers > 0 else { return .last }
    departed += 1
    guard departed >= 8, Int(departed) * 2 >= otherReactions?.count ?? 0 else {
      return .others(dead: [])
    }
    departed = 0
    // `isDead` is read once for each reaction. It can change between two reads, and the reaction
    // would then be released under the lock.
    var (dead, alive): ([Reaction], [Reaction]) = ([], [])
    for reaction in otherReactions.take() ?? [] {
      if reaction.isDead { dead.append(reaction) } else { alive.append(reaction) }
    }
    if !alive.isEmpty { otherReactions = alive }
    return .others(dead: dead)
  }
}

/// Storage for one value, with a layout that does not depend on the value's type.
///
/// A generic class with a field of type `Value?` looks up the type's metadata on each destruction
/// of an instance, which takes up to a third of the time of a short chain. This slot consists of
/// three words. It stores small values inline and larger ones in a box, which several slots can
/// share. The slot does not know whether it is full: the owner keeps track and must call
/// ``destroy(_:)`` exactly once if it is full.
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

  /// Stores a value in the empty slot.
  @inlinable
  mutating func fill<Value>(with value: Value) {
    withUnsafeMutableBytes(of: &words) { bytes in
      guard let start = bytes.baseAddress else { return }
      if Self.fits(Value.self) {
        start.initializeMemory(as: Value.self, to: value)
      } else {
        let box = Unmanaged.passRetained(Box(value))
        start.storeBytes(of: box, as: Unmanaged<Box<Value>>.self)
      }
    }
  }

  /// Stores the value of another full slot in the empty slot, without an allocation.
  @inlinable
  mutating func fill<Value>(with other: ValueSlot, as type: Value.Type) {
    if Self.fits(type) { return fill(with: other.read(as: type)) }
    words = other.words
    // As any object, because the type of the box looks up metadata in unspecialized code.
    withUnsafeBytes(of: words) { _ = $0.load(as: Unmanaged<AnyObject>.self).retain() }
  }

  /// Returns a copy of the value in the full slot.
  @inlinable
  func read<Value>(as type: Value.Type) -> Value {
    withUnsafeBytes(of: words) { bytes in
      if Self.fits(Value.self) {
        bytes.assumingMemoryBound(to: Value.self)[0]
      } else {
        bytes.load(as: Unmanaged<Box<Value>>.self)._withUnsafeGuaranteedRef { $0.value }
      }
    }
  }

  /// Destroys the value in the full slot.
  @inlinable
  mutating func destroy<Value>(_ type: Value.Type) {
    // Fast path for trivial types, such as numbers. The general path takes about a hundred
    // instructions.
    if _isPOD(Value.self), Self.fits(Value.self) { return }
    withUnsafeMutableBytes(of: &words) { bytes in
      guard let start = bytes.baseAddress else { return }
      if Self.fits(Value.self) {
        start.assumingMemoryBound(to: Value.self).deinitialize(count: 1)
      } else {
        start.load(as: Unmanaged<AnyObject>.self).release()
      }
    }
  }

  /// A value that does not fit into a slot.
  @usableFromInline
  final class Box<Value> {
    @usableFromInline let value: Value

    @inlinable
    init(_ value: Value) { self.value = value }
  }
}

// MARK: - Objects in slots without a value

extension ValueSlot {
  /// The object that an empty slot retains.
  @inlinable
  func retainedObject<Object: AnyObject>(as type: Object.Type) -> Object? {
    UnsafeRawPointer(bitPattern: words.0).map {
      Unmanaged<Object>.fromOpaque($0).takeUnretainedValue()
    }
  }

  /// Retains an object in the empty slot.
  @inlinable
  mutating func retain(_ object: AnyObject) {
    words.0 = UInt(bitPattern: Unmanaged.passRetained(object).toOpaque())
  }

  /// Releases the object of ``retain(_:)``, and returns it.
  mutating func releaseObject<Object: AnyObject>(as type: Object.Type) -> Object? {
    defer { words.0 = 0 }
    return UnsafeRawPointer(bitPattern: words.0).map {
      Unmanaged<Object>.fromOpaque($0).takeRetainedValue()
    }
  }
}
