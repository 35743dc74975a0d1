#if os(Linux)
  import CCatena
  import Foundation

  extension CurlHandle {
    /// Bodies up to this size are copied and go out with the head; larger ones are read piecewise.
    private static let copiedBytes = 64 << 10

    /// Sets a handle, reset before, to what an exchange asks for, and takes the exchange on.
    ///
    /// - Throws: why it cannot be performed, nothing having been sent.
    func prepare(
      _ exchange: CurlExchange, _ options: CurlTransport.Options, _ sockets: CurlSockets
    ) throws(TransportFailure) {
      let request = exchange.request
      try set(url: request.url)
      let sends = try set(method: request.method, body: request.body)
      set(
        fields: try fields.make(
          request.headers,
          unwanted: ["Accept"] + (sends ? ["Content-Type", "Expect"] : [])
        ))
      if request.headers.acceptsCoding { catena_easy_set_string(easy, .acceptEncoding, "") }
      let connect = request.connectTimeout.map { Int($0.wholeNanoseconds + 999_999) / 1_000_000 }
      catena_easy_set_long(
        easy, .connectTimeoutMilliseconds, min(max(connect ?? .max, 1), Int(Int32.max)))
      catena_easy_set_long(easy, .httpVersion, options.allowsHTTP2 ? 4 : 2)
      // Where HTTP/2 may be spoken; else each of many first exchanges would open its own connection.
      if options.allowsHTTP2, request.url.scheme?.lowercased() == "https" {
        catena_easy_set_long(easy, .pipeWait, 1)
      }
      catena_easy_set_long(easy, .noSignal, 1)
      catena_easy_set_long(easy, .pathAsIs, 1)
      catena_easy_set_long(easy, .suppressConnectHeaders, 1)
      catena_easy_set_long(easy, .disallowUsernameInURL, 1)
      catena_easy_set_long(easy, .tcpKeepAlive, 1)
      try require(catena_easy_allow_http_only(easy))
      try setWay(options)
      try set(options.tls)
      setCallbacks(sockets, uploads: sends)
      begin(exchange, sends: sends)
      if request.isWatched { watchConnection() }
    }

    /// Takes libcurl at its word where an option that is not set would make the exchange less safe.
    private func require(_ result: CurlResult) throws(TransportFailure) {
      guard result != .OK else { return }
      throw TransportFailure(
        code: .unsupported,
        detail: "libcurl refuses an option: \(String(cString: catena_curl_describe(result)))")
    }

    /// What lies between here and the server.
    private func setWay(_ options: CurlTransport.Options) throws(TransportFailure) {
      if let path = options.unixSocketPath {
        try require(catena_easy_set_string(easy, .unixSocketPath, path))
        try require(catena_easy_set_string(easy, .proxy, ""))
        return
      }
      guard let proxy = try options.proxy.libcurlText() else { return }
      try require(catena_easy_set_string(easy, .proxy, proxy))
      // An own list of exceptions, an empty one, keeps the environment's from being read.
      try require(catena_easy_set_string(easy, .noProxy, ""))
      guard !proxy.isEmpty, let credentials = options.proxyCredentials else { return }
      try require(catena_easy_set_string(easy, .proxyUsername, credentials.username))
      try require(catena_easy_set_string(easy, .proxyPassword, credentials.password))
    }

    private func set(url: URL) throws(TransportFailure) {
      let text = url.absoluteString
      let scheme = text.prefix(8).lowercased()
      guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
        throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
      }
      catena_easy_set_string(easy, .URL, text)
      // A proxy elsewhere would look for this machine's servers on its own.
      if Loopback.isHost(ofURL: text) { try require(catena_easy_set_string(easy, .noProxy, "*")) }
    }

    /// - Returns: whether there is a body, if only an empty one.
    private func set(method: HTTPMethod, body: HTTPBody) throws(TransportFailure) -> Bool {
      guard method.rawValue.isToken else {
        throw TransportFailure(code: .unsupported, detail: "The method is no token")
      }
      if method == .head {
        guard case .none = body else {
          throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
        }
        catena_easy_set_long(easy, .noBody, 1)
        return false
      }
      let sends = try set(body)
      if method != (sends ? .post : .get) || upload != nil {
        catena_easy_set_string(easy, .customRequest, method.rawValue)
      }
      return sends
    }

    private func set(_ body: HTTPBody) throws(TransportFailure) -> Bool {
      bytesToSend = nil
      switch body {
      case .none: return false
      case .data(let data) where data.count <= Self.copiedBytes:
        bytesToSend = Int64(data.count)
        catena_easy_set_size(easy, .postFields, Int64(data.count))
        data.withUnsafeBytes { bytes in
          _ = withUnsafePointer(to: 0 as UInt8) { empty in
            catena_easy_set_pointer(
              easy, .copyPostFields, bytes.baseAddress ?? UnsafeRawPointer(empty))
          }
        }
      default:
        let reader = try BodyReader(body)
        upload = reader
        bytesToSend = reader.length
        catena_easy_set_long(easy, .upload, 1)
        // -1 is unknown: in chunks, where the version of HTTP has them.
        catena_easy_set_size(easy, .upload, reader.length ?? -1)
      }
      return true
    }

    private func set(fields: UnsafeMutablePointer<CatenaList>?) {
      if let fields { catena_easy_set_pointer(easy, .httpHeader, fields) }
    }

    private func set(_ tls: TLSOptions) throws(TransportFailure) {
      try require(catena_easy_set_long(easy, .sslVersion, tls.minimumVersion.number))
      if tls.dangerouslyTrustsAnyCertificate {
        try require(catena_easy_set_long(easy, .verifyPeer, 0))
        try require(catena_easy_set_long(easy, .verifyHost, 0))
      }
      if let authorities = tls.certificateAuthorities {
        try require(catena_easy_set_string(easy, .certificateAuthorities, authorities.path))
        // A TLS library that knows no such folder has none to leave out.
        let folder = catena_easy_set_string(easy, .certificateAuthoritiesFolder, nil)
        if folder != .notBuiltIn { try require(folder) }
      }
      if let client = tls.clientCertificate {
        try require(catena_easy_set_string(easy, .certificate, client.certificate.path))
        try require(catena_easy_set_string(easy, .privateKey, client.privateKey.path))
        if let password = client.password {
          try require(catena_easy_set_string(easy, .keyPassword, password))
        }
      }
      if !tls.pinnedPublicKeys.isEmpty {
        let keys = tls.pinnedPublicKeys.map { $0.hasPrefix("sha256//") ? $0 : "sha256//" + $0 }
        try require(catena_easy_set_string(easy, .pinnedPublicKey, keys.joined(separator: ";")))
      }
    }
  }

  extension TLSOptions.Version {
    /// CURL_SSLVERSION_*.
    fileprivate var number: Int {
      switch self {
      case .v1_0: 4
      case .v1_1: 5
      case .v1_2: 6
      case .v1_3: 7
      }
    }
  }

  extension HTTPHeaders {
    /// Whether a response may be in a content coding: unless the request accepts none but `identity`.
    fileprivate var acceptsCoding: Bool {
      guard contains("Accept-Encoding") else { return true }
      return values(for: "Accept-Encoding").contains { value in
        value.split(separator: ",").contains { element in
          let coding = element.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
          return coding != "identity" && !(coding == "*" && element.contains("q=0"))
        }
      }
    }
  }
#endif
