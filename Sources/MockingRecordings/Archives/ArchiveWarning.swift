import Networking

/// A part of a recording that was left out or cannot be replayed.
public struct ArchiveWarning: Sendable, Hashable, CustomStringConvertible {
  /// The index of the entry in the file.
  ///
  /// `nil` if the warning applies to the whole archive.
  public let entry: Int?
  /// The method and the URL of the entry, with secrets masked.
  ///
  /// `nil` if the warning applies to the whole archive.
  public let request: String?
  /// The reason and its effect, such as `left out: expected an absolute URL`.
  public let problem: String
  /// Whether the entry was left out when the archive was read.
  let isOmission: Bool

  /// The location, the request and the problem.
  public var description: String {
    let place = entry.map { "log.entries[\($0)], " } ?? ""
    return "\(place)\(request.map { "\($0): " } ?? "")\(problem)"
  }

  /// Creates a warning about an entry.
  init(_ entry: HAR.Entry, at index: Int, problem: String, isOmission: Bool = false) {
    self.entry = index
    self.isOmission = isOmission
    let url = NetworkError.RequestSummary(
      method: .get, url: String(entry.request.url.prefix(Self.maximumLength))
    ).url
    let parts = [entry.request.method.prefix(20).description, url].filter { !$0.isEmpty }
    request = parts.isEmpty ? "no request" : parts.joined(separator: " ")
    self.problem = problem
  }

  /// Creates a warning about an archive.
  package init(problem: String) {
    entry = nil
    request = nil
    isOmission = false
    self.problem = problem
  }

  /// The maximum length of a URL in a message, for URLs that contain data.
  private static let maximumLength = 200
}
