import Foundation
import MockingRecordings
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The names of secrets, and their detection in URLs and texts.
@Suite(.gated)
struct RedactionTests {
  @Test(arguments: [
    "X-Auth-Key", "Ocp-Apim-Subscription-Key", "x-functions-key", "X-Auth", "X-Session",
    "client_assertion", "assertion", "SAMLResponse", "code_verifier", "device_code",
    "X-Parse-Master-Key", "AccountKey", "user[password]", "user%5Bpassword%5D", "pässword_token",
    "passcode", "accessJwt", "user_pwd", "dbpass", "DB_PASS", "PHPSESSID", "otp_code",
    "recovery_code", "pass[word", "pass{word", "psk", "hmac", "X-Shopify-Hmac-Sha256",
    "connect.sid", "XSRF",
  ])
  func secretNamesAreRecognized(_ name: String) {
    #expect(Redactor.standard.isSecret(name: name))
    let headers: HTTPHeaders = [name: "s3cret"]
    #expect(headers.redacted().fields.map(\.value) == ["***"])
  }

  @Test(arguments: [
    "author", "authority", "monkey", "keyword", "keywords", "sessions", "assertions", "keyboard",
    "zip_code", "status_code", "bypass", "passenger", "passage", "hmm", "ski_pass", "codec",
    "X-Session-Length", "compass", "pinned", "authors", "", "%",
  ])
  func otherNamesAreNotRecognized(_ name: String) {
    #expect(!Redactor.standard.isSecret(name: name))
    #expect(Redactor.standard.maskedURL("/a?\(name)=plain") == "/a?\(name)=plain")
  }

  /// One spelling without case, separators and diacritics is compared.
  @Test(arguments: [
    "contraseña", "CONTRASEÑA", "contrasena", "contrasen\u{303}a", "contrase%C3%B1a",
    "mot_de_passe", "motDePasse", "mot-de-passe",
    "Passwort", "Paßwort", "Kennwort", "parola d'ordine", "parola",
    "şifre", "SIFRE", "yeniŞifre", "hasło", "nowe_haslo", "heslo", "lösenord", "losenord",
    "adgangskode", "passord", "kodeord", "salasana", "senha", "novaSenha", "senhas_antigas",
    "wachtwoord", "mật khẩu", "пароль", "НовыйПароль", "密码", "用户密码", "パスワード", "비밀번호",
    "كلمة المرور", "סיסמה", "รหัสผ่าน", "κωδικός πρόσβασης", "ｐａｓｓｗｏｒｄ", "socialSecurityNumber",
    "social_security_number",
  ])
  func namesInOtherLanguagesAreRecognized(_ name: String) {
    #expect(Redactor.standard.isSecret(name: name, value: "s"))
    // A name in free text is one word.
    guard !name.contains(" ") else { return }
    #expect(Redactor.standard.maskedText("a, \(name): s3cret") == "a, \(name): ***")
  }

  @Test(arguments: [
    "desenhar", "desenha", "hasLocation", "has_logo", "theSlogan", "bypassOrder", "passOrdinal",
    "closeNordic", "salasAnalytics", "secretaria", "parole", "refresh_rate", "refreshInterval",
    "Пример", "密度", "암",
  ])
  func namesThatContainWordsForAPasswordAreNotRecognized(_ name: String) {
    #expect(!Redactor.standard.isSecret(name: name))
    #expect(Redactor.standard.maskedText("a, \(name): N1ceVal8x") == "a, \(name): N1ceVal8x")
  }

  @Test(arguments: [
    ("S3cretVal", true), ("eyJhbGciOiJIUzI1NiJ9", true), ("30s", false), ("daily", false),
    ("PT1H30M", false), ("1h30m0s", false), ("P1DT2H", false), ("5", false),
  ])
  func theValueOfRefreshDecides(_ value: String, _ isSecret: Bool) {
    #expect(Redactor.standard.isSecret(name: "refresh", value: value) == isSecret)
  }

  /// Letters before a name belong to prose in languages without spaces.
  @Test func aNameAfterLettersBeyondASCIIIsRecognized() {
    #expect(Redactor.standard.maskedText("请输入pin=1234 x") == "请输入pin=*** x")
  }

  @Test(arguments: [
    (
      #"{"op":"add","path":"/password","value":"s3cret"}"#,
      #"{"op":"add","path":"/password","value":"***"}"#
    ),
    (#"[["pin",1234],["a",1]]"#, #"[["pin",***],["a",1]]"#),
    (#"{"a":"[[\"pin\",\"1234\"]]"}"#, #"{"a":"[[\"pin\",\"***\"]]"}"#),
    (#"{"path":"a/token.txt","content":"b"}"#, #"{"path":"a/token.txt","content":"b"}"#),
    ("<token><!-- c --> s3cret </token> d", "<token><!-- c --> *** </token> d"),
    ("<token><a>s3cret</a>s3<b/>c</token><d>e</d>", "<token><a>***</a>***<b/>***</token><d>e</d>"),
    ("<token><a><![CDATA[<s3>]]></a></token>", "<token><a><![CDATA[***]]></a></token>"),
    ("<f name='token'><v>s3cret</v></f><v>a</v>", "<f name='token'><v>***</v></f><v>a</v>"),
    // Another end tag, or none.
    ("<x><token><a>b</a></x><c>d</c></token>", "<x><token><a>b</a></x><c>d</c></token>"),
    ("<token><a>b</a> c", "<token><a>b</a> c"),
  ])
  func valuesThatNeighborsNameAreRedacted(_ text: String, _ expected: String) {
    for redactor in [Redactor.standard, Redactor(purpose: .recording)] {
      #expect(redactor.maskedContent(text) == expected)
      #expect(redactor.maskedContent(expected) == expected)
    }
  }

  @Test func neighborsNameTheValuesOfParameters() {
    let parameters: Parameters = [
      ["path": "/password", "value": "s3cret"], ["password", "s3cret"], ["name", "b"],
    ]
    #expect(!parameters.description.contains("s3cret"))
    #expect(parameters.description.contains(#"["name", "b"]"#))
  }

  @Test(arguments: [
    // Within values: plain, encoded once, or encoded twice.
    ("a?next=/cb?code=s3cret", "a?next=/cb?code=***"),
    ("a?next=/cb?code=s3cret&page=2", "a?next=/cb?code=***&page=2"),
    (
      "a?redirect_uri=https%3A%2F%2Fb%2F%3Fcode%3Ds3cret%26state%3D1&x=2",
      "a?redirect_uri=https%3A%2F%2Fb%2F%3Fcode%3D***%26state%3D1&x=2"
    ),
    (
      "a?u=b%3fv%3dhttps%253A%252F%252Fc%253fcode%253ds3cret%2526d%253D1%26e%3D2",
      "a?u=b%3fv%3dhttps%253A%252F%252Fc%253fcode%253d***%2526d%253D1%26e%3D2"
    ),
    ("a?u=/b%3Fcode=s3cret", "a?u=/b%3Fcode=***"),
    ("a?u=b%3Fcode%3D4%2Fs3cret%26e", "a?u=b%3Fcode%3D***%26e"),
    ("a?u=b%23access_token%3Ds3cret", "a?u=b%23access_token%3D***"),
    ("a?u=https://v:s3cret@b/c&d=e@f", "a?u=https://***@b/c&d=e@f"),
    ("a?u=https%3A%2F%2Fv%3As3cret%40b%2Fc", "a?u=https%3A%2F%2F***%40b%2Fc"),
    // User information ends at the last `@` of its depth.
    ("a?u=https://v:s3@cret@b/c@d", "a?u=https://***@b/c@d"),
    ("a?u=https://v:s3cret@b%40c/d", "a?u=https://***@b%40c/d"),
    ("a?u=https%3A%2F%2Fv:s3%40cret@b%2Fc%40d", "a?u=https%3A%2F%2F***@b%2Fc%40d"),
    ("https://v:s3@cret@h/p@q?x=1", "https://h/p@q?x=1"),
    // A masked value is masked to its end.
    ("a?password=x%26s3cret%3Ds3cret&y=1", "a?password=***&y=1"),
    ("a?password=x=s3cret;s3cret&y=1", "a?password=***&y=1"),
    // Semicolons.
    ("a?x=1;access_token=s3cret&y=2", "a?x=1;access_token=***&y=2"),
    ("/p;jsessionid=s3cret", "/p;jsessionid=***"),
    ("https://h/p;jsessionid=s3cret;v=1/q?x=1", "https://h/p;jsessionid=***;v=1/q?x=1"),
    ("/p%3Bjsessionid%3Ds3cret/q", "/p%3Bjsessionid%3D***/q"),
    ("/to/https%3A%2F%2Fb%3Fcode%3Ds3cret%26c%3D1/d", "/to/https%3A%2F%2Fb%3Fcode%3D***%26c%3D1/d"),
    // Without a secret the text is unchanged.
    (
      "a?next=%2Fcb%3fpage%3D2&q=100%25%zz%3&b64=YWJj==",
      "a?next=%2Fcb%3fpage%3D2&q=100%25%zz%3&b64=YWJj=="
    ),
    (
      "/p;v=1/a=b/mail/a@b?x=1;y=2;z=3;a=4;b=5;c=6;d=7;e=8;f=9;g=10",
      "/p;v=1/a=b/mail/a@b?x=1;y=2;z=3;a=4;b=5;c=6;d=7;e=8;f=9;g=10"
    ),
    ("a?filter=a:b,c=d,e&t=12:30://x", "a?filter=a:b,c=d,e&t=12:30://x"),
  ])
  func nestedURLsInValuesAreRedacted(_ url: String, _ expected: String) {
    #expect(Redactor.standard.maskedURL(url) == expected)
    #expect(HTTPHeaders.Field(name: "Referer", value: url).description == "Referer: \(expected)")
  }

  @Test func secretsAreFoundAtAnyDepth() {
    let nesting = String(repeating: "a=", count: 20)
    let url = "a?\(nesting)token=s3cret&page=2"
    #expect(Redactor.standard.maskedURL(url) == "a?\(nesting)token=***&page=2")
    let encoded = "a?u=b%" + String(repeating: "25", count: 30) + "3Ds3cret"
    #expect(Redactor.standard.maskedURL(encoded) == encoded)
    #expect(
      !Redactor.standard.maskedURL(encoded.replacing("u=b", with: "u=code")).contains("s3cret"))
    let elements = String(repeating: "<a><![CDATA[", count: 20)
    #expect(
      Redactor.standard.maskedText("\(elements)<token><![CDATA[s3cret]]></token>")
        == "\(elements)<token>***</token>")
  }

  /// Percent-encoding, case and punctuation beyond ASCII, and bytes that are not UTF-8.
  @Test(arguments: [
    ("to%6Ben", true), ("%70%61ss%77ord", true), ("pass\u{200B}word", true), ("pass%FFword", true),
    ("%E2%84%AAey", true), ("\u{212A}EY", true), ("to\u{212A}en", true), ("%zztoken%", true),
    ("ke%C3%A4y", false), ("k\u{E4}ey", false), ("%2574oken", false), ("%", false),
  ])
  func encodedNamesAreCompared(_ name: String, _ isSecret: Bool) {
    #expect(Redactor.standard.isSecret(name: name) == isSecret)
    let names = SecretNames(including: ["v%65rslag", "gr\u{F6}sse", "a%FFb"], excluding: ["token"])
    #expect(
      names.contains(name)
        == (isSecret && name != "to%6Ben" && name != "to\u{212A}en"))
    #expect(["Vers-lag", "GR\u{D6}SSE", "gr%C3%B6%73se", "ab"].allSatisfy(names.contains))
  }

  @Test func nestedValuesAreRead() {
    let redactor = Redactor.standard
    let nested = { (depth: Int) in "a?" + String(repeating: "a=", count: depth) }
    #expect(redactor.maskedURL(nested(9) + "b&page=2") == nested(9) + "b&page=2")
    #expect(redactor.maskedURL(nested(9) + "token=b&page=2") == nested(9) + "token=***&page=2")
    // The fields of a value that has ended do not count.
    let fields = String(repeating: "a=a=b&", count: 20)
    #expect(redactor.maskedURL("a?\(fields)code=s3cret") == "a?\(fields)code=***")
    // Characters that are encoded more often count as encoded eight times.
    func encoded(_ character: String, _ depth: Int) -> String {
      "%" + String(repeating: "25", count: depth - 1) + character
    }
    for (equals, ampersand, ends) in [(7, 7, true), (7, 8, false), (8, 9, true), (10, 12, true)] {
      let value = "s3cret" + encoded("26", ampersand) + "b"
      let kept = ends ? encoded("26", ampersand) + "b" : ""
      let start = "a?u=code" + encoded("3D", equals)
      #expect(redactor.maskedURL(start + value) == start + "***" + kept)
    }
  }

  @Test(arguments: [
    ("x=1;y=2", ["x=1", "y=2"]), ("x=1;y&z=2", ["x=1;y", "z=2"]), ("x=1;=2", ["x=1;=2"]),
    ("x=1;y;z=2", ["x=1;y", "z=2"]), ("x=1%3By%3D2", ["x=1%3By%3D2", "y=2"]),
    ("x%3D1;y=2", ["x=1", "y=2"]), ("x=1;", ["x=1;"]),
  ])
  func aSemicolonEndsAValueBeforeAnotherField(_ query: String, _ expected: [String]) {
    var seen: [String] = []
    _ = Redactor.standard.maskedURL("a?\(query)") { name, value in
      seen.append("\(name)=\(value(.max))")
      return nil
    }
    #expect(seen == expected)
  }

  @Test func namedValuesAreReported() {
    var seen: [String] = []
    let masked = Redactor.standard.maskedURL("a?u=b%3Ftoken%3Dx%2526y%26c%3D1;token=z&d=1") {
      name, value in
      seen.append("\(name)=\(value(.max))")
      return Redactor.standard.mask(name, value(.max))
    }
    #expect(masked == "a?u=b%3Ftoken%3D***%26c%3D1;token=***&d=1")
    #expect(seen == ["u=b%3Ftoken%3Dx%2526y%26c%3D1", "token=x%2526y", "c=1", "token=z", "d=1"])
  }

  @Test(arguments: [
    (
      "see https://h/?u=b%3Fcode%3Ds3cret%26c%3D1 there",
      "see https://h/?u=b%3Fcode%3D***%26c%3D1 there"
    ),
    (
      "at \"https%3A%2F%2Fb%2F%3Ftoken%3Ds3cret\", no",
      "at \"https%3A%2F%2Fb%2F%3Ftoken%3D***\", no"
    ),
    ("GET /p;jsessionid=s3cret failed", "GET /p;jsessionid=*** failed"),
    // Character data of XML.
    ("<password><![CDATA[s3<c>ret]]></password><a>b</a>", "<password>***</password><a>b</a>"),
    ("<a><token x='1'>\n<![CDATA[s3cret]]>\n</token></a>", "<a><token x='1'>***</token></a>"),
    ("<password><![CDATA[s3]]]]><![CDATA[>cret]]>x</password>y", "<password>***</password>y"),
    (
      "<a><![CDATA[<token>s3cret</token><b>c</b>]]></a>",
      "<a><![CDATA[<token>***</token><b>c</b>]]></a>"
    ),
    ("<password><![CDATA[s3cret", "<password>***"),
    // The secret of the path is found before the credentials that precede it.
    (
      "POST https://u:s3cret@discord.com/api/webhooks/123456789/a-B_3s3cret failed",
      "POST https://***@discord.com/api/webhooks/123456789/*** failed"
    ),
    (
      "https://u:s3cret@hooks.slack.com/services/T0AB12CD/B0AB12CD/abcDEFghiJKLmnoPQRstuVWX",
      "https://***@hooks.slack.com/services/***/***/***"
    ),
    // A UUID that ends with the characters of an IBAN.
    ("a 3529ABBB-AD17-474C-761E-A0121E69104B", "a 3529ABBB-AD17-474C-761E-A0121E69104B"),
    // A scheme of credentials is followed by white space.
    ("Basic/Pro, Basic+Music, Bearer~x", "Basic/Pro, Basic+Music, Bearer~x"),
    (
      "<author><![CDATA[Ada]]></author><![CDATA[x]]>",
      "<author><![CDATA[Ada]]></author><![CDATA[x]]>"
    ),
  ])
  func textsAreRedacted(_ text: String, _ expected: String) {
    #expect(Redactor.standard.maskedText(text) == expected)
  }

  @Test(arguments: [
    // JSON that was cut, so that it is masked as text.
    (#"{"token": ["s3cret", "s3c]ret"], "a": 1"#, #"{"token": ***, "a": 1"#),
    (#"{"token": {"a": "s3cret"}, "b": 1"#, #"{"token": ***, "b": 1"#),
    (#"{"token": [["s3"], {"a": ["cret"]}, "x"], "b": 1"#, #"{"token": ***, "b": 1"#),
    (#"{"token": [["s3"], "cret"#, #"{"token": ***"#),
    (
      #"{"a": "x", "note": "password: s3cret", "b": "#,
      #"{"a": "x", "note": "password: ***", "b": "#
    ),
    // JSON in a string of JSON, once and twice.
    (
      #"{"s":"{\"a\":\"b\",\"token\":\"s3cret\",\"c\":1}""#,
      #"{"s":"{\"a\":\"b\",\"token\":\"***\",\"c\":1}""#
    ),
    (#"\\\"token\\\":\\\"s3\\\\\\\"cret\\\",x"#, #"\\\"token\\\":\\\"***\\\",x"#),
    (#""token":"s3\"cret","b":2"#, #""token":"***","b":2"#),
    // Dumps of Python and Ruby.
    ("{'password': 's3 cret', 'a': 1}", "{'password': '***', 'a': 1}"),
    (#"{"password" => "s3 cret", :a => 1}"#, #"{"password" => "***", :a => 1}"#),
    // Lists of fields.
    ("Cookie: a=s3cret; b=s3cret, next", "Cookie: ***, next"),
    ("Authorization: Digest username=\"s3\", response=\"s3cret\"; x", "Authorization: ***; x"),
    // Attributes of elements.
    ("<token password=s3cret>s3cret</token>", "<token password=***>***</token>"),
    (
      "<token\npassword=\"s3\">s3cret</token> token='s3'",
      "<token\npassword=\"***\">***</token> token='***'"
    ),
    // Fields without a value before a field.
    ("Authorization: \nX-Api-Key: s3cret\na: b", "Authorization: \n***\na: b"),
    ("Cookie:\nX-Api-Key: s3cret\na: b", "Cookie:\n***\na: b"),
    ("Bearer \nX-Api-Key: s3cret\na: b", "Bearer \n***\na: b"),
    // Pairs of a name and a value.
    (
      #"[{"name": "password", "value": "s3cret"}, {"name": "a", "value": "b"}"#,
      #"[{"name": "password", "value": "***"}, {"name": "a", "value": "b"}"#
    ),
    (
      #"[{"value":"s3cret","name":"api_key"},{"value":"b"},{"name":"token"},{"value":1}"#,
      #"[{"value":"***","name":"api_key"},{"value":"b"},{"name":"token"},{"value":1}"#
    ),
    (
      #"<input name="password" value="s3cret"><input name=a value=b>"#,
      #"<input name="password" value="***"><input name=a value=b>"#
    ),
    // Values after other values.
    ("error:password:s3cret", "error:password:***"),
    ("https://u:s3@cret@h/p?token=s3cret&a=b", "https://***@h/p?token=***&a=b"),
    ("<token>s3cret", "<token>***"),
  ])
  func secretsInUnfinishedTextsAreRedacted(_ text: String, _ expected: String) {
    #expect(Redactor.standard.maskedText(text) == expected)
  }

  /// The value of a pair is masked if the name follows, also after or within another masked value.
  @Test(arguments: [
    ("value=[a, s3cret] name=password", "value=*** name=password"),
    ("value=s3cret token=s3cret name=password", "value=*** token=*** name=password"),
    ("value=[a, s3cret name=password value=[s3cret name=token", "value=***"),
    (
      "value=[ s3cret ] name=password value=[ s3cret ] name=token x",
      "value=*** name=password value=*** name=token x"
    ),
    (
      "value=[a, name=password, value=[b], name=token] value=s3cret name=pwd c=d",
      "value=*** value=*** name=pwd c=d"
    ),
    (
      "value=[a, name=password, value=[b], name=token] name=pwd value=s3cret c=d",
      "value=*** name=pwd value=*** c=d"
    ),
    ("value=a; name=cookie; value=s3cret; name=cookie x", "value=*** x"),
    // The credentials begin within the value of the pair, and end after it.
    ("value=a: name:token: Bearer s3cret x", "value=*** x"),
  ])
  func valuesBeforeTheirNamesAreRedacted(_ text: String, _ expected: String) {
    #expect(Redactor.standard.maskedText(text) == expected)
  }

  /// A recorder masks other occurrences of each reported value.
  @Test func aSecretWithinAMaskedValueIsReported() {
    let log = Log<String>()
    let redactor = Redactor(purpose: .recording, onSecret: { log.append($0) })
    let text = "value=[a, name=password, value=s3cret, name=token]"
    #expect(redactor.maskedContent(text) == "value=***")
    #expect(log.entries == ["[a, name=password, value=s3cret, name=token]", "s3cret"])
  }

  /// Parsing takes longer than masking as text, and the order of members does not matter there.
  @Test func longJSONIsMaskedAsTextForDisplay() {
    let filler = String(repeating: #"{"b":1},"#, count: 20_000)
    let body = #"[\#(filler){"token":"s3cret","a":1}]"#
    for type in ["application/json", nil] {
      let masked = Redactor.standard.maskedBody(Data(body.utf8), contentType: type)
      #expect(masked == #"[\#(filler){"token":"***","a":1}]"#)
    }
  }

  @Test func linesAreMaskedByThemselvesInARecording() {
    let redactor = Redactor(purpose: .recording)
    let text = "password:\ns3en\n<token>\nx\ntoken: s3cret\r\n\nname=pwd,\nvalue=1\ncode%3Ds3cret\n"
    #expect(
      redactor.maskedContent(text)
        == "password:\ns3en\n<token>\nx\ntoken: ***\r\n\nname=pwd,\nvalue=1\ncode%3D***\n")
    #expect(redactor.maskedForm("\u{301}=1&token=s3cret") == "\u{301}=1&token=***")
  }

  @Test func aQuotationMarkThatIsNotClosedOnItsLineDoesNotAffectTheNextLine() {
    #expect(
      Redactor(purpose: .recording).maskedContent("token=\"s3cret\ntoken=\"s3 cret\", page=2\n")
        == "token=\"***\ntoken=\"***\", page=2\n")
  }

  /// A name without a value is followed by another field, whose name is not the value.
  @Test(arguments: [
    ("password:\ntoken: s3cret\nb", "password:\n***\nb"),
    ("password:\r\nX-Api-Key : s3cret", "password:\r\n***"),
    ("secret = \n pin = s3cret", "secret = \n ***"),
    ("token: password: pwd: s3cret rest", "token: *** rest"),
    ("{name\": \"password\", \"value\": \nX-Api-Key: s3cret\n", nil as String?),
  ])
  func aFieldAfterANameWithoutAValueIsRedacted(_ text: String, _ expected: String?) {
    let masked = Redactor.standard.maskedText(text)
    #expect(!masked.contains("s3cret"))
    if let expected { #expect(masked == expected) }
  }

  /// An equals sign and the combining character after it form one `Character`.
  @Test func aCookieWhoseValueBeginsWithACombiningCharacterIsRedacted() {
    let masked = Redactor(purpose: .recording)
      .maskedFieldValue("a=\u{301}s3cret=; b=c", name: "Cookie")
    #expect(masked == "a=***; b=***")
  }

  /// A delimiter of a multipart body must stay at the start of its line.
  @Test(arguments: ["\r\n", "\n"])
  func aMaskedPartKeepsItsLineBreak(_ lineBreak: String) {
    let type = "multipart/form-data; boundary=b"
    let body =
      "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\(lineBreak)"
      + "--b\r\n\r\nplain\r\n--b--\r\n"
    let masked = Redactor.standard.maskedMultipart(Data(body.utf8), mimeType: type)
    #expect(masked == Data(body.replacing("s3cret", with: "***").utf8))
    let again = masked.flatMap { Redactor.standard.maskedMultipart($0, mimeType: type) }
    #expect(again == masked)
  }

  @Test func membersThatAreNamedBySiblingsAreRedacted() {
    let body = #"[{"name":"password","value":"s3cret"},{"key":"page","value":2}]"#
    #expect(
      Redactor.standard.maskedBody(Data(body.utf8), contentType: "application/json")
        == #"[{"name":"password","value":"***"},{"key":"page","value":2}]"#)
  }

  @Test(arguments: [
    (
      "https://hooks.slack.com/services/T0AB12CD/B0AB12CD/abcDEFghiJKLmnoPQRstuVWX",
      "https://hooks.slack.com/services/***/***/***"
    ),
    (
      "https://discord.com/api/webhooks/123456789/a-B_3s3cret",
      "https://discord.com/api/webhooks/123456789/***"
    ),
    (
      "https://a.webhook.office.com/webhookb2/1a2b3c@4d5e/IncomingWebhook/6f7a8b",
      "https://a.webhook.office.com/webhookb2/***/IncomingWebhook/***"
    ),
    (
      "https://api.telegram.org/bot1234:AAHs3cret-s3cret-s3cret/sendMessage",
      "https://api.telegram.org/bot1234:***/sendMessage"
    ),
    ("/webhooks/42/deliveries", "/webhooks/42/deliveries"),
    ("/webhooks/page,1of2", "/webhooks/page,1of2"),
    ("/repos/a1b2c3/hooks/7/attempts", "/repos/a1b2c3/hooks/7/attempts"),
  ])
  func secretsInWebhookPathsAreRedacted(_ url: String, _ expected: String) {
    #expect(Redactor.standard.maskedURL(url) == expected)
    if url.hasPrefix("https") {
      #expect(Redactor.standard.maskedText("POST \(url) failed") == "POST \(expected) failed")
    }
  }
}
