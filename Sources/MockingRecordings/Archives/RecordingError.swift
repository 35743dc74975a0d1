public import Foundation
import Networking

/// An error that occurred when a recording was read or written.
public enum RecordingError: Error, Hashable, Sendable {
  /// The file to replay does not exist.
  case missing(file: URL)
  /// The file exists but cannot be read.
  case unreadable(file: URL, reason: String)
  /// The file is not an HTTP archive.
  ///
  /// `line` and `column` start at 1; a column is one character. `path` is the location of the
  /// value, such as `log.entries[3].request.url`. It is empty for the root and for a text that is
  /// not JSON. `problem` describes the expected value.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
  /// The file cannot be written.
  case unwritable(file: URL, reason: String)
  /// Another tape, of this or another process, records to the file.
  case fileInUse(file: URL)
  /// Values at these paths look like secrets.
  ///
  /// Nothing was written.
  case suspectedTokens(file: URL, paths: [String])
}

extension RecordingError: CustomStringConvertible, LocalizedError {
  /// The file, the position and the problem, with secrets masked.
  public var description: String {
    switch self {
    case .missing(let file):
      "\(file.path): the recording does not exist, and the tape replays only"
    case .unreadable(let file, let reason): "\(file.path) cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.path):\(line):\(column): not an HTTP archive: \(path.isEmpty ? "" : "\(path): ")\(problem)"
    case .unwritable(let file, let reason): "\(file.path) cannot be written: \(reason)"
    case .fileInUse(let file):
      "\(file.path): another tape records to this file; stop it or choose another file"
    case .suspectedTokens(let file, let paths):
      "\(file.path) was not written: \(paths.count) of its values look like secrets; add their field "
        + "names to the redaction options, or allow them: \(Self.list(paths))"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  private static func list(_ paths: [String]) -> String {
    paths.prefix(10).joined(separator: ", ")
      + (paths.count > 10 ? " and \(paths.count - 10) more" : "")
  }
}
