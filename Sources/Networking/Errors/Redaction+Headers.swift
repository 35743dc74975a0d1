extension Redaction {
  /// Fields whose values are no secrets, whatever they look like, and need not be looked through.
  private static let plain: Set<String> = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
    "cache-control",
    "connection", "content-encoding", "content-language", "content-length", "content-range",
    "content-type", "date", "etag", "expires", "host", "if-match", "if-modified-since",
    "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "last-modified",
    "proxy-authenticate", "range", "retry-after", "server", "te", "trailer", "transfer-encoding",
    "upgrade", "user-agent", "vary", "via", "www-authenticate",
  ]
  private static let urls: Set<String> = ["content-location", "location", "origin", "referer"]

  /// Header fields, those of telling names masked, and in the others whatever goes by such a name.
  package static func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(
      headers.fields.map { field in
        HTTPHeaders.Field(name: field.name, value: value(of: field))
      })
  }

  static func value(of field: HTTPHeaders.Field) -> String {
    let name = field.name.lowercased()
    if plain.contains(name), configured.isEmpty || !isSecret(name: name) { return field.value }
    if let mask = byName(field.name, field.value) { return mask }
    if urls.contains(name) { return url(field.value) }
    return mayHoldSecrets(field.value) ? text(field.value) : field.value
  }

  /// Whether there is something in a text that ``text(_:masking:)`` would look at; mostly there is not.
  private static func mayHoldSecrets(_ text: String) -> Bool {
    text.utf8.contains { ":=<%".utf8.contains($0) } || text.contains("Bearer")
      || text.contains("Basic")
  }
}
