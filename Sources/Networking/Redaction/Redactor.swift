/// A redactor that replaces secret values with ``mask``.
///
/// Logs, errors, descriptions, curl commands, and recordings all use this type. It finds a secret
/// by its name; see ``SecretNames``. It masks URLs, form text, the values of header fields, and
/// free text. Extensions mask bodies, parameters, and header fields where those types are declared.
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
  ///
  /// The value is computed only when it is needed, because most names are not secret and the end of
  /// each value would have to be searched.
  typealias MaskProvider = (_ name: String, _ value: () -> String) -> String?

  /// The replacement for secret values.
  package static let mask = "***"

  /// The redactor of logs, errors, descriptions, and curl commands.
  package static let standard = Redactor()

  let purpose: Purpose
  private let names: SecretNames
  let onSecret: (@Sendable (_ value: String) -> Void)?

  /// Creates a redactor.
  ///
  /// - Parameters:
  ///   - names: The rules that decide which values are secret.
  ///   - purpose: The use of the redacted copies.
  ///   - onSecret: A closure that receives each secret value before it is masked, as it occurs in
  ///     the text.
  package init(
    names: SecretNames = .standard, purpose: Purpose = .display,
    onSecret: (@Sendable (_ value: String) -> Void)? = nil
  ) {
    self.names = names
    self.purpose = purpose
    self.onSecret = onSecret
  }

  /// Returns whether a name has secret values.
  ///
  /// - Parameter name: The name, possibly percent-encoded.
  /// - Returns: `true` if values of the name are masked.
  package func isSecret(name: String) -> Bool { names.contains(name) }

  /// Whether any names are secret beyond the built-in rules.
  var hasAdditionalNames: Bool { names.hasAdditions }

  /// Returns ``mask`` if the name has secret values, otherwise `nil`.
  func mask(_ name: String, _ value: () -> String) -> String? {
    guard names.contains(name) else { return nil }
    onSecret?(value())
    return Self.mask
  }

  /// Returns ``mask`` if the name has secret values, otherwise `nil`.
  func mask(_ name: String, _ value: String) -> String? { mask(name, { value }) }

  /// Passes a secret value to the closure of the initializer.
  func reportSecret(_ value: String) { onSecret?(value) }
}

// MARK: - URLs and forms

extension Redactor {
  /// Masks a URL or a reference such as `/boards?token=s3cret`.
  ///
  /// User name and password are removed. Values of secret names are masked in the query, in path
  /// parameters, and in URLs that are themselves values. The secrets in a webhook's path are
  /// masked. The fragment is removed for display; in a recording it is masked as form text.
  ///
  /// - Parameter text: The URL.
  /// - Returns: The masked URL. Text without secrets is unchanged.
  package func maskedURL(_ text: String) -> String {
    guard purpose == .recording, let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else {
      return maskedURL(text, by: mask)
    }
    let fragment = String(text[text.utf8.index(after: hash)...])
    return "\(maskedURL(String(text[..<hash]), by: mask))#\(maskedForm(fragment))"
  }

  /// Masks `application/x-www-form-urlencoded` text such as `user=ada&password=s3cret`.
  ///
  /// A fragment is removed.
  ///
  /// - Parameter text: The form.
  /// - Returns: The masked form.
  package func maskedForm(_ text: String) -> String {
    String(Substring(maskedURL("?\(text)", by: mask).utf8.dropFirst()))
  }

  /// Masks a URL without its user name, password, and fragment.
  ///
  /// - Parameters:
  ///   - text: The URL.
  ///   - masking: The provider of the replacements.
  /// - Returns: The masked URL.
  func maskedURL(_ text: String, by masking: MaskProvider) -> String {
    guard Self.mayContainSecrets(url: text) else { return text }
    // Compares bytes, because `#` and a following combining character form one `Character`.
    let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#"))
    let text = maskedWebhook(fragment.map { String(text[..<$0]) } ?? text)
    guard let parts = AbsoluteURLParts(text) else {
      return FieldMasker.masked(text, in: .url, by: masking)
    }
    let rest = FieldMasker.masked(String(parts.rest), in: .url, by: masking)
    guard let at = parts.authority.utf8.lastIndex(of: UInt8(ascii: "@")) else {
      return "\(parts.scheme)://\(parts.authority)\(rest)"
    }
    if onSecret != nil {
      for part in parts.authority.utf8[..<at].split(separator: UInt8(ascii: ":")) {
        reportSecret(String(Substring(part)))
      }
    }
    return "\(parts.scheme)://\(parts.authority[parts.authority.utf8.index(after: at)...])\(rest)"
  }

  /// Whether a URL can have anything to mask.
  ///
  /// Fast path: most URLs have nothing.
  private static func mayContainSecrets(url: String) -> Bool {
    var (last, url) = (UInt32(0), url)
    return url.withUTF8 { bytes in
      for byte in bytes {
        switch byte {
        case UInt8(ascii: "="), UInt8(ascii: "%"), UInt8(ascii: "#"), UInt8(ascii: "@"): return true
        default: break
        }
        // The last four characters; the bit makes letters lower case.
        last = last << 8 | UInt32(byte | 0x20)
        if last == 0x686F_6F6B || last == 0x2F62_6F74 { return true }  // `hook`, `/bot`
      }
      return false
    }
  }

  /// Masks the secrets in the path of a webhook's URL.
  private func maskedWebhook(_ text: String) -> String {
    var text = text
    let start = AbsoluteURLParts(text).map {
      text.utf8.distance(from: text.startIndex, to: $0.authority.startIndex)
    }
    let masked = text.withUTF8 { bytes -> String? in
      let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
      var builder = MaskedTextBuilder(of: bytes)
      for secret in WebhookPath.secrets(in: bytes[min(start ?? 0, end)..<end]) {
        reportSecret(String(decoding: bytes[secret], as: UTF8.self))
        builder.replace(secret, with: Self.mask)
      }
      return builder.text
    }
    return masked ?? text
  }
}
