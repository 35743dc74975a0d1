import Foundation

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
