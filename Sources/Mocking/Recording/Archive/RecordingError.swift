import Foundation

/// Why an archive of exchanges cannot be read, or not be kept.
public enum RecordingError: Error, Hashable, Sendable {
  /// There is no such file, and it was to be replayed.
  case missing(file: URL)
  /// The file is there and cannot be read.
  case unreadable(file: URL, reason: String)
  /// The file is not an HTTP archive.
  ///
  /// The line and column count from 1, a column being a character; the path is
  /// `log.entries[3].request.url`, empty for the root or where the text is no JSON. The problem says what
  /// was expected.
  case malformed(file: URL, line: Int, column: Int, path: String, problem: String)
  /// The file cannot be written.
  case unwritable(file: URL, reason: String)
  /// What was recorded has values in it that look like secrets, at these places; nothing was written.
  case suspectedTokens(file: URL, places: [String])
  /// Responses are larger than what may be recorded, at these places; nothing was written.
  case tooLarge(file: URL, places: [String], limit: Int)
}

extension RecordingError: CustomStringConvertible, LocalizedError {
  /// What is wrong, with which file, and where; no secrets are in it.
  public var description: String {
    switch self {
    case .missing(let file):
      "\(file.path): there is no such recording, and the mode does not make one"
    case .unreadable(let file, let reason): "\(file.path) cannot be read: \(reason)"
    case .malformed(let file, let line, let column, let path, let problem):
      "\(file.path):\(line):\(column): no HTTP archive: \(path.isEmpty ? "" : "\(path): ")\(problem)"
    case .unwritable(let file, let reason): "\(file.path) cannot be written: \(reason)"
    case .suspectedTokens(let file, let places):
      "\(file.path) is not written, as \(places.count) of its values look like secrets; name their "
        + "fields in the options' redaction, or allow them: \(Self.list(places))"
    case .tooLarge(let file, let places, let limit):
      "\(file.path) is not written, as bodies are larger than the limit of \(limit) bytes: "
        + Self.list(places)
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  private static func list(_ places: [String]) -> String {
    places.prefix(10).joined(separator: ", ")
      + (places.count > 10 ? " and \(places.count - 10) more" : "")
  }
}
