import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingStreams

@Suite(.gated)
struct JSONLinesTests {
  private struct Order: Codable, Sendable, Equatable {
    var id: Int
  }

  private func client(_ body: String, _ type: String, by size: Int = .max) -> Networking<Request> {
    client(Data(body.utf8), type, by: size)
  }

  private func client(_ body: Data, _ type: String, by size: Int = .max) -> Networking<Request> {
    var pieces: [TransportEvent] = []
    var rest = body[...]
    while !rest.isEmpty {
      pieces.append(.body(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    let head = HTTPResponseHead(status: 200, headers: ["Content-Type": type])
    let events = [.head(head)] + pieces + [.end(TransportMetrics())]
    let client = Networking<Request>(
      transport: FakeTransport { _ in events }, configuration: .plain)
    client.baseURL = URL.of("https://api.example.com")
    return client
  }

  /// Reads all values; an error is a text.
  private func read<Value: Decodable & Sendable>(
    _ type: Value.Type, _ body: String, _ contentType: String, by size: Int = .max
  ) async -> [String] {
    var values = client(body, contentType, by: size).jsonLines(of: .get("orders"), as: type)
      .makeAsyncIterator()
    var texts: [String] = []
    while true {
      do {
        guard let value = try await values.next() else { return texts }
        texts.append("\(value)")
      } catch let error as NetworkError {
        texts.append("\(error.code) \(error.reason ?? "")")
        guard error.code == .decodingFailed else { return texts }
      } catch {
        return texts + ["\(error)"]
      }
    }
  }

  @Test(arguments: [1, 2, 7, .max])
  func eachLineIsAValue(_ size: Int) async {
    let body = "{\"id\": 1}\n{\"id\": 2}\r\n\n \t\r\n{\"id\": 3}"
    let values = await read(Order.self, body, "application/x-ndjson", by: size)
    #expect(values == ["Order(id: 1)", "Order(id: 2)", "Order(id: 3)"])
  }

  @Test(arguments: ["application/json-seq", "application/geo+json-seq", "text/plain"])
  func aJSONTextSequenceHasRecords(_ type: String) async {
    let body = "\u{1E}{\"id\": 1}\n\u{1E}\u{1E}{\n  \"id\": [\"}\\\"]\", 2]\n}\n\u{1E}3\n\u{1E}\n"
    for size in [1, 3, .max] {
      let values = await read(JSON.self, body, type, by: size)
      #expect(values.count == 3 && values[2].contains("3"), "\(values)")
    }
  }

  @Test func aRecordOfASequenceIsCompleteAtItsLineEnd() async throws {
    var framer = JSONRecordFramer(limit: 100)
    framer.isSequence = true
    framer.append(Data("\u{1E}{".utf8))
    #expect(try framer.next() == nil)
    framer.append(Data("}".utf8))
    #expect(try framer.next()?.text == Data("{\n}\n".utf8))
    #expect(try framer.next() == nil && framer.finish() == nil)
  }

  @Test func aTruncatedRecordIsAnErrorAndTheNextOneIsRead() async {
    let body = "\u{1E}{\"id\": 1\u{1E}12\u{1E}{\"id\": 2}\u{1E}{\"id\": 3}\n\u{1E}{\"id\""
    let values = await read(Order.self, body, "application/json-seq")
    #expect(
      values.map { $0.prefix(14) } == [
        "decodingFailed", "decodingFailed", "Order(id: 2)", "Order(id: 3)", "decodingFailed",
      ])
    // Without its line end a number may be the beginning of another one.
    let numbers = await read(Int.self, "\u{1E}1\n\u{1E}2", "application/json-seq")
    #expect(numbers == ["1", "decodingFailed value 2"])
  }

  @Test func aValueThatCannotBeDecodedIsAnErrorWithItsNumber() async throws {
    let body = "{\"id\": 1}\n{\"id\": \"x\"}\n{\"id\": 3}\n"
    let values = await read(Order.self, body, "application/x-ndjson")
    #expect(
      values == [
        "Order(id: 1)", "decodingFailed value 2: id is not of the type Int", "Order(id: 3)",
      ])
    var orders = client(body, "application/x-ndjson").jsonLines(of: .get("a"), as: Order.self)
      .makeAsyncIterator()
    _ = try await orders.next()
    let error = await #expect(throws: NetworkError.self) { try await orders.next() }
    #expect(error?.body == Data("{\"id\": \"x\"}".utf8) && error?.underlying is DecodingError)
  }

  @Test func aLineThatIsNotUTF8IsNamed() async throws {
    let ends: [[UInt8]] = [[0x22, 0xFF, 0x22, 0x0A], [0xC3]]
    for end in ends {
      var values = client(Data("1\n\n".utf8) + end, "application/x-ndjson").jsonLines(
        of: .get("a"), as: JSON.self
      )
      .makeAsyncIterator()
      _ = try await values.next()
      let error = await #expect(throws: NetworkError.self) { try await values.next() }
      #expect(error?.code == .decodingFailed)
      #expect(error?.reason == "value 2: line 3 is not valid UTF-8")
    }
  }

  @Test func aLongValueIsAnError() async {
    for (body, type) in [
      ("\u{1E}[1,\n2,\n3,\n4,\n5]\n", "application/json-seq"),
      ("[1,2,3,4,5]\n", "application/x-ndjson"),
    ] {
      let values = client(body, type).jsonLines(of: .get("a"), as: JSON.self, maximumLineSize: 8)
      let error = await Task { for try await _ in values {} }.result.failure(as: NetworkError.self)
      #expect(error?.code == .bodyTooLarge)
    }
  }

  @Test func theDecoderOfTheClientOrOfTheCallIsUsed() async throws {
    struct Item: Codable, Sendable, Equatable { var firstName: String }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    var configuration = NetworkingConfiguration.plain
    configuration.decoder = decoder
    let transport = FakeTransport { _ in
      .response(200, ["Content-Type": "application/x-ndjson"], "{\"first_name\": \"A\"}\n")
    }
    let path = RequestPath(raw: "https://api.example.com/a")
    for client in [
      Networking<Request>(transport: transport, configuration: configuration),
      Networking<Request>(transport: transport, configuration: .plain),
    ] {
      for try await item in client.jsonLines(of: .get(path), as: Item.self, decoder: decoder) {
        #expect(item == Item(firstName: "A"))
      }
    }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    for try await item in client.jsonLines(of: .get(path), as: Item.self) {
      #expect(item == Item(firstName: "A"))
    }
    #expect(transport.requests.first?.headers["Accept"]?.contains("ndjson") == true)
  }

  @Test func mockedLinesArriveAtTheirTimes() async throws {
    let time = TestScheduler()
    var configuration = NetworkingConfiguration.plain
    configuration.scheduler = time
    let transport = MockTransport(scheduler: time) {
      Route(.get, "/orders", .lines([["id": 1], ["id": 2]], every: .seconds(10)))
    }
    let client = Networking<Request>(transport: transport, configuration: configuration)
    client.baseURL = URL.of("https://api.example.com")
    let times = try await time.run {
      var times: [Duration] = []
      for try await order in client.jsonLines(of: .get("orders"), as: Order.self) {
        #expect(order.id == times.count + 1)
        times.append(time.now)
      }
      return times
    }
    #expect(times == [.zero, .seconds(10)])
  }
}
