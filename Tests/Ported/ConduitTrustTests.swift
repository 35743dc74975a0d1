import Foundation
import Mocking
import Networking
import Promises
import TestGate
import TestSupport
import Testing

// A certificate of a `MockAuthority` can be made on Linux only.
#if os(Linux)
  /// Pinned certificates by host.
  @Suite(.gated)
  struct ConduitTrustTests {
    private let authority: MockAuthority
    private let certificate: MockCertificate
    private let server: MockServer
    /// A server of the same authority, whose certificate is not pinned.
    private let other: MockServer

    init() throws {
      let authority = try MockAuthority()
      certificate = try authority.certificate(for: "127.0.0.1", "localhost")
      server = try MockServer(tls: MockTLS(certificate)) { Route(.get, "/kittens", .json([])) }
      other = try MockServer(tls: MockTLS(authority.certificate(for: "127.0.0.1"))) {
        Route(.get, "/kittens", .json([]))
      }
      self.authority = authority
    }

    /// Returns the failure of a request, or `nil`.
    private func failure(
      _ mySessionClient: Networking<Request>, _ server: MockServer, host: String = "127.0.0.1"
    ) async throws -> NetworkError.Code? {
      let url = try #require(URL(string: "https://\(host):\(server.port)/kittens"))
      return await mySessionClient.request(.get(.url(url))).result.failure(as: NetworkError.self)?
        .code
    }

    @Test("C9: the certificates of a host are pinned, other hosts are evaluated by the system")
    func pinnedCertificates() async throws {
      // sample C9
      let pinning: ServerTrust = [
        "127.0.0.1": .authorities(authority.source).pinnedCertificates(.data(certificate.der))
      ]
      let mySessionClient = Networking<Request>(
        sessionConfiguration: try .ephemeral.trusting(pinning))
      // end
      #expect(try await failure(mySessionClient, server) == nil)
      #expect(try await failure(mySessionClient, other) == .pinMismatch)
      #expect(try await failure(mySessionClient, server, host: "localhost") == .tlsUntrusted)
      #expect(try await failure(mySessionClient, server) == nil)
    }

    @Test("C9b: a predicate decides about the hosts whose certificates are pinned")
    func predicate() async throws {
      // sample C9b
      let policy = ServerTrust.Policy.authorities(authority.source).pinnedKeys([
        certificate.publicKeyPin
      ])
      let pinning: ServerTrust = [.matching { host, _ in host == "127.0.0.1" }: policy]
      let mySessionClient = Networking<Request>(
        sessionConfiguration: try .ephemeral.trusting(pinning))
      // end
      #expect(try await failure(mySessionClient, server) == nil)
      #expect(try await failure(mySessionClient, other) == .pinMismatch)
      #expect(try await failure(mySessionClient, server, host: "localhost") == .tlsUntrusted)
    }
  }
#endif

/// The reachability of the network.
@Suite(.gated)
struct ConduitReachabilityTests {
  private let network = MockReachability(.unreachable)
  private let server: MockServer

  init() throws {
    server = try MockServer { Route(.get, "/kittens", .json([])) }
  }

  @Test("C10: a request waits until the network is reachable")
  func reachability() async throws {
    let sessionClient = Networking<Request>(baseURL: server.url, sessionConfiguration: .ephemeral)
    // sample C10
    let reachability = NetworkReachability(monitor: network)
    let kittens = reachability.whenReachable().then { sessionClient.request(.get("kittens")) }
    // end
    #expect(!reachability.status.isReachable && kittens.isPending)
    network.status = .reachable()
    #expect(try await kittens.value.status == 200)
  }

  @Test("C10b: an observer receives each change of the network")
  func observer() async throws {
    let reachability = NetworkReachability(monitor: network)
    let log = Log<Bool>()
    // sample C10b
    let observer = Task {
      for await status in reachability.changes { log.append(status.isReachable) }
    }
    // end
    #expect(await log.entries(1) == [false])
    network.status = .reachable()
    #expect(await log.entries(2) == [false, true])
    observer.cancel()
  }
}
