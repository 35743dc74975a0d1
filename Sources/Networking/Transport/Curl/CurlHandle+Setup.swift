#if CATENA_CURL
  import CCatenaCurl
  import CatenaSystem
  import Foundation

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
      _ exchange: CurlExchange, _ options: CurlTransport.Options, _ sockets: CurlSockets,
      _ share: OpaquePointer?
    ) throws(TransportFailure) {
      let request = exchange.request
      self.sockets = sockets
      if appliedOptions == nil {
        try configure(options, sockets, share)
        appliedOptions = AppliedOptions()
      }
      // `false` until all options are set, because the handle must be reset if setting one of them
      // fails.
      appliedOptions?.isReusable = false
      try set(url: request.url, options)
      let hasBody = try set(method: request.method, bodyOf: exchange)
      try set(serverFields(of: request), hasBody: hasBody)
      let connect = request.connectTimeout?.wholeMilliseconds ?? .max
      catena_easy_set_long(
        easy, .connectTimeoutMilliseconds, min(max(connect, 1), Int(Int32.max)))
      if hasBody {
        setUploadCallbacks()
        if mayNegotiateHTTP2 { keepSendingOnError() }
      }
      appliedOptions?.isReusable =
        !hasBody && request.method == .get && !request.authorizesProxy
      begin(exchange, hasBody: hasBody)
    }

    private func set(url: URL, _ options: CurlTransport.Options) throws(TransportFailure) {
      if origin?.matches(url) != true {
        origin = nil
        guard let new = Origin(url), new.scheme == "http" || new.scheme == "https" else {
          throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
        }
        origin = new
        isLoopback = new.isLoopback
        appliedOptions?.hasOrigin = false
      }
      if let origin, appliedOptions?.hasOrigin == false {
        // With an explicit proxy, an empty list prevents libcurl from reading the environment's
        // `no_proxy`. With a proxy of the environment, the local machine is excluded, because a
        // remote proxy would look for a local server on its own machine.
        let isDirect =
          isLoopback || AddressRanges.withoutProxy.contains(ipv6: origin.host)
        let exceptions = options.proxy != .environment ? "" : isDirect ? "*" : nil
        try require(catena_easy_set_string(easy, .noProxy, exceptions))
        mayNegotiateHTTP2 = options.allowsHTTP2 && origin.scheme == "https" && !requiresHTTP1
        setVersions()
        if origin.scheme == "https" { try set(options.tls, for: origin) }
        appliedOptions?.hasOrigin = true
      }
      try require(catena_easy_set_string(easy, .URL, url.absoluteString))
    }

    private func setVersions() {
      // With HTTP/2, concurrent first exchanges wait for one connection. Otherwise each would
      // open its own.
      catena_easy_set_long(easy, .pipeWait, mayNegotiateHTTP2 && !hasOwnConnection ? 1 : 0)
      if mayNegotiateHTTP2 { setMessageCallback() }
      // `CURL_HTTP_VERSION_2TLS` and `CURL_HTTP_VERSION_1_1`. A server without TLS can claim HTTP/2 in a
      // status line. With any other value, libcurl would then send requests on connections in use.
      catena_easy_set_long(easy, .httpVersion, mayNegotiateHTTP2 ? 4 : 2)
    }

    /// Offers HTTP/2 to a server that has refused HTTP/1.1, before the request is sent again.
    func offerHTTP2() {
      requiresHTTP1 = false
      mayNegotiateHTTP2 = true
      setVersions()
      keepSendingOnError()
    }

    /// Makes libcurl send the whole body, whatever the status is.
    ///
    /// Otherwise it ends the stream after an error status, in the middle of a body with a length. A server
    /// may close the HTTP/2 connection of all streams for this error.
    private func keepSendingOnError() { catena_easy_set_long(easy, .keepSendingOnError, 1) }

    /// Sets the fields for an HTTP proxy, and returns the fields for the server.
    ///
    /// A tunnel is for this request alone, because another one may have other credentials.
    ///
    /// Source: RFC 9110 section 11.7.2.
    private func serverFields(of request: HTTPRequest) throws(TransportFailure) -> HTTPHeaders {
      var headers = request.headers
      guard request.authorizesProxy,
        let value = headers.values(for: HTTPHeaders.proxyAuthorizationName).first
      else { return headers }
      let field = HTTPHeaders.Field(name: HTTPHeaders.proxyAuthorizationName, value: value)
      let list = try tunnelFields.make(HTTPHeaders([field]), adding: field, suppressed: [])
      catena_easy_set_pointer(easy, .proxyHeader, list)
      if request.isSecure {
        catena_easy_set_long(easy, .freshConnect, 1)
        catena_easy_set_long(easy, .forbidReuse, 1)
      }
      headers.remove(field.name)
      return headers
    }

    /// Sets the header fields.
    ///
    /// The list is kept, because consecutive requests often have the same fields.
    private func set(_ headers: HTTPHeaders, hasBody: Bool) throws(TransportFailure) {
      if isListForBody != hasBody || listedHeaders?.fields != headers.fields {
        listedHeaders = nil
        appliedOptions?.hasHeaders = false
        list = try fields.make(
          headers,
          // A part of a body in its coding cannot be decoded.
          adding: headers.contains("Range") ? HTTPHeaders.noCodings : HTTPHeaders.acceptedCodings,
          suppressed: ["Accept"] + (hasBody ? ["Content-Type", "Expect"] : []))
        decodesBody = headers.acceptsCoding
        listedHeaders = headers
        isListForBody = hasBody
      }
      guard appliedOptions?.hasHeaders != true else { return }
      catena_easy_set_pointer(easy, .httpHeader, list)
      appliedOptions?.hasHeaders = true
    }

    private func set(
      method: HTTPMethod, bodyOf exchange: CurlExchange
    ) throws(TransportFailure) -> Bool {
      guard method.rawValue.isToken else {
        throw TransportFailure(code: .unsupported, detail: "The method is not a valid token")
      }
      if method == .head {
        guard case .none = exchange.request.body else {
          throw TransportFailure(code: .unsupported, detail: "A HEAD request cannot have a body")
        }
        catena_easy_set_long(easy, .noBody, 1)
        return false
      }
      let hasBody = try setBody(of: exchange)
      if method != (hasBody ? .post : .get) || upload != nil {
        try require(catena_easy_set_string(easy, .customRequest, method.rawValue))
      }
      return hasBody
    }

    private func setBody(of exchange: CurlExchange) throws(TransportFailure) -> Bool {
      bytesToSend = nil
      switch exchange.request.body {
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
        let reader = try exchange.openBody()
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
      _ options: CurlTransport.Options, _ sockets: CurlSockets, _ share: OpaquePointer?
    ) throws(TransportFailure) {
      if let share { catena_easy_set_pointer(easy, .share, UnsafeRawPointer(share)) }
      catena_easy_set_pointer(easy, .errorBuffer, errorBuffer)
      catena_easy_set_pointer(easy, .private, context)
      catena_easy_set_long(easy, .noSignal, 1)
      // Otherwise the end of an exchange whose name is still being resolved waits for the resolver.
      // libcurl before 7.87 does not know the option.
      catena_easy_set_long(easy, .quickExit, 1)
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
      try set(options.tls, options)
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
        // libcurl reports a longer path as an unknown host.
        let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        guard path.utf8.count <= limit else {
          throw TransportFailure(
            code: .cannotConnect,
            detail: "The path of the Unix socket is longer than \(limit) bytes")
        }
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

    // MARK: Callbacks

    /// Sets the callbacks of the handle and of the loop's sockets.
    ///
    /// The socket callbacks use `sockets`, which outlives the connections.
    func setCallbacks(_ sockets: CurlSockets) {
      let handle = context
      catena_easy_on_header(
        easy,
        { bytes, size, count, context in
          let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
          return CurlHandle.at(context).receiveHeader(line) ? line.count : 0
        }, handle)
      catena_easy_on_body(
        easy,
        { bytes, size, count, context in
          CurlHandle.at(context).receiveBody(.init(start: bytes, count: size * count))
        }, handle)
      let result = catena_easy_on_connected(
        easy,
        { context, _, _, _, _ in
          // `CURL_PREREQFUNC_OK` and `CURL_PREREQFUNC_ABORT`.
          CurlHandle.at(context).reportConnection() ? 0 : 1
        }, handle)
      hasConnectionCallback = result == .OK
      catena_easy_on_open(
        easy,
        { context, _, kind in
          guard let kind else { return -1 }
          return CurlSockets.at(context).open(kind.pointee)
        }, sockets.context)
      catena_easy_on_close(
        easy,
        { context, socket in
          CurlSockets.at(context).close(socket)
          return 0
        }, sockets.context)
    }

    /// Sets the callback for libcurl's messages, which tell of GOAWAY frames.
    private func setMessageCallback() {
      catena_easy_set_long(easy, .verbose, 1)
      catena_easy_on_message(
        easy,
        { _, kind, bytes, count, context in
          // `CURLINFO_TEXT`.
          if kind == 0 {
            CurlHandle.at(context).receive(message: .init(start: bytes, count: count))
          }
          return 0
        }, context)
    }

    func setUploadCallbacks() {
      let handle = context
      catena_easy_on_read(
        easy,
        { bytes, size, count, context in
          CurlHandle.at(context).readBody(into: .init(start: bytes, count: size * count))
        }, handle)
      catena_easy_on_seek(
        easy,
        { context, offset, origin in
          // `CURL_SEEKFUNC_FAIL` is 1, `CURL_SEEKFUNC_OK` is 0.
          guard origin == SEEK_SET, offset == 0 else { return 1 }
          return CurlHandle.at(context).rewindBody() ? 0 : 1
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
  }

  extension Duration {
    /// The time in milliseconds, rounded up.
    var wholeMilliseconds: Int { Int((wholeNanoseconds + 999_999) / 1_000_000) }
  }

  /// The options that remain set on an easy handle after an exchange.
  ///
  /// Most exchanges use the same server with the same header fields, so these options are not set
  /// again.
  struct AppliedOptions {
    /// Whether the options for the handle's origin are set.
    var hasOrigin = false
    /// Whether the handle's list of header fields is set.
    var hasHeaders = false
    /// Whether no other options are set, so that the handle need not be reset.
    var isReusable = true
  }
#endif
