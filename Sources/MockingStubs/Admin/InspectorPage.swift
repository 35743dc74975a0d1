import CCatenaAdmin
import Foundation
import Networking

/// The inspector page of the admin API: one HTML document without further files.
///
/// The document's markup, style and script are files of the module `CCatenaAdmin`. The page shows data of requests as text only, and its content security policy forbids everything but its
/// own style and script, and requests to its own origin. Each response has a new nonce, so it must
/// not be cached.
///
/// All addresses in the page are relative, so its own address must end in a slash.
///
/// Source: Content Security Policy Level 3, sections 2.3.1 and 6.7.2.
struct InspectorPage: Sendable {
  /// The header fields of the response, without the length of the body.
  let headers: HTTPHeaders
  /// The document in UTF-8.
  let body: Data

  /// The document between the places of its nonce.
  private static let pieces = String(cString: catena_admin_page())
    .replacingOccurrences(of: "{style}", with: String(cString: catena_admin_style()))
    .replacingOccurrences(of: "{script}", with: String(cString: catena_admin_script()))
    .components(separatedBy: "{nonce}")

  /// Creates the response to a request for the page.
  ///
  /// - Returns: The page with a new nonce of 128 random bits.
  static func make() -> InspectorPage {
    var generator = SystemRandomNumberGenerator()
    return make(nonce: (0..<16).map { _ in .random(in: 0...255, using: &generator) })
  }

  /// Creates the response with a nonce.
  ///
  /// - Parameter bytes: The nonce.
  /// - Returns: The page.
  static func make(nonce bytes: [UInt8]) -> InspectorPage {
    let nonce = Data(bytes).base64EncodedString()
    let policy = [
      "default-src 'none'", "script-src 'nonce-\(nonce)'", "style-src 'nonce-\(nonce)'",
      "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'",
      "frame-ancestors 'none'",
    ]
    return InspectorPage(
      headers: [
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy.joined(separator: "; "),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
      ],
      body: Data(pieces.joined(separator: nonce).utf8))
  }
}
