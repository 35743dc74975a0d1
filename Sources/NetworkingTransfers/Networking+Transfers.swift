public import Foundation
import Networking
public import Promises

extension Networking {
  /// Downloads the response body to a file, as a transfer that can be paused and that a later one
  /// continues.
  ///
  /// ```swift
  /// let transfer = networking.transfer(.film(id: 7), to: file)
  /// transfer.pause()
  /// transfer.resume()
  /// let response = try await transfer.response.validate().value
  /// ```
  ///
  /// - **Result.** If the status is 2xx, the complete file is moved to its place and is in
  ///   ``Response/file``. The response is the last one, whose status is 206 after a continuation.
  ///   For any other status the file is not written, and up to 1 MiB of the body is in
  ///   ``Response/data``.
  /// - **Continuation.** After a temporary failure (``NetworkError/Code-swift.enum/isTemporary``), such
  ///   as a lost connection or the status 503, the download continues with the missing bytes, if
  ///   the response had a strong validator: a strong `ETag`, or a `Last-Modified` at least a second
  ///   older than its `Date`. The request has `Range` and `If-Range`. If the file on the server has
  ///   changed, or the server ignores ranges, the download starts again. The client's retry policy
  ///   decides about attempts, and its limit is that of the failures without a byte in between; the
  ///   retry budget does not apply. A connection lost during a pause needs no policy.
  /// - **Resumable.** Beside the target there are two hidden files, `.NAME.download` with the bytes,
  ///   and `.NAME.download.json` with the validator, which only its owner can read. After a failure, a
  ///   cancellation, or the end of the process they are kept, and the next transfer from the same URL
  ///   to the same target continues. ``Transfer/removePartialDownload(of:)`` removes them. Files of
  ///   these names that belong to another user are replaced, except on a disk on which all files have
  ///   the same owner. If the partial file has got a second name (a hard link), a copy of it is
  ///   continued. A transfer that is not resumable leaves no partial file.
  /// - **One owner.** A resumable transfer has a lease in `.NAME.download.lease`. It ends with the process,
  ///   and 30 seconds after the system has suspended the process. Another one can then take the files over,
  ///   and this transfer fails.
  /// - **Integrity.** `Content-Range` and the total length are checked. So is the SHA-256 of the
  ///   caller, or else the SHA-256 or SHA-512 of the server's `Repr-Digest` or `Content-Digest`, and
  ///   that of the `Content-Digest` of each complete range. If a check fails, the partial file is
  ///   removed.
  /// - **Limits.** The time limits of the call and the attempt apply to each request, and do not run
  ///   during a pause. The transfer leaves the client's queue when the response head has arrived.
  ///
  /// The request has `Accept-Encoding: identity`, because ranges of a content coding are not ranges
  /// of the file. If the server sends a content coding nevertheless, the file is requested again
  /// without that field, is decoded, and cannot be continued. The request is never stored offline, and
  /// does not use the cache of responses, whatever its options.
  ///
  /// Source: RFC 9110 sections 8.8 (validators), 13.1.5 (If-Range) and 14 (ranges); RFC 9530
  /// (digests).
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of a GET request.
  ///   - target: The file URL of the destination.
  ///   - resumable: Whether a later transfer can continue this one, also after the end of the process.
  ///   - replacing: Whether an existing file is replaced. Otherwise the transfer fails.
  ///   - connections: The number of ranges that are requested at a time. A value below 1 counts as
  ///     1, one above 16 as 16. With more than one, the first request asks for the first MiB only.
  ///     A server without ranges sends the file over one connection.
  ///   - sha256: The SHA-256 of the file, as 64 hexadecimal digits. `nil` uses the server's digest,
  ///     if it sends one.
  ///   - options: The options of each request of the transfer, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The transfer. Its promise is rejected like that of `request(_:_:file:line:)`,
  ///   and with `fileNotWritten`; with `transferInProgress` if another transfer has the partial
  ///   file or has taken it over; with `digestMismatch`; with `malformedResponse` if a range is not the requested one;
  ///   with `encodingFailed` if `sha256` is not a SHA-256.
  @discardableResult
  public func transfer(
    _ endpoint: Endpoint, to target: URL, resumable: Bool = true, replacing: Bool = true,
    connections: Int = 1, sha256: String? = nil, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Transfer {
    startDownload(
      endpoint,
      DownloadOptions(
        target: target, isResumable: resumable, replaces: replacing,
        connections: min(max(connections, 1), 16), sha256: sha256), options, file, line)
  }

  /// Downloads the response body of a typed endpoint to a file, like that of an `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func transfer(
    _ endpoint: some TypedEndpoint, to target: URL, resumable: Bool = true, replacing: Bool = true,
    connections: Int = 1, sha256: String? = nil, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> Transfer {
    startDownload(
      endpoint,
      DownloadOptions(
        target: target, isResumable: resumable, replaces: replacing,
        connections: min(max(connections, 1), 16), sha256: sha256), options, file, line)
  }

  private func startDownload(
    _ endpoint: some RequestConvertible, _ download: DownloadOptions, _ options: [RequestOption],
    _ file: StaticString, _ line: UInt
  ) -> Transfer {
    startTransfer(endpoint, options, file, line) { sender in
      try await DownloadRun(download, sender).run()
    }
  }
}

extension Networking {
  /// Uploads the request body of an endpoint, as a transfer that can be paused.
  ///
  /// ```swift
  /// let transfer = networking.transfer(.picture(file))
  /// for await progress in transfer.progress { bar.fraction = progress.fraction ?? 0 }
  /// ```
  ///
  /// A pause stops reading the body, so that up to 1 MiB that has been read is still sent. If the
  /// connection is lost, the upload starts again only by the client's retry policy. The response is
  /// in ``Response/data``. The request is never stored offline, and does not use the
  /// cache of responses, whatever its options.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint of a request with a body.
  ///   - options: The options of each request of the transfer, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The transfer. Its promise is rejected like that of `request(_:_:file:line:)`.
  @discardableResult
  public func transfer(
    _ endpoint: Endpoint, _ options: RequestOption..., file: StaticString = #fileID,
    line: UInt = #line
  ) -> Transfer {
    startUpload(endpoint, options, file, line)
  }

  /// Uploads the request body of a typed endpoint, like that of an `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func transfer(
    _ endpoint: some TypedEndpoint, _ options: RequestOption..., file: StaticString = #fileID,
    line: UInt = #line
  ) -> Transfer {
    startUpload(endpoint, options, file, line)
  }

  private func startUpload(
    _ endpoint: some RequestConvertible, _ options: [RequestOption], _ file: StaticString,
    _ line: UInt
  ) -> Transfer {
    startTransfer(endpoint, options, isUpload: true, file, line) { sender in
      let gate = sender.control.gate
      var call = CallOptions()
      call.prepare = { request in
        var request = request
        request.body = request.body.held(by: gate)
        return request
      }
      call.progress = sender.control
      return try await sender.send(.init(options: call))
    }
  }

  /// Uploads a file by the tus protocol, as a transfer that can be paused and that a later one
  /// continues.
  ///
  /// ```swift
  /// let transfer = networking.transfer(
  ///   file, to: .films, by: .tus(metadata: ["filename": "film.mp4"]))
  /// let response = try await transfer.response.validate().value
  /// ```
  ///
  /// - **Creation.** The request of the endpoint, without its body, is sent as a POST that creates
  ///   the upload. The file is sent to the URL in its `Location`, in pieces. The requests to this
  ///   URL have the header fields of the endpoint; on another origin only those that are no secrets.
  /// - **State.** The URL of the upload is stored in a hidden file beside the file, readable by its
  ///   owner only, or in ``ResumableUpload/stateFile``. It is removed after the last byte, and kept
  ///   after a failure, a cancellation, or the end of the process. The next transfer of the unchanged
  ///   file to the same URL continues at the server's offset.
  /// - **Result.** The response is the last one of the server: the 204 to the last piece, or the first
  ///   with another status. A server that no longer has the upload, by 404, 410 or 403, gets a new
  ///   one.
  /// - **Retries.** The client's retry policy decides about attempts after temporary failures
  ///   (``NetworkError/Code-swift.enum/isTemporary``), such as a lost connection or the status 503. Its
  ///   limit is that of the failures while the server's offset does not grow; the retry budget does not
  ///   apply. The offset is requested before each attempt. A creation is repeated if the server has
  ///   responded, or cannot have received it. A wrong offset or checksum (409, 460) and an upload that is
  ///   locked (423) are repeated three times without a policy. A connection lost during a pause needs
  ///   none either.
  /// - **Progress.** It is the server's offset, so it grows with each piece.
  ///
  /// Source: the tus resumable upload protocol 1.0.0, with creation, expiration, checksum and
  /// termination.
  ///
  /// - Parameters:
  ///   - source: The file URL.
  ///   - endpoint: The endpoint that creates uploads.
  ///   - upload: The options of the protocol.
  ///   - options: The options of each request of the transfer, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: The transfer. Its promise is rejected like that of `request(_:_:file:line:)`,
  ///   and with `encodingFailed` if the file cannot be read or changes; with `transferInProgress` if
  ///   another transfer has the state or has taken it over; with `fileNotWritten` if the state cannot be read or written; with
  ///   `malformedResponse` if a response does not follow the protocol.
  @discardableResult
  public func transfer(
    _ source: URL, to endpoint: Endpoint, by upload: ResumableUpload,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Transfer {
    startTransfer(endpoint, options, isUpload: true, file, line) { sender in
      try await TusRun(source, upload, sender).run()
    }
  }

  /// Uploads a file by the tus protocol to a typed endpoint, like that to an `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func transfer(
    _ source: URL, to endpoint: some TypedEndpoint, by upload: ResumableUpload,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Transfer {
    startTransfer(endpoint, options, isUpload: true, file, line) { sender in
      try await TusRun(source, upload, sender).run()
    }
  }

  /// Discards an unfinished resumable upload on the server, and removes its state.
  ///
  /// ```swift
  /// networking.discardTransfer(of: file, to: .films)
  /// ```
  ///
  /// - Parameters:
  ///   - source: The file URL.
  ///   - endpoint: The endpoint that creates uploads.
  ///   - upload: The options of the protocol.
  ///   - options: The options of each request of the transfer, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the response to the DELETE request, or `nil` if there is no unfinished
  ///   upload. The state is removed if the status is 2xx, 403, 404 or 410. The promise is rejected
  ///   like that of `request(_:_:file:line:)`, and with `transferInProgress` if a transfer uses
  ///   the state.
  @discardableResult
  public func discardTransfer(
    of source: URL, to endpoint: Endpoint, by upload: ResumableUpload = .tus(),
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Response?> {
    discard(source, endpoint, upload, options, file, line)
  }

  /// Discards an unfinished resumable upload to a typed endpoint, like that to an `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func discardTransfer(
    of source: URL, to endpoint: some TypedEndpoint, by upload: ResumableUpload = .tus(),
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Response?> {
    discard(source, endpoint, upload, options, file, line)
  }

  private func discard(
    _ source: URL, _ endpoint: some RequestConvertible, _ upload: ResumableUpload,
    _ options: [RequestOption], _ file: StaticString, _ line: UInt
  ) -> Promise<Response?> {
    let control = TransferControl(context.scheduler)
    let request = Result { try endpoint.request }
    let sender = sender(of: request, for: endpoint, options, control, file, line)
    return ActivityExecutor.counting(for: control.scheduler) {
      Promise(file: file, line: line) { try await TusRun(source, upload, sender).terminate() }
    }
  }

  /// Starts a transfer, which is in the queue of unlimited width until it ends.
  ///
  /// The request of the endpoint is read once, and all requests of the transfer are made of it.
  private func startTransfer(
    _ endpoint: some RequestConvertible, _ options: [RequestOption], isUpload: Bool = false,
    _ file: StaticString, _ line: UInt,
    _ run: @escaping @Sendable (_ sender: TransferSender) async throws -> Response
  ) -> Transfer {
    let request = Result { try endpoint.request }
    var receiver: (any ProgressReceiver)?
    if let handler = (try? request.get())?.applying(options).onProgress {
      receiver = progressReceiver(handler)
    }
    let control = TransferControl(context.scheduler, isUpload: isUpload, reportingTo: receiver)
    let sender = sender(of: request, for: endpoint, options, control, file, line)
    let response = enqueue(
      file, line, onCancel: { control.end() },
      HandlerScope.capturing {
        ActivityExecutor.counting(for: control.scheduler) {
          NetworkPromise {
            defer { control.end() }
            return try await run(sender)
          }
        }
      })
    return Transfer(response, control)
  }

  /// Makes a sender of requests of an endpoint.
  ///
  /// - Parameters:
  ///   - request: The request of the endpoint before the options, or the error of the endpoint.
  ///   - endpoint: The endpoint.
  ///   - options: The options of each request.
  ///   - control: The state of the transfer.
  ///   - file: The source file of the caller.
  ///   - line: The source line of the caller.
  /// - Returns: The sender, with the sessions and settings of this time.
  private func sender(
    of request: Result<Request, any Error>, for endpoint: some RequestConvertible,
    _ options: [RequestOption], _ control: TransferControl, _ file: StaticString, _ line: UInt
  ) -> TransferSender {
    let (context, sessions) = (context, currentSessions)
    let clock = PausableScheduler(gate: control.gate, base: context.scheduler)
    let changed = request.map { $0.applying(options) }
    return TransferSender(
      control: control, context: context,
      retry: (try? changed.get())?.retry ?? context.retry,
      resource: { [self] in
        let base = try currentBaseURL(of: endpoint)
        let request = try changed.get()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let parameters = try request.parameters.map { try encoder.encode($0) } ?? Data()
        return """
          \(base?.absoluteString ?? "") \(request.path.text) \(parameters.base64EncodedString())
          """
      }
    ) { [self] message in
      var call = message.options
      call.request = request
      // The transfer reports the progress of all its requests together.
      call.changes =
        options + [.change { $0 = message.change($0) }, .store(.none), .onProgress(nil)]
      if let retries = message.retries {
        call.changes.append(.retry(.never))
        call.prepare = { request in
          let request = try message.options.prepare?(request) ?? request
          retries.note(request)
          return request
        }
        call.discards = retries.discards
      }
      call.deadlineClock = clock
      // A transfer continues by itself, with ranges and validators of its own.
      call.usesCache = false
      call.sessions = sessions
      return send(endpoint, call, file, line)
    }
  }
}

extension Networking {
  /// Unavailable: a download that can be paused is a transfer.
  @available(
    *, unavailable, renamed: "transfer(_:to:resumable:replacing:connections:sha256:_:file:line:)"
  )
  @discardableResult
  public func download(
    _ endpoint: Endpoint, to target: URL, resumable: Bool, replacing: Bool = true,
    connections: Int = 1, sha256: String? = nil, _ options: RequestOption...
  ) -> Transfer {
    transfer(endpoint, to: target)
  }

  /// Unavailable: an upload is a request with a body, or a transfer.
  @available(
    *, unavailable,
    message:
      "request(.create(form)) uploads the body of an endpoint and returns a promise; transfer(.create(form)) can be paused"
  )
  @discardableResult
  public func upload(_ endpoint: Endpoint, _ options: RequestOption...) -> Transfer {
    transfer(endpoint)
  }

  /// Unavailable: an upload that a later one continues is a transfer.
  @available(*, unavailable, renamed: "transfer(_:to:by:_:file:line:)")
  @discardableResult
  public func upload(
    _ source: URL, to endpoint: Endpoint, by upload: ResumableUpload, _ options: RequestOption...
  ) -> Transfer {
    transfer(source, to: endpoint, by: upload)
  }
}
