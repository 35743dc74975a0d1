import Foundation
import Networking

/// A redactor of recorded exchanges.
///
/// It masks an exchange in two steps: a `Redactor` masks the secrets that it finds by their names
/// and forms, and then ``KnownSecrets`` masks all other occurrences of the same values. Both replace
/// a secret by its placeholder in this recording. A tape applies the same rules to recorded and to
/// replayed requests, so that they match. Text that is already masked is not changed.
struct RecordingRedactor: Sendable {
  /// The secret values of the exchanges so far.
  let secrets: KnownSecrets
  private var redactor: Redactor
  /// The redactor of error descriptions, which are displayed and never decoded.
  private var errorRedactor: Redactor

  /// Creates a redactor.
  ///
  /// - Parameters:
  ///   - rules: The additional rules for names.
  ///   - placeholders: The placeholders of a recording, or ``ComparedPlaceholders``.
  init(_ rules: Tape.Redaction, placeholders: any SecretPlaceholders) {
    let secrets = KnownSecrets(placeholders: placeholders)
    let names = SecretNames(including: rules.masking, excluding: rules.keeping)
    let collect: @Sendable (String) -> Void = { value in
      secrets.insert(value)
      secrets.insert(FormURLCoding.decode(value))
      secrets.insert(SecretEncodings.decoded(value))
    }
    self.secrets = secrets
    redactor = Redactor(
      names: names, purpose: .recording, placeholders: placeholders, onSecret: collect)
    errorRedactor = Redactor(names: names, purpose: .display, onSecret: collect)
  }

  /// Creates a redactor of a new recording, with a new random key.
  ///
  /// - Parameter rules: The additional rules for names.
  init(_ rules: Tape.Redaction) {
    self.init(rules, placeholders: RecordingPlaceholders())
  }

  /// Returns a redactor of the same recording that also masks the secrets of a client.
  ///
  /// - Parameter names: The names of secrets of the client.
  /// - Returns: The redactor.
  func adding(_ names: SecretNames) -> RecordingRedactor {
    guard names.hasAdditions else { return self }
    var copy = self
    (copy.redactor, copy.errorRedactor) = (redactor.adding(names), errorRedactor.adding(names))
    return copy
  }

  /// Masks the secrets in a request.
  func redact(_ request: inout HAR.Request) {
    request.postData?.replaceParametersByText()
    request.replaceTexts(masked)
    if let body = request.postData, let bytes = body.encodedBytes,
      let masked = redactor.maskedMultipart(bytes, mimeType: body.mimeType)
    {
      let (text, encoding) = HARBodyCoding.encode(masked, mimeType: body.mimeType)
      request.postData?.text = text
      request.postData?.encoding = encoding
    }
    secrets.search().mask(&request)
    request.updateDerivedFields()
  }

  /// Masks the secrets in an exchange.
  func redact(_ entry: inout HAR.Entry) {
    redact(&entry.request)
    entry.response.replaceTexts(masked)
    secrets.search().mask(&entry)
    entry.request.updateDerivedFields()
    entry.response.updateDerivedFields()
  }

  private func masked(_ text: String, at place: RecordedTextPlace) -> String {
    switch place {
    case .url: redactor.maskedURL(text)
    case .header(let name): redactor.maskedFieldValue(text, name: name)
    case .body(let mimeType): redactor.maskedBody(text, mimeType: mimeType)
    case .errorDetail: errorRedactor.maskedText(text)
    }
  }
}

extension MultiPatternSearch {
  /// Masks all matches in a request, and returns whether there are any.
  @discardableResult
  func mask(_ request: inout HAR.Request) -> Bool {
    request.replaceTexts { text, _ in replacing(in: text) }
  }

  /// Masks all matches in an exchange, and returns whether there are any.
  @discardableResult
  func mask(_ entry: inout HAR.Entry) -> Bool {
    let isInRequest = mask(&entry.request)
    let isInResponse = entry.response.replaceTexts { text, _ in replacing(in: text) }
    return isInRequest || isInResponse
  }
}

// MARK: - Texts of an exchange

/// The place of a text in a recorded exchange.
enum RecordedTextPlace {
  /// The URL of the request.
  case url
  /// The value of a header field.
  case header(name: String)
  /// A body of text.
  case body(mimeType: String)
  /// The description of an error.
  case errorDetail
}

/// A closure that returns the replacement of a text, or `nil` to keep the text.
typealias RecordedTextReplacement = (_ text: String, _ place: RecordedTextPlace) -> String?

extension HAR.Request {
  /// Replaces the URL, the values of header fields, and the body if it is text.
  ///
  /// - Returns: Whether any text changed.
  @discardableResult
  mutating func replaceTexts(_ replacement: RecordedTextReplacement) -> Bool {
    var hasChanged = url.replace(by: replacement, .url)
    if headers.replaceValues(by: replacement) { hasChanged = true }
    if let body = postData, body.encoding == nil, var text = body.text,
      text.replace(by: replacement, .body(mimeType: body.mimeType))
    {
      postData?.text = text
      hasChanged = true
    }
    return hasChanged
  }
}

extension HAR.Response {
  /// Replaces the values of header fields, the description of an error, and the body if it is text.
  ///
  /// - Returns: Whether any text changed.
  @discardableResult
  mutating func replaceTexts(_ replacement: RecordedTextReplacement) -> Bool {
    var hasChanged = headers.replaceValues(by: replacement)
    if var detail = errorDetail, detail.replace(by: replacement, .errorDetail) {
      errorDetail = detail
      hasChanged = true
    }
    if content.encoding == nil, var text = content.text,
      text.replace(by: replacement, .body(mimeType: content.mimeType))
    {
      let mimeType = content.mimeType
      content.set(HARBodyCoding.decode(text, encoding: nil, mimeType: mimeType) ?? Data(text.utf8))
      hasChanged = true
    }
    return hasChanged
  }
}

extension [HAR.Field] {
  fileprivate mutating func replaceValues(by replacement: RecordedTextReplacement) -> Bool {
    var hasChanged = false
    for index in indices
    where self[index].value.replace(by: replacement, .header(name: self[index].name)) {
      hasChanged = true
    }
    return hasChanged
  }
}

extension String {
  fileprivate mutating func replace(
    by replacement: RecordedTextReplacement, _ place: RecordedTextPlace
  ) -> Bool {
    guard let text = replacement(self, place), text != self else { return false }
    self = text
    return true
  }
}

extension HAR.PostData {
  /// Replaces the parameters of a form by their text, if the archive has no text.
  fileprivate mutating func replaceParametersByText() {
    guard text == nil, encoding != "size" else { return }
    text = content
    params = []
  }

  /// The decoded body if it is recorded in an encoding.
  fileprivate var encodedBytes: Data? {
    guard let encoding, encoding != "size" else { return nil }
    return HARBodyCoding.decode(text ?? "", encoding: encoding, mimeType: mimeType)
  }
}

// MARK: - Rules

extension Tape {
  /// Additional rules for the names of secrets in a recording.
  ///
  /// Without rules, a recording masks these values in URLs, header fields, cookies, queries, forms,
  /// multipart bodies, JSON, XML, HTML and plain text:
  ///
  /// | names | masked values |
  /// |---|---|
  /// | `Authorization`, `Cookie`, `password`, `access_token`, `X-Api-Key`, ... | all |
  /// | `tokens`, `session_id`, `pass`, ... | all except for numbers of up to 9 digits |
  /// | `pin`, `X-User-Pin`, `card[cvc]`, `otp`, ... | 3 to 12 digits, and values that look random |
  /// | `card_number`, `pan`, `iban`, ... | 12 to 19 digits, and account numbers |
  /// | `code` | 6 digits, and values that look random |
  /// | `stream_key`, `user_session`, `signature`, `ticket`, ... | values that look random |
  /// | `token_type`, `signature_algorithm`, ... | long tokens |
  /// | segments of a path after such a name | values that look random |
  /// | any | known keys (`ghp_...`), web tokens, private keys, card numbers, IBANs |
  ///
  /// The recording of a client also masks ``NetworkingConfiguration/secretNames``.
  ///
  /// Each secret is replaced by a placeholder such as `***-3f2a9c`, and a number in JSON by a number
  /// such as `999000034`, so that replayed responses still decode. Equal secrets of a recording have
  /// equal placeholders. The placeholder is computed with a random key that is not kept, so that it
  /// does not reveal a PIN. Empty values, `true`, `false`, `null`, `on`, `off`, `yes`
  /// and `no` are kept.
  public struct Redaction: Sendable, Hashable {
    /// Additional names, all values of which are masked.
    ///
    /// Case and punctuation are ignored.
    public var masking: Set<String>
    /// Names whose values are kept although they match the well-known names, such as `code`.
    ///
    /// They override ``masking``. A value is still masked if it is also the value of another name
    /// that is secret, and a URL or a plain text is still searched for known keys and card numbers.
    ///
    /// Case and punctuation are ignored.
    public var keeping: Set<String>

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - masking: Additional names whose values are masked.
    ///   - keeping: Names whose values are kept although they match the well-known names.
    public init(masking: Set<String> = [], keeping: Set<String> = []) {
      self.masking = masking
      self.keeping = keeping
    }
  }
}

extension HAR {
  /// Creates an archive of exchanges, with the secrets of all of them masked.
  ///
  /// - Parameters:
  ///   - entries: The exchanges.
  ///   - creator: The program that creates the archive.
  package init(redacting entries: [Entry], by creator: Creator) {
    let redactor = RecordingRedactor(Tape.Redaction())
    var entries = entries.map { entry in
      var entry = entry
      redactor.redact(&entry)
      return entry
    }
    // A secret of a later exchange may also be in an earlier one.
    let secrets = redactor.secrets.search()
    for index in entries.indices where secrets.mask(&entries[index]) {
      entries[index].request.updateDerivedFields()
      entries[index].response.updateDerivedFields()
    }
    self.init(log: Log(creator: creator, entries: entries))
  }
}
