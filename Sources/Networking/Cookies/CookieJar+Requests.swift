import Foundation

extension CookieJar {
  /// The maximum number of `Set-Cookie` fields of a response that are read.
  ///
  /// It bounds the time that a response can take.
  static let maximumFieldCount = 200

  /// Returns the value of the `Cookie` field of a request.
  ///
  /// Source: RFC 6265bis section 5.8.3, step 5.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - date: The current date of the client, for a jar without a clock.
  /// - Returns: The value, or `nil` if no cookie matches.
  func field(for url: URL, at date: Date? = nil) -> String? {
    guard let scope = CookieScope(url) else { return nil }
    let cookies = read(at: date) { $0.cookies(for: scope, isUse: true) }
    guard !cookies.isEmpty else { return nil }
    var field = ""
    for cookie in cookies {
      if !field.isEmpty { field += "; " }
      field += cookie.name
      field += "="
      field += cookie.value
    }
    return field
  }

  /// Stores the cookies of a response.
  ///
  /// - Parameters:
  ///   - headers: The header fields of the response.
  ///   - url: The URL of the request.
  ///   - date: The current date of the client, for a jar without a clock.
  ///   - isRefused: Returns whether the cookies are ignored. It is called under the lock of the jar, so
  ///     that a later removal of all cookies includes these.
  func store(
    _ headers: HTTPHeaders, from url: URL, at date: Date? = nil,
    unless isRefused: () -> Bool = { false }
  ) {
    guard headers.contains("Set-Cookie"), let scope = CookieScope(url) else { return }
    let fields = headers.values(for: "Set-Cookie").prefix(Self.maximumFieldCount)
      .compactMap { SetCookie($0) }
    guard !fields.isEmpty else { return }
    change(at: date) { store, now, changes in
      guard !isRefused() else { return }
      for field in fields { changes += store.receive(field, from: scope, at: now) }
    }
  }

  /// The number of changes of the names and values that the jar sends.
  ///
  /// Requests made with different numbers may have different cookies, on some hop.
  ///
  /// - Parameter date: The current date of the client, for a jar without a clock.
  /// - Returns: The number.
  func revision(at date: Date? = nil) -> UInt64 { read(at: date) { $0.revision } }
}
