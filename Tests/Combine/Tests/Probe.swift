import Combine
import Synchronization

struct Failed: Error, Equatable {}

/// A subscriber that records all that it receives and requests nothing by itself.
///
/// `@unchecked Sendable` because the lock protects the state, and the subscription is thread-safe.
final class Probe<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
  private struct State: @unchecked Sendable {
    var log: [String] = []
    var subscription: (any Subscription)?
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())
  private let onValue: @Sendable (Probe) -> Subscribers.Demand

  /// - Parameter onValue: Runs after each value, and returns further demand.
  init(onValue: @escaping @Sendable (Probe) -> Subscribers.Demand = { _ in .none }) {
    self.onValue = onValue
  }

  var log: [String] { state.withLock { $0.log } }

  /// Waits until the log has at least some entries.
  func entries(_ count: Int) async -> [String] {
    await withCheckedContinuation { continuation in
      let isComplete = state.withLock { state in
        if state.log.count < count { state.waiters.append((count, continuation)) }
        return state.log.count >= count
      }
      if isComplete { continuation.resume() }
    }
    return log
  }

  func request(_ demand: Subscribers.Demand) {
    subscription?.request(demand)
  }

  func cancel() {
    subscription?.cancel()
  }

  func receive(subscription: any Subscription) {
    nonisolated(unsafe) let subscription = subscription
    state.withLock { $0.subscription = subscription }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    record("\(input)")
    return onValue(self)
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: record("finished")
    case .failure(let error): record("\(error)")
    }
  }

  private var subscription: (any Subscription)? {
    state.withLock { state in
      nonisolated(unsafe) let subscription = state.subscription
      return subscription
    }
  }

  private func record(_ entry: String) {
    let ready = state.withLock { state in
      state.log.append(entry)
      let count = state.log.count
      let ready = state.waiters.filter { $0.count <= count }
      state.waiters.removeAll { $0.count <= count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }
}

/// A generator of numbers that are the same for the same seed.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: Int) {
    state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
