#if os(Linux)
  import Foundation
  import Networking
  import TestSupport
  import Testing

  extension Trait where Self == ConditionTrait {
    /// Skips a suite without the requirements of an ``HTTP2Fixture``.
    static var needsServerTLS: Self {
      .enabled(
        if: Certificates.areAvailable && ServerTLS.isAvailable,
        "the openssl tool makes the certificate, and libssl.so.3 uses it")
    }
  }

  /// A transport, and the certificate of the servers that it trusts.
  struct HTTP2Fixture {
    let transport: CurlTransport
    /// Its folder exists as long as this value.
    private let certificates: Certificates

    init() async throws {
      certificates = try await Certificates()
      try await certificates.make("good")
      transport = CurlTransport(options: .init(tls: try certificates.trusting))
    }

    /// Returns a transport with the same trust and a limit of connections.
    func transport(maximumConnectionsPerHost: Int) throws -> CurlTransport {
      CurlTransport(
        options: .init(
          tls: try certificates.trusting, maximumConnectionsPerHost: maximumConnectionsPerHost))
    }

    func server(
      _ protocols: ServerTLS.Protocols = .http2,
      answersEarly: @escaping @Sendable (RawRequest) -> Bool = { _ in false },
      _ script: @escaping ScriptedServer.Script
    ) throws -> ScriptedServer {
      try ScriptedServer(
        tls: ServerTLS(certificates, "good", protocols: protocols), answersEarly: answersEarly,
        script)
    }

    /// Makes a server that responds to each request.
    func server(_ protocols: ServerTLS.Protocols) throws -> ScriptedServer {
      try server(protocols) { [.respond(to: $0)] }
    }

    func request(
      _ method: HTTPMethod, _ server: ScriptedServer, _ body: HTTPBody = .none
    ) -> HTTPRequest {
      HTTPRequest(method: method, url: server.secureURL, body: body)
    }

    func post(
      _ server: ScriptedServer, _ body: HTTPBody = .data(Data("body".utf8))
    ) -> HTTPRequest {
      request(.post, server, body)
    }
  }

  extension ScriptedServer {
    /// The URL of a server with TLS.
    var secureURL: URL { LoopbackSocket.url("https", Int(port)) }
  }
#endif
