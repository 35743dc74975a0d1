import Foundation
import Networking
import Promises
import TestGate
import TestSupport
import Testing

/// The decoder and the encoder of a client.
@Suite(.gated)
struct ClientCodingTests {
  private struct Board: Codable, Sendable, Equatable {
    var boardId: Int
    var madeAt: Date
  }

  private struct GetBoard: TypedEndpoint {
    typealias ResponseType = Board
    var request: Request { .get("boards/7") }
  }

  private static let body = #"{"board_id":7,"made_at":"2024-05-01T12:00:00Z"}"#
  private let board = Board(boardId: 7, madeAt: Date(timeIntervalSince1970: 1_714_564_800))

  private let transport = FakeTransport { request in
    .response(request.url.path == "/failing" ? 500 : 200, [:], ClientCodingTests.body)
  }

  private var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }

  private func client(
    _ configure: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration.plain
    configure(&configuration)
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = .of("https://a.example/")
    client.callbackContext = .inline
    return client
  }

  @Test func theDecoderOfTheClientIsUsedForAllJSON() async throws {
    let client = client { $0.decoder = decoder }
    #expect(try await client.fetch(GetBoard()).value == board)
    let response = client.request(.get("boards/7"))
    #expect(try await response.decode(Board.self).value == board)
    #expect(try await response.serialize(using: DecodableSerializer(Board.self)).value == board)
    #expect(
      try await response.value.decoder.decode(Board.self, from: Data(Self.body.utf8)) == board)
    let failed = await client.request(.get("failing")).validate().result
    let error = try #require(failed.failure(as: NetworkError.self))
    #expect(try error.decodeBody(Board.self) == board)
  }

  @Test func anotherDecoderTakesPrecedence() async throws {
    let client = client { $0.decoder = JSONDecoder() }
    #expect(try await client.fetch(GetBoard(), decoder: decoder).value == board)
    let response = client.request(.get("boards/7"))
    #expect(try await response.decode(Board.self, decoder: decoder).value == board)
    let failed = await client.request(.get("failing")).validate().result
    let error = try #require(failed.failure(as: NetworkError.self))
    #expect(try error.decodeBody(Board.self, decoder: decoder) == board)
    #expect(throws: NetworkError.self) { try error.decodeBody(Board.self) }
  }

  @Test func aClientWithoutADecoderUsesDefaultSettings() async {
    let client = client()
    let fetched = await client.fetch(GetBoard()).result.failure(as: NetworkError.self)
    #expect(fetched?.code == .decodingFailed)
    #expect(transport.requests.allSatisfy { $0.attributes.isEmpty })
  }

  @Test func theEncoderOfTheClientWritesJSONBodies() async throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .sortedKeys
    let client = client { $0.encoder = encoder }
    let parameters = try Parameters(encoding: board)
    _ = try await client.request(.post("boards", parameters: parameters)).value
    _ = try await client.request(.get("boards", parameters: parameters)).value
    #expect(transport.requests[0].body == .data(Data(Self.body.utf8)))
    #expect(transport.requests[0].headers["Content-Type"] == "application/json")
    #expect(
      transport.requests[1].url.query()?.removingPercentEncoding
        == "boardId=7&madeAt=2024-05-01T12:00:00Z")
  }

  @Test func theKeysOfADictionaryAreNotConverted() async throws {
    struct Card: Codable {
      var cardID = 1
      var dueLabels = ["dueDate": ["isOpen": [true]]]
      var rawValue: JSON = ["someName": [["innerName": 1]]]
    }
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    let client = client { $0.encoder = encoder }
    let title = "a"
    let requests: [Request] = [
      .post("cards", json: Card()),
      .post("cards", json: Card(), .omittingNulls, .parameters(["boardID": 2])),
      .post("cards", json: ["boardID": 1]),
      .post("cards", json: ["boardID": 1, "longTitle": title]),
      .post("cards", parameters: ["boardID": 1, "longTitle": title]),
    ]
    let card =
      #""card_id":1,"due_labels":{"dueDate":{"isOpen":[true]}},"#
      + #""raw_value":{"someName":[{"innerName":1}]}}"#
    let texts = [
      "{" + card, #"{"board_id":2,"# + card, #"{"boardID":1}"#,
      #"{"boardID":1,"longTitle":"a"}"#, #"{"board_id":1,"long_title":"a"}"#,
    ]
    for (request, text) in zip(requests, texts) {
      // A stored request is encoded and decoded before it is sent.
      let stored = try JSONDecoder().decode(Request.self, from: JSONEncoder().encode(request))
      for request in [request, stored] {
        _ = try await client.request(request).value
        #expect(transport.requests.last?.body == .data(Data(text.utf8)))
      }
    }
  }

  @Test func theEncoderIsThatOfTheParameterEncoders() {
    var configuration = NetworkingConfiguration()
    #expect(configuration.encoder == nil)
    let encoder = JSONEncoder()
    configuration.encoders.json = JSONParameterEncoder(contentType: "application/x+json")
    configuration.encoder = encoder
    let json = configuration.encoders.json as? JSONParameterEncoder
    #expect(json?.encoder === encoder && json?.contentType == "application/x+json")
    configuration.encoder = nil
    #expect((configuration.encoders.json as? JSONParameterEncoder)?.encoder == nil)
    struct Empty: ParameterEncoding {
      func encode(_ parameters: Parameters) throws -> EncodedParameters { .query("") }
    }
    configuration.encoders.json = Empty()
    #expect(configuration.encoder == nil)
    configuration.encoder = nil
    #expect(configuration.encoders.json is Empty)
    configuration.encoder = encoder
    #expect(configuration.encoder === encoder)
  }
}
