#if os(Linux)
  import CCatena
  import Foundation

  extension CurlHandle {
    /// Sets what is the same for all exchanges of a transport.
    ///
    /// - Throws: which option libcurl refuses.
    func configure(
      _ options: CurlTransport.Options, _ sockets: CurlSockets
    ) throws(TransportFailure) {
      catena_easy_set_pointer(easy, .errorBuffer, errorBuffer)
      catena_easy_set_pointer(easy, .private, Unmanaged.passUnretained(self).toOpaque())
      catena_easy_set_long(easy, .httpVersion, options.allowsHTTP2 ? 4 : 2)
      catena_easy_set_long(easy, .noSignal, 1)
      // Nearly four times libcurl's own, for a quarter of the calls that receive a large body; a small one
      // touches no more of it than of the other. From 64 KiB on glibc tidies its whole heap up each time that
      // the buffer is freed, which is with every exchange.
      catena_easy_set_long(easy, .bufferSize, 60 << 10)
      catena_easy_set_long(easy, .pathAsIs, 1)
      catena_easy_set_long(easy, .suppressConnectHeaders, 1)
      catena_easy_set_long(easy, .disallowUsernameInURL, 1)
      catena_easy_set_long(easy, .tcpKeepAlive, 1)
      try require(catena_easy_allow_http_only(easy))
      try setWay(options)
      try set(options.tls)
      setCallbacks(sockets)
    }

    /// Takes libcurl at its word where an option that is not set would make the exchange less safe.
    func require(_ result: CurlResult) throws(TransportFailure) {
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
      guard !proxy.isEmpty, let credentials = options.proxyCredentials else { return }
      try require(catena_easy_set_string(easy, .proxyUsername, credentials.username))
      try require(catena_easy_set_string(easy, .proxyPassword, credentials.password))
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
#endif
