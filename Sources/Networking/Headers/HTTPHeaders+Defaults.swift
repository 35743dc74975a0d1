import Foundation

extension HTTPHeaders {
  /// What every request says unless it says otherwise: `Accept-Encoding`, `Accept-Language`,
  /// `User-Agent`.
  ///
  /// They are computed once. The codings are those that every transport here decodes by itself; the
  /// languages are the user's, the best first, at most six.
  public static let defaults: HTTPHeaders = [
    "Accept-Encoding": "br, gzip, deflate",
    "Accept-Language": acceptLanguage(Locale.preferredLanguages),
    "User-Agent": userAgent(
      program: Bundle.main.object(forInfoDictionaryKey: "CFBundleName") as? String
        ?? ProcessInfo.processInfo.processName,
      version: Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String,
      system: ProcessInfo.processInfo.operatingSystemVersionString),
  ]

  /// Languages with falling weights.
  ///
  /// Source: RFC 9110 section 12.5.4.
  static func acceptLanguage(_ languages: [String]) -> String {
    let tags = languages.map { $0.replacing("_", with: "-") }
      .filter { $0.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIIAlphanumeric } }
    let weighed = tags.prefix(6).enumerated().map { position, tag in
      position == 0 ? tag : "\(tag);q=0.\(10 - position)"
    }
    return weighed.isEmpty ? "en" : weighed.joined(separator: ", ")
  }

  /// `Program/1.0 (system) Catena`, without what could break a header.
  ///
  /// Source: RFC 9110 section 10.1.5.
  static func userAgent(program: String, version: String?, system: String) -> String {
    let product = token(program) + (version.map { "/" + token($0) } ?? "")
    let comment = String(
      decoding: system.utf8.filter {
        (0x20..<0x7F).contains($0) && !"()\\".utf8.contains($0)
      }, as: UTF8.self)
    return "\(product) (\(comment)) Catena"
  }

  private static func token(_ text: String) -> String {
    let kept = String(
      decoding: text.utf8.filter { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) },
      as: UTF8.self)
    return kept.isEmpty ? "unknown" : kept
  }
}
