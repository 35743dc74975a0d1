#if canImport(Darwin) || CATENA_LOCKS
  public import CCatenaSystem

  /// A type whose values fit in the 64 bits of an ``Atomic``.
  @usableFromInline
  package protocol AtomicValue {
    /// The value, from the lowest bit on.
    var bits: UInt64 { get }

    /// Creates a value of ``bits``.
    ///
    /// - Parameter bits: The bits.
    init(bits: UInt64)
  }

  extension AtomicValue where Self: FixedWidthInteger {
    @inlinable package var bits: UInt64 { UInt64(truncatingIfNeeded: self) }

    @inlinable package init(bits: UInt64) { self.init(truncatingIfNeeded: bits) }
  }

  extension Int: AtomicValue {}
  extension UInt8: AtomicValue {}
  extension UInt64: AtomicValue {}

  extension Bool: AtomicValue {
    @inlinable package var bits: UInt64 { self ? 1 : 0 }

    @inlinable package init(bits: UInt64) { self = bits != 0 }
  }

  /// The order of an atomic access and others.
  ///
  /// Source: ISO C11 section 7.17.3.
  @usableFromInline
  package struct AtomicOrdering: Sendable {
    @usableFromInline let order: CInt

    @inlinable init(_ order: Int) { self.order = CInt(order) }

    /// No order.
    @inlinable package static var relaxed: Self { Self(CATENA_RELAXED) }
    /// Later accesses stay after the load.
    @inlinable package static var acquiring: Self { Self(CATENA_ACQUIRE) }
    /// Earlier accesses stay before the store.
    @inlinable package static var releasing: Self { Self(CATENA_RELEASE) }
    /// Both, for an operation that loads and stores.
    @inlinable package static var acquiringAndReleasing: Self { Self(CATENA_ACQ_REL) }
  }
#endif
