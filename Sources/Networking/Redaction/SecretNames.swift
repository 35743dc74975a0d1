/// The rules that decide which names have secret values.
///
/// Names of header fields, query parameters, form fields, JSON members, XML elements, and cookies
/// follow the same rules. Case, punctuation, diacritics, and percent-encoding are ignored:
/// `X-Api-Key`, `xApiKey`, and `x%5Fapi_key` are one name, and so are `contraseña` and `Contrasena`.
package final class SecretNames: Sendable {
  /// The built-in rules.
  package static let standard = SecretNames()

  private let included: Set<String>
  private let excluded: Set<String>
  /// The lengths of the additional names.
  private let lengths: NameLengths

  /// Creates rules that extend the standard rules.
  ///
  /// - Parameters:
  ///   - included: Additional secret names.
  ///   - excluded: Names that are not secret although the standard rules match them. They override
  ///     `included`.
  package convenience init(
    including included: Set<String> = [], excluding excluded: Set<String> = []
  ) {
    self.init(
      Set(included.map(Self.decodedAndNormalized)).subtracting([""]),
      Set(excluded.map(Self.decodedAndNormalized)).subtracting([""]))
  }

  private init(_ included: Set<String>, _ excluded: Set<String>) {
    (self.included, self.excluded) = (included, excluded)
    lengths = NameLengths(of: included.union(excluded))
  }

  /// Returns these rules with the additional names and the exclusions of other rules.
  package func merging(_ other: SecretNames) -> SecretNames {
    SecretNames(included.union(other.included), excluded.union(other.excluded))
  }

  /// Whether any names are secret beyond the built-in rules.
  package var hasAdditions: Bool { !included.isEmpty }

  /// Returns whether a name can have secret values.
  ///
  /// - Parameter name: The name, possibly percent-encoded: `access_token`, `X-Api-Key`,
  ///   `user%5Bpassword%5D`.
  /// - Returns: `true` if values of the name can be secret.
  package func contains(_ name: String) -> Bool { sensitivity(of: name) != .none }

  /// Returns the rule for the values of a name.
  ///
  /// All values of additional names are secret.
  ///
  /// - Parameter name: The name, possibly percent-encoded.
  /// - Returns: The rule.
  package func sensitivity(of name: String) -> SecretSensitivity {
    var name = name
    var match = name.withUTF8(Self.matcher.match)
    // A name such as `cookies[]` is that of an array.
    if match.sensitivity == .cookies, !name.utf8.allSatisfy(\.isASCIIAlphanumeric) {
      match.sensitivity = .strong
    }
    // Fast path: most names have another length than all additional names.
    guard lengths.contains(match.length) else { return match.sensitivity }
    let normalized = Self.decodedAndNormalized(name)
    if excluded.contains(normalized) { return .none }
    return included.contains(normalized) ? .strong : match.sensitivity
  }

  /// Returns whether a name is one of those that are not secret although the standard rules match
  /// them.
  func isExcluded(_ name: String) -> Bool {
    !excluded.isEmpty && excluded.contains(Self.decodedAndNormalized(name))
  }

  private static func decodedAndNormalized(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "%")) else { return normalized(name) }
    return normalized(EscapedBytes.decoded(name))
  }

  /// Returns the letters and digits of a name in lower case: `xapikey` for `X-Api-Key`.
  private static func normalized(_ name: String) -> String {
    // Writes into the string's own storage: most names are short enough to need no allocation.
    var isASCII = true
    let normalized = String(unsafeUninitializedCapacity: name.utf8.count) { output in
      var count = 0
      for byte in name.utf8 {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
          output[count] = byte
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): output[count] = byte | 0x20
        case 0x80...:
          isASCII = false
          return 0
        default: continue
        }
        count += 1
      }
      return count
    }
    return isASCII ? normalized : Self.normalizedScalars(name)
  }

  private static func normalizedScalars(_ name: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      if scalar.isASCII {
        guard UInt8(scalar.value).isASCIIAlphanumeric else { continue }
        // The bit makes letters lower case.
        scalars.append(Unicode.Scalar(UInt8(scalar.value) | 0x20))
      } else if let letter = LetterFolding.folded(scalar) {
        scalars.append(letter)
      }
    }
    return String(scalars)
  }

  private static let matcher = SecretNameMatcher(
    names: exactNames, terms: terms,
    words: [
      (.descriptor, descriptors), (.lastDescriptor, lastDescriptors),
      (.unrelated, unrelatedWords), (.short, shortNames),
      (.weak, ["ticket", "session", "auth", "sig"]), (.key, ["key", "clave", "chave"]),
      (.identifier, identifiers), (.secret, secretWords),
    ])

  /// Names of numbers that protect something, also as the last word of a name: `X-User-Pin`,
  /// `card[cvc]`.
  private static let shortNames = [
    "pin", "otp", "totp", "mfa", "cvc", "cvv", "cvv2", "cvc2", "csc", "ssn",
  ]

  /// Names that are secret only as a whole.
  ///
  /// Within other words they have other meanings: `keyword`, `author`, `sessions`, `assertions`,
  /// `codec`, `compass`.
  private static let exactNames: [(SecretNameMatcher.NameClass, [String])] = [
    (
      .strong,
      [
        "samlresponse", "devicecode", "usercode", "authcode", "authpass", "connectsid", "psk",
        "wpapsk",
        "mfacode", "otpcode", "totpcode", "smscode", "recoverycode", "recoverycodes", "backupcode",
        "backupcodes", "verificationcode", "securitycode", "resetcode", "activationcode",
        "logincode", "accesscode", "confirmationcode", "twofactorcode", "dbpass", "databasepass",
        "userpass", "adminpass", "rootpass", "smtppass", "mailpass", "mysqlpass", "pgpass",
        "redispass", "ftppass", "ldappass", "proxypass", "sshpass", "httppass", "keypass",
        "storepass", "oldpass", "newpass", "hash2fa", "mnemonic", "dpop", "servicekey",
        "consumerkey",
        "serverkey", "pincode", "cardpin", "cardcvc", "cardcvv", "securityanswer",
      ]
    ),
    (.text, ["pass", "csrf", "xsrf", "xcsrf", "xxsrf"]),
    (
      .card,
      [
        "cardnumber", "ccnumber", "creditcard", "creditcardnumber", "pan", "cardno", "ccnum",
        "iban",
      ]
    ),
    (.code, ["code"]), (.cookies, ["cookies"]),
    (
      .weak,
      [
        "key", "sig", "auth", "sid", "session", "xauth", "xsession", "assertion", "bearer", "nonce",
        "xkey", "appkey", "clientkey", "refresh", "secretsanta", "secretsantas",
      ]
    ),
  ]

  /// Terms that make a name secret at any position.
  private static let terms: [(SecretNameMatcher.NameClass, [String])] = [
    (
      .strong,
      [
        "token", "secret", "passw", "passphrase", "passcode", "passkey", "pwd", "jwt", "hmac",
        "credential", "authorization", "cookie", "clientassertion", "codeverifier", "apikey",
        "accesskey", "privatekey", "authkey", "subscriptionkey", "functionskey", "masterkey",
        "accountkey", "sharedkey", "signingkey", "encryptionkey", "sessionkey", "licensekey",
        "presharedkey", "recoverykey", "seedphrase", "socialsecuritynumber", "socialsecurityno",
        "socialinsurancenumber", "nationalinsurancenumber",
      ]
    ),
    (.strong, foreignTerms),
    (.text, ["sessionid", "sessid"]),
    (.weak, ["signature"]),
    (.counter, ["tokens"]),
  ]

  /// Words for a password in other languages, without diacritics, that occur within no other words.
  private static let foreignTerms = [
    "contrasena", "contrasenya", "contrasenha", "motdepasse", "motpasse", "paswort", "kennwort",
    "losungswort", "geheimnis", "geheimzahl", "zugangsdaten", "wachtwoord", "adgangskode",
    "palavrapasse", "paroladordine", "paroladaccesso", "pasahitz", "slaptazod", "matkhau",
    "katasandi",
    "парол", "секретныйключ", "лозинка", "συνθηματικο", "κωδικοσπροσβασησ", "密码", "密碼", "口令",
    "密钥", "密鑰", "令牌", "パスワード", "暗証番号", "비밀번호", "패스워드", "암호", "كلمةالمرور",
    "كلمةالسر", "گذرواژه", "סיסמה", "סיסמא", "รหัสผ่าน", "पासवर्ड",
  ]

  /// Words for a password in other languages, without diacritics, that make a name secret at any
  /// position: `nova_senha`.
  ///
  /// They are no terms, because other names contain them: `desenhar`, `hasLocation`, `theSlogan`,
  /// `bypassOrder`.
  private static let secretWords = [
    "senha", "senhas", "haslo", "hasla", "heslo", "hesla", "losenord", "losenordet", "passord",
    "passordet", "kodeord", "kodeordet", "salasana", "salasanan", "salasona", "parola", "parolasi",
    "sifre", "sifresi", "lozinka", "lozinku", "geslo", "jelszo", "jelszava", "parool", "lykilord",
    "mdp",
  ]

  /// Words that make a name say something about a secret: `token_type`, `password_policy`.
  ///
  /// Values of such names are secret only if they look like secrets.
  private static let descriptors = [
    "type", "types", "count", "counts", "counter", "total", "totals", "max", "min", "maximum",
    "minimum", "length", "size", "usage", "algorithm", "alg", "algorithms", "endpoint", "expires",
    "expiry", "expired", "expiration", "lifetime", "ttl", "policy", "policies", "is", "has",
    "allow", "allows", "needs", "requires",
  ]

  /// Words before `key` that make it an identifier or a key that is not secret.
  ///
  /// Values of other names such as `stream_key` are secret if they look like secrets.
  private static let identifiers = [
    "public", "publishable", "primary", "foreign", "cache", "partition", "shard", "routing", "sort",
    "range", "hash", "row", "group", "index", "lookup", "search", "query", "idempotency",
    "websocket", "site", "object", "storage", "file", "image", "asset", "media", "blob", "s3",
    "upload", "download", "dedup", "deduplication", "translation", "message", "label", "locale",
    "i18n", "natural", "surrogate", "composite", "unique", "parent", "item", "node", "react",
    "issue", "project", "event", "entity", "record", "map",
  ]

  /// Words that contain a term by chance.
  private static let unrelatedWords = [
    "tokenizer", "tokenizers", "tokenization", "tokenize", "tokenized", "secretary", "secretariat",
    "secretaria", "secretario", "secretaire", "passwordless",
  ]

  /// Words that say something about a secret at the end of a name only.
  ///
  /// `one_time_password` is a password.
  private static let lastDescriptors = [
    "limit", "limits", "used", "remaining", "budget", "cost", "price", "name", "names", "method",
    "methods", "url", "uri", "urls", "href", "link", "age", "strength", "required", "enabled",
    "disabled", "supported", "valid", "at", "date", "time", "timestamp", "created", "updated",
    "changed", "modified", "issued", "version", "status", "state", "format", "scheme", "issuer",
    "audience", "scope", "scopes", "kind", "label", "title", "description", "message", "error",
    "errors", "reason", "domain", "path", "consent", "banner", "settings", "config", "mode",
    "provider", "header", "field", "column", "rotation", "position", "index", "details", "detail",
    "file", "filename", "requirements", "complexity", "rules", "symbol", "symbols", "prefix",
    "decimals", "chiave", "chiavi",
  ]
}

/// A set of the lengths of names, as a bitmap.
///
/// It avoids the normalized copies of most names.
private struct NameLengths {
  private let bits: UInt64

  init(of names: some Sequence<String>) {
    bits = names.reduce(0) { bits, name in
      bits | (name.utf8.allSatisfy { $0 < 0x80 } ? Self.bit(name.utf8.count) : Self.bit(nil))
    }
  }

  /// Returns whether a name can have a length; `nil` is that of names with letters beyond ASCII.
  func contains(_ length: Int?) -> Bool { bits & Self.bit(length) != 0 }

  private static func bit(_ length: Int?) -> UInt64 {
    1 << UInt64(length.map { min($0, 62) } ?? 63)
  }
}
