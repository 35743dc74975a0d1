import Testing

@testable import Networking

struct CircuitMachineTests {
  /// What happens to a circuit that two failures open for ten seconds.
  private enum Step {
    /// A request comes at this second, and ends so; it has to be let through, or not.
    case request(CircuitMachine.Outcome, at: Int, passes: Bool = true)
    /// A request comes that does not end yet.
    case begin(at: Int)
    /// The first request that has not ended does.
    case end(CircuitMachine.Outcome, at: Int)
    /// A request comes and is refused for so many seconds.
    case refused(at: Int, remaining: Int)
  }

  private func run(_ steps: [Step], _ location: SourceLocation = #_sourceLocation) -> CircuitMachine
  {
    var circuit = CircuitMachine(CircuitBreaker(threshold: 2, cooldown: .seconds(10)))
    var begun: [Int] = []
    for (number, step) in steps.enumerated() {
      switch step {
      case .request(let outcome, let seconds, let passes):
        let admission = circuit.admit(at: .seconds(seconds))
        if case .pass(let generation) = admission {
          circuit.ended(outcome, generation: generation, at: .seconds(seconds))
          #expect(passes, "step \(number)", sourceLocation: location)
        } else {
          #expect(!passes, "step \(number)", sourceLocation: location)
        }
      case .begin(let seconds):
        if case .pass(let generation) = circuit.admit(at: .seconds(seconds)) {
          begun.append(generation)
        }
      case .end(let outcome, let seconds):
        circuit.ended(outcome, generation: begun.removeFirst(), at: .seconds(seconds))
      case .refused(let seconds, let remaining):
        let admission = circuit.admit(at: .seconds(seconds))
        #expect(
          admission == .refuse(remaining: .seconds(remaining)), "step \(number)",
          sourceLocation: location)
      }
    }
    return circuit
  }

  @Test func failuresInARowOpenItAndASuccessBetweenThemDoesNot() {
    _ = run([
      .request(.failure, at: 0), .request(.success, at: 0), .request(.failure, at: 0),
      .request(.ignored, at: 0), .request(.failure, at: 0), .refused(at: 4, remaining: 6),
    ])
  }

  @Test func halfOpenLetsOneThroughWhoseSuccessClosesIt() {
    _ = run([
      .request(.failure, at: 0), .request(.failure, at: 0),
      .request(.success, at: 9, passes: false),
      .begin(at: 10), .refused(at: 10, remaining: 0), .end(.success, at: 11),
      .request(.failure, at: 11), .request(.success, at: 11),
    ])
  }

  @Test func aFailedTrialOpensItAgain() {
    _ = run([
      .request(.failure, at: 0), .request(.failure, at: 0), .request(.failure, at: 10),
      .refused(at: 19, remaining: 1), .request(.success, at: 20),
    ])
  }

  @Test func aTrialThatTellsNothingMakesRoomForAnother() {
    _ = run([
      .request(.failure, at: 0), .request(.failure, at: 0), .request(.ignored, at: 10),
      .request(.success, at: 10), .request(.success, at: 10),
    ])
  }

  @Test func whatWasSentBeforeItOpenedHasNoSayAfter() {
    _ = run([
      .begin(at: 0), .begin(at: 0), .request(.failure, at: 0), .request(.failure, at: 0),
      .end(.success, at: 1), .refused(at: 1, remaining: 9), .request(.success, at: 10),
      .end(.failure, at: 10), .request(.failure, at: 10), .request(.success, at: 10),
    ])
  }

  @Test func onlyAHostWithNothingToRememberIsForgotten() {
    #expect(run([.request(.success, at: 0)]).isPristine)
    #expect(!run([.request(.failure, at: 0)]).isPristine)
    #expect(run([.request(.failure, at: 0), .request(.success, at: 0)]).isPristine)
  }

  @Test func aThresholdOfNoneIsOne() {
    var circuit = CircuitMachine(CircuitBreaker(threshold: 0))
    circuit.ended(.failure, generation: 0, at: .zero)
    let admission = circuit.admit(at: .zero)
    #expect(admission == .refuse(remaining: .seconds(30)))
  }
}
