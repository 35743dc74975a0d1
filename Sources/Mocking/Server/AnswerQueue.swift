import Synchronization

/// The answers of a ``MockServer`` that go to whatever request comes next.
final class AnswerQueue: Sendable {
  private struct State {
    var waiting: ArraySlice<Mock> = []
    var given = 0
  }

  private let state = Mutex(State())

  func append(_ mocks: [Mock]) {
    state.withLock { $0.waiting += mocks }
  }

  /// Takes the next answer away.
  func next() -> Mock? {
    state.withLock { state in
      guard let mock = state.waiting.popFirst() else { return nil }
      state.given += 1
      return mock
    }
  }

  /// How many answers nobody has had.
  var count: Int { state.withLock { $0.waiting.count } }

  /// What is answered instead of a 404 where there was a queue, which is empty now.
  func exhausted(_ request: ReceivedRequest) -> Mock? {
    let given = state.withLock { $0.given }
    guard given > 0 else { return nil }
    let answers = given == 1 ? "the one enqueued answer has" : "the \(given) enqueued answers have"
    return .unavailable(
      "no answer is left for \(request.method) \(request.path.text): \(answers) been given, "
        + "and there is no route for it")
  }
}
