import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingRecordings

/// Requests with content codings, as a mock backend receives them.
@Suite(.gated)
struct RequestCodingTests {
  private func client(_ transport: any Transport) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.cookies = .none
    configuration.idleTimeout = nil
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    client.callbackContext = .inline
    return client
  }

  private let order: Parameters = ["user": "ada", "lines": ["a", "b"], "password": "lovelace"]

  /// The body of a request with gzip, and its header fields.
  private func compressed(_ request: Request) async throws -> ReceivedRequest {
    let transport = MockTransport { Route(nil, "/{path*}") { _ in .status(204) } }
    _ = try await client(transport).request(request, .compression(.gzip)).value
    return try #require(transport.journal.entries.last?.request)
  }

  @Test func conditionsMatchTheDecodedBody() async throws {
    let transport = MockTransport {
      Route(.post, "/orders", .text("json")).where(.json(containing: ["user": "ada"]))
      Route(.post, "/orders", .text("form")).where(.form("user", "ada"))
    }
    let client = client(transport)
    let request = Request.post("orders", parameters: order, .compression(.gzip))
    #expect(try await client.request(request).toString().value == "json")
    var form = request
    form.contentType = .formURLEncoded
    #expect(try await client.request(form).toString().value == "form")
  }

  @Test func handlersReadTheDecodedBodyInEveryForm() async throws {
    let json = try await compressed(.post("a", parameters: order))
    #expect(json.json["user"].string == "ada" && json.json["lines"].array?.count == 2)
    #expect(json.text.hasPrefix(#"{"user":"ada""#) && json.decodedBody == Data(json.text.utf8))
    #expect(json.body.starts(with: [0x1F, 0x8B]) && json.bodyByteCount == json.body.count)
    struct Order: Decodable { var user: String }
    #expect(try json.decode(Order.self).user == "ada")
    let form = try await compressed(.post("a", parameters: order, contentType: .formURLEncoded))
    #expect(form.form["user"] == "ada")
    let parts = try await compressed(.post("a", parameters: order, contentType: .multipartFormData))
    #expect(parts.parts.first?.text == "ada" && parts.form["user"] == "ada")
  }

  @Test(arguments: ["", "identity", "gzip", "x-gzip", "br2", "gzip, gzip, gzip, gzip, gzip"])
  func bodiesThatCannotBeDecodedStayAsReceived(_ coding: String) {
    let body = Data("{\"a\":1}".utf8)
    #expect(ContentCoding.decoded(body, codings: coding.isEmpty ? [] : [coding]) == nil)
  }

  @Test func truncatedAndCorruptBodiesAreNotDecoded() async throws {
    let request = try await compressed(.upload(data: Data.pattern(10_000), to: "a"))
    let body = request.body
    #expect(ContentCoding.decoded(body, codings: ["GZIP"]) == Data.pattern(10_000))
    for count in [1, 10, body.count / 2, body.count - 1] {
      #expect(ContentCoding.decoded(body.prefix(count), codings: ["gzip"]) == nil)
    }
    var corrupt = body
    corrupt[corrupt.count - 5] ^= 1
    #expect(ContentCoding.decoded(corrupt, codings: ["gzip"]) == nil)
    // A slice has other indices than a copy of it.
    let slice = (Data([0]) + body).dropFirst()
    #expect(ContentCoding.decoded(slice, codings: ["gzip"]) == Data.pattern(10_000))
  }

  @Test func theDecodedSizeIsBounded() async throws {
    let zeros = try await compressed(.upload(data: Data(count: 4 << 20), to: "a")).body
    #expect(zeros.count < 10_000)
    #expect(ContentCoding.decoded(zeros, codings: ["gzip"], limit: (4 << 20) - 1) == nil)
    #expect(ContentCoding.decoded(zeros, codings: ["gzip"], limit: 4 << 20)?.count == 4 << 20)
    // Each of two codings is bounded.
    let twice = try await compressed(.upload(data: zeros, to: "a")).body
    #expect(ContentCoding.decoded(twice, codings: ["gzip, gzip"], limit: 1 << 20) == nil)
    #expect(ContentCoding.decoded(twice, codings: ["gzip", "gzip"])?.count == 4 << 20)
  }

  @Test func recordingsContainTheDecodedBodyWithoutSecrets() async throws {
    let request = HTTPRequest(
      method: .post, url: .of("https://a.example/a"),
      headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"],
      body: .data(try await compressed(.post("a", parameters: order)).body))
    let recorded = HAR.Request(request, bodyLimit: 1 << 20)
    #expect(recorded.postData?.text?.hasPrefix(#"{"user":"ada""#) == true)
    #expect(recorded.postData?.encoding == nil)
    #expect(recorded.bodySize == Int(request.body.byteCount ?? 0))
  }
}
