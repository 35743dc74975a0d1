/// Elements of XML, credentials, and URLs in free text.
extension TextMasker {
  /// Masks the text of an XML element if it is secret.
  ///
  /// - Returns: The next position.
  mutating func maskElement(at tag: Int, _ masking: Redactor.MaskProvider) -> Int {
    let name = tag + 1..<scanner.end(of: .elementName, from: tag + 1)
    guard !name.isEmpty else { return tag + 1 }
    let end = scanner.first(in: .angle, from: name.upperBound)
    guard scanner.byte(at: end) == UInt8(ascii: ">"), let first = scanner.byte(at: end + 1),
      first != UInt8(ascii: "<")
    else { return tag + 1 }
    let start = end + 1
    var copy = scanner
    guard
      let mask = masking(
        scanner.text(name),
        { limit in
          let end = copy.first(in: .angle, from: start, limit: Self.end(of: limit, from: start))
          return copy.text(start..<end)
        })
    else {
      pair.elementText = start
      return tag + 1
    }
    maskAttributes(in: name.upperBound..<end, masking)
    return replace(start..<scanner.first(in: .angle, from: start), with: mask)
  }

  /// Masks the attributes of an element whose text is masked by the caller.
  private mutating func maskAttributes(in range: Range<Int>, _ masking: Redactor.MaskProvider) {
    let (end, unclosedQuotes) = (scanner.end, self.unclosedQuotes)
    scanner.search(to: range.upperBound)
    mask(from: range.lowerBound, masking)
    scanner.search(to: end)
    self.unclosedQuotes = unclosedQuotes
  }

  /// Masks the credentials after `Bearer` or `Basic`.
  ///
  /// - Returns: The next position, or `nil` if there are no credentials.
  mutating func maskCredentials(
    _ name: Range<Int>, _ masking: Redactor.MaskProvider
  ) -> Int? {
    let end = name.upperBound
    guard scanner.hasText("Bearer", at: end - 6) || scanner.hasText("Basic", at: end - 5) else {
      return nil
    }
    let start = skipSpace(from: end)
    guard start > end, scanner.isByte(at: start, in: .token) else { return nil }
    var valueEnd = scanner.end(of: .token, from: start)
    while let next = endOfField(namedBefore: valueEnd) { valueEnd = next }
    let value = start..<valueEnd
    let text = scanner.text(value)
    guard let mask = masking("authorization", { _ in text }) else { return start }
    return replace(value, with: mask)
  }

  /// Masks the user information and the webhook path of a URL at `://`.
  ///
  /// - Returns: The next position, or `nil` if there is no URL.
  mutating func maskURL(at colon: Int, _ masking: Redactor.MaskProvider) -> Int? {
    guard scanner.hasText("://", at: colon) else { return nil }
    let start = colon + 3
    let authority = start..<scanner.first(in: .authorityEnd, from: start)
    if authority.lowerBound >= searchedPathEnd {
      searchedPathEnd = scanner.first(in: .pathEnd, from: authority.upperBound)
      let secrets = WebhookPath.secrets(in: scanner.bytes[start..<searchedPathEnd])
      for secret in secrets {
        let text = scanner.text(secret)
        builder.replace(secret, with: masking("credential", { _ in text }) ?? Redactor.mask)
      }
    }
    guard let at = scanner.bytes[authority].lastIndex(of: UInt8(ascii: "@")), at > start else {
      return start
    }
    let text = scanner.text(start..<at)
    return replace(start..<at, with: masking("credential", { _ in text }) ?? Redactor.mask)
  }
}
