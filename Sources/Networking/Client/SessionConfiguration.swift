import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The transport and the cookie storage of a client.
public enum SessionConfiguration: Sendable {
  /// The platform's transport, shared by all clients with this configuration: `CurlTransport` on
  /// Linux, ``URLSessionTransport`` on Apple platforms.
  ///
  /// The cookie storage is `HTTPCookieStorage.shared`, which is persistent.
  case `default`
  /// The platform's transport and a cookie storage in memory, both private to the client.
  ///
  /// Nothing is written to disk.
  case ephemeral
  /// Background transfers.
  ///
  /// Not implemented on any platform yet.
  ///
  /// Every request is rejected with ``NetworkError/Code-swift.enum/unsupported``, except requests
  /// with the transport of a ``TransportProvider``.
  ///
  /// - Parameter identifier: The name of the session.
  case background(identifier: String)
  /// A ``URLSessionTransport`` on a copy of a Foundation configuration, private to the client.
  ///
  /// The client uses the cookie storage of the configuration, unless the configuration disables
  /// sending or accepting cookies. ``URLSessionTransport`` documents how timeouts and other
  /// properties apply, and which are ignored on Linux.
  case custom(URLSessionConfiguration)
}

/// The transport and the cookie storage of a client, as made from its ``SessionConfiguration``.
struct Session {
  let transport: any Transport
  /// The cookie storage.
  ///
  /// `nil` means none.
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
        transport: FailingTransport(.unsupported, reason: "Background sessions are not supported"),
        cookies: nil)
    case .custom(let configuration):
      self.init(
        transport: URLSessionTransport(configuration: configuration),
        cookies: configuration.effectiveCookieStorage)
    }
  }

  /// The transport of all clients with the default configuration, so that they share connections.
  private static let sharedTransport = makeTransport()

  private static func makeTransport() -> any Transport {
    #if os(Linux)
      CurlTransport()
    #else
      URLSessionTransport()
    #endif
  }
}
