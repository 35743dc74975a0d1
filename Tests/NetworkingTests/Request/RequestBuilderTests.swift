import Foundation
import TestGate
import Testing

@testable import Networking

@Suite(.gated)
struct RequestBuilderTests {
  private func build(_ request: Request, endpointHeaders: HTTPHeaders = [:]) throws -> HTTPRequest {
    try RequestBuilder(
      baseURL: BaseURL(host: "h"),
      headers: (["A": "client"] as HTTPHeaders).merging(endpointHeaders),
      connectTimeout: .seconds(1), idleTimeout: .seconds(2)
    ).build(request)
  }

  private func failure(_ request: Request) -> NetworkError? {
    #expect(throws: NetworkError.self) { try build(request) }
  }

  @Test func laterHeadersOverrideEarlierOnes() throws {
    let request = try build(
      .get("a", headers: ["b": "request"]), endpointHeaders: ["B": "endpoint", "C": "endpoint"])
    #expect(request.headers == ["A": "client", "C": "endpoint", "b": "request"])
    #expect(request.connectTimeout == .seconds(1))
    #expect(request.idleTimeout == .seconds(2))
    #expect(request.body == .none)
  }

  @Test func queriesAreAppendedToAnExistingQuery() throws {
    let parameters: Parameters = ["a": "b c"]
    for (path, expected) in [
      ("x", "x?a=b%20c"), ("x?y=1", "x?y=1&a=b%20c"), ("x?", "x?a=b%20c"), ("x#f", "x?a=b%20c#f"),
    ] {
      let request = try build(.get(RequestPath(raw: path), parameters: parameters))
      #expect(request.url.absoluteString == "https://h/" + expected)
    }
    #expect(try build(.get("x", parameters: [:])).url.absoluteString == "https://h/x")
  }

  @Test func parametersAreEncodedByContentType() throws {
    let form = try build(.post("x", parameters: ["a": "b c"], contentType: .formURLEncoded))
    #expect(form.body == .data(Data("a=b+c".utf8)))
    #expect(form.headers["Content-Type"] == "application/x-www-form-urlencoded")
    let text = try build(.put("x", parameters: "a,b", contentType: .custom("text/csv")))
    #expect(text.body == .data(Data("a,b".utf8)))
    #expect(text.headers["Content-Type"] == "text/csv")
    let own = try build(
      .post("x", parameters: [1], headers: ["content-type": "application/x+json"]))
    #expect(own.headers.values(for: "Content-Type") == ["application/x+json"])
    let json = try build(.delete("x", parameters: ["ids": [1]], contentType: .json))
    #expect(json.body == .data(Data(#"{"ids":[1]}"#.utf8)))
  }

  @Test func methodsThatRequireABodySendAnEmptyOne() throws {
    #expect(try build(.post("x")).body == .data(Data()))
    #expect(try build(.post("x", parameters: ["a": 1], contentType: .query)).body == .data(Data()))
    #expect(try build(.delete("x")).body == .none)
  }

  @Test func uploadsKeepTheirBody() throws {
    let file = URL(fileURLWithPath: "/nowhere/p.png")
    let data = try build(.upload(data: Data([1]), to: "x", .parameters(["a": 1])))
    #expect(data.body == .data(Data([1])))
    #expect(data.url.absoluteString == "https://h/x?a=1")
    #expect(data.headers["Content-Type"] == "application/octet-stream")
    let upload = try build(.upload(file: file, to: "x", contentType: "image/png"))
    #expect(upload.body == .file(file))
    #expect(upload.headers["Content-Type"] == "image/png")
    var form = MultipartFormData()
    form.append(file: file, name: "p")
    let multipart = try build(
      .upload(multipart: form, to: "x", headers: ["Content-Type": "x"], .parameters(["a": 1])))
    #expect(multipart.headers["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    guard case .pieces(let pieces) = multipart.body else { throw Wrong() }
    #expect(pieces.count == 3)
    #expect(pieces[1] == .file(file))
  }

  @Test func parametersOfAMultipartBodyThatIsNoFormAreInTheQuery() throws {
    let related = MultipartFormData(kind: .related, [.text("{}", type: .json)])
    let request = try build(.upload(multipart: related, to: "x", .parameters(["a": 1])))
    #expect(request.url.absoluteString == "https://h/x?a=1")
    #expect(request.headers["Content-Type"]?.hasPrefix("multipart/related; boundary=") == true)
  }

  @Test func aFormWithStreamsHasTheLengthOfItsPieces() throws {
    func form(_ length: Int64?) -> MultipartFormData {
      let stream = BodyStream(length: length) { AsyncStream<Data> { $0.finish() } }
      return MultipartFormData([.stream(stream, name: "a"), .text("b", name: "b")])
    }
    let known = try build(.upload(multipart: form(1_000), to: "x")).body
    let empty = try build(.upload(multipart: form(0), to: "x")).body
    #expect(known.byteCount == empty.byteCount.map { $0 + 1_000 })
    #expect(try build(.upload(multipart: form(nil), to: "x")).body.byteCount == nil)
    #expect(known.isRepeatable)
    let once = BodyStream(once: AsyncStream<Data> { $0.finish() })
    let form = MultipartFormData([.stream(once, name: "a")])
    #expect(try !build(.upload(multipart: form, to: "x")).body.isRepeatable)
  }

  @Test(arguments: [
    ("A b", "x", "the header name \"A b\" contains an invalid character"),
    ("", "x", "a header has no name"),
    ("Ä", "x", "the header name \"Ä\" contains an invalid character"),
    ("A\r\nB", "x", "the header name \"A\\r\\nB\" contains an invalid character"),
    (
      "X-A", "s3cret\r\nB: c",
      "the value of the header X-A has a line break or another control character"
    ),
    (
      "X-A", "s3cret\n", "the value of the header X-A has a line break or another control character"
    ),
    (
      "X-A", "s3cret\u{0}",
      "the value of the header X-A has a line break or another control character"
    ),
    ("content-length", "3", "the header content-length may be set by the transport only"),
    (
      "Transfer-Encoding", "chunked",
      "the header Transfer-Encoding may be set by the transport only"
    ),
    ("Host", "x", "the header Host may be set by the transport only"),
    ("Connection", "close", "the header Connection may be set by the transport only"),
    ("Upgrade", "h2c", "the header Upgrade may be set by the transport only"),
  ])
  func invalidHeadersAreRejected(name: String, value: String, reason: String) throws {
    let error = try #require(failure(.get("a", headers: [name: value])))
    #expect(error.code == .invalidHeader)
    #expect(error.description == "GET a: a header is invalid: \(reason)")
    #expect(!error.description.contains("s3cret"))
  }

  @Test(arguments: ["ü", "", " a\tb ", "\u{80}"])
  func unusualHeaderValuesAreAccepted(value: String) throws {
    #expect(try build(.get("a", headers: ["X-A": value])).headers["X-A"] == value)
  }

  @Test func otherInvalidRequestsAreRejected() throws {
    let nan = try #require(failure(.post("a", parameters: ["x": [.double(.nan)]])))
    #expect(nan.code == .encodingFailed)
    #expect(
      nan.description
        == "POST a: the request cannot be encoded: the parameter x[0] is not a finite number")
    let method = try #require(failure(Request(HTTPMethod(rawValue: "GET /"), "a")))
    #expect(method.code == .invalidMethod)
    let relative = #expect(throws: NetworkError.self) {
      try RequestBuilder().build(.get("a?token=x"))
    }
    #expect(
      relative?.description
        == "GET a?token=***: the URL is invalid: the path is relative, and there is no base URL")
    #expect(failure(.get("\(raw: "a b")"))?.code == .invalidURL)
  }

  private struct Wrong: Error {}
}
