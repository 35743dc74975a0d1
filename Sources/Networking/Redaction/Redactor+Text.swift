extension Redactor {
  /// Masks secrets in free text: in JSON, forms, header fields, XML, and URLs within it, and after
  /// `Bearer` or `Basic`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The masked text.
  package func maskedText(_ text: String) -> String {
    guard purpose == .recording else { return maskedText(text, by: mask) }
    return maskedText(text) { name, value in
      // `Basic plan` in prose is not a credential. Credentials are longer, or contain characters
      // other than letters.
      if name == "authorization", value.utf8.count < 16, value.allSatisfy(\.isLetter) { return nil }
      return mask(name, value)
    }
  }

  /// Masks secrets in free text.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - masking: The provider of the replacements. It receives `authorization` as the name of
  ///     credentials after `Bearer` or `Basic`, and `credential` as the name of user information in
  ///     a URL, which is always masked.
  /// - Returns: The masked text.
  func maskedText(_ text: String, by masking: MaskProvider) -> String {
    guard Self.mayContainSecrets(text) else { return text }
    let named =
      /(?<name>[A-Za-z0-9_.\-\[\]]+)(?<between>\\?"?\s*[:=]\s*)(?<value>\\?"(?:[^"\\]|\\.)*(?:"|\\|$)|(?:(?:Bearer|Basic)\s+)?[^\s"&,;{}\[\]<>]+)/
    // Fields with an equals sign are masked first. Otherwise `https:` would match as a name, with
    // the first field of the URL's query in its value.
    var masked = Self.maskedFields(CDATAMasker.masked(text, by: masking), by: masking, depth: 0)
    masked = FieldMasker.masked(masked, in: .text, by: masking)
    masked = masked.replacing(named) { match in
      let value = match.output.value
      let quote = value.hasPrefix("\"") ? "\"" : ""
      let plain = value.trimmingPrefix("\\").trimmingPrefix("\"")
      guard
        let mask = masking(
          String(match.output.name), String(plain.hasSuffix("\"") ? plain.dropLast() : plain))
      else { return String(match.output.0) }
      return "\(match.output.name)\(match.output.between)\(quote)\(mask)\(quote)"
    }
    masked = masked.replacing(/<(?<name>[\w:.\-]+)(?<rest>(?:\s[^<>]*)?>)(?<value>[^<>]+)<\//) {
      match in
      guard let mask = masking(String(match.output.name), String(match.output.value)) else {
        return String(match.output.0)
      }
      return "<\(match.output.name)\(match.output.rest)\(mask)</"
    }
    masked = masked.replacing(/(?<scheme>Bearer|Basic)\s+(?<value>[A-Za-z0-9+\/=._~\-]+)/) {
      match in
      let value = String(match.output.value)
      return "\(match.output.scheme) \(masking("authorization", value) ?? value)"
    }
    return masked.replacing(/:\/\/(?<user>[^\/?#\s"'@<>]+)@/) { match in
      "://\(masking("credential", String(match.output.user)) ?? Self.mask)@"
    }
  }

  /// Whether any of the searches of ``maskedText(_:by:)`` can match.
  ///
  /// Most text has no match.
  private static func mayContainSecrets(_ text: String) -> Bool {
    text.utf8.contains { ":=<%".utf8.contains($0) } || text.contains("Bearer")
      || text.contains("Basic")
  }

  /// Masks the values after equals signs, including values nested in other values.
  private static func maskedFields(
    _ text: String, by masking: MaskProvider, depth: Int
  ) -> String {
    guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
    // Bounds the recursion. Deeper input is masked as a whole.
    guard depth < 8 else { return mask }
    let field =
      /(?<name>[A-Za-z0-9_.\-\[\]%]+)=(?<value>(?:(?:Bearer|Basic)\s+)?[^\s"'&,;{}\[\]<>\\]+)/
    return text.replacing(field) { match in
      let (name, value) = (String(match.output.name), String(match.output.value))
      return "\(name)=\(masking(name, value) ?? maskedFields(value, by: masking, depth: depth + 1))"
    }
  }
}

// MARK: - Text of bodies

extension Redactor {
  /// Masks the text of a body or of a string in JSON.
  ///
  /// In a recording, each line is masked separately, because bodies may be long and most lines have
  /// no secrets.
  ///
  /// - Parameter text: The text.
  /// - Returns: The masked text.
  func maskedContent(_ text: String) -> String {
    guard purpose == .recording else { return maskedText(text) }
    guard text.utf8.contains(where: { ":=> ".utf8.contains($0) }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      guard
        line.utf8.contains(where: { ":=>".utf8.contains($0) }) || line.contains("Bearer")
          || line.contains("Basic")
      else { return String(line) }
      return maskedLine(line)
    }.joined(separator: "\n")
  }

  /// Masks a line, except for runs of thousands of letters and digits.
  ///
  /// These runs are data, such as an image. Searching for a name at each of their characters would
  /// take quadratic time.
  private func maskedLine(_ line: Substring) -> String {
    guard line.utf8.count > Self.maximumRunLength else { return maskedText(String(line)) }
    var masked = ""
    var rest = line
    while let run = rest.utf8.firstRun(longerThan: Self.maximumRunLength) {
      masked += maskedText(String(rest[..<run.lowerBound]))
      masked += rest[run]
      rest = rest[run.upperBound...]
    }
    return masked + maskedText(String(rest))
  }

  private static let maximumRunLength = 4_096
}

extension Substring.UTF8View {
  /// Returns the first run of ASCII letters, digits, `+`, `/`, `-`, and `_` that is longer than a
  /// number of bytes.
  fileprivate func firstRun(longerThan length: Int) -> Range<Index>? {
    var (start, count) = (startIndex, 0)
    for index in indices {
      if self[index].isASCIIAlphanumeric || "+/-_".utf8.contains(self[index]) {
        count += 1
      } else {
        if count > length { return start..<index }
        (start, count) = (self.index(after: index), 0)
      }
    }
    return count > length ? start..<endIndex : nil
  }
}
