#if os(Linux)
  import Foundation
  import Glibc
  import Mocking
  import Promises
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  /// Logging to the standard error of a process, in separate processes.
  @Suite(.gated, .serialized)
  struct StandardErrorTests {
    private static func entry(_ lines: [String]) -> NetworkLogEntry {
      NetworkLogEntry(
        level: .info, category: .request,
        event: NetworkEvent(.queued, callStart: Date(timeIntervalSince1970: 1_800_000_000)),
        lines: lines
      )
    }

    /// Replaces the standard error with a pipe.
    ///
    /// - Returns: The reading end of the pipe.
    private static func pipeForErrors() -> Int32 {
      var ends: [Int32] = [-1, -1]
      #expect(pipe(&ends) == 0 && dup2(ends[1], 2) == 2 && close(ends[1]) == 0)
      return ends[0]
    }

    private static var pipeSignal: sigset_t {
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      return signals
    }

    private static var isPending: Bool {
      var pending = sigset_t()
      sigpending(&pending)
      return sigismember(&pending, SIGPIPE) == 1
    }

    @Test func loggedLinesAreWritten() async throws {
      let result = await #expect(
        processExitsWith: .success, observing: [\.standardErrorContent]
      ) {
        StandardLogger().log(Self.entry(["one", "two"]))
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("2027-01-15T08:00:00.000Z one\n2027-01-15T08:00:00.000Z two\n"))
    }

    @Test func aClosedPipeDoesNotStopTheClient() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_DFL)
        #expect(close(Self.pipeForErrors()) == 0)
        let time = TestScheduler()
        var configuration = NetworkingConfiguration.plain
        configuration.scheduler = time
        configuration.logging = .verbose
        let client = Networking<Request>(
          transport: MockTransport(routes: [Route(.get, "/", .text("hello"))], scheduler: time),
          configuration: configuration)
        client.callbackContext = .inline
        for _ in 0..<3 {
          let promise = client.request(.get("https://a.example/"))
          await time.run()
          let response = try await promise.value
          #expect(response.status == 200)
        }
        // The testing library writes to the standard error at exit.
        signal(SIGPIPE, SIG_IGN)
      }
    }

    @Test func theSignalMaskOfTheThreadIsRestored() async {
      await #expect(processExitsWith: .success) {
        signal(SIGPIPE, SIG_DFL)
        #expect(close(Self.pipeForErrors()) == 0)
        var (signals, mask) = (Self.pipeSignal, sigset_t())
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        StandardLogger().log(Self.entry(["lost"]))
        #expect(!Self.isPending)
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        #expect(sigismember(&mask, SIGPIPE) == 0)

        pthread_sigmask(SIG_BLOCK, &signals, nil)
        StandardLogger().log(Self.entry(["lost"]))
        #expect(!Self.isPending)
        // A signal that was pending before must stay pending.
        raise(SIGPIPE)
        StandardLogger().log(Self.entry(["lost"]))
        #expect(Self.isPending)
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        #expect(sigismember(&mask, SIGPIPE) == 1)
      }
    }

    @Test func aFullNonblockingPipeReceivesAllLines() async {
      await #expect(processExitsWith: .success) {
        let reading = Self.pipeForErrors()
        #expect(fcntl(2, F_SETFL, fcntl(2, F_GETFL) | O_NONBLOCK) == 0)
        let line = String(repeating: "x", count: 1 << 20)
        let entry = Self.entry([line, "end"])
        Thread.detachNewThread {
          StandardLogger().log(entry)
          close(2)
        }
        let data = try FileHandle(fileDescriptor: reading).readToEnd() ?? Data()
        #expect(String(decoding: data, as: UTF8.self) == StandardLogger.text(entry))
      }
    }
  }
#endif
