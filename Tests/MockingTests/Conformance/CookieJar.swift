#if os(Linux)
  import Foundation
  import FoundationNetworking
  import Testing

  /// Makes storages for cookies, each a test's own.
  enum CookieJar {
    static func make() throws -> HTTPCookieStorage {
      try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
    }
  }
#endif
