/// A type that converts responses to values.
///
/// `serialize(using:)` of a promise of a response applies it. It may convert several responses at the
/// same time.
public protocol ResponseSerializing<Output>: Sendable {
  /// The type of the value.
  associatedtype Output: Sendable

  /// Converts a response.
  ///
  /// This method runs on the thread that settles the promise or, for a body of more than 16 KiB that
  /// arrives on an I/O thread, on another thread. It must not block.
  ///
  /// - Parameter response: The complete response with status, header fields and body.
  /// - Returns: The value.
  /// - Throws: Any error. The promise is rejected with this error.
  func serialize(_ response: Response) throws -> Output
}

extension Response {
  /// Whether the response has no body to decode: the body is empty, or the status has no body.
  ///
  /// Source: RFC 9110 sections 15.3.5 and 15.3.6.
  package var hasNoBody: Bool { data.isEmpty || status == 204 || status == 205 }
}
