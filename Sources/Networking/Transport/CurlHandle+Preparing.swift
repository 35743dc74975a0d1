#if os(Linux)
  import CCatena
  import Foundation

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
      if standing == nil {
        try configure(options, sockets)
        standing = CurlStanding()
      }
      // Until all is set: what fails on the way leaves a handle that has to be reset.
      standing?.isPlain = false
      try set(url: request.url, options)
      let sends = try set(method: request.method, body: request.body)
      try set(request.headers, sends: sends)
      let connect = request.connectTimeout.map { Int($0.wholeNanoseconds + 999_999) / 1_000_000 }
      catena_easy_set_long(
        easy, .connectTimeoutMilliseconds, min(max(connect ?? .max, 1), Int(Int32.max)))
      if sends { setUploadCallbacks() }
      standing?.isPlain = !sends && request.method == .get
      begin(exchange, sends: sends)
      watchConnection(of: request)
    }

    private func set(url: URL, _ options: CurlTransport.Options) throws(TransportFailure) {
      let text = url.absoluteString
      if standing?.isOrigin(of: text) != true {
        guard let origin = CurlStanding.Origin(of: text) else {
          throw TransportFailure(code: .invalidURL, detail: "The URL is not http or https")
        }
        // With a proxy of the transport's own an empty list keeps the environment's from being read. One
        // of the environment's, which is elsewhere, would look for this machine's servers there.
        let exceptions =
          options.proxy != .environment ? "" : Loopback.isHost(ofURL: text) ? "*" : nil
        try require(catena_easy_set_string(easy, .noProxy, exceptions))
        // Where HTTP/2 may be spoken; else each of many first exchanges would open its own connection.
        catena_easy_set_long(easy, .pipeWait, options.allowsHTTP2 && origin.isSecure ? 1 : 0)
        standing?.origin = origin
      }
      try require(catena_easy_set_string(easy, .URL, text))
    }

    /// The same fields as last time are on the handle already.
    private func set(_ headers: HTTPHeaders, sends: Bool) throws(TransportFailure) {
      guard sends || standing?.headers?.fields != headers.fields else { return }
      standing?.headers = nil
      let list = try fields.make(
        headers, unwanted: ["Accept"] + (sends ? ["Content-Type", "Expect"] : []))
      catena_easy_set_pointer(easy, .httpHeader, list)
      catena_easy_set_string(easy, .acceptEncoding, headers.acceptsCoding ? "" : nil)
      if !sends { standing?.headers = headers }
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
      let sends = try set(body)
      if method != (sends ? .post : .get) || upload != nil {
        try require(catena_easy_set_string(easy, .customRequest, method.rawValue))
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
