#if os(Linux)
  import Foundation

  extension CurlTransport {
    /// What a transport sends its requests through.
    public enum Proxy: Sendable, Hashable {
      /// The proxies that the environment names, as libcurl reads it: `http_proxy` (lower case only),
      /// `https_proxy`, `all_proxy` and `no_proxy`.
      case environment
      /// None, whatever the environment names.
      case none
      /// This one, for every server, whatever the environment names.
      ///
      /// The scheme tells how the proxy itself is spoken to: `http`, `https`, `socks5`, or `socks5h`,
      /// which leaves the looking up of names to the proxy. `https` servers are reached by a tunnel
      /// (RFC 9110 section 9.3.6), `http` ones by requests in absolute form (RFC 9112 section 3.2.2). A
      /// URL of another scheme, or with a user name or password in it, makes every exchange fail with
      /// ``NetworkError/Code-swift.enum/invalidURL``; ``Options/proxyCredentials`` are for those.
      case url(URL)
    }

    /// Who a transport is to its proxy.
    ///
    /// What prints it leaves the password out.
    public struct ProxyCredentials: Sendable, Hashable {
      /// The name.
      public var username: String
      /// The password.
      public var password: String

      /// Makes credentials.
      ///
      /// - Parameters:
      ///   - username: the name.
      ///   - password: the password.
      public init(username: String, password: String) {
        self.username = username
        self.password = password
      }
    }
  }

  extension CurlTransport.ProxyCredentials: CustomStringConvertible, CustomReflectable {
    /// The name, and that there is a password.
    public var description: String { "\(username):\(Redaction.mask)" }

    /// The same for `dump` and for debuggers.
    public var customMirror: Mirror {
      Mirror(self, children: ["username": username, "password": Redaction.mask])
    }
  }

  extension CurlTransport.Proxy {
    /// The text that libcurl takes for it; nil leaves it to the environment.
    ///
    /// - Throws: `invalidURL` when it is none that can be used, without naming it.
    func libcurlText() throws(TransportFailure) -> String? {
      switch self {
      case .environment: return nil
      case .none: return ""
      case .url(let url):
        let schemes = ["http", "https", "socks5", "socks5h"]
        guard let scheme = url.scheme?.lowercased(), schemes.contains(scheme),
          url.host?.isEmpty == false
        else {
          throw TransportFailure(
            code: .invalidURL, detail: "The proxy's URL is not http, https, socks5 or socks5h")
        }
        guard url.user == nil, url.password == nil else {
          throw TransportFailure(
            code: .invalidURL, detail: "The proxy's URL has a user name or a password in it")
        }
        return url.absoluteString
      }
    }
  }
#endif
