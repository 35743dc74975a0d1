public import Foundation

/// An error of a ``Resource`` or a ``ResourceStore``.
public enum ResourceError: Error, Sendable, Hashable {
  /// There is no item with the id.
  case missing(id: String)
  /// An item cannot be stored or removed, for the given reason.
  ///
  /// `status` is the status code with which the same change by a request is refused.
  case refused(status: Int, reason: String)
  /// Another process has the file open.
  case fileInUse(URL)
  /// The file exists but cannot be read.
  case unreadable(URL, reason: String)
  /// The file is not a file of resources.
  case malformed(URL, reason: String)
  /// The file cannot be written.
  case unwritable(URL, reason: String)
}

extension ResourceError: CustomStringConvertible, LocalizedError {
  /// The file, if there is one, and the problem.
  public var description: String {
    switch self {
    case .missing(let id): "there is no item with the id \(ReportFormatter.quoted(id))"
    case .refused(_, let reason): reason
    case .fileInUse(let file):
      "\(file.relativePath): another process uses this file; stop it or choose another file"
    case .unreadable(let file, let reason): "\(file.relativePath): cannot be read: \(reason)"
    case .malformed(let file, let reason): "\(file.relativePath): \(reason)"
    case .unwritable(let file, let reason): "\(file.relativePath): cannot be written: \(reason)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }

  init(_ problem: ResourceProblem) {
    let errors = problem.errors.map { "\($0.path) \($0.text)" }
    self = .refused(
      status: problem.status,
      reason: errors.isEmpty
        ? problem.detail : "\(problem.detail): \(errors.joined(separator: ", "))")
  }
}
