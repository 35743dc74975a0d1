/// Makes a value of a response.
public protocol ResponseSerializing<Output>: Sendable {
  /// What it makes.
  associatedtype Output: Sendable

  /// Makes the value.
  ///
  /// It runs on the thread that settles the promise, and must not block.
  ///
  /// - Parameter response: the response, whole: status, headers and data.
  /// - Returns: the value.
  /// - Throws: any error; the promise is rejected with that.
  func serialize(_ response: Response) throws -> Output
}
