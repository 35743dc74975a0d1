#if os(Linux) || os(macOS)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  /// A response of a hostile server, and the outcomes that it may have.
  struct HostileRow: Sendable {
    let name: String
    /// The right outcomes; most rows have one.
    var outcomes: [HostileOutcome]
    /// The only right outcome of `CurlTransport` if its own code decides.
    private var curlOutcome: HostileOutcome?
    var request: @Sendable () -> Request = { .get("/hostile") }
    /// Whether the server responds before it reads the body of the request.
    var answersEarly = false
    /// The steps of the server for any request of the row.
    let script: ScriptedServer.Script

    init(
      _ name: String, _ outcomes: HostileOutcome..., request: @escaping @Sendable () -> Request,
      answersEarly: Bool = false, script: @escaping ScriptedServer.Script
    ) {
      self.name = name
      self.outcomes = outcomes
      self.request = request
      self.answersEarly = answersEarly
      self.script = script
    }

    /// Makes a row with the same steps for each request.
    init(_ name: String, _ outcomes: HostileOutcome..., steps: ScriptedServer.Step...) {
      self.name = name
      self.outcomes = outcomes
      script = { _ in steps }
    }

    /// Makes a row with a text that is sent before the server closes the connection.
    init(_ name: String, _ outcomes: HostileOutcome..., text: String) {
      self.name = name
      self.outcomes = outcomes
      script = { _ in [.text(text), .close] }
    }

    /// Makes a row with a text after which the connection stays open.
    ///
    /// The client may wait for the rest of a response for ever, unless it finds the response
    /// complete or malformed.
    init(_ name: String, _ outcomes: HostileOutcome..., openText: String) {
      self.name = name
      self.outcomes = outcomes
      script = { _ in [.text(openText)] }
    }

    /// Returns the row with the only right outcome of `CurlTransport`.
    func byCurl(_ outcome: HostileOutcome) -> HostileRow {
      var row = self
      row.curlOutcome = outcome
      return row
    }

    /// The behaviour that the row claims of both transports with sockets.
    ///
    /// The request is sent twice over one client, with canary requests before, between, and after.
    /// In the end the transport is released, and `CurlTransport` must close all connections.
    var behaviour: Behaviour {
      Behaviour("hostile: \(name)", kinds: [.curl, .urlSession]) { [self] kind async throws in
        let server = try HostileServer(answersEarly: answersEarly, script)
        try await check(kind, server)
        server.release()
        await kind.connectionsEnd(server)
      }
    }

    private func check(_ kind: TransportKind, _ server: HostileServer) async throws {
      let client = HostileClient(
        kind.networkTransport, of: server, cookies: .jar(CookieJar()))
      #expect(await client.canaryFailure() == nil)
      for _ in 0..<2 {
        let outcome = await client.outcome(of: request())
        let expected = kind == .curl ? curlOutcome.map { [$0] } ?? outcomes : outcomes
        #expect(expected.contains(outcome))
        #expect(await client.canaryFailure() == nil)
      }
    }
  }

  extension TransportKind {
    /// A new transport over sockets.
    var networkTransport: any Transport {
      self == .urlSession ? URLSessionTransport() : PlatformTransport.make()
    }

    /// Waits until a released transport has closed its connections.
    ///
    /// A session of Foundation ends at an unknown time.
    func connectionsEnd(_ server: HostileServer) async {
      if self == .curl { await server.connectionsEnd() }
    }
  }

  extension HostileOutcome {
    static let malformed = failure(.malformedResponse)
    static let lost = failure(.connectionLost)
  }
#endif
