#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import Testing

  /// `wait(timeout:)` on the main thread: of a program of its own, since a test is never on it.
  @Suite(.timeLimit(.minutes(10)))
  struct MainThreadWaitTests {
    @Test func waitsAreQuickAndTurnTheMainQueueEvenInAnInlineHandler() async throws {
      let end = try await ChildProcess(BuiltProgram.url("main-thread-waits").path).end
      #expect(end.status == .exited(0))
      #expect(
        end.output == """
          twenty waits are quick
          in an inline handler: success(3)
          handled 1
          waited for 1

          """)
    }
  }
#endif
