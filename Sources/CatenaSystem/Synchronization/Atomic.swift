#if canImport(Darwin) || CATENA_LOCKS
  public import CCatenaSystem

  /// A number or a Boolean that several threads read and write without a lock.
  ///
  /// The interface is that of the type in Swift's module Synchronization, which needs macOS 15 and
  /// iOS 18.
  ///
  /// Source: ISO C11 section 7.17.
  ///
  /// `@unchecked Sendable` because the storage is protected by atomic access: nothing else reads it.
  @usableFromInline
  package struct Atomic<Value: AtomicValue>: ~Copyable, @unchecked Sendable {
    @usableFromInline let storage: AtomicStorage

    /// Creates a value.
    ///
    /// - Parameter initialValue: The value.
    @inlinable
    package init(_ initialValue: Value) {
      storage = AtomicStorage()
      store(initialValue, ordering: .relaxed)
    }

    /// Returns the value.
    ///
    /// - Parameter ordering: The order of this access and others.
    /// - Returns: The value.
    @inlinable @inline(__always)
    package borrowing func load(ordering: AtomicOrdering) -> Value {
      Value(bits: catena_atomic_load(storage.address, ordering.order))
    }

    /// Replaces the value.
    ///
    /// - Parameters:
    ///   - desired: The new value.
    ///   - ordering: The order of this access and others.
    @inlinable @inline(__always)
    package borrowing func store(_ desired: Value, ordering: AtomicOrdering) {
      catena_atomic_store(storage.address, desired.bits, ordering.order)
    }

    /// Replaces the value, and returns the former one.
    ///
    /// - Parameters:
    ///   - desired: The new value.
    ///   - ordering: The order of this access and others.
    /// - Returns: The former value.
    @inlinable @inline(__always)
    package borrowing func exchange(_ desired: Value, ordering: AtomicOrdering) -> Value {
      Value(bits: catena_atomic_exchange(storage.address, desired.bits, ordering.order))
    }

    /// Replaces the value if it is the expected one.
    ///
    /// - Parameters:
    ///   - expected: The value to replace.
    ///   - desired: The new value.
    ///   - ordering: The order of this access and others.
    /// - Returns: Whether the value was replaced, and the former one.
    @inlinable @inline(__always)
    package borrowing func compareExchange(
      expected: Value, desired: Value, ordering: AtomicOrdering
    ) -> (exchanged: Bool, original: Value) {
      let original = catena_atomic_compare_exchange(
        storage.address, expected.bits, desired.bits, ordering.order)
      return (original == expected.bits, Value(bits: original))
    }
  }

  extension Atomic where Value: FixedWidthInteger {
    /// Adds a number, with a trap on overflow.
    ///
    /// - Parameters:
    ///   - operand: The number.
    ///   - ordering: The order of this access and others.
    /// - Returns: The former value and the new one.
    @discardableResult @inlinable @inline(__always)
    package borrowing func add(
      _ operand: Value, ordering: AtomicOrdering
    ) -> (oldValue: Value, newValue: Value) {
      let old = catena_atomic_add(storage.address, operand.bits, ordering.order)
      return (Value(bits: old), Value(bits: old) + operand)
    }

    /// Subtracts a number, with a trap on overflow.
    ///
    /// - Parameters:
    ///   - operand: The number.
    ///   - ordering: The order of this access and others.
    /// - Returns: The former value and the new one.
    @discardableResult @inlinable @inline(__always)
    package borrowing func subtract(
      _ operand: Value, ordering: AtomicOrdering
    ) -> (oldValue: Value, newValue: Value) {
      let old = catena_atomic_add(storage.address, 0 &- operand.bits, ordering.order)
      return (Value(bits: old), Value(bits: old) - operand)
    }

    /// Sets the bits that a number has.
    ///
    /// - Parameters:
    ///   - operand: The number.
    ///   - ordering: The order of this access and others.
    /// - Returns: The former value and the new one.
    @discardableResult @inlinable @inline(__always)
    package borrowing func bitwiseOr(
      _ operand: Value, ordering: AtomicOrdering
    ) -> (oldValue: Value, newValue: Value) {
      let old = catena_atomic_or(storage.address, operand.bits, ordering.order)
      return (Value(bits: old), Value(bits: old) | operand)
    }

    /// Clears the bits that a number does not have.
    ///
    /// - Parameters:
    ///   - operand: The number.
    ///   - ordering: The order of this access and others.
    /// - Returns: The former value and the new one.
    @discardableResult @inlinable @inline(__always)
    package borrowing func bitwiseAnd(
      _ operand: Value, ordering: AtomicOrdering
    ) -> (oldValue: Value, newValue: Value) {
      let old = catena_atomic_and(storage.address, operand.bits, ordering.order)
      return (Value(bits: old), Value(bits: old) & operand)
    }
  }

  /// The bytes of an atomic value, which stay at one address while the owner lives.
  @usableFromInline
  @_rawLayout(like: UInt64)
  struct AtomicStorage: ~Copyable {
    @inlinable init() {}

    @inlinable var address: UnsafeMutablePointer<UInt64> { rawAddress(of: self) }
  }
#endif
