import Foundation
import Networking
import TestGate
import Testing

@Suite(.gated)
struct RequestPathTests {
  private func resolve(_ path: RequestPath) throws -> String {
    try BaseURL(host: "h", path: "v1").resolve(path).absoluteString
  }

  private func reason(_ path: RequestPath) -> String? {
    let error = #expect(throws: NetworkError.self) { try resolve(path) }
    #expect(error?.code == .invalidURL)
    return error?.reason
  }

  private enum Kind: String { case big = "a/b" }

  @Test(arguments: [
    ("a", "a"), ("a/b", "a%2Fb"), ("a?b", "a%3Fb"), ("a#b", "a%23b"), ("100%", "100%25"),
    ("%2F", "%252F"), ("../x", "..%2Fx"), ("a b+c", "a%20b%2Bc"), ("ü😀", "%C3%BC%F0%9F%98%80"),
    ("a:b@c", "a%3Ab%40c"), ("\\", "%5C"), ("\r\n\u{0}", "%0D%0A%00"), ("...", "..."),
    (";=&", "%3B%3D%26"),
  ])
  func anInterpolatedValueIsOneSegment(value: String, expected: String) throws {
    #expect(try resolve("boards/\(value)/cards") == "https://h/v1/boards/\(expected)/cards")
    #expect(try resolve("boards?q=\(value)&x=1") == "https://h/v1/boards?q=\(expected)&x=1")
  }

  @Test func valuesOfManyTypesAreInterpolated() throws {
    #expect(
      try resolve("a/\(5)/\(-1.5)/\(true)/\(Kind.big)/\(HTTPMethod.get)")
        == "https://h/v1/a/5/-1.5/true/a%2Fb/GET")
    let id = UUID()
    #expect(try resolve("\(id)") == "https://h/v1/\(id.uuidString)")
  }

  @Test func aValueThatSelectsAnotherResourceIsRejected() {
    let empty = "an interpolated value is empty, so the path would address another resource"
    let dots = "an interpolated value creates a segment of only dots"
    let (nothing, dot, up) = ("", ".", "..")
    #expect(reason("boards/\(nothing)") == empty)
    #expect(reason("boards/\(nothing)/cards") == empty)
    #expect(reason("/\(nothing)/evil.example.com") == empty)
    #expect(reason("\(nothing)") == empty)
    #expect(reason("boards/\(nothing)\(nothing)?a=1") == empty)
    #expect(reason("boards/\(up)") == dots)
    #expect(reason("boards/\(dot)/x") == dots)
    #expect(reason("boards/\(dot)\(dot)") == dots)
    #expect(reason("boards/.\(dot)/x") == dots)
    #expect(reason("boards/%2E\(dot)/x") == dots)
    #expect(reason("boards/\(up)#x") == dots)
  }

  @Test func aHarmlessValueIsAccepted() throws {
    let (nothing, up) = ("", "..")
    #expect(try resolve("boards/x\(nothing)") == "https://h/v1/boards/x")
    #expect(try resolve("boards/\(up)json") == "https://h/v1/boards/..json")
    #expect(try resolve("boards?q=\(nothing)&r=\(up)/\(nothing)") == "https://h/v1/boards?q=&r=../")
  }

  @Test func aValueInTheHostIsRejected() {
    let reason = "a value is interpolated into the host, which requires \\(raw:)"
    let (host, nothing) = (".evil.example.com", "")
    #expect(self.reason("https://api.example.com\(host)/x") == reason)
    #expect(self.reason("https://\(host)/x") == reason)
    #expect(self.reason("https://api.example.com\(nothing)/x") == reason)
    #expect(self.reason("https://a\(host)") == reason)
    #expect(self.reason("\("http")://x/") == reason)
    #expect(self.reason("\(raw: "https://api.example.com")\(host)") == reason)
  }

  @Test func rawTextIsTreatedLikeALiteral() throws {
    #expect(try resolve("\(raw: "a/b?c=d")&e=\("f/g")") == "https://h/v1/a/b?c=d&e=f%2Fg")
    #expect(try resolve("\(raw: "http://other:81")/\("a/b")") == "http://other:81/a%2Fb")
    #expect(try resolve(RequestPath(raw: "../x")) == "https://h/x")
    #expect(reason(RequestPath(raw: "a b")) == "it contains a space, which must be written as %20")
  }

  @Test func aURLInAValueIsEscaped() throws {
    #expect(
      try resolve("login?next=https://\("evil.example.com")/")
        == "https://h/v1/login?next=https://evil.example.com/")
    #expect(try resolve("go/\("https://x/y")") == "https://h/v1/go/https%3A%2F%2Fx%2Fy")
    #expect(try resolve("\("https://x/y")") == "https://h/v1/https%3A%2F%2Fx%2Fy")
  }

  @Test func urlsAreUnchanged() throws {
    let url = try #require(URL(string: "https://other/a%2Fb?c=d#e"))
    #expect(try resolve(.url(url)) == "https://other/a%2Fb?c=d#e")
  }

  @Test func aRejectedPathStaysRejectedInStorage() throws {
    let nothing = ""
    for path in ["a/\(nothing)", "a/\("b c")"] as [RequestPath] {
      let again = try JSONDecoder().decode(RequestPath.self, from: JSONEncoder().encode(path))
      #expect(again == path)
    }
    #expect(("a/\("b c")" as RequestPath).description == "a/b%20c")
  }

  @Test func theDescriptionMasksSecretsInTheQuery() {
    let path: RequestPath = "boards?page=2&access_token=\("s3cret")"
    #expect(path.text == "boards?page=2&access_token=s3cret")
    for text in [
      "\(path)", String(reflecting: path), "\(Mirror(reflecting: path).children.map(\.value))",
    ] {
      #expect(!text.contains("s3cret") && text.contains("page=2"))
    }
  }
}
