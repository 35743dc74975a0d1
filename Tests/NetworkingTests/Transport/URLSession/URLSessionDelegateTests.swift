#if os(Linux) || os(macOS)
  import Foundation
  import TestGate
  import TestSupport
  import Testing

  @testable import Networking

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif

  /// A session delegate that records its calls.
  final class RecordingSessionDelegate: NSObject, URLSessionTaskDelegate {
    let events = Log<String>()
    let sent = Log<String>()

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
      events.append("invalid")
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
      totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      sent.append("\(totalBytesSent) of \(totalBytesExpectedToSend)")
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      events.append(error == nil ? "complete" : "failed")
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      events.append("redirect")
      completionHandler(request)
    }
  }

  /// A session delegate with both methods for challenges, which records their calls.
  private final class ChallengedDelegate: NSObject, URLSessionTaskDelegate {
    let calls = Log<String>()

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      calls.append("session")
      completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      calls.append("task")
      completionHandler(.performDefaultHandling, nil)
    }
  }

  /// A sender, which challenges of a session do not use.
  private final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
  }

  @Suite(.gated)
  struct URLSessionDelegateTests {
    private let delegate = RecordingSessionDelegate()

    @Test func theDelegateObservesTheSessionAndItsTasks() async throws {
      let server = try ScriptedServer { _ in [.respond()] }
      do {
        let transport = URLSessionTransport(delegate: delegate)
        let record = await transport.perform(
          HTTPRequest(method: .post, url: server.url(), body: .data(Data("abc".utf8))))
        #expect(record.head?.status == 200)
        _ = await delegate.events.entries(1)
      }
      #expect(await delegate.events.entries(2) == ["complete", "invalid"])
      #expect(delegate.sent.entries.last == "3 of 3")
    }

    @Test func theDelegateObservesAFailure() async throws {
      let server = try ScriptedServer { _ in [.reset] }
      let record = await URLSessionTransport(delegate: delegate).get(server.url())
      #expect(record.failure != nil)
      #expect(await delegate.events.entries(1)[0] == "failed")
    }

    @Test(arguments: [
      (NSURLAuthenticationMethodHTTPBasic, "task"), (NSURLAuthenticationMethodHTTPDigest, "task"),
      (NSURLAuthenticationMethodNTLM, "session"), (NSURLAuthenticationMethodNegotiate, "session"),
      ("NSURLAuthenticationMethodServerTrust", "session"),
      ("NSURLAuthenticationMethodClientCertificate", "session"),
    ])
    func aChallengeForAPasswordIsOneOfTheTask(method: String, call: String) {
      let delegate = ChallengedDelegate()
      let session = URLSession(configuration: .ephemeral)
      let challenge = URLAuthenticationChallenge(
        protectionSpace: URLProtectionSpace(
          host: "proxy.example", port: 3_128, protocol: "http", realm: nil,
          authenticationMethod: method),
        proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
        sender: ChallengeSender())
      let isHandled = SessionDelegateForwarder(delegate).didReceive(
        challenge, session, session.dataTask(with: .of("http://a.example/"))
      ) { _, _ in }
      #expect(isHandled && delegate.calls.entries == [call])
    }

    @Test func theDelegateDoesNotDecideAboutRedirects() async throws {
      let server = try ScriptedServer { _ in [.respond("302 Found", ["Location: /there"])] }
      let transport = URLSessionTransport(delegate: delegate)
      #expect(await transport.get(server.url("/here")).head?.status == 302)
      #expect(await delegate.events.entries(1)[0] == "complete")
      #expect(server.requests.entries.count == 1)
    }
  }
#endif
