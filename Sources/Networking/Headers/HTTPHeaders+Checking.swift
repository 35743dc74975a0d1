extension HTTPHeaders {
  /// Makes sure that every field may be sent.
  ///
  /// - Throws: ``NetworkError/Code-swift.enum/invalidHeader``, with the field's name, never its value.
  func check() throws {
    for field in fields {
      if let problem = Self.problem(of: field) { throw NetworkError(.invalidHeader, problem) }
    }
  }

  /// What keeps a field from being sent, or nil when nothing does.
  ///
  /// - Parameter field: the field.
  /// - Returns: a sentence that names the field, never its value.
  static func problem(of field: Field) -> String? {
    if !field.name.isToken {
      return field.name.isEmpty
        ? "a header has no name"
        : "the header name \(field.name.debugDescription) has a character that names cannot have"
    }
    if !isSendable(value: field.value) {
      return "the value of the header \(field.name) has a line break or another control character"
    }
    if transportNames.contains(where: { areEqual($0, field.name) }) {
      return "the header \(field.name) is the transport's to set"
    }
    return nil
  }

  /// The fields that describe the connection or frame the message, which the transport adds or has no
  /// use for; set by hand they would let a message be read in two ways.
  ///
  /// Source: RFC 9110 section 7.6.1, RFC 9112 section 6.3, RFC 9113 section 8.2.2.
  private static let transportNames = [
    "Host", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive", "Proxy-Connection",
    "Upgrade", "TE", "Trailer",
  ]

  /// Whether a value has no control character but the tab; bytes beyond ASCII are allowed.
  ///
  /// Source: RFC 9110 section 5.5.
  static func isSendable(value: String) -> Bool {
    value.utf8.areAll { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
  }
}
