import Promises

extension Networking {
  /// Makes a request and hands the body of its answer on while it comes.
  ///
  /// ```swift
  /// let response = try await networking.stream(.feed).validate().value
  /// for try await piece in response.bytes { parser.take(piece) }
  /// ```
  ///
  /// - Of a success, 2xx, the promise is fulfilled when the head is there; the body comes by
  ///   ``Response/bytes``, which says how it is read and given up. Of any other status up to 1 MiB of the
  ///   body is in ``Response/data``.
  /// - A request's time limits count to the end of the body.
  /// - Its turn in the client's queue ends with the head, so that whoever reads may make further
  ///   requests. From there on ``cancelAllRequests()`` leaves it alone.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - progress: told how the bodies get on, as with `request(_:progress:file:line:)`.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the response, whatever its status; rejected like that of
  ///   `request(_:progress:file:line:)`.
  public func stream(
    _ endpoint: Endpoint, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    perform(
      endpoint, over: standIn(for: endpoint), to: .stream,
      progress: progress, file, line)
  }

  /// Streams what an endpoint that was changed on the spot gives, `BoardsAPI.feed.notIntercepted()`.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - progress: told how the bodies get on, as with `request(_:progress:file:line:)`.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the response, whatever its status; rejected like that of
  ///   `request(_:progress:file:line:)`.
  public func stream(
    _ endpoint: ModifiedEndpoint<Endpoint>, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    perform(
      endpoint, over: standIn(for: endpoint.base), to: .stream,
      progress: progress, file, line)
  }
}
