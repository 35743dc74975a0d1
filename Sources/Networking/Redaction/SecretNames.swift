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
  /// A set of the numbers of letters and digits of the additional names; the last bit is for 63 and
  /// more.
  private let lengths: UInt64

  /// Creates rules that extend the standard rules.
  ///
  /// - Parameters:
  ///   - included: Additional secret names.
  ///   - excluded: Names that are not secret although the standard rules match them. They override
  ///     `included`.
  package init(including included: Set<String> = [], excluding excluded: Set<String> = []) {
    self.included = Set(included.map(Self.normalized)).subtracting([""])
    self.excluded = Set(excluded.map(Self.normalized)).subtracting([""])
    lengths = self.included.union(self.excluded)
      .reduce(0) { $0 | Self.lengthBit($1.unicodeScalars.count) }
  }

  /// Returns these rules with the additional names and the exclusions of other rules.
  package func merging(_ other: SecretNames) -> SecretNames {
    SecretNames(
      including: included.union(other.included), excluding: excluded.union(other.excluded))
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
  func sensitivity(of name: String) -> SecretSensitivity {
    if mayBeAdditional(name) {
      let normalized = Self.normalized(name)
      if excluded.contains(normalized) { return .none }
      if included.contains(normalized) { return .strong }
    }
    var name = name
    let sensitivity = name.withUTF8(Self.matcher.sensitivity)
    // A name such as `cookies[]` is that of an array.
    let isArray = sensitivity == .cookies && !name.utf8.allSatisfy(\.isASCIIAlphanumeric)
    return isArray ? .strong : sensitivity
  }

  /// Returns whether a name is one of those that are not secret although the standard rules match
  /// them.
  func isExcluded(_ name: String) -> Bool {
    !excluded.isEmpty && excluded.contains(Self.normalized(name))
  }

  /// Returns `false` for most names, because they have another length than all additional names.
  private func mayBeAdditional(_ name: String) -> Bool {
    guard lengths != 0 else { return false }
    var length = 0
    for byte in name.utf8 {
      // Its letters are known only when it is decoded.
      if byte >= 0x80 || byte == UInt8(ascii: "%") { return true }
      if byte.isASCIIAlphanumeric { length += 1 }
    }
    return lengths & Self.lengthBit(length) != 0
  }

  private static func lengthBit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

  /// Returns the letters and digits of a name in lower case: `xapikey` for `X-Api-Key`.
  private static func normalized(_ name: String) -> String {
    var letters = String.UnicodeScalarView()
    for scalar in EscapedBytes.decoded(name).unicodeScalars {
      if let letter = LetterFolding.folded(scalar) { letters.append(letter) }
    }
    return String(letters)
  }

  private typealias Meaning = SecretNameMatcher.Meaning

  private static let matcher = SecretNameMatcher([
    // Within other words these have other meanings: `keyword`, `author`, `sessions`, `codec`.
    Meaning.values(.strong).whole(
      """
      samlresponse devicecode usercode authcode authpass connectsid psk wpapsk mfacode otpcode
      totpcode smscode recoverycode recoverycodes backupcode backupcodes verificationcode
      securitycode resetcode activationcode logincode accesscode confirmationcode twofactorcode
      dbpass databasepass userpass adminpass rootpass smtppass mailpass mysqlpass pgpass redispass
      ftppass ldappass proxypass sshpass httppass keypass storepass oldpass newpass hash2fa mnemonic
      dpop servicekey consumerkey serverkey pincode cardpin cardcvc cardcvv securityanswer
      """),
    Meaning.values(.text).whole("pass csrf xsrf xcsrf xxsrf"),
    Meaning.values(.card).whole(
      "cardnumber ccnumber creditcard creditcardnumber pan cardno ccnum iban"),
    Meaning.values(.code).whole("code"),
    Meaning.values(.cookies).whole("cookies"),
    Meaning.values(.weak).whole(
      """
      key sig auth sid session xauth xsession assertion bearer nonce xkey appkey clientkey refresh
      secretsanta secretsantas
      """),
    Meaning.values(.strong).anywhere(
      """
      token secret passw passphrase passcode passkey pwd jwt hmac credential authorization cookie
      clientassertion codeverifier apikey accesskey privatekey authkey subscriptionkey functionskey
      masterkey accountkey sharedkey signingkey encryptionkey sessionkey licensekey presharedkey
      recoverykey seedphrase socialsecuritynumber socialsecurityno socialinsurancenumber
      nationalinsurancenumber
      """),
    // Words for a password in other languages, without diacritics, that occur within no other words.
    Meaning.values(.strong).anywhere(
      """
      contrasena contrasenya contrasenha motdepasse motpasse paswort kennwort losungswort geheimnis
      geheimzahl zugangsdaten wachtwoord adgangskode palavrapasse paroladordine paroladaccesso
      pasahitz slaptazod matkhau katasandi парол секретныйключ лозинка συνθηματικο κωδικοσπροσβασησ
      密码 密碼 口令 密钥 密鑰 令牌 パスワード 暗証番号 비밀번호 패스워드 암호 كلمةالمرور كلمةالسر گذرواژه סיסמה סיסמא รหัสผ่าน
      पासवर्ड
      """),
    Meaning.values(.text).anywhere("sessionid sessid"),
    Meaning.values(.weak).anywhere("signature"),
    Meaning.counter.anywhere("tokens"),
    // Words for a password that other names contain: `desenhar`, `hasLocation`, `theSlogan`.
    Meaning.secret.word(
      """
      senha senhas haslo hasla heslo hesla losenord losenordet passord passordet kodeord kodeordet
      salasana salasanan salasona parola parolasi sifre sifresi lozinka lozinku geslo jelszo
      jelszava parool lykilord mdp
      """),
    // Numbers that protect something: `X-User-Pin`, `card[cvc]`.
    Meaning.values(.short).word("pin otp totp mfa cvc cvv cvv2 cvc2 csc ssn"),
    Meaning.values(.weak).word("ticket session auth sig"),
    Meaning.key.word("key clave chave"),
    // Words before `key`. Values of other names such as `stream_key` are judged by their form.
    Meaning.identifier.word(
      """
      public publishable primary foreign cache partition shard routing sort range hash row group
      index lookup search query idempotency websocket site object storage file image asset media
      blob s3 upload download dedup deduplication translation message label locale i18n natural
      surrogate composite unique parent item node react issue project event entity record map
      """),
    Meaning.unrelated.word(
      """
      tokenizer tokenizers tokenization tokenize tokenized secretary secretariat secretaria
      secretario secretaire passwordless
      """),
    // Values of names such as `token_type` are secret only if they look like tokens.
    Meaning.descriptor.word(
      """
      type types count counts counter total totals max min maximum minimum length size usage
      algorithm alg algorithms endpoint expires expiry expired expiration lifetime ttl policy
      policies is has allow allows needs requires
      """),
    // `one_time_password` is a password.
    Meaning.lastDescriptor.word(
      """
      limit limits used remaining budget cost price name names method methods url uri urls href link
      age strength required enabled disabled supported valid at date time timestamp created updated
      changed modified issued version status state format scheme issuer audience scope scopes kind
      label title description message error errors reason domain path consent banner settings config
      mode provider header field column rotation position index details detail file filename
      requirements complexity rules symbol symbols prefix decimals chiave chiavi
      """),
  ])
}
