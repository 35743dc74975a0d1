import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLSessionConfiguration {
  /// The platform's default, with as many connections to a host as are asked for: how many requests
  /// are under way is for a client's mode to say.
  static var unboundedDefault: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.default
    configuration.httpMaximumConnectionsPerHost = Int(Int32.max)
    return configuration
  }

  /// A copy that performs one hop and keeps nothing.
  var forOneHop: URLSessionConfiguration {
    // Foundation's own `copy` makes the same class again.
    let configuration = copy() as? URLSessionConfiguration ?? .default
    configuration.httpShouldSetCookies = false
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    return configuration
  }

  /// Where this configuration has cookies kept; nil when nowhere.
  var usedCookieStorage: HTTPCookieStorage? {
    httpShouldSetCookies && httpCookieAcceptPolicy != .never ? httpCookieStorage : nil
  }
}
