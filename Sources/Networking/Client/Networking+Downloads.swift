public import Foundation

extension Networking {
  /// Adds a request to the queue, and downloads the response body to a file.
  ///
  /// ```swift
  /// networking.download(.report(id: 1), to: file)
  ///   .validate()
  ///   .done { response in open(response.file) }
  /// ```
  ///
  /// - If the status is 2xx, the body is written to a hidden file in the same folder, which is
  ///   moved to its place when it is complete. Missing folders are created. After a failure or a
  ///   cancellation no partial file remains, and an existing file is unchanged.
  /// - For any other status, including a redirect, the file is not written. Up to 1 MiB of the body
  ///   is in ``Response/data``, for `validate` and `decode`.
  /// - About 1 MiB of the body is in memory at a time. If the disk is slow, the transfer waits for
  ///   it.
  /// - A download that can be paused, and that survives the process, is `transfer(_:to:)` of
  ///   `NetworkingTransfers`.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - target: The file URL of the destination.
  ///   - replacing: Whether an existing file is replaced. Otherwise the request fails.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the response, whatever its status. It is rejected like that of
  ///   `request(_:_:file:line:)`, and with ``NetworkError/Code-swift.enum/fileNotWritten``
  ///   if the file cannot be created, written or moved. It may be ignored: the file is downloaded
  ///   anyway, and ``PromiseDiagnostics`` reports a rejection.
  @discardableResult
  public func download(
    _ endpoint: Endpoint, to target: URL, replacing: Bool = true, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    let target = FileTarget(url: target, replaces: replacing)
    return send(endpoint, CallOptions(to: .file(target), options), file, line)
  }

  /// Downloads the response body of a typed endpoint to a file, like that of an `Endpoint`.
  @discardableResult @_disfavoredOverload
  public func download(
    _ endpoint: some TypedEndpoint, to target: URL, replacing: Bool = true,
    _ options: RequestOption..., file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    let target = FileTarget(url: target, replaces: replacing)
    return send(endpoint, CallOptions(to: .file(target), options), file, line)
  }
}

extension Networking {
  /// Adds a request to the queue, and streams the response body.
  ///
  /// ```swift
  /// let response = try await networking.stream(.feed).validate().value
  /// for try await piece in response.bytes { parser.take(piece) }
  /// ```
  ///
  /// - If the status is 2xx, the promise is fulfilled when the head has arrived, and
  ///   ``Response/bytes`` delivers the body. For any other status up to 1 MiB of the body is in
  ///   ``Response/data``.
  /// - The limits for the call and the attempt cover the body, too.
  /// - The request leaves the client's queue when the head has arrived, so that the reader can make
  ///   further requests. From then on ``cancelAllRequests()`` does not affect it.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - options: The options of this call, which are applied in order.
  ///   - file: The source file of the caller, for diagnostics.
  ///   - line: The source line of the caller, for diagnostics.
  /// - Returns: A promise of the response, whatever its status. It is rejected like that of
  ///   `request(_:_:file:line:)`.
  public func stream(
    _ endpoint: Endpoint, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    send(endpoint, CallOptions(to: .stream, options), file, line)
  }

  /// Streams the response body of a typed endpoint, like that of an `Endpoint`.
  @_disfavoredOverload
  public func stream(
    _ endpoint: some TypedEndpoint, _ options: RequestOption...,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    send(endpoint, CallOptions(to: .stream, options), file, line)
  }
}
