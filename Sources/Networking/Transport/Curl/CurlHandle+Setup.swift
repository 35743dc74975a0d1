#if os(Linux)
  import CCatena
  import Foundation
  import Glibc
#endif

#if os(Linux)
  extension CurlHandle {
    /// Bodies up to this size are copied and go out with the head; larger ones are read piecewise.
    private static let copiedBytes = 64 << 10

    /// Sets a handle to what an exchange asks for, and takes the exchange on.
    ///
    /// - Throws: why it cannot be performed, nothing having been sent.
    func prepare(
      _ exchange: CurlExchange, _ options: CurlTransport.Options, _ sockets: CurlSockets
    ) throws(TransportFailure) {
      let request = exchange.request
      if appliedOptions == nil {
        try configure(options, sockets)
        appliedOptions = AppliedOptions()
      }
      // Until all is set: what fails on the way leaves a handle that has to be reset.
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
      enableConnectionReports(of: request)
    }

    private func set(url: URL, _ options: CurlTransport.Options) throws(TransportFailure) {
      if appliedOptions?.origin?.matches(url) != true {
        guard let origin = Origin(url), origin.scheme == "http" || origin.scheme == "https" else {
          throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
        }
        // With a proxy of the transport's own an empty list keeps the environment's from being read. One
        // of the environment's, which is elsewhere, would look for this machine's servers there.
        let exceptions =
          options.proxy != .environment ? "" : origin.isLoopback ? "*" : nil
        try require(catena_easy_set_string(easy, .noProxy, exceptions))
        // Where HTTP/2 may be spoken; else each of many first exchanges would open its own connection.
        catena_easy_set_long(
          easy, .pipeWait, options.allowsHTTP2 && origin.scheme == "https" ? 1 : 0)
        appliedOptions?.origin = origin
      }
      try require(catena_easy_set_string(easy, .URL, url.absoluteString))
    }

    /// The same fields as last time are on the handle already.
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
        throw TransportFailure(code: .unsupported, detail: "The method is no token")
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

#if os(Linux)
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
      try setRoute(options)
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

#if os(Linux)
  extension CurlHandle {
    /// Has libcurl call this handle, and the sockets of its loop, which outlive its connections.
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
          // CURL_SEEKFUNC_OK and FAIL.
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

    /// Has libcurl tell when a connection stands, or tell it no more.
    ///
    /// - Returns: false for a library that cannot.
    func setConnectionCallback(_ isWanted: Bool) -> Bool {
      guard isWanted else { return catena_easy_on_connected(easy, nil, nil) == .OK }
      let result = catena_easy_on_connected(
        easy,
        { context, _, _, _, _ in
          // CURL_PREREQFUNC_OK and ABORT.
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
#endif

#if os(Linux)
  /// What is set on an easy handle and stays from one exchange to the next: most ask the same server,
  /// with the same header fields.
  struct AppliedOptions {
    /// The origin of the last URL.
    var origin: Origin?
    /// The fields of the last request without a body, whose list the handle still has.
    var headers: HTTPHeaders?
    /// Whether libcurl tells when a connection stands.
    var reportsConnection = false
    /// Whether nothing else is set on the handle, so that it need not be reset.
    var isReusable = true
  }
#endif
