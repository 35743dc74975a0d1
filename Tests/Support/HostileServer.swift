#if os(Linux) || os(macOS)
  package import Foundation
  package import Networking
  import Promises

  /// A server that responds to its requests with arbitrary bytes, and to canary requests correctly.
  ///
  /// The response to a canary request is the last component of its path, so it proves that a client
  /// receives its own response.
  package final class HostileServer: Sendable {
    private static let canaryPath = "/canary/"

    private let server: ScriptedServer

    /// - Parameters:
    ///   - answersEarly: Whether the script runs before the body of the request is read.
    ///   - script: The steps for a request that is not a canary request.
    /// - Throws: A `TestError` if no socket is available.
    package init(
      answersEarly: Bool = false, _ script: @escaping ScriptedServer.Script
    ) throws {
      server = try ScriptedServer(
        answersEarly: { answersEarly && !$0.target.hasPrefix(Self.canaryPath) }
      ) { request in
        guard request.target.hasPrefix(Self.canaryPath) else { return script(request) }
        let token = request.target.dropFirst(Self.canaryPath.count)
        return [.respond("200 OK", [], Data(token.utf8))]
      }
    }

    /// The URL of the server, without a path.
    package var url: URL { server.url("") }
    /// The requests received, including canary requests.
    package var requests: [RawRequest] { server.requests.entries }
    /// Waits for at least `count` requests.
    package func requests(_ count: Int) async { _ = await server.requests.entries(count) }

    /// The number of connections accepted so far.
    package var connectionCount: Int { server.connectionCount }

    /// Returns the path of a canary request.
    package static func canaryPath(_ token: String) -> String { canaryPath + token }

    /// Ends all current and future steps that wait.
    package func release() { server.release() }

    /// Returns when no connection is open any more.
    package func connectionsEnd() async { await server.connectionsEnd() }

    /// Closes all sockets and returns after the threads have ended.
    package func stop() async { await server.stop() }
  }

  /// The result of a request to a ``HostileServer``.
  package enum HostileOutcome: Sendable, Equatable, CustomStringConvertible {
    case response(status: Int, body: Data)
    case failure(NetworkError.Code)
    /// An error of a type that requests must not fail with.
    case unexpected(String)

    package static func response(_ status: Int, _ body: String) -> HostileOutcome {
      .response(status: status, body: Data(body.utf8))
    }

    package init(_ result: Result<Response, any Error>) {
      switch result {
      case .success(let response): self = .response(status: response.status, body: response.data)
      case .failure(let error as NetworkError): self = .failure(error.code)
      case .failure(let error): self = .unexpected("\(error)")
      }
    }

    package var description: String {
      switch self {
      case .response(let status, let body): "\(status) with \(body.escaped(limit: 200))"
      case .failure(let code): "\(code)"
      case .unexpected(let text): text
      }
    }
  }

  /// A client of a ``HostileServer``.
  ///
  /// Its requests to other origins fail with `cannotConnect`, so a changed `Location` never leads to
  /// another server.
  package final class HostileClient: Sendable {
    private struct LocalTransport: Transport {
      let transport: any Transport
      let url: URL

      func start(
        _ request: HTTPRequest, _ receive: @escaping @Sendable (TransportEvent) -> Void
      ) -> any TransportHandle {
        guard Origin(request.url) == Origin(url) else {
          let failure = TransportEvent.failure(TransportFailure(code: .cannotConnect))
          return FakeTransport { _ in [failure] }.start(request, receive)
        }
        return transport.start(request, receive)
      }
    }

    /// The limit of a response body in memory.
    package static let maximumBodySize = 8 << 20
    /// The limit for a call.
    package static let callTimeout: Duration = .seconds(120)

    private let networking: Networking<Request>
    private let canaries = Counter()

    /// - Parameters:
    ///   - transport: The transport under test.
    ///   - server: The server.
    ///   - cookies: The cookies, by default none.
    ///   - scheduler: The source of time for ``callTimeout``.
    package init(
      _ transport: any Transport, of server: HostileServer, cookies: CookiePolicy = .none,
      scheduler: (any Scheduler)? = nil
    ) {
      var configuration = NetworkingConfiguration()
      configuration.cookies = cookies
      configuration.maximumBodySize = Self.maximumBodySize
      // No outcome of a test depends on these: they end a request that would otherwise never end.
      configuration.idleTimeout = .seconds(30)
      configuration.callTimeout = Self.callTimeout
      configuration.scheduler = scheduler
      networking = Networking<Request>(
        transport: LocalTransport(transport: transport, url: server.url),
        configuration: configuration)
      networking.callbackContext = .inline
      networking.baseURL = server.url
    }

    /// Sends a request.
    package func response(to request: Request) async -> Result<Response, any Error> {
      await networking.request(request).result
    }

    /// Sends a request and returns its outcome.
    package func outcome(of request: Request) async -> HostileOutcome {
      HostileOutcome(await response(to: request))
    }

    /// Sends a canary request.
    ///
    /// - Returns: The outcome if it is not the response to this request, or `nil`.
    package func canaryFailure() async -> HostileOutcome? {
      let token = "token-\(canaries.add())"
      let path = HostileServer.canaryPath(token)
      let outcome = await outcome(of: .get("\(raw: path)"))
      return outcome == .response(200, token) ? nil : outcome
    }
  }

  extension Data {
    /// Returns the bytes as text: line breaks are kept and visible, other bytes escaped.
    ///
    /// - Parameter limit: The maximum number of bytes; the rest is omitted.
    /// - Returns: The text.
    package func escaped(limit: Int = .max) -> String {
      var text = ""
      for byte in prefix(limit) {
        switch byte {
        case 0x0D: text += "\\r"
        case 0x0A: text += "\\n"
        case 0x5C: text += "\\\\"
        case 0x20..<0x7F: text.unicodeScalars.append(Unicode.Scalar(byte))
        default:
          let digits = String(byte, radix: 16)
          text += "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
      }
      return count > limit ? "\(text)... (\(count) bytes)" : text
    }
  }
#endif
