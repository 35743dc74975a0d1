package import CatenaSystem

extension NetworkError {
  /// Creates the error of an operation on a file.
  ///
  /// - Parameters:
  ///   - code: The kind of failure. The summary of `fileNotWritten` names the file of the caller, so
  ///     its reason has the cause only.
  ///   - error: The error of the file system, whose number is in ``underlying``.
  package init(_ code: Code, _ error: FileError) {
    self.init(
      code, code == .fileNotWritten ? error.cause : error.reason, underlying: error.underlying)
  }

  /// Runs operations on files, and gives their errors a code.
  ///
  /// - Parameters:
  ///   - code: The code for each `FileError`.
  ///   - body: The operations.
  /// - Returns: The result of the operations.
  /// - Throws: ``NetworkError`` with the code for a `FileError`. Other errors are thrown unchanged.
  package static func reporting<Value: ~Copyable>(
    _ code: Code, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let error as FileError {
      throw NetworkError(code, error)
    }
  }
}
