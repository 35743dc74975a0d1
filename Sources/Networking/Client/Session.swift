import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

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
        transport: UnavailableTransport(reason: "There are no background sessions here"),
        cookies: nil)
    case .custom(let configuration):
      self.init(
        transport: URLSessionTransport(configuration: configuration),
        cookies: configuration.usedCookieStorage)
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
