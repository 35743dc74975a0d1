extension NetworkReachability {
  /// The status and its changes, for any number of consumers, each at its own pace.
  ///
  /// The first element is the current status, at once. A consumer that is slower than the changes
  /// gets the latest and none of those before it; so an element may equal the one before it, when the
  /// network was gone and came back meanwhile. The sequence ends when the ``NetworkReachability`` is
  /// released, which it does not keep alive, and in a task that is cancelled.
  public struct Changes: AsyncSequence, Sendable {
    /// A status of the network.
    public typealias Element = Status
    /// It ends without an error.
    public typealias Failure = Never

    let state: ReachabilityState

    /// Makes an iterator that begins with the current status.
    ///
    /// - Returns: the iterator, independent of all others.
    public func makeAsyncIterator() -> Iterator {
      Iterator(state: state)
    }

    /// What one consumer has seen of the changes.
    public struct Iterator: AsyncIteratorProtocol {
      let state: ReachabilityState
      private var seen: UInt64 = 0

      init(state: ReachabilityState) {
        self.state = state
      }

      /// Waits for a status other than the one seen last.
      ///
      /// - Parameter actor: where the caller is.
      /// - Returns: the latest status; nil when there is none to come, or the task is cancelled.
      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Status? {
        guard let change = await state.change(after: seen, isolation: actor) else { return nil }
        seen = change.number
        return change.status
      }
    }
  }
}
