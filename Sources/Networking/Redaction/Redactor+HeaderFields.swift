extension Redactor {
  /// A class of header fields with the same treatment.
  private enum FieldClass: Sendable {
    /// Fields whose values are never secret.
    case plain
    /// Challenges, which describe the required credentials but do not contain any.
    case challenge
    /// Fields whose value is a URL.
    case url
    /// Fields with an authorization scheme and credentials.
    case credentials
    /// The `Cookie` field.
    case cookie
    /// The `Set-Cookie` field.
    case setCookie
  }

  /// The classes of well-known fields by their name in lower case.
  private static let fieldClasses: [String: FieldClass] = {
    let names: [(FieldClass, String)] = [
      (.credentials, "authorization proxy-authorization"), (.cookie, "cookie"),
      (.setCookie, "set-cookie"), (.url, "content-location location origin referer"),
      (.challenge, "proxy-authenticate www-authenticate"),
      (
        .plain,
        """
        accept accept-encoding accept-language accept-ranges age allow cache-control connection
        content-encoding content-language content-length content-range content-type date etag
        expires host if-match if-modified-since if-none-match if-range if-unmodified-since
        keep-alive last-modified range retry-after server te trailer transfer-encoding upgrade
        user-agent vary via
        """
      ),
    ]
    return names.reduce(into: [:]) { classes, group in
      for name in group.1.split(whereSeparator: \.isWhitespace) { classes[String(name)] = group.0 }
    }
  }()

  /// Masks the value of a header field.
  ///
  /// For display, the whole value is masked if the name is secret. A recording keeps authorization
  /// schemes, and the names and attributes of cookies. The values of other fields are searched for
  /// secrets as URLs or free text.
  ///
  /// - Parameters:
  ///   - value: The value of the field.
  ///   - name: The name of the field.
  /// - Returns: The masked value.
  package func maskedFieldValue(_ value: String, name: String) -> String {
    // The names of classes are shorter.
    let fieldClass = name.utf8.count < 32 ? Self.fieldClasses[name.lowercased()] : nil
    switch (fieldClass, purpose) {
    case (.plain, .display), (.challenge, .display):
      if !hasAdditionalNames || !isSecret(name: name) { return value }
    case (.challenge, .recording): return value
    case (.url, .recording): return maskedURL(value)
    case (.credentials, .recording): return maskedCredentials(value)
    case (.cookie, .recording): return maskedCookies(value, limit: .max)
    case (.setCookie, .recording): return maskedCookies(value, limit: 1)
    default: break
    }
    if let mask = mask(name, value) { return mask }
    if keeps(name: name) { return value }
    return fieldClass == .url ? maskedURL(value) : maskedText(value)
  }

  /// Masks credentials and keeps the scheme: `Bearer ***-3f2a9c`.
  ///
  /// The placeholder after `Basic` is that of the password.
  private func maskedCredentials(_ value: String) -> String {
    guard let space = value.utf8.firstIndex(of: UInt8(ascii: " ")) else {
      return replacement(for: value)
    }
    let start = value.utf8.index(after: space)
    let credentials = String(value[start...])
    let password = SplitCredentials.password(inBase64: credentials)
    if password != nil { onSecret?(credentials) }
    return value[..<start] + replacement(for: password ?? credentials)
  }

  /// Masks the values of cookies, and keeps names, white space, attributes, and empty values.
  ///
  /// - Parameters:
  ///   - value: The value of a `Cookie` or `Set-Cookie` field.
  ///   - limit: The number of cookies. The rest of the value is attributes.
  /// - Returns: The masked value.
  private func maskedCookies(_ value: String, limit: Int) -> String {
    MaskedTextBuilder.masked(value) { bytes, builder in
      let cookies = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      for cookie in cookies.prefix(limit) {
        let equals = cookie.firstIndex(of: UInt8(ascii: "="))
        let value = (equals.map { cookie[($0 + 1)...] } ?? cookie).trimmed.indices
        if !value.isEmpty { builder.replace(value, with: replacement(for: bytes.text(value))) }
      }
    }
  }
}
