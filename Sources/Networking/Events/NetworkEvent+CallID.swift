import Synchronization

extension NetworkEvent {
  /// Tells the calls of a process apart.
  public struct CallID: Sendable, Hashable, CustomStringConvertible {
    private static let last = Atomic<UInt64>(0)

    private let number: UInt64

    /// Makes one that no other call of the process has.
    public init() {
      number = Self.last.add(1, ordering: .relaxed).newValue
    }

    /// A number, of a later call a higher one: `#17`.
    public var description: String { "#\(number)" }
  }
}
