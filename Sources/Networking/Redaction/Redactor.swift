import CatenaSystem
import Foundation

/// A redactor that replaces secret values with ``mask``.
///
/// Logs, errors, descriptions, curl commands, and recordings all use this type. It finds a secret
/// by its name and value, see ``SecretNames`` and ``SecretSensitivity``, or by its form alone, see
/// ``SecretShapes``. It masks URLs, form text, the values of header fields, and free text. Extensions
/// mask bodies, parameters, and header fields where those types are declared.
///
/// Each kind of text has one traversal, such as `FieldMasker` for URLs. The traversal calls a
/// ``MaskProvider`` with each name and value, so the same traversal can also find secrets without
/// masking them.
package struct Redactor: Sendable {
  /// The use of a redacted copy, which decides how much of the original form is kept.
  package enum Purpose: Sendable {
    /// A copy that is shown to people, such as a log line.
    ///
    /// A secret is replaced as a whole, and the fragment of a URL is removed.
    case display
    /// A copy in a recording.
    ///
    /// Programs decode the copy when it is replayed as a response. Authorization schemes, cookie
    /// names, JSON types, and URL fragments are kept. Bodies that are free text are masked line by
    /// line.
    case recording
  }

  /// Returns the replacement for the value of a name, or `nil` to keep the value.
  typealias MaskProvider = (_ name: String, _ value: ValueProvider) -> String?

  /// Returns a value, or a part from its start that has at least `limit` bytes.
  ///
  /// The value is computed only when it is needed, because most names are not secret and the end of
  /// each value would have to be searched. A provider that keeps the value must set a limit:
  /// the value is then searched again, so that reading it as a whole would take quadratic time.
  typealias ValueProvider = (_ limit: Int) -> String

  /// The replacement for secret values.
  package static let mask = "***"

  /// The redactor of logs, errors, descriptions, and curl commands.
  package static let standard = Redactor()

  let purpose: Purpose
  private(set) var names: SecretNames
  private let placeholders: (any SecretPlaceholders)?
  let onSecret: (@Sendable (_ value: String) -> Void)?

  /// Creates a redactor.
  ///
  /// - Parameters:
  ///   - names: The rules that decide which values are secret.
  ///   - purpose: The use of the redacted copies.
  ///   - placeholders: The replacements of secrets in a recording. Without them, and for display,
  ///     each secret is replaced by ``mask``, and each secret number in JSON by 0.
  ///   - onSecret: A closure that receives each secret value before it is masked, as it occurs in
  ///     the text, but without a scheme such as `Bearer`.
  package init(
    names: SecretNames = .standard, purpose: Purpose = .display,
    placeholders: (any SecretPlaceholders)? = nil,
    onSecret: (@Sendable (_ value: String) -> Void)? = nil
  ) {
    self.names = names
    self.purpose = purpose
    self.placeholders = placeholders
    self.onSecret = onSecret
  }

  /// Returns a redactor that also follows other rules, such as those of a client.
  package func adding(_ names: SecretNames) -> Redactor {
    var redactor = self
    redactor.names = redactor.names.merging(names)
    return redactor
  }

  /// Returns whether a name can have secret values.
  ///
  /// - Parameter name: The name, possibly percent-encoded.
  /// - Returns: `true` if values of the name can be masked. Values of names such as `key` are
  ///   masked only if they look like secrets; see ``isSecret(name:value:)``.
  package func isSecret(name: String) -> Bool { names.contains(name) }

  /// Returns whether the value of a name is secret.
  ///
  /// - Parameters:
  ///   - name: The name, possibly percent-encoded.
  ///   - value: The value.
  /// - Returns: `true` if the value is masked because of its name.
  package func isSecret(name: String, value: String) -> Bool {
    names.sensitivity(of: name).isSecret(value)
  }

  /// Returns the rule for the values of a name.
  func sensitivity(of name: String) -> SecretSensitivity { names.sensitivity(of: name) }

  /// Returns whether values of a name are kept although the standard rules match it.
  func keeps(name: String) -> Bool { names.isExcluded(name) }

  /// Whether schemes of credentials, and numbers in text, are kept.
  var keepsForms: Bool { purpose == .recording && placeholders?.keepsForms == true }

  /// Whether any names are secret beyond the built-in rules.
  var hasAdditionalNames: Bool { names.hasAdditions }

  /// Returns the replacement for the value of a name, or `nil` if the value is not secret.
  func mask(_ name: String, _ value: ValueProvider) -> String? {
    let sensitivity = names.sensitivity(of: name)
    guard sensitivity != .none,
      sensitivity.isSecret(value(SecretSensitivity.sampleLength))
    else { return nil }
    // Fast path: logs do not need the whole value.
    guard placeholders != nil || onSecret != nil else { return Self.mask }
    return replacement(for: value(.max))
  }

  /// Returns the replacement for the value of a name, or `nil` if the value is not secret.
  package func mask(_ name: String, _ value: String) -> String? { mask(name, { _ in value }) }

  /// Returns the replacement for a secret value, and reports the value.
  ///
  /// A recording keeps the scheme of credentials, so that the token of `Bearer token` has the
  /// placeholder of the token elsewhere.
  func replacement(for secret: String) -> String {
    guard !secret.isEmpty else { return "" }
    guard keepsForms else {
      onSecret?(secret)
      return Self.mask
    }
    guard let credentials = SplitCredentials(secret) else { return placeholder(for: secret) }
    return credentials.prefix + placeholder(for: credentials.secret)
  }

  /// Returns the placeholder for a secret value, and reports the value unless it is a placeholder.
  func placeholder(for secret: String) -> String {
    let text = placeholders?.text(for: secret) ?? Self.mask
    if text != secret { onSecret?(secret) }
    return text
  }

  /// Returns the placeholder for a secret number in the JSON of a recording.
  func placeholder(forNumber number: String) -> Int { placeholders?.number(for: number) ?? 0 }
}

/// The texts and numbers that replace the secrets of a recording.
///
/// Equal secrets have equal replacements. The core has no replacement but ``Redactor/mask``.
package protocol SecretPlaceholders: Sendable {
  /// Whether schemes such as `Bearer`, and numbers of JSON in text, are kept.
  var keepsForms: Bool { get }

  /// Returns the replacement of a secret text.
  ///
  /// - Parameter secret: The text, as it occurs in the recording.
  /// - Returns: The replacement. That of a replacement is itself.
  func text(for secret: String) -> String

  /// Returns the replacement of a secret number.
  ///
  /// - Parameter secret: The digits of the number.
  /// - Returns: The replacement. That of a replacement is itself.
  func number(for secret: String) -> Int
}

extension SecretPlaceholders {
  package var keepsForms: Bool { true }
}

/// The parts of credentials such as `Bearer token` and `Basic dXNlcjpwYXNz`.
///
/// Source: RFC 9110 section 11.4; RFC 7617 section 2.
struct SplitCredentials {
  /// The scheme, with the white space after it.
  let prefix: Substring
  /// The text after the scheme: the token, or the password in the credentials of `Basic`.
  let secret: String

  /// Splits credentials, or returns `nil` if a text does not start with a well-known scheme and a
  /// space.
  ///
  /// - Parameter text: The text.
  init?(_ text: String) {
    guard let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    let scheme = text[..<space]
    guard scheme.utf8.count <= 9, Self.schemes.contains(scheme.lowercased()),
      let start = text.utf8[space...].firstIndex(where: { $0 != UInt8(ascii: " ") })
    else { return nil }
    prefix = text[..<start]
    let rest = String(text[start...])
    secret = Self.password(inBase64: rest) ?? rest
  }

  private static let schemes: Set<String> = [
    "basic", "bearer", "token", "apikey", "digest", "dpop", "negotiate", "ntlm", "hawk",
  ]

  /// Returns the password of basic authentication, or the user name if the password is empty.
  ///
  /// `nil` if the text is not base64 of a text with a colon.
  static func password(inBase64 text: String) -> String? {
    guard text.utf8.count < 4_096, let data = Data(base64Encoded: text),
      let plain = String(validUTF8: data),
      let colon = plain.utf8.firstIndex(of: UInt8(ascii: ":"))
    else { return nil }
    let password = plain[plain.utf8.index(after: colon)...]
    return String(password.isEmpty ? plain[..<colon] : password)
  }
}

// MARK: - URLs and forms

extension Redactor {
  /// Masks a URL or a reference such as `/boards?token=s3cret`.
  ///
  /// User name and password are removed. Values of secret names are masked in the query, in path
  /// parameters, and in URLs that are themselves values. The secrets in a webhook's path are
  /// masked. The fragment is removed for display; in a recording it is masked as form text, and a
  /// random segment of the path after a name is masked, as in `/reset-password/4f2c81d9e07b`.
  ///
  /// - Parameter text: The URL.
  /// - Returns: The masked URL. Text without secrets is unchanged.
  package func maskedURL(_ text: String) -> String {
    let masked = maskedShapes(maskedURL(text, by: mask))
    guard purpose == .recording, let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else {
      return masked
    }
    return "\(masked)#\(maskedForm(String(text[text.utf8.index(after: hash)...])))"
  }

  /// Masks the secrets that have a well-known form.
  func maskedShapes(_ text: String) -> String { SecretShapes.masked(text, by: placeholder) }

  /// Masks `application/x-www-form-urlencoded` text such as `user=ada&password=s3cret`.
  ///
  /// A fragment is removed.
  ///
  /// - Parameter text: The form.
  /// - Returns: The masked form.
  func maskedForm(_ text: String) -> String {
    let isTokenRequest = text.contains("grant_type=")
    let masked = maskedURL("?\(text)") { name, value in
      // In OAuth2. Elsewhere a `code` is secret only if it looks like a secret.
      isTokenRequest && ["code", "assertion"].contains(name)
        ? replacement(for: value(.max)) : mask(name, value)
    }
    return maskedShapes(String(Substring(masked.utf8.dropFirst())))
  }

  /// Masks a URL without its user name, password, and fragment.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - masking: The provider of the replacements.
  /// - Returns: The masked URL.
  func maskedURL(_ text: String, by masking: MaskProvider) -> String {
    // Compares bytes, because `#` and a following combining character form one `Character`.
    let url = maskedPath(String(Substring(text.utf8.prefix { $0 != UInt8(ascii: "#") })))
    let parts = AbsoluteURLParts(url)
    var work = 0
    let rest = FieldMasker.masked(
      parts.map { String($0.rest) } ?? url, in: .url, by: masking, names: names, counting: &work)
    guard let parts else { return rest }
    let authority = parts.authority.utf8
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else {
      return parts.rest == rest ? url : "\(parts.scheme)://\(parts.authority)\(rest)"
    }
    for user in authority[..<at].split(separator: UInt8(ascii: ":")) {
      onSecret?(String(Substring(user)))
    }
    return "\(parts.scheme)://\(parts.authority[authority.index(after: at)...])\(rest)"
  }

  /// Masks the secrets in the path of a webhook's URL, and in a recording the segments of a path
  /// that look random and follow a segment with the name of a secret.
  private func maskedPath(_ url: String) -> String {
    let parts = AbsoluteURLParts(url)
    func offset(_ start: String.Index?) -> Int {
      start.map { url.utf8.distance(from: url.startIndex, to: $0) } ?? 0
    }
    let (authority, path) = (offset(parts?.authority.startIndex), offset(parts?.rest.startIndex))
    return MaskedTextBuilder.masked(url) { bytes, builder in
      let end = bytes.first(from: 0) { $0 == UInt8(ascii: "?") }
      var secrets = WebhookPath.secrets(in: bytes[authority..<end])
      if purpose == .recording {
        let segments = bytes[path..<end].split(
          separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (name, segment) in zip(segments, segments.dropFirst()) {
          let range = segment.startIndex..<segment.endIndex
          if names.contains(String(decoding: name, as: UTF8.self)),
            SecretSensitivity.weak.isSecret(bytes.text(range))
          {
            secrets.append(range)
          }
        }
      }
      for secret in secrets { builder.replace(secret, with: replacement(for: bytes.text(secret))) }
    }
  }
}

/// A type that `print`, `dump` and debuggers show by a short text, without its stored properties.
///
/// These are closures, locks and values that may contain secrets.
package protocol BrieflyDescribed: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{}

extension BrieflyDescribed {
  /// The name of the type.
  public var description: String { "\(Self.self)" }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
