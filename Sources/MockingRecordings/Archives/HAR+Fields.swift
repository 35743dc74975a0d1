import Foundation
import Mocking
public import Networking

extension HAR {
  /// A header field, or a query parameter.
  public struct Field: HARObject {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    ///   - comment: A comment.
    public init(name: String, value: String, comment: String? = nil) {
      self.name = name
      self.value = value
      self.comment = comment
    }
  }

  /// A cookie that was sent or set.
  ///
  /// Source: RFC 6265 sections 4.1 and 4.2.
  public struct Cookie: HARObject {
    /// The name.
    public var name: String
    /// The value.
    public var value: String
    /// The path of the cookie.
    public var path: String?
    /// The domain of the cookie.
    public var domain: String?
    /// The expiry date, in ISO 8601.
    public var expires: String?
    /// Whether the cookie is hidden from scripts.
    public var httpOnly: Bool?
    /// Whether the cookie is sent only over TLS.
    public var secure: Bool?
    /// A comment.
    public var comment: String?
    /// The members that have no property.
    public var otherMembers: [String: JSON] = [:]

    /// Creates a cookie.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }
}

extension HAR.Field {
  /// Reads a field.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(
      name: members.text("name") ?? "", value: members.text("value") ?? "",
      comment: members.text("comment"))
    otherMembers = members.rest
  }

  /// The field as JSON.
  public var json: JSON {
    HARMembers.json(
      ["name": name.json, "value": value.json, "comment": comment?.json], and: otherMembers)
  }
}

extension [HAR.Field] {
  /// Reads the header fields of a message.
  ///
  /// The pseudo-fields of HTTP/2, such as `:authority`, and names that are not tokens are left out. A
  /// value with line breaks, by which browsers separate the values of repeated fields, becomes several
  /// fields. An object whose members are the fields is read too.
  ///
  /// Source: RFC 9113 section 8.3; RFC 9110 section 5.5.
  init(headers members: inout HARMembers) {
    var fields: [HAR.Field] = []
    if let object = members.rest["headers"]?.dictionary {
      fields = object.sorted { $0.key < $1.key }.map {
        HAR.Field(name: $0.key, value: $0.value.string ?? $0.value.description)
      }
      _ = members.take("headers")
    } else {
      fields = members.list("headers")
    }
    self = fields.filter(\.name.isToken).flatMap { field in
      guard field.value.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
        return [field]
      }
      return field.value.split { $0.isNewline || $0 == "\0" }.map { line in
        var part = field
        part.value = line.trimmingCharacters(in: .whitespaces)
        return part
      }
    }
  }
}

extension HAR.Cookie {
  /// Reads a cookie.
  ///
  /// - Parameter json: The object.
  public init(json: JSON) {
    var members = HARMembers(json)
    self.init(name: members.text("name") ?? "", value: members.text("value") ?? "")
    path = members.text("path")
    domain = members.text("domain")
    expires = members.text("expires")
    httpOnly = members.bool("httpOnly")
    secure = members.bool("secure")
    comment = members.text("comment")
    otherMembers = members.rest
  }

  /// The cookie as JSON.
  public var json: JSON {
    HARMembers.json(
      [
        "name": name.json, "value": value.json, "path": path?.json, "domain": domain?.json,
        "expires": expires?.json, "httpOnly": httpOnly.map { .bool($0) },
        "secure": secure.map { .bool($0) }, "comment": comment?.json,
      ], and: otherMembers)
  }
}

/// A parser for the `Cookie` and `Set-Cookie` fields.
///
/// Source: RFC 6265 sections 4.1.1 and 4.2.1.
enum CookieHeader {
  /// Parses a `Cookie` field.
  static func cookies(_ value: String) -> [HAR.Cookie] {
    value.split(separator: ";").compactMap { CookiePair($0) }.map {
      HAR.Cookie(name: $0.name, value: $0.value)
    }
  }

  /// Parses a `Set-Cookie` field.
  ///
  /// Returns `nil` if the cookie has no name.
  static func setCookie(_ value: String) -> HAR.Cookie? {
    let parts = value.split(separator: ";", omittingEmptySubsequences: false)
    guard let first = parts.first, let pair = CookiePair(first) else { return nil }
    var cookie = HAR.Cookie(name: pair.name, value: pair.value)
    for part in parts.dropFirst() {
      let attribute = CookiePair(part)
      let name = attribute?.name ?? part.trimmingCharacters(in: .whitespaces)
      switch name.lowercased() {
      case "path": cookie.path = attribute?.value ?? ""
      case "domain": cookie.domain = attribute?.value ?? ""
      case "expires":
        cookie.expires = CookieDate.parse((attribute?.value ?? "").utf8).map(HAR.Entry.timestamp)
      case "httponly": cookie.httpOnly = true
      case "secure": cookie.secure = true
      default: break
      }
    }
    return cookie
  }
}
