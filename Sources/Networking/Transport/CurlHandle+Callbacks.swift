#if os(Linux)
  import CCatena
  import Glibc

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
