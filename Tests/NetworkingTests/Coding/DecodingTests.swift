import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

@Suite(.gated)
struct DecodingTests {
  private struct Board: Codable, Sendable, Equatable {
    let id: Int
  }

  private func response(
    _ body: Data, status: Int = 200, type: String? = nil
  ) -> NetworkPromise {
    var headers: HTTPHeaders = [:]
    headers["Content-Type"] = type
    return .fulfilled(
      Response(
        head: HTTPResponseHead(status: status, headers: headers), data: body,
        request: HTTPRequest(url: .of("https://a.example/"))))
  }

  private func response(_ body: String, status: Int = 200, type: String? = nil) -> NetworkPromise {
    response(Data(body.utf8), status: status, type: type)
  }

  @Test func aBodyIsDecoded() async throws {
    #expect(try await response(#"{"id":7}"#).decode(Board.self).value == Board(id: 7))
    let boards: [Board] = try await response(#"[{"id":7}]"#).decode().value
    #expect(boards == [Board(id: 7)])
  }

  @Test func aCustomDecoderIsUsed() async throws {
    struct Snake: Decodable, Sendable { let boardId: Int }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let value = try await response(#"{"board_id":7}"#).decode(Snake.self, decoder: decoder).value
    #expect(value.boardId == 7)
  }

  @Test func undecodableBodiesAreErrors() async {
    for body in ["{", #"{"id":"x"}"#, "[]"] {
      let result = await response(body).decode(Board.self).result
      #expect(result.failure(as: NetworkError.self)?.code == .decodingFailed)
    }
  }

  @Test(arguments: [(200, ""), (204, ""), (205, "ignored")])
  func anEmptyBodyDecodesToAnEmptyResponse(_ status: Int, _ body: String) async throws {
    #expect(try await response(body, status: status).decode(Board?.self).value == nil)
    _ = try await response(body, status: status).decode(EmptyResponse.self).value
    let result = await response(body, status: status).decode(Board.self).result
    #expect(result.failure(as: NetworkError.self)?.code == .noData)
  }

  @Test func anOptionalDecodesAnExistingBody() async throws {
    #expect(try await response(#"{"id":7}"#).decode(Board?.self).value == Board(id: 7))
    #expect(try await response("null").decode(Board?.self).value == nil)
  }

  @Test func textIsDecodedByItsCharset() async throws {
    let latin = Data([0x66, 0xFC, 0x72])
    #expect(
      try await response(latin, type: "text/plain; charset=ISO-8859-1").toString().value == "für")
    #expect(try await response(latin).toString(encoding: .isoLatin1).value == "für")
    #expect(try await response("f\u{FC}r").toString().value == "für")
    #expect(try await response(Data([0xEF, 0xBB, 0xBF, 0x61])).toString().value == "a")
    #expect(try await response("").toString().value == "")
  }

  @Test func invalidTextIsAnError() async {
    let broken = await response(Data([0xFF, 0xFE, 0xFD])).toString().result
    #expect(broken.failure(as: NetworkError.self)?.code == .stringFailed)
  }

  /// A step that decodes a response, whose value is not needed.
  fileprivate struct Step: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let run: @Sendable (NetworkPromise) -> Promise<Void>

    static let all = [
      Step(testDescription: "decode") { $0.decode(Board.self).asVoid() },
      Step(testDescription: "toJson") { $0.toJson().asVoid() },
      Step(testDescription: "toJsonArray") { $0.toJsonArray().asVoid() },
      Step(testDescription: "toJsonDictionary") { $0.toJsonDictionary().asVoid() },
      Step(testDescription: "toString") { $0.toString(encoding: .utf8).asVoid() },
      Step(testDescription: "a type") { $0.validate(contentTypes: ["a/b"]).asVoid() },
    ]
  }

  @Test(arguments: Step.all)
  fileprivate func aStatusThatIsNoSuccessIsInTheErrorsOfDecoding(_ step: Step) async throws {
    let body = Data([0xFF])
    for status in [404, 500] {
      let error = await step.run(response(body, status: status)).result.error
      let text =
        "; the response has the status \(status), which validate() rejects; the body begins"
      #expect("\(try #require(error))".contains(text))
    }
    let error = await step.run(response(body)).result.error
    #expect(!"\(try #require(error))".contains("status"))
  }

  /// `JSONDecoder` reports some of them as values of another type.
  @Test(arguments: [[0x22, 0xFF, 0x22], [0x5B, 0x22, 0xC3, 0x22, 0x5D]] as [[UInt8]])
  func aBodyThatIsNotUTF8IsNamed(_ bytes: [UInt8]) async throws {
    let body = response(Data(bytes))
    for promise in [
      body.decode(JSON.self).asVoid(), body.decode([String].self).asVoid(), body.toJson().asVoid(),
    ] {
      let error = try #require(await promise.result.error)
      #expect("\(error)".contains("is not valid UTF-8"))
    }
    // UTF-16 is another encoding of JSON, and no cause of an error.
    let wide = await response(Data([0x7B, 0x00, 0x7D, 0x00])).decode(Board.self).result.error
    #expect(!"\(try #require(wide))".contains("UTF-8"))
  }

  @Test func aSerializerReceivesStatusHeadersAndData() async throws {
    struct Summary: ResponseSerializing {
      func serialize(_ response: Response) throws -> String {
        guard response.status != 500 else { throw TestError("500") }
        return "\(response.status) \(response.headers["Content-Type"] ?? "") \(response.data.count)"
      }
    }
    #expect(try await response("abc", type: "a/b").serialize(using: Summary()).value == "200 a/b 3")
    let result = await response("", status: 500).serialize(using: Summary()).result
    #expect(result.failure() == TestError("500"))
  }
}
