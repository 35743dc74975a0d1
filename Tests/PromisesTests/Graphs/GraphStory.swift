import TestSupport

/// One step of a story about a graph of promises.
///
/// The numbers of promises are draws: they count modulo the number of promises at the time of the
/// step. A story therefore stays valid when steps are removed.
enum GraphStep: Sendable {
  case source
  case map(of: Int, GraphHandler)
  case tap(of: Int, GraphHandler)
  case then(of: Int, GraphHandler)
  case recover(of: Int, GraphHandler)
  /// A recovery by another promise.
  case recoverByPromise(of: Int, GraphHandler)
  /// An action with a promise.
  case ensure(of: Int, GraphHandler)
  case when([Int])
  case settled([Int])
  case any([Int])
  case race([Int])
  /// A timeout in seconds.
  case timeout(of: Int, seconds: Int)
  /// An observer, whose handler cannot throw.
  case done(of: Int, GraphHandler)
  case always(of: Int)
  case cancel(Int)
  /// The settlement of a source by its resolver. The number counts sources.
  case fulfill(Int)
  case reject(Int)
  case bind(Int, to: Int)
  /// An advance of the virtual time, in seconds.
  case advance(seconds: Int)
}

/// The behavior of the closure of a step.
struct GraphHandler: Sendable {
  /// A side effect on another promise.
  enum Effect: Sendable {
    case none
    case cancel(Int)
    case fulfill(Int)
  }

  var effect = Effect.none
  var isThrowing = false
  /// The promise that the closure returns.
  var inner = 0
}

/// The outcome of a promise of a graph, without types that cannot be compared.
enum GraphOutcome: Sendable, Equatable {
  case value(Int)
  /// The error that the handler of a step has thrown, or that a resolver has set.
  case failed(step: Int)
  case cancelled
  case cycle
  case timedOut
  case allRejected(count: Int)
  /// An error that no step makes.
  case unexpected(String)

  var isValue: Bool { if case .value = self { true } else { false } }
}

/// An observable event of a graph.
enum GraphEvent: Sendable, Equatable {
  /// The closure of a `then`, `map`, `tap`, `recover` or `ensure` ran.
  case ran(step: Int)
  case done(step: Int, Int)
  case always(step: Int, GraphOutcome)
  /// The `onCancel` action of a source ran.
  case stopped(step: Int)
}

/// A random sequence of steps.
struct GraphStory: Sendable, CustomStringConvertible {
  var steps: [GraphStep]

  /// Draws a story.
  ///
  /// - Parameters:
  ///   - seed: The seed.
  ///   - count: The number of steps.
  init(seed: UInt64, count: Int) {
    var draws = Draws(generator: SeededGenerator(seed: seed))
    steps = [.source, .source, .source]
    while steps.count < count { steps.append(draws.step()) }
  }

  init(steps: [GraphStep]) {
    self.steps = steps
  }

  var description: String {
    steps.enumerated().map { "  \($0.offset): \($0.element)" }.joined(separator: "\n")
  }

  /// Returns the shortest story for which a check still fails, found by removing steps.
  func shortened(while isFailing: (GraphStory) async -> Bool) async -> GraphStory {
    let steps = await TestSupport.shortened(steps) { await isFailing(GraphStory(steps: $0)) }
    return GraphStory(steps: steps)
  }

  private struct Draws {
    var generator: SeededGenerator

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    /// A number of a promise, before it is reduced modulo the number of promises.
    mutating func promise() -> Int { below(1 << 16) }

    mutating func promises() -> [Int] { (0...below(3)).map { _ in promise() } }

    mutating func handler() -> GraphHandler {
      let effect: GraphHandler.Effect =
        switch below(10) {
        case 0: .cancel(promise())
        case 1: .fulfill(promise())
        default: .none
        }
      return GraphHandler(effect: effect, isThrowing: below(6) == 0, inner: promise())
    }

    mutating func step() -> GraphStep {
      switch below(42) {
      case 0..<4: .source
      case 4..<7: .map(of: promise(), handler())
      case 7: .tap(of: promise(), handler())
      case 8..<12: .then(of: promise(), handler())
      case 12: .recover(of: promise(), handler())
      case 13..<15: .recoverByPromise(of: promise(), handler())
      case 15: .when(promises())
      case 16: .settled(promises())
      case 17: .any(promises())
      case 18: .race(promises())
      case 19..<21: .timeout(of: promise(), seconds: below(5))
      case 21..<24: .done(of: promise(), handler())
      case 24..<26: .always(of: promise())
      case 26..<31: .cancel(promise())
      case 31..<34: .fulfill(promise())
      case 34..<36: .reject(promise())
      case 36..<38: .bind(promise(), to: promise())
      case 38..<40: .ensure(of: promise(), handler())
      default: .advance(seconds: 1 + below(2))
      }
    }
  }
}
