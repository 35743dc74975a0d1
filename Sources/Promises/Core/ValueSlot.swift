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
