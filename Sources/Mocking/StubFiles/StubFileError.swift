import Foundation

/// Why a file of stubs cannot be used.
public enum StubFileError: Error, Hashable, Sendable {
  /// There is no such file.
  case missing(file: URL)
  /// The file is there and cannot be read.
  case unreadable(file: URL, reason: String)
  /// There is a mistake in it.
  ///
  /// The line and column count from 1, a column being a character; the path is `routes[2].status`, empty
  /// for the root or where the text is no JSON. The problem says what was expected, and what is there.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
}

extension StubFileError: CustomStringConvertible, LocalizedError {
  /// What is wrong, and where, in the form in which compilers say it.
  public var description: String {
    switch self {
    case .missing(let file): "\(file.relativePath): there is no such file"
    case .unreadable(let file, let reason): "\(file.relativePath) cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.relativePath):\(line):\(column): \(path.isEmpty ? "" : "\(path): ")\(problem)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
