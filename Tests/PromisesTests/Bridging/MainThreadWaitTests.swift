#if os(Linux) || os(macOS)
  import Foundation
  import TestSupport
  import Testing

  /// `wait(timeout:)` on the main thread: of a program of its own, since a test is never on it.
  @Suite(.timeLimit(.minutes(10)))
  struct MainThreadWaitTests {
    @Test func waitsAreQuickAndTurnTheMainQueueEvenInAnInlineHandler() async throws {
      let program = Process()
      program.executableURL = BuiltProgram.url("main-thread-waits")
      let output = Pipe()
      program.standardOutput = output
      try program.launchAlone()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      program.waitUntilExit()
      #expect(program.terminationStatus == 0)
      #expect(
        text == """
          twenty waits are quick
          in an inline handler: success(3)
          handled 1
          waited for 1

          """)
    }
  }
#endif
