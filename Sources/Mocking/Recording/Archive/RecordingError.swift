import Foundation

/// Why an archive of exchanges cannot be read, or not be kept.
public enum RecordingError: Error, Hashable, Sendable {
  /// There is no such file, and it was to be replayed.
  case missing(file: URL)
  /// The file is there and cannot be read.
  case unreadable(file: URL, reason: String)
  /// The file is not an HTTP archive; the place is a line and column, or a path such as
  /// `log.entries[3].request.url`.
  case malformed(file: URL, place: String, problem: String)
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
    case .malformed(let file, let place, let problem):
      "\(file.path) is no HTTP archive: \(place): \(problem)"
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
