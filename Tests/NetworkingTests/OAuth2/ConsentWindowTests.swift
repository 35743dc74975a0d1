import Dispatch
import Foundation
import TestGate
import TestSupport
import Testing

@testable import NetworkingOAuth2

/// Sign-ins in a window of the system, with a session of the test in its place.
@Suite(.gated)
struct ConsentWindowTests {
  /// A session that logs its calls and its end.
  @MainActor private final class Session: ConsentWindowSession {
    private let log: Log<String>
    private let startResult: () -> Bool

    init(_ log: Log<String>, start: @escaping @MainActor () -> Bool) {
      self.log = log
      startResult = start
    }

    func start() -> Bool {
      log.append("start")
      return startResult()
    }

    func cancel() { log.append("cancel") }

    deinit { log.append("released") }
  }

  private static let domain = "test.consent"
  private let redirect = URL.of("com.example.shop:/cb?code=c")
  private let log = Log<String>()
  private let completions = Log<ConsentWindow.Completion>()

  /// Starts a sign-in.
  private func show(
    start: @escaping @MainActor @Sendable (@escaping ConsentWindow.Completion) -> Bool = { _ in
      true
    }
  ) -> Task<URL, any Error> {
    let (log, completions) = (log, completions)
    return Task.detached {
      try await ConsentWindow(errorDomain: Self.domain).show { completion in
        completions.append(completion)
        return Session(log) { start(completion) }
      }
    }
  }

  private static func error(_ code: Int, reason: String? = nil, domain: String = domain) -> NSError
  {
    NSError(
      domain: domain, code: code,
      userInfo: reason.map { [NSLocalizedFailureReasonErrorKey: $0] } ?? [:])
  }

  @Test func theSessionOutlivesItsCompletion() async throws {
    let shown = show()
    _ = await log.entries(1)
    let completion = await completions.entries(1)[0]
    await MainActor.run {
      completion(redirect, nil)
      log.append("completed")
    }
    #expect(try await shown.value == redirect)
    #expect(await log.entries(3) == ["start", "completed", "released"])
  }

  @Test func theCompletionMayRunOnAnyQueueAndAgain() async throws {
    let shown = show()
    _ = await log.entries(1)
    let completion = await completions.entries(1)[0]
    DispatchQueue(label: "test.system").async { [redirect] in
      completion(redirect, nil)
      completion(.of("com.example.shop:/other"), nil)
      completion(nil, Self.error(1))
    }
    #expect(try await shown.value == redirect)
    #expect(await log.entries(2) == ["start", "released"])
    completion(nil, Self.error(1))
  }

  @Test func aCancelledTaskMakesNoSession() async {
    let made = Counter()
    let shown = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await ConsentWindow(errorDomain: Self.domain).show { [log] _ in
        made.add()
        return Session(log) { true }
      }
    }
    await #expect(throws: CancellationError.self) { try await shown.value }
    #expect(made.value == 0 && log.entries.isEmpty)
  }

  /// The main actor is not free until the task is cancelled.
  @Test @MainActor func aCancellationBeforeThePageIsShownShowsNothing() async {
    let shown = show()
    shown.cancel()
    await #expect(throws: CancellationError.self) { try await shown.value }
    #expect(completions.entries.isEmpty && log.entries.isEmpty)
  }

  @Test func aCancellationByTheClosureOfTheAnchorStartsNothing() async {
    let shown = Task {
      try await ConsentWindow(errorDomain: Self.domain).show { [log] _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return Session(log) { true }
      }
    }
    await #expect(throws: CancellationError.self) { try await shown.value }
    #expect(await log.entries(1) == ["released"])
  }

  @Test func aCancellationDuringTheStartCancelsTheSession() async {
    let shown = show { _ in
      withUnsafeCurrentTask { $0?.cancel() }
      return true
    }
    await #expect(throws: CancellationError.self) { try await shown.value }
    #expect(await log.entries(3) == ["start", "cancel", "released"])
  }

  @Test func aCancellationRemovesThePage() async {
    let shown = show()
    _ = await log.entries(1)
    shown.cancel()
    await #expect(throws: CancellationError.self) { try await shown.value }
    #expect(await log.entries(3) == ["start", "cancel", "released"])
    // The system may report the cancellation also.
    await completions.entries(1)[0](nil, Self.error(1))
  }

  @Test func aCancellationAfterTheRedirectHasNoEffect() async throws {
    let shown = show { completion in
      completion(.of("com.example.shop:/cb"), nil)
      return true
    }
    _ = try await shown.value
    shown.cancel()
    #expect(await log.entries(2) == ["start", "released"])
  }

  @Test func aSessionThatDoesNotStartIsAnError() async {
    let shown = show { _ in false }
    let error = await #expect(throws: OAuth2Error.self) { try await shown.value }
    #expect(error?.code == .consentUnavailable && error?.reason?.isEmpty == false)
    #expect(await log.entries(2) == ["start", "released"])
  }

  /// The system reports it by the result of the start and by the completion.
  @Test(arguments: [false, true])
  func theErrorOfASessionThatDoesNotStartIsThatOfTheCompletion(isLater: Bool) async {
    let shown = show { completion in
      if isLater {
        Task { @MainActor in completion(nil, Self.error(3)) }
      } else {
        completion(nil, Self.error(3))
      }
      return false
    }
    let error = await #expect(throws: OAuth2Error.self) { try await shown.value }
    #expect(error?.reason?.contains("foreground") == true)
    #expect(await log.entries(2) == ["start", "released"])
  }

  @Test func anErrorBeforeTheStartIsThatOfTheSignIn() async {
    let error = await #expect(throws: OAuth2Error.self) {
      try await ConsentWindow(errorDomain: Self.domain).show { _ in
        throw OAuth2Error(.consentUnavailable, "no window")
      }
    }
    #expect(error?.reason == "no window")
  }

  @Test(
    arguments: [
      (1, nil, "the sign-in was cancelled"),
      (1, "app is not associated with shop.example", "associated"),
      (2, nil, "no window"), (3, nil, "not in the foreground"), (9, nil, "Code=9"),
    ] as [(Int, String?, String)])
  func errorsOfTheSystemHaveCodesAndReasons(code: Int, reason: String?, text: String) {
    let result = ConsentWindow.result(nil, Self.error(code, reason: reason), domain: Self.domain)
    let error = result.failure(as: OAuth2Error.self)
    #expect(error?.code == (code == 1 && reason == nil ? .consentCancelled : .consentUnavailable))
    #expect(error?.description.contains(text) == true, "\(error?.description ?? "")")
  }

  @Test func aCodeOfAnotherDomainIsNoCancellation() {
    let other = Self.error(1, domain: "other")
    let result = ConsentWindow.result(nil, other, domain: Self.domain)
    #expect(result.failure(as: OAuth2Error.self)?.code == .consentUnavailable)
  }

  @Test func neitherARedirectNorAnErrorIsAnError() {
    let result = ConsentWindow.result(nil, nil, domain: Self.domain)
    #expect(result.failure(as: OAuth2Error.self)?.code == .consentUnavailable)
    #expect((try? ConsentWindow.result(redirect, Self.error(1), domain: "").get()) == redirect)
  }

  // MARK: The states

  private enum Event: CaseIterable {
    case start, shown, notShown, cancel, redirect, failure, dismissed

    func apply(to machine: inout ConsentWindowMachine) -> [ConsentWindowMachine.Action] {
      switch self {
      case .start: machine.start() ? [] : []
      case .shown: machine.started(true)
      case .notShown: machine.started(false)
      case .cancel: machine.cancel()
      case .redirect: machine.completed(.success(.of("app:/")))
      case .failure: machine.completed(.failure(OAuth2Error(.consentCancelled)))
      case .dismissed: machine.dismissed()
      }
    }
  }

  @Test func everyOrderOfEventsSettlesOnceAndReleasesWhatItHasClosed() {
    let count = Event.allCases.count
    for number in 0..<(count * count * count * count * count) {
      var (machine, rest) = (ConsentWindowMachine(), number)
      var actions: [ConsentWindowMachine.Action] = []
      for _ in 0..<5 {
        actions += Event.allCases[rest % count].apply(to: &machine)
        rest /= count
      }
      let isClosed = actions.contains { if case .close = $0 { true } else { false } }
      actions += machine.dismissed()
      let settled = actions.filter { if case .settle = $0 { true } else { false } }.count
      let closed = actions.filter { if case .close = $0 { true } else { false } }.count
      let released = actions.filter { if case .release = $0 { true } else { false } }.count
      #expect(settled <= 1 && closed <= 1 && released == closed, "\(number)")
      #expect(settled == (machine.isSettled ? 1 : 0) && (!isClosed || settled == 1), "\(number)")
    }
  }
}
