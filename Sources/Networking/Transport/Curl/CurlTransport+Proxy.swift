#if CATENA_CURL
  public import Foundation

  extension CurlTransport {
    /// The proxy of a transport.
    public enum Proxy: Sendable, Hashable {
      /// The proxies that libcurl reads from the environment: `http_proxy` (lower case only),
      /// `https_proxy`, `all_proxy` and `no_proxy`.
      ///
      /// An item of `no_proxy` can be an IPv6 address, with or without brackets, or an IPv6 range such as
      /// `fd00::/8`.
      case environment
      /// No proxy, even if the environment has one.
      case none
      /// This proxy for all servers, even if the environment has another.
      ///
      /// The scheme selects the protocol of the proxy: `http`, `https`, `socks5`, or `socks5h`,
      /// with which the proxy resolves host names. `https` servers are reached through a tunnel
      /// (RFC 9110 section 9.3.6), `http` servers by requests in absolute form (RFC 9112 section
      /// 3.2.2). If the URL has another scheme, or contains a user name or password, every exchange
      /// fails with ``NetworkError/Code-swift.enum/invalidURL``. Use ``Options/proxyCredentials``
      /// for credentials.
      case url(URL)
    }

    /// The credentials of a transport for its proxy.
    ///
    /// Descriptions and dumps of the value omit the password.
    public struct ProxyCredentials: Sendable, Hashable {
      /// The user name.
      public var username: String
      /// The password.
      public var password: String

      /// Makes credentials.
      ///
      /// - Parameters:
      ///   - username: The user name.
      ///   - password: The password.
      public init(username: String, password: String) {
        self.username = username
        self.password = password
      }
    }
  }

  extension CurlTransport.ProxyCredentials: CustomStringConvertible, CustomReflectable {
    /// The user name, and a mask in place of the password.
    public var description: String { "\(username):\(Redactor.mask)" }

    /// The same values for `dump` and debuggers, with the password masked.
    public var customMirror: Mirror {
      Mirror(self, children: ["username": username, "password": Redactor.mask])
    }
  }

  extension CurlTransport.Proxy {
    /// Returns the value of libcurl's proxy option, or `nil` to leave the choice to the
    /// environment.
    ///
    /// - Throws: A failure with the code `invalidURL`, without the URL in it, if the URL cannot be
    ///   used.
    func libcurlValue() throws(TransportFailure) -> String? {
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

  extension AddressRanges {
    /// The addresses of the environment that are reached without a proxy.
    ///
    /// libcurl 7.88 compares IPv6 addresses as texts, and has no ranges of them. It compares all other
    /// hosts itself.
    static var withoutProxy: AddressRanges {
      let text = getenv("no_proxy") ?? getenv("NO_PROXY")
      return AddressRanges(text: text.map { String(cString: $0) } ?? "")
    }
  }
#endif
