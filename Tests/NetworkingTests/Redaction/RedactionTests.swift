import Foundation
import Testing

@testable import Networking

/// The names of secrets, and their detection in URLs and texts.
@Suite(.timeLimit(.minutes(10)))
struct RedactionTests {
  @Test(arguments: [
    "X-Auth-Key", "Ocp-Apim-Subscription-Key", "x-functions-key", "X-Auth", "X-Session",
    "client_assertion", "assertion", "SAMLResponse", "code_verifier", "device_code",
    "X-Parse-Master-Key", "AccountKey", "user[password]", "user%5Bpassword%5D", "pässword_token",
  ])
  func secretNamesAreRecognized(_ name: String) {
    #expect(Redactor.standard.isSecret(name: name))
    let headers: HTTPHeaders = [name: "s3cret"]
    #expect(headers.redacted().fields.map(\.value) == ["***"])
  }

  @Test(arguments: [
    "author", "authority", "monkey", "keyword", "keywords", "sessions", "assertions", "keyboard",
    "zip_code", "status_code", "codec", "X-Session-Length", "compass", "pinned", "authors", "", "%",
  ])
  func otherNamesAreNotRecognized(_ name: String) {
    #expect(!Redactor.standard.isSecret(name: name))
    #expect(Redactor.standard.maskedURL("/a?\(name)=plain") == "/a?\(name)=plain")
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

  @Test func valuesNestedTooDeeplyAreMasked() {
    let url = "a?" + String(repeating: "a=", count: 20) + "s3cret&page=2"
    let masked = Redactor.standard.maskedURL(url)
    #expect(!masked.contains("s3cret") && masked.hasSuffix("***&page=2"))
    let encoded = "a?u=b%" + String(repeating: "25", count: 30) + "3Ds3cret"
    #expect(Redactor.standard.maskedURL(encoded) == encoded)
    #expect(
      !Redactor.standard.maskedURL(encoded.replacing("u=b", with: "u=code")).contains("s3cret"))
  }

  @Test func namedValuesAreReported() {
    var seen: [String] = []
    let masked = Redactor.standard.maskedURL("a?u=b%3Fcode%3Dx%2526y%26c%3D1;token=z&d=1") {
      name, value in
      seen.append("\(name)=\(value)")
      return Redactor.standard.mask(name, value)
    }
    #expect(masked == "a?u=b%3Fcode%3D***%26c%3D1;token=***&d=1")
    #expect(seen == ["u=b%3Fcode%3Dx%2526y%26c%3D1", "code=x%2526y", "c=1", "token=z", "d=1"])
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
    (
      "<author><![CDATA[Ada]]></author><![CDATA[x]]>",
      "<author><![CDATA[Ada]]></author><![CDATA[x]]>"
    ),
  ])
  func textsAreRedacted(_ text: String, _ expected: String) {
    #expect(Redactor.standard.maskedText(text) == expected)
  }

  /// The time must be linear in the length; quadratic time would exceed the time limit.
  @Test(arguments: [
    "a=", "a=1&", "a=1;", "%3D", "a%3D", "%25", "%253Da", "://", "@", "a%3A%2F%2F", ";", "?",
    "a?b=c&",
    "<a><![CDATA[", "<![CDATA[", "]]>", "<token><![CDATA[]]>", "<a>", "<",
  ])
  func redactionTakesLinearTime(_ piece: String) {
    let text = "https://h/?" + String(repeating: piece, count: 400_000 / piece.count)
    _ = Redactor.standard.maskedURL(text)
    if piece.contains("<") || piece.contains("%") {
      _ = Redactor.standard.maskedText(String(text.prefix(40_000)))
    }
  }
}
