#if os(Linux) || os(macOS)
  import Foundation
  import Testing

  /// `wait(timeout:)` on the main thread: of a program of its own, since a test is never on it.
  @Suite(.timeLimit(.minutes(1)))
  struct MainThreadWaitTests {
    @Test func waitsAreQuickAndTurnTheMainQueueEvenInAnInlineHandler() async throws {
      let program = Process()
      program.executableURL = Self.products.appendingPathComponent("main-thread-waits")
      let output = Pipe()
      program.standardOutput = output
      try program.run()
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

    /// The folder that the build puts programs and tests into.
    private static var products: URL {
      #if os(macOS)
        for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
          return bundle.bundleURL.deletingLastPathComponent()
        }
      #endif
      return Bundle.main.bundleURL
    }
  }
#endif
