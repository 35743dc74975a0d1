#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestGate
  import TestSupport
  import Testing

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

    @Test func theDelegateDoesNotDecideAboutRedirects() async throws {
      let server = try ScriptedServer { _ in [.respond("302 Found", ["Location: /there"])] }
      let transport = URLSessionTransport(delegate: delegate)
      #expect(await transport.get(server.url("/here")).head?.status == 302)
      #expect(await delegate.events.entries(1)[0] == "complete")
      #expect(server.requests.entries.count == 1)
    }
  }
#endif
