import Foundation
import Promises

extension Networking {
  /// Makes a request and puts the body of its answer into a file.
  ///
  /// ```swift
  /// networking.download(.report(id: 1), to: file)
  ///   .validate()
  ///   .done { response in open(response.file) }
  /// ```
  ///
  /// - A success, 2xx, goes into the file: it is written beside its place, under a hidden name, and moved
  ///   there when it is whole. Folders on the way there are made. After a failure or a cancellation
  ///   nothing is left of it, and the file that was there before is as it was.
  /// - Of any other status, of a redirect on the way too, nothing goes into the file; up to 1 MiB of its
  ///   body is in ``Response/data``, for `validate` and `decode`.
  /// - However large the body, about 1 MiB of it is in memory at a time: the server waits for the disk.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - target: where the body goes; a file's URL.
  ///   - replacing: whether a file that is there is replaced; otherwise the request fails.
  ///   - progress: told how the bodies get on, as with `request(_:progress:file:line:)`.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the response, whatever its status; rejected like that of
  ///   `request(_:progress:file:line:)`, and with ``NetworkError/Code-swift.enum/fileNotWritten`` when
  ///   the file cannot be made, written or moved.
  public func download(
    _ endpoint: Endpoint, to target: URL,
    replacing: Bool = true, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    perform(
      endpoint, over: transports.select(for: endpoint),
      to: .file(FileTarget(url: target, replaces: replacing)),
      progress: progress, file, line)
  }

  /// Downloads what an endpoint that was changed on the spot gives, `BoardsAPI.report.prioritized(.low)`.
  ///
  /// - Parameters:
  ///   - endpoint: what to ask for.
  ///   - target: where the body goes; a file's URL.
  ///   - replacing: whether a file that is there is replaced; otherwise the request fails.
  ///   - progress: told how the bodies get on, as with `request(_:progress:file:line:)`.
  ///   - file: where it was asked for, for diagnostics.
  ///   - line: where it was asked for, for diagnostics.
  /// - Returns: a promise of the response, whatever its status; rejected like that of
  ///   `request(_:progress:file:line:)`, and with ``NetworkError/Code-swift.enum/fileNotWritten`` when
  ///   the file cannot be made, written or moved.
  public func download(
    _ endpoint: ModifiedEndpoint<Endpoint>, to target: URL,
    replacing: Bool = true, progress: ProgressHandler? = nil,
    file: StaticString = #fileID, line: UInt = #line
  ) -> NetworkPromise {
    perform(
      endpoint, over: transports.select(for: endpoint.base),
      to: .file(FileTarget(url: target, replaces: replacing)),
      progress: progress, file, line)
  }
}

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
      endpoint, over: transports.select(for: endpoint), to: .stream,
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
      endpoint, over: transports.select(for: endpoint.base), to: .stream,
      progress: progress, file, line)
  }
}
