#if os(Linux)
  import CCatena
  import Foundation
  import Glibc

  extension CurlHandle {
    // MARK: Options of an exchange

    /// The maximum size of a body that is copied and sent with the head.
    ///
    /// Larger bodies are read in pieces.
    private static let maximumCopiedSize = 64 << 10

    /// Sets the options of an exchange and begins it.
    ///
    /// - Throws: A failure if the exchange cannot be performed. Nothing has been sent in this case.
    func prepare(
      _ exchange: CurlExchange, _ options: CurlTransport.Options, _ sockets: CurlSockets
    ) throws(TransportFailure) {
      let request = exchange.request
      if appliedOptions == nil {
        try configure(options, sockets)
        appliedOptions = AppliedOptions()
      }
      // `false` until all options are set, because the handle must be reset if setting one of them
      // fails.
      appliedOptions?.isReusable = false
      try set(url: request.url, options)
      let hasBody = try set(method: request.method, body: request.body)
      try set(request.headers, hasBody: hasBody)
      let connect = request.connectTimeout.map { Int($0.wholeNanoseconds + 999_999) / 1_000_000 }
      catena_easy_set_long(
        easy, .connectTimeoutMilliseconds, min(max(connect ?? .max, 1), Int(Int32.max)))
      if hasBody { setUploadCallbacks() }
      appliedOptions?.isReusable = !hasBody && request.method == .get
      begin(exchange, hasBody: hasBody)
      configureConnectionCallback(for: request)
    }

    private func set(url: URL, _ options: CurlTransport.Options) throws(TransportFailure) {
      if appliedOptions?.origin?.matches(url) != true {
        guard let origin = Origin(url), origin.scheme == "http" || origin.scheme == "https" else {
          throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
        }
        // With an explicit proxy, an empty list prevents libcurl from reading the environment's
        // `no_proxy`. With a proxy of the environment, the local machine is excluded, because a
        // remote proxy would look for a local server on its own machine.
        let exceptions =
          options.proxy != .environment ? "" : origin.isLoopback ? "*" : nil
        try require(catena_easy_set_string(easy, .noProxy, exceptions))
        // With HTTP/2, concurrent first exchanges wait for one connection. Otherwise each would
        // open its own.
        catena_easy_set_long(
          easy, .pipeWait, options.allowsHTTP2 && origin.scheme == "https" ? 1 : 0)
        appliedOptions?.origin = origin
      }
      try require(catena_easy_set_string(easy, .URL, url.absoluteString))
    }

    /// Sets the header fields, unless the handle already has the same fields from the last
    /// exchange.
    private func set(_ headers: HTTPHeaders, hasBody: Bool) throws(TransportFailure) {
      guard hasBody || appliedOptions?.headers?.fields != headers.fields else { return }
      appliedOptions?.headers = nil
      let list = try fields.make(
        headers, suppressed: ["Accept"] + (hasBody ? ["Content-Type", "Expect"] : []))
      catena_easy_set_pointer(easy, .httpHeader, list)
      catena_easy_set_string(easy, .acceptEncoding, headers.acceptsCoding ? "" : nil)
      if !hasBody { appliedOptions?.headers = headers }
    }

    private func set(method: HTTPMethod, body: HTTPBody) throws(TransportFailure) -> Bool {
      guard method.rawValue.isToken else {
        throw TransportFailure(code: .unsupported, detail: "The method is not a valid token")
      }
      if method == .head {
        guard case .none = body else {
          throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
        }
        catena_easy_set_long(easy, .noBody, 1)
        return false
      }
      let hasBody = try set(body)
      if method != (hasBody ? .post : .get) || upload != nil {
        try require(catena_easy_set_string(easy, .customRequest, method.rawValue))
      }
      return hasBody
    }

    private func set(_ body: HTTPBody) throws(TransportFailure) -> Bool {
      bytesToSend = nil
      switch body {
      case .none: return false
      case .data(let data) where data.count <= Self.maximumCopiedSize:
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
        // -1 means unknown. HTTP/1.1 then sends chunks.
        catena_easy_set_size(easy, .upload, reader.length ?? -1)
      }
      return true
    }

    // MARK: Options of a transport

    /// Sets the options that are the same for all exchanges of a transport.
    ///
    /// - Throws: A failure if libcurl rejects an option.
    func configure(
      _ options: CurlTransport.Options, _ sockets: CurlSockets
    ) throws(TransportFailure) {
      catena_easy_set_pointer(easy, .errorBuffer, errorBuffer)
      catena_easy_set_pointer(easy, .private, Unmanaged.passUnretained(self).toOpaque())
      catena_easy_set_long(easy, .httpVersion, options.allowsHTTP2 ? 4 : 2)
      catena_easy_set_long(easy, .noSignal, 1)
      // Nearly four times libcurl's default, so a large body needs a quarter of the calls. A small
      // body touches no more memory than with the default. From 64 KiB on, glibc would consolidate
      // its whole heap whenever the buffer is freed, which is after each exchange.
      catena_easy_set_long(easy, .bufferSize, 60 << 10)
      catena_easy_set_long(easy, .pathAsIs, 1)
      catena_easy_set_long(easy, .suppressConnectHeaders, 1)
      catena_easy_set_long(easy, .disallowUsernameInURL, 1)
      catena_easy_set_long(easy, .tcpKeepAlive, 1)
      try require(catena_easy_allow_http_only(easy))
      try setRoute(options)
      try set(options.tls)
      setCallbacks(sockets)
    }

    /// Checks the result of an option without which the exchange would be less safe.
    func require(_ result: CurlResult) throws(TransportFailure) {
      guard result != .OK else { return }
      throw TransportFailure(
        code: .unsupported,
        detail: "libcurl rejected an option: \(String(cString: catena_curl_describe(result)))")
    }

    /// Sets the Unix socket or the proxy.
    private func setRoute(_ options: CurlTransport.Options) throws(TransportFailure) {
      if let path = options.unixSocketPath {
        try require(catena_easy_set_string(easy, .unixSocketPath, path))
        try require(catena_easy_set_string(easy, .proxy, ""))
        return
      }
      guard let proxy = try options.proxy.libcurlValue() else { return }
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
        // A TLS library without this option uses no folder of authorities.
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

    // MARK: Callbacks

    /// Sets the callbacks of the handle and of the loop's sockets.
    ///
    /// The socket callbacks use `sockets`, which outlives the connections.
    func setCallbacks(_ sockets: CurlSockets) {
      let handle = Unmanaged.passUnretained(self).toOpaque()
      catena_easy_on_header(
        easy,
        { bytes, size, count, context in
          CurlHandle.at(context).receiveHeader(.init(start: bytes, count: size * count))
          return size * count
        }, handle)
      catena_easy_on_body(
        easy,
        { bytes, size, count, context in
          CurlHandle.at(context).receiveBody(.init(start: bytes, count: size * count))
        }, handle)
      let sockets = Unmanaged.passUnretained(sockets).toOpaque()
      catena_easy_on_open(
        easy,
        { context, _, kind in
          guard let kind else { return -1 }
          return CurlSockets.at(context).open(kind.pointee)
        }, sockets)
      catena_easy_on_close(
        easy,
        { context, socket in
          CurlSockets.at(context).close(socket)
          return 0
        }, sockets)
    }

    func setUploadCallbacks() {
      let handle = Unmanaged.passUnretained(self).toOpaque()
      catena_easy_on_read(
        easy,
        { bytes, size, count, context in
          CurlHandle.at(context).readBody(into: .init(start: bytes, count: size * count))
        }, handle)
      catena_easy_on_seek(
        easy,
        { context, offset, origin in
          // `CURL_SEEKFUNC_FAIL` is 1, `CURL_SEEKFUNC_OK` is 0.
          guard origin == SEEK_SET, offset == 0, let upload = CurlHandle.at(context).upload
          else { return 1 }
          upload.rewind()
          return 0
        }, handle)
      catena_easy_on_progress(
        easy,
        { context, _, _, _, sent in
          let handle = CurlHandle.at(context)
          handle.report(sent: sent)
          return handle.exchange?.isCancelled == true ? 1 : 0
        }, handle)
      catena_easy_set_long(easy, .noProgress, 0)
    }

    /// Sets or clears the callback that libcurl calls when a connection is established.
    ///
    /// - Returns: `false` if libcurl has no such callback.
    func setConnectionCallback(_ isWanted: Bool) -> Bool {
      guard isWanted else { return catena_easy_on_connected(easy, nil, nil) == .OK }
      let result = catena_easy_on_connected(
        easy,
        { context, _, _, _, _ in
          // `CURL_PREREQFUNC_OK` and `CURL_PREREQFUNC_ABORT`.
          CurlHandle.at(context).reportConnection() ? 0 : 1
        }, Unmanaged.passUnretained(self).toOpaque())
      return result == .OK
    }

    static func at(_ context: UnsafeMutableRawPointer?) -> CurlHandle {
      Unmanaged.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }
  }

  extension CurlSockets {
    static func at(_ context: UnsafeMutableRawPointer?) -> CurlSockets {
      Unmanaged.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }
  }

  extension HTTPHeaders {
    /// Whether the request accepts a content coding other than `identity`, as it does by default.
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

  extension TLSOptions.Version {
    /// The `CURL_SSLVERSION_*` value.
    fileprivate var number: Int {
      switch self {
      case .v1_0: 4
      case .v1_1: 5
      case .v1_2: 6
      case .v1_3: 7
      }
    }
  }

  /// The options that remain set on an easy handle after an exchange.
  ///
  /// Most exchanges use the same server with the same header fields, so these options are not set
  /// again.
  struct AppliedOptions {
    /// The origin of the last URL.
    var origin: Origin?
    /// The header fields of the list that is set on the handle, or `nil` after a request with a
    /// body.
    var headers: HTTPHeaders?
    /// Whether the connection callback is set.
    var reportsConnection = false
    /// Whether no other options are set, so that the handle need not be reset.
    var isReusable = true
  }
#endif
