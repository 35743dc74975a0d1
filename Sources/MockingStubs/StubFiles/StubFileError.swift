public import Foundation

/// An error that occurred when a stub file was read.
public enum StubFileError: Error, Hashable, Sendable {
  /// The file does not exist.
  case missing(file: URL)
  /// The file exists but cannot be read.
  case unreadable(file: URL, reason: String)
  /// The file contains an error.
  ///
  /// `line` and `column` start at 1; a column is one character. `path` is the location of the
  /// value, such as `routes[2].status`. It is empty for the root and for a text that is not JSON.
  /// `problem` contains the expected and the actual value.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
}

extension StubFileError: CustomStringConvertible, LocalizedError {
  /// The file, the location and the problem, in the format of compiler diagnostics.
  public var description: String {
    switch self {
    case .missing(let file): "\(file.relativePath): no such file"
    case .unreadable(let file, let reason): "\(file.relativePath): cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.relativePath):\(line):\(column): \(path.isEmpty ? "" : "\(path): ")\(problem)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
