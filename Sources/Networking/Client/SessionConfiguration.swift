import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What a client's requests go over, and whom it shares connections and cookies with.
public enum SessionConfiguration: Sendable {
  /// The platform's own transport, `CurlTransport` on Linux and ``URLSessionTransport`` on Apple's,
  /// one for all such clients of the process; cookies are those that Foundation shares in the process
  /// and keeps on disk.
  case `default`
  /// The platform's own transport, one for this client alone, and cookies of this client alone, in
  /// memory: both go with it, and nothing is written to disk.
  case ephemeral
  /// Transfers that go on without the process; they do not exist yet, on any platform.
  ///
  /// Every request is rejected with ``NetworkError/Code-swift.enum/unsupported``; those that a
  /// ``TransportProvider`` answers are not.
  ///
  /// - Parameter identifier: the session's name.
  case background(identifier: String)
  /// A ``URLSessionTransport`` of this client alone, on a copy of Foundation's configuration.
  ///
  /// Its cookie storage is the client's, unless it says that cookies are neither set nor taken. Its
  /// times and the rest count as ``URLSessionTransport`` says; on Linux that has limits of its own.
  case custom(URLSessionConfiguration)
}

/// What a ``SessionConfiguration`` comes to: what a client's requests go over, and its cookies.
struct Session {
  let transport: any Transport
  /// Where cookies are kept; nil for nowhere.
  let cookies: HTTPCookieStorage?

  init(transport: any Transport, cookies: HTTPCookieStorage? = .shared) {
    self.transport = transport
    self.cookies = cookies
  }

  init(_ configuration: SessionConfiguration) {
    switch configuration {
    case .default: self.init(transport: Self.sharedTransport)
    case .ephemeral:
      self.init(
        transport: Self.makeTransport(),
        cookies: URLSessionConfiguration.ephemeral.httpCookieStorage)
    case .background:
      self.init(
        transport: FailingTransport(.unsupported, reason: "There are no background sessions here"),
        cookies: nil)
    case .custom(let configuration):
      self.init(
        transport: URLSessionTransport(configuration: configuration),
        cookies: configuration.effectiveCookieStorage)
    }
  }

  /// The transport of all clients that name none; so they share its connections.
  private static let sharedTransport = makeTransport()

  private static func makeTransport() -> any Transport {
    #if os(Linux)
      CurlTransport()
    #else
      URLSessionTransport()
    #endif
  }
}
