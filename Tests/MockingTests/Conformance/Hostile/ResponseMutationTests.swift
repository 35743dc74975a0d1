#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing
  import ThreadSanitizerSupport

  /// Random changes of valid responses, over the transports with sockets.
  ///
  /// The program `response-mutations` runs in another process, because Foundation on Linux traps on some
  /// responses. It prints each seed that fails with its bytes and the command to repeat it.
  @Suite(.gated)
  struct ResponseMutationTests {
    private static let count = thread_sanitizer_is_on() ? 100 : TestSize.of(200, full: 500)

    #if os(Linux)
      private static let transports = ["curl", "urlsession"]
    #else
      private static let transports = ["urlsession"]
    #endif

    @Test(arguments: transports)
    func aChangedResponseIsReadOrRejectedAndHarmsNoOther(_ kind: String) async throws {
      let end = try await ChildProcess(worker: "response-mutations", [kind, "\(Self.count)"]).end
      #expect(end.lines == ["ok: \(Self.count) stories"], "\(end.lines.joined(separator: "\n"))")
      #expect(end.status == .exited(0), "the last seed is \(end.errors.suffix(100))")
    }
  }
#endif
