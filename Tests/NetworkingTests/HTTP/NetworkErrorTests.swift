import Foundation
import Networking
import Promises
import TestGate
import Testing

@Suite(.gated)
struct NetworkErrorTests {
  private let error = NetworkError(
    .unacceptableStatus(404),
    request: NetworkError.RequestSummary(method: .get, url: "https://h/boards/7"),
    response: HTTPResponseHead(status: 404, headers: ["Set-Cookie": "sid=s3cret"]),
    body: Data(#"{"problem":"no such board"}"#.utf8), attempts: 2)

  @Test func theDescriptionIsOneLine() {
    #expect(
      error.description == "GET https://h/boards/7: the status 404 is not acceptable, after 2 "
        + #"attempts; the body begins: {"problem":"no such board"}"#)
    #expect("\(error)" == error.localizedDescription)
    #expect(NetworkError(.cancelled).description == "cancelled")
    #expect(
      NetworkError(.timedOut(.idle), "after 3 s").description
        == "the connection was idle for too long: after 3 s")
  }

  @Test func theCodeOfATimeoutIsDescribedAsItIsWritten() {
    #expect("\(NetworkError.Code.timedOut(.call))" == "timedOut(.call)")
    #expect("\(NetworkError.Phase.call)" == "call")
  }

  @Test func theDescriptionHasAtMost200CharactersOfTheBody() {
    var error = error
    error.body = Data(
      (String(repeating: "ü", count: 150) + "\r\n" + String(repeating: "x", count: 900)).utf8)
    let shown = error.description.components(separatedBy: "begins: ").last ?? ""
    #expect(
      shown == String(repeating: "ü", count: 150) + "  " + String(repeating: "x", count: 48) + "..."
    )
    error.body = Data(repeating: 0xFF, count: 10_000)
    #expect(error.description.count < 320)
    #expect(!error.description.contains("\n"))
  }

  @Test(arguments: [
    #"{"access_token":"s3cret","x":1}"#, #"{"a":{"password" : "s3\"s3cret"}}"#, "token=s3cret&a=b",
    "Authorization: Bearer s3cret", "Bearer s3cret", "{\"apiKey\":\"s3cret",
    #"{"refresh-token":"s3cret"}"#, "client_secret=s3cret", #""{\"token\":\"s3cret\"}""#,
    #"{"next":"https://a.test/?token=s3cret"}"#, "next=https://a.test/?token=s3cret=",
    "<password>s3cret</password>", "https://ann:s3cret@a.test/",
  ])
  func theDescriptionHasNoSecretsOfTheBody(body: String) {
    var error = error
    error.body = Data(body.utf8)
    #expect(!error.description.contains("s3cret"))
    #expect(error.description.contains("***"))
    error.body = Data((String(repeating: " ", count: 190) + body).utf8)
    #expect(!error.description.contains("cret"))
  }

  @Test(arguments: [
    ("https://u:s3cret@h/a?b=c#s3cret", "https://h/a?b=c"),
    ("https://s3cret@h?x", "https://h?x"),
    (
      "https://h/a?token=s3cret&b=c&API_KEY=s3cret&sig", "https://h/a?token=***&b=c&API_KEY=***&sig"
    ),
    ("a?user%5Bpassword%5D=s3cret", "a?user%5Bpassword%5D=***"),
    ("a?monkey=1&code=s3cret&page=2", "a?monkey=1&code=***&page=2"),
    ("/mail/a@b", "/mail/a@b"),
    ("a?\u{301}x=1&\u{301}token=s3cret", "a?\u{301}x=1&\u{301}token=***"),
  ])
  func theDescriptionHasNoSecretsOfTheURL(url: String, expected: String) {
    #expect(NetworkError.RequestSummary(method: .get, url: url).url == expected)
  }

  @Test func aDumpShowsNoSecrets() {
    var text = ""
    dump(error, to: &text)
    #expect(!text.contains("s3cret"))
    #expect(!String(reflecting: error).contains("s3cret"))
  }

  @Test func theBodyCanBeDecoded() throws {
    struct FileError: Decodable, Equatable { var problem: String }
    struct Other: Decodable { var number: Int }
    #expect(try error.decodeBody(FileError.self) == FileError(problem: "no such board"))
    let other = #expect(throws: NetworkError.self) { try error.decodeBody(Other.self) }
    #expect(other?.code == .decodingFailed)
    #expect(other?.response?.status == 404)
    #expect(other?.description.contains("the body cannot be decoded: number is missing") == true)
    let none = #expect(throws: NetworkError.self) {
      try NetworkError(.noData).decodeBody(Other.self)
    }
    #expect(none?.code == .noData)
  }

  @Test func cancellationsAreIdentified() {
    #expect(NetworkError(.cancelled).isCancellation)
    #expect(!error.isCancellation)
  }
}
