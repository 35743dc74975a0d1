extension Redactor {
  /// Masks secrets in free text: in JSON, forms, header fields, XML, and URLs within it, and after
  /// `Bearer` or `Basic`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The masked text.
  package func maskedText(_ text: String) -> String {
    var work = 0
    return maskedText(text, counting: &work)
  }

  /// Masks secrets in free text, and adds the number of bytes read to `work`.
  ///
  /// The number grows in proportion to the length of the text, whatever the text is.
  func maskedText(
    _ text: String, _ search: SearchedText = .whole, counting work: inout Int
  ) -> String {
    guard purpose == .recording else {
      return maskedShapes(maskedText(text, search, by: mask, counting: &work))
    }
    let masking: MaskProvider = { name, value in
      guard name == Self.schemeName else { return mask(name, value) }
      // `Basic plan` in prose is not a credential. Credentials are longer, or contain characters
      // other than letters.
      let text = value(.max)
      if text.utf8.count < 16, text.allSatisfy(\.isLetter) { return nil }
      // The value may be the text after `Basic`.
      if !isSecret(name: name, value: text) { return nil }
      return SplitCredentials.password(inBase64: text).map(placeholder) ?? mask(name, text)
    }
    return maskedShapes(maskedText(text, search, by: masking, counting: &work))
  }

  /// Masks secrets in free text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - search: The parts that are searched by themselves.
  ///   - masking: The provider of the replacements. It receives ``schemeName`` as the name
  ///     of credentials after `Bearer` or `Basic`, and `credential` as the name of user information in
  ///     a URL and of the secrets of a webhook's path, which are always masked.
  ///   - work: The number of bytes read. This method adds its own.
  /// - Returns: The masked text.
  func maskedText(
    _ text: String, _ search: SearchedText = .whole, by masking: MaskProvider,
    counting work: inout Int
  ) -> String {
    work += text.utf8.count
    // A text without such a byte has no secrets.
    guard text.utf8.contains(where: { $0.isOne(of: ":=<%[ \t\r\n") }) else { return text }
    let numbers = keepsForms ? { "\(placeholder(forNumber: $0))" } : nil as NumberMask?
    let text = TextMasker.masked(
      text, search, by: masking, names: names, numbers: numbers, counting: &work)
    return FieldMasker.masked(
      text, in: search, by: masking, names: names, counting: &work)
  }

  /// The name of the credentials after `Bearer` or `Basic` in a text.
  ///
  /// It is not equal to the name of a field, whose values are masked although they are words.
  static let schemeName = "scheme authorization"

  /// Returns the replacement for a secret number of JSON.
  typealias NumberMask = (_ number: String) -> String
}

// MARK: - Text of bodies

extension Redactor {
  /// Masks the text of a body or of a string in JSON.
  ///
  /// In a recording, each line is masked separately, so that a name at the end of a line does not
  /// mask the start of the next one.
  ///
  /// - Parameter text: The text.
  /// - Returns: The masked text.
  func maskedContent(_ text: String) -> String {
    guard purpose == .recording else { return maskedText(text) }
    var work = 0
    return maskedText(text, .lines, counting: &work)
  }
}
