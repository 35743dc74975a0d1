import Foundation
import Networking

/// Takes the secrets out of an exchange, and keeps them in mind.
///
/// The same rules are applied to what is recorded and to what is asked for at replay, so that both are
/// alike. What has been masked already stays as it is.
struct Redactor: Sendable {
  let names: RedactionNames
  let secrets: KnownSecrets

  init(_ rules: Tape.Redaction) {
    names = RedactionNames(rules)
    secrets = KnownSecrets()
  }

  /// A request without its secrets.
  func redact(_ request: inout HAR.Request) {
    redact(&request.headers)
    request.url = url(request.url)
    if var body = request.postData, body.encoding != "size" {
      if body.text == nil {
        body.text = body.content
        body.params = []
      }
      if body.encoding == nil, let text = body.text {
        body.text = self.text(text, mimeType: body.mimeType)
      } else if let bytes = HARBodyCoding.data(
        body.text ?? "", encoding: body.encoding, mimeType: body.mimeType),
        let masked = multipart(bytes, mimeType: body.mimeType)
      {
        (body.text, body.encoding) = HARBodyCoding.of(masked, mimeType: body.mimeType)
      }
      request.postData = body
    }
    _ = secrets.search().mask(&request)
    request.derive()
  }

  /// An exchange without its secrets.
  func redact(_ entry: inout HAR.Entry) {
    redact(&entry.request)
    redact(&entry.response.headers)
    let content = entry.response.content
    if content.encoding == nil, let text = content.text {
      let masked = self.text(text, mimeType: content.mimeType)
      if masked != text { entry.response.content.replaceText(masked) }
    }
    entry.response.errorDetail = entry.response.errorDetail.map {
      Redaction.text($0, masking: mask)
    }
    _ = secrets.search().mask(&entry)
    entry.request.derive()
    entry.response.derive()
  }

  // MARK: Parts

  private func mask(_ name: String, _ value: String) -> String? {
    guard names.areSecret(name) else { return nil }
    learn(value)
    return Redaction.mask
  }

  /// In running text `Basic plan` is no credential: those are longer, or not of letters alone.
  private func maskInText(_ name: String, _ value: String) -> String? {
    if name == "authorization", value.utf8.count < 16, value.allSatisfy(\.isLetter) { return nil }
    return mask(name, value)
  }

  private func learn(_ value: String) {
    secrets.learn(value)
    secrets.learn(FormURLCoding.decode(value))
  }

  private func redact(_ headers: inout [HAR.Field]) {
    for index in headers.indices {
      let field = headers[index]
      headers[index].value = header(field.name, field.value)
    }
  }

  private func header(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "authorization", "proxy-authorization":
      return authorization(value)
    case "cookie", "set-cookie":
      return CookieHeader.replacingValues(value, isSet: name.lowercased() == "set-cookie") {
        _, value in
        learn(value)
        return value.isEmpty ? "" : Redaction.mask
      }
    case "location", "content-location", "referer", "origin": return url(value)
    // They say what is needed, and hold no credentials.
    case "www-authenticate", "proxy-authenticate": return value
    default:
      if let masked = mask(name, value) { return masked }
      return Redaction.text(value, masking: maskInText)
    }
  }

  /// The scheme stays, as it is no secret.
  private func authorization(_ value: String) -> String {
    guard let space = value.firstIndex(of: " ") else {
      learn(value)
      return Redaction.mask
    }
    let credentials = String(value[value.index(after: space)...])
    learn(credentials)
    if let data = Data(base64Encoded: credentials) {
      let plain = String(decoding: data, as: UTF8.self)
      if let colon = plain.firstIndex(of: ":") {
        learn(String(plain[plain.index(after: colon)...]))
      }
    }
    return value[...space] + Redaction.mask
  }

  private func url(_ text: String) -> String {
    let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return text }
    if let user = text.firstMatch(of: /^[A-Za-z][A-Za-z0-9+.\-]*:\/\/(?<user>[^\/?#]+)@/)?.output
      .user
    {
      for part in user.split(separator: ":") { learn(String(part)) }
    }
    let url = Redaction.url(String(first), masking: mask)
    guard parts.count == 2 else { return url }
    return "\(url)#\(Redaction.url("?\(parts[1])", masking: mask).dropFirst())"
  }

  private func text(_ text: String, mimeType: String) -> String {
    let type = MediaType(mimeType)
    if type?.description == "application/x-www-form-urlencoded" {
      return String(Redaction.url("?\(text)", masking: mask).dropFirst())
    }
    if let masked = multipart(Data(text.utf8), mimeType: mimeType) {
      return String(decoding: masked, as: UTF8.self)
    }
    if let masked = JSONMasking(names: names, learn: learn, text: plain).mask(text) {
      return masked
    }
    return plain(text)
  }

  private func multipart(_ data: Data, mimeType: String) -> Data? {
    guard let type = MediaType(mimeType), type.type == "multipart",
      let boundary = type.parameters["boundary"], !boundary.isEmpty
    else { return nil }
    return MultipartMasking(boundary: boundary, mask: mask, text: { self.text($0, mimeType: $1) })
      .mask(data)
  }

  /// A line, in which a run of thousands of letters and digits, an image, is left out: it is no name, and
  /// to look for one from each of its letters takes the square of its length.
  private func masked(_ line: Substring) -> String {
    guard line.utf8.count > 4_096 else { return Redaction.text(String(line), masking: maskInText) }
    var masked = ""
    var rest = line
    while let content = rest.utf8.firstRun(longerThan: 4_096) {
      masked += Redaction.text(String(rest[..<content.lowerBound]), masking: maskInText)
      masked += rest[content]
      rest = rest[content.upperBound...]
    }
    return masked + Redaction.text(String(rest), masking: maskInText)
  }

  /// Line by line, those alone in which something may go by a telling name: most have nothing.
  private func plain(_ text: String) -> String {
    guard text.utf8.contains(where: { ":=> ".utf8.contains($0) }) else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line -> String in
      guard
        line.utf8.contains(where: { ":=>".utf8.contains($0) }) || line.contains("Bearer")
          || line.contains("Basic")
      else { return String(line) }
      return masked(line)
    }.joined(separator: "\n")
  }
}

extension HAR.Content {
  /// Puts in text that was changed.
  mutating func replaceText(_ masked: String) {
    set(HARBodyCoding.data(masked, encoding: nil, mimeType: mimeType) ?? Data(masked.utf8))
  }
}

extension Substring.UTF8View {
  /// The first stretch of letters, digits, `+`, `/`, `-` and `_` that is longer than so much.
  fileprivate func firstRun(longerThan length: Int) -> Range<Index>? {
    var (start, count) = (startIndex, 0)
    for index in indices {
      switch self[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
        UInt8(ascii: "-"), UInt8(ascii: "_"):
        count += 1
      default:
        if count > length { return start..<index }
        (start, count) = (self.index(after: index), 0)
      }
    }
    return count > length ? start..<endIndex : nil
  }
}

extension Tape {
  /// Which names go with secrets, in a recording.
  ///
  /// Those that look it do already, in header fields, queries, forms, JSON, XML and plain text:
  /// `Authorization`, `Cookie`, `X-Api-Key`, `access_token`, `password`, `code` and their like. The values
  /// are replaced by `***`, and numbers in JSON by 0, so that what is replayed still decodes.
  public struct Redaction: Sendable, Hashable {
    /// More names whose values are masked; case and punctuation do not count.
    public var masking: Set<String>
    /// Names whose values are kept although they look like secrets', such as `code`; case and punctuation
    /// do not count.
    public var keeping: Set<String>

    /// Makes rules.
    ///
    /// - Parameters:
    ///   - masking: more names whose values are masked.
    ///   - keeping: names whose values are kept although they look like secrets'.
    public init(masking: Set<String> = [], keeping: Set<String> = []) {
      self.masking = masking
      self.keeping = keeping
    }
  }
}

/// The rules of a recording, ready for use.
struct RedactionNames: Sendable {
  private let masking: Set<String>
  private let keeping: Set<String>

  init(_ rules: Tape.Redaction) {
    masking = Set(rules.masking.map(Self.plain))
    keeping = Set(rules.keeping.map(Self.plain))
  }

  /// Whether a name goes with secrets.
  func areSecret(_ name: String) -> Bool {
    let plain = Self.plain(name)
    if keeping.contains(plain) { return false }
    return masking.contains(plain) || Redaction.isSecret(name: name)
  }

  private static func plain(_ name: String) -> String {
    (name.removingPercentEncoding ?? name).lowercased().filter { $0.isLetter || $0.isNumber }
  }
}
