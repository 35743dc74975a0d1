import CatenaSystem
package import Networking

/// A delay and a fault that replace those of responses while a backend runs.
package struct ResponseAdjustment: Sendable {
  /// A delay or a fault, with its JSON in the format of stub files.
  package struct Setting<Value: Sendable>: Sendable {
    let value: Value
    /// The JSON.
    package let json: JSON

    /// Creates a setting.
    package init(_ value: Value, json: JSON) {
      self.value = value
      self.json = json
    }
  }

  /// The delay before the first byte, or `nil` to keep the delays of the responses.
  package var delay: Setting<MockDelay>?
  /// The fault, or `nil` to keep the faults of the responses.
  ///
  /// A setting without a fault removes them.
  package var fault: Setting<Mock.Interruption?>?
  /// The probability of the fault, or `nil` to use the one of the fault.
  package var faultChance: Double?

  /// Creates an adjustment that changes nothing.
  package init() {}

  /// Whether the adjustment changes nothing.
  package var isEmpty: Bool { delay == nil && fault == nil && faultChance == nil }

  /// Replaces the delay and the fault of a response.
  func apply(to mock: inout Mock) {
    if let delay { mock.delay = delay.value }
    guard let fault else { return }
    mock.interruption = fault.value
    if let faultChance { mock.interruption?.chance = faultChance }
  }
}

/// The adjustments of the responses of one backend, which the admin API changes.
///
/// The adjustment of a route takes precedence over the one of all routes. Responses without a route,
/// such as a 404, are not changed. All members may be used from any thread.
final class ResponseAdjustments: Sendable {
  private struct State {
    var all = ResponseAdjustment()
    var routes: [Int: ResponseAdjustment] = [:]
  }

  private let state = Mutex(State())
  /// Fast path: without adjustments, a response is made without the lock.
  private let areUsed = Atomic(false)

  /// Whether there may be an adjustment.
  var isActive: Bool { areUsed.load(ordering: .acquiring) }

  /// The adjustment of all routes.
  var all: ResponseAdjustment {
    get { state.withLock { $0.all } }
    set { update { $0.all = newValue } }
  }

  /// The adjustment of the route with a number.
  ///
  /// Setting an empty one removes it.
  subscript(route: Int) -> ResponseAdjustment {
    get { state.withLock { $0.routes[route] ?? ResponseAdjustment() } }
    set { update { $0.routes[route] = newValue.isEmpty ? nil : newValue } }
  }

  private func update(_ change: (inout State) -> Void) {
    let isActive = state.withLock { state in
      change(&state)
      return !state.all.isEmpty || !state.routes.isEmpty
    }
    // Only set: two threads could otherwise store the flag in the wrong order.
    if isActive { areUsed.store(true, ordering: .releasing) }
  }

  /// Replaces the delay and the fault of a response.
  ///
  /// - Parameters:
  ///   - mock: The response.
  ///   - route: The number of its route. `nil` leaves the response unchanged.
  func apply(to mock: inout Mock, of route: Int?) {
    guard isActive, let route else { return }
    let (all, own) = state.withLock { ($0.all, $0.routes[route]) }
    all.apply(to: &mock)
    own?.apply(to: &mock)
  }
}
