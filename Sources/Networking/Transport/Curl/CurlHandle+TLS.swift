#if CATENA_CURL
  import CCatenaCurl
  import Foundation

  extension CurlHandle {
    /// Sets the TLS options that are the same for all exchanges of a transport.
    ///
    /// libcurl loads no authorities of its own. ``prepareTLS(_:)`` gives each connection a store that
    /// OpenSSL has read before.
    ///
    /// - Throws: A failure if libcurl rejects an option.
    func set(
      _ tls: TLSOptions, _ options: CurlTransport.Options
    ) throws(TransportFailure) {
      let proxyURL: URL? = if case .url(let url) = options.proxy { url } else { nil }
      self.tls = HandleTLS(
        options: tls.compiled,
        proxy: options.unixSocketPath == nil ? proxyURL.flatMap { Origin($0) } : nil,
        hasTLSProxy: options.unixSocketPath == nil && options.proxy.mayUseTLS,
        presentsIdentities: options.presentsIdentities)
      guard OpenSSLPlatform.isAvailable else {
        // `CURL_SSLVERSION_TLSv1_2`.
        try require(catena_easy_set_long(easy, .sslVersion, 6))
        return
      }
      // `CURL_SSLVERSION_TLSv1`, which is the lowest one. The policy of a host sets its own.
      try require(catena_easy_set_long(easy, .sslVersion, 1))
      catena_easy_set_long(easy, .proxySSLVersion, 1)
      // libcurl 7.88 to 8.2 keeps the store of the first connection for all later ones, whatever their host.
      // Other versions do not know the option, or keep only stores of their own.
      catena_easy_set_long(easy, .authorityCacheTimeout, 0)
      let authorities: [CurlStringOption] = [
        .certificateAuthorities, .certificateAuthoritiesFolder, .proxyCertificateAuthorities,
        .proxyCertificateAuthoritiesFolder,
      ]
      for option in authorities {
        let result = catena_easy_set_string(easy, option, nil)
        // A TLS library without this option uses no folder of authorities, or no `https` proxies.
        if result != .notBuiltIn, result != .unknownOption { try require(result) }
      }
      guard self.tls?.hasTLSProxy == false || !catena_tls_marks_every_context() else {
        throw TransportFailure(
          code: .unsupported,
          detail: "The configuration of OpenSSL sets SSL_OP_DONT_INSERT_EMPTY_FRAGMENTS, "
            + "with which connections to an https proxy cannot be told apart")
      }
      catena_easy_mark_proxy_tls(easy)
      let result = catena_easy_on_tls_context(
        easy,
        { _, context, handle in
          guard let context else { return CurlResult.handshakeFailed.rawValue }
          let isPrepared = CurlHandle.at(handle).prepareTLS(context)
          return isPrepared ? CurlResult.OK.rawValue : CurlResult.handshakeFailed.rawValue
        }, context)
      try require(CurlResult(rawValue: result) ?? .unknownOption)
      if let policy = proxyPolicy, !policy.isVerifying {
        catena_easy_set_long(easy, .proxyVerifyPeer, 0)
        catena_easy_set_long(easy, .proxyVerifyHost, 0)
      }
    }

    /// Sets the TLS options for a host.
    ///
    /// - Throws: A failure if the host must have a policy and has none.
    func set(_ options: TLSOptions, for origin: Origin) throws(TransportFailure) {
      guard let policy = options.compiled.policy(forHost: origin.host, port: origin.port) else {
        throw TransportFailure(rejecting: CompiledTLS.refusal(of: origin.host))
      }
      tls?.policy = policy
      let isVerifying = policy.isVerifying
      try require(catena_easy_set_long(easy, .verifyPeer, isVerifying ? 1 : 0))
      try require(catena_easy_set_long(easy, .verifyHost, isVerifying ? 2 : 0))
    }

    /// The policy of the proxy: that of its host, or that of all other hosts for a proxy of the
    /// environment.
    private var proxyPolicy: CompiledPolicy? {
      guard let tls else { return nil }
      guard let proxy = tls.proxy else { return tls.options.others ?? .system }
      return tls.options.policy(forHost: proxy.host, port: proxy.port)
    }

    /// Sets the requirements for a connection that is being opened.
    ///
    /// - Returns: Whether the handshake may begin.
    private func prepareTLS(_ context: OpaquePointer) -> Bool {
      guard let tls else { return false }
      // Without such a proxy the mark has another cause, and must not weaken the policy.
      let isForProxy = catena_tls_context_take_proxy_mark(context) && tls.hasTLSProxy
      let peer = isForProxy ? tls.proxy : origin
      guard let policy = isForProxy ? proxyPolicy : tls.policy else { return false }
      let verifier = HandshakeVerifier(tls.options, policy, host: peer?.host)
      handshake = verifier
      let identity =
        tls.presentsIdentities || isForProxy
        ? peer.flatMap { tls.options.identity(forHost: $0.host, port: $0.port) } : nil
      return verifier.prepare(context, presenting: identity)
    }

    /// Notes the properties of TLS on the new or reused connection, and reports the connection.
    func noteConnection(of exchange: CurlExchange) {
      if tls?.policy != nil, origin?.scheme == "https", let connection = catena_easy_tls(easy) {
        tlsConnection = .of(connection)
      }
      if exchange.request.options.reportsConnection {
        exchange.deliver(.connected(measure(hasConnection: true)))
      }
    }
  }

  /// The TLS settings of a handle.
  struct HandleTLS {
    let options: CompiledTLS
    /// The proxy with a fixed URL, if there is one.
    let proxy: Origin?
    /// Whether a connection may lead to a proxy over TLS.
    let hasTLSProxy: Bool
    let presentsIdentities: Bool
    /// The policy of the handle's origin.
    var policy: CompiledPolicy?
  }

  extension CurlTransport.Proxy {
    /// Whether a connection may lead to a proxy over TLS.
    fileprivate var mayUseTLS: Bool {
      switch self {
      case .none: return false
      case .url(let url): return url.scheme?.lowercased() == "https"
      case .environment: return catena_environment_has_tls_proxy()
      }
    }
  }
#endif
