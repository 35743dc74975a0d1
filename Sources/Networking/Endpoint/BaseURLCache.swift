import Foundation
import Synchronization

/// Keeps the last base URL that was checked, since it is the same for most requests of a client.
final class BaseURLCache: Sendable {
  private let last = Mutex<(url: URL, checked: BaseURL)?>(nil)

  /// The base URL that a URL makes.
  ///
  /// - Parameter url: an absolute URL without query and fragment.
  /// - Returns: the same as ``BaseURL/init(_:)``.
  /// - Throws: what that throws; an error is not kept.
  func baseURL(_ url: URL) throws -> BaseURL {
    if let known = last.withLock({ $0?.url == url ? $0?.checked : nil }) { return known }
    let checked = try BaseURL(url)
    last.withLock { $0 = (url, checked) }
    return checked
  }
}
