public import Networking
public import Promises

/// A type that converts results of requests to values: responses, and errors such as those of the
/// transport.
///
/// ```swift
/// struct StatusSerializer: ResultSerializing {
///   func serialize(_ result: Result<Response, any Error>) -> Int? { try? result.get().status }
/// }
///
/// networking.request(.report).serialize(using: StatusSerializer())
/// ```
public protocol ResultSerializing<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Converts a result.
  ///
  /// It runs like that of ``ResponseSerializing``, and not after a cancellation.
  ///
  /// - Parameter result: The complete response, or the error that rejected the promise.
  /// - Returns: The value.
  /// - Throws: Any error. The promise is rejected with this error.
  func serialize(_ result: Result<Response, any Error>) throws -> Output
}

extension Promise where Value == Response {
  /// Converts the response, or the error of the request, with a custom serializer.
  ///
  /// - Parameters:
  ///   - serializer: The serializer. It runs like that of a response.
  ///   - file: The source file of the call, for diagnostics.
  ///   - line: The source line of the call, for diagnostics.
  /// - Returns: A promise of the serializer's output. It is rejected with the serializer's error, and
  ///   as cancelled.
  public func serialize<Serializer: ResultSerializing>(
    using serializer: Serializer, file: StaticString = #fileID, line: UInt = #line
  ) -> Promise<Serializer.Output> {
    asResult().map(
      on: LargeBodies.context, if: { (try? $0.get()).map(LargeBodies.mustMove) ?? false },
      file: file, line: line, serializer.serialize)
  }
}
