#if os(Linux)
  /// What is set on an easy handle and stays from one exchange to the next: most ask the same server,
  /// with the same header fields.
  struct CurlStanding {
    /// The scheme and authority of a URL, the slash behind them with it.
    struct Origin {
      let text: String
      let isSecure: Bool

      /// Nil where the URL is not `http` or `https`.
      init?(of url: String) {
        guard let parts = RequestPath.absoluteParts(of: url) else { return nil }
        let scheme = parts.scheme.lowercased()
        guard scheme == "http" || scheme == "https" else { return nil }
        isSecure = scheme == "https"
        text = url[..<parts.rest.startIndex] + "/"
      }
    }

    /// Of the last URL.
    var origin: Origin?
    /// The fields of the last request without a body, whose list the handle still has.
    var headers: HTTPHeaders?
    /// Whether libcurl tells when a connection stands.
    var isWatched = false
    /// Whether nothing else is set on the handle, so that it need not be reset.
    var isPlain = true

    func isOrigin(of url: String) -> Bool {
      origin.map { url.hasPrefix($0.text) } ?? false
    }
  }
#endif
