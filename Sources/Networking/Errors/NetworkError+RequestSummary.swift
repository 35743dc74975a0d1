import Foundation

extension NetworkError {
  /// What an error tells of its request: nothing that must not be read by others.
  public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
    /// The method.
    public let method: HTTPMethod
    /// The URL, or the path where it did not come to one; without user name, password and fragment,
    /// the values of telling names in the query replaced by `***`.
    public let url: String

    /// Makes a summary of a method and a URL, which is redacted here.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: the URL or path.
    public init(method: HTTPMethod, url: String) {
      self.method = method
      self.url = Redaction.url(url)
    }

    /// Makes a summary of a request on its way.
    ///
    /// - Parameter request: the request.
    public init(_ request: HTTPRequest) {
      self.init(method: request.method, url: request.url.absoluteString)
    }

    /// Makes a summary of a request that was not built.
    ///
    /// - Parameter request: the request.
    public init(_ request: Request) {
      self.init(method: request.method, url: request.path.text)
    }

    /// Method and URL.
    public var description: String { "\(method) \(url)" }
  }
}
