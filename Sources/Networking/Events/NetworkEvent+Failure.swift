extension NetworkEvent {
  /// What went wrong, without secrets.
  public struct Failure: Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it was; nil for an error that is no ``NetworkError``, such as one of an
    /// interceptor's own.
    public let code: NetworkError.Code?
    /// What was wrong, as part of one line; without the request, and without a response's body.
    public let description: String

    /// Makes an account of a failure, for tests of monitors.
    ///
    /// - Parameters:
    ///   - code: what kind of failure it was.
    ///   - description: what was wrong, without secrets.
    public init(code: NetworkError.Code?, description: String) {
      self.code = code
      self.description = description
    }

    init(_ error: any Error) {
      guard var error = error as? NetworkError else {
        code = nil
        description = NetworkError.inOneLine(NetworkError.text(of: error))
        return
      }
      code = error.code
      error.request = nil
      error.body = nil
      description = error.description
    }
  }
}
