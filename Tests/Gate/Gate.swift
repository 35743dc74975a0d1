import CatenaSystem
import Promises
import TestSupport
package import Testing

/// A limit for the tests that run at the same time.
///
/// Swift Testing starts all tests at once. Among thousands of them, a test waits for minutes between two of
/// its steps, in which connections end and cookies expire, and the process runs out of descriptors. A test
/// with this trait waits until it has a place before it starts. It is cancelled and reported if neither it nor
/// another gated test ends for ten minutes: a test may be slow on a slow machine, but must not stand still. The
/// limit of `.timeLimit` would depend on the machine, and include the wait.
///
/// All suites with sockets, files, processes or long computations have this trait. If the suites around a
/// test have several, the innermost counts.
package struct Gate: TestTrait, SuiteTrait, TestScoping {
  /// The places and descriptors that a test takes.
  struct Request {
    var places: Int
    var descriptors: Int

    static let all = Request(places: .max, descriptors: .max)
  }

  let request: Request

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard !Self.isPassed else { return try await function() }
    let innermost = test.traits.lazy.compactMap { $0 as? Gate }.last ?? self
    let places = await Turnstile.shared.enter(innermost.request)
    defer { Turnstile.shared.leave(places) }
    try await Self.$isPassed.withValue(true) {
      try await withoutActuallyEscaping(function) { try await Self.perform($0) }
    }
  }

  /// Whether the current test has its places.
  @TaskLocal private static var isPassed = false

  /// Performs a function, which is cancelled after ten minutes in which no test has ended.
  private static func perform(_ function: @escaping @Sendable () async throws -> Void) async throws
  {
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await function()
        return true
      }
      group.addTask {
        try? await Turnstile.shared.standsStill { try await Task.sleep(for: .seconds(600)) }
        return false
      }
      defer { group.cancelAll() }
      if try await group.next() == false {
        Issue.record("Neither this test nor another one has ended for ten minutes.")
        group.cancelAll()
        try await group.waitForAll()
      }
    }
  }
}

extension Trait where Self == Gate {
  /// A place of eight, and 100 descriptors.
  package static var gated: Gate { gated(descriptors: 100) }

  /// A place of eight, and this number of descriptors.
  package static func gated(descriptors: Int) -> Gate {
    Gate(request: Gate.Request(places: 1, descriptors: descriptors))
  }

  /// All places: no other gated test runs at the same time.
  package static var alone: Gate { Gate(request: .all) }
}

/// The queue of the tests that wait for their places, in the order of their arrival.
final class Turnstile: Sendable {
  /// The turnstile of all gated tests.
  ///
  /// With eight places the threads of a small machine are busy while tests wait for sockets. 500
  /// descriptors remain for uncounted files.
  static let shared = Turnstile(places: 8, descriptors: ProcessResources.raiseFileLimit() - 500)

  private struct State {
    var free: Gate.Request
    var leaveCount = 0
    var waiting = FIFO<(Gate.Request, CheckedContinuation<Void, Never>)>()

    /// Takes places if they are free.
    mutating func take(_ request: Gate.Request) -> Bool {
      guard request.places <= free.places, request.descriptors <= free.descriptors else {
        return false
      }
      free.places -= request.places
      free.descriptors -= request.descriptors
      return true
    }

    /// Returns the first waiting tests whose places are free.
    mutating func admit() -> [CheckedContinuation<Void, Never>] {
      var admitted: [CheckedContinuation<Void, Never>] = []
      while let (request, continuation) = waiting.first, take(request) {
        _ = waiting.popFirst()
        admitted.append(continuation)
      }
      return admitted
    }
  }

  private let all: Gate.Request
  private let state: Mutex<State>

  init(places: Int, descriptors: Int) {
    all = Gate.Request(places: places, descriptors: max(descriptors, 1))
    state = Mutex(State(free: all))
  }

  /// The number of tests that wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// The number of tests that have ended.
  var leaveCount: Int { state.withLock { $0.leaveCount } }

  /// The number of places that no test has.
  var freePlaces: Int { state.withLock { $0.free.places } }

  /// Waits until no test has ended during a period.
  ///
  /// - Parameter period: A closure that waits for the end of the period.
  /// - Throws: The error of the closure.
  func standsStill(for period: () async throws -> Void) async throws {
    var earlierCount: Int
    repeat {
      earlierCount = leaveCount
      try await period()
    } while leaveCount != earlierCount
  }

  /// Waits for places, at most all of them, and returns those taken.
  func enter(_ wanted: Gate.Request) async -> Gate.Request {
    let request = Gate.Request(
      places: min(wanted.places, all.places), descriptors: min(wanted.descriptors, all.descriptors))
    await withCheckedContinuation { continuation in
      let admitted = state.withLock {
        $0.waiting.append((request, continuation))
        return $0.admit()
      }
      for continuation in admitted { continuation.resume() }
    }
    return request
  }

  /// Returns places to those who wait.
  func leave(_ request: Gate.Request) {
    let admitted = state.withLock {
      $0.free.places += request.places
      $0.free.descriptors += request.descriptors
      $0.leaveCount += 1
      return $0.admit()
    }
    for continuation in admitted { continuation.resume() }
  }
}
