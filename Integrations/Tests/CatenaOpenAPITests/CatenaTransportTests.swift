import CatenaOpenAPI
import Foundation
import HTTPTypes
import Mocking
import OpenAPIRuntime
import Testing

struct CatenaTransportTests {
  private static let url = ("https://api.example.com/v1" as BaseURL).url

  private static func get(_ path: String) -> HTTPTypes.HTTPRequest {
    HTTPTypes.HTTPRequest(method: .get, scheme: nil, authority: nil, path: path)
  }

  @Test func mocksAreSelectedByTheOperation() async throws {
    let provider = MockProvider<Request>(strict: true) { request in
      switch request.attributes.operationID {
      case "listPets": .json([["id": 1]])
      case "showPetById": .status(404)
      default: nil
      }
    }
    let transport = CatenaTransport(Networking<Request>(mockProvider: provider))
    let (head, body) = try await transport.send(
      Self.get("/pets?limit=2"), body: nil, baseURL: Self.url, operationID: "listPets")
    #expect(head.status == .ok)
    #expect(head.headerFields[.contentType] == "application/json")
    let data = try await Data(collecting: try #require(body), upTo: 100)
    #expect(String(decoding: data, as: UTF8.self) == #"[{"id":1}]"#)
    #expect(provider.journal.entries.map(\.request.target) == ["/v1/pets?limit=2"])
    let (other, _) = try await transport.send(
      Self.get("/pets/7"), body: nil, baseURL: Self.url, operationID: "showPetById")
    #expect(other.status == .notFound)
    await #expect(throws: NetworkError.self) {
      try await transport.send(
        Self.get("/pets"), body: nil, baseURL: Self.url, operationID: "unknown")
    }
  }

  @Test(arguments: [
    ("https://a.test", "/pets", "https://a.test/pets"),
    ("https://a.test/", "/pets", "https://a.test/pets"),
    ("https://a.test/v1", "/pets", "https://a.test/v1/pets"),
    ("https://a.test/v1/", "/pets?a=%2F", "https://a.test/v1/pets?a=%2F"),
  ])
  func pathIsAppendedToTheServer(base: String, path: String, expected: String) async throws {
    let mock = MockTransport { Route(.get, "/{path*}", .text("ok")) }
    let client = Networking<Request>(transport: mock)
    let seen = Seen()
    client.addMonitor(seen)
    _ = try await CatenaTransport(client).send(
      Self.get(path), body: nil, baseURL: URL(string: base)!, operationID: "a")
    await client.flush()
    #expect(seen.urls == [expected])
  }

  /// The URLs of the hops of a client.
  private final class Seen: NetworkMonitor, @unchecked Sendable {
    private let lock = NSLock()
    private var list: [String] = []
    var urls: [String] { lock.withLock { list } }
    func observe(_ event: NetworkEvent) {
      guard case .sending = event.kind, let url = event.request?.url else { return }
      lock.withLock { list.append(url) }
    }
  }

  @Test func smallBodyIsSentAgainAfterAFailure() async throws {
    let mock = MockTransport {
      Route(.put, "/pets", .sequence([.failure(.connectionLost), .text("ok")]))
    }
    let client = Networking<Request>(
      transport: mock, retry: .exponential(initial: .zero, limit: 1))
    let request = HTTPTypes.HTTPRequest(
      method: .put, scheme: nil, authority: nil, path: "/pets",
      headerFields: [.contentType: "text/plain"])
    let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
      for text in ["Balsa ", "Fish"] { continuation.yield(ArraySlice(text.utf8)) }
      continuation.finish()
    }
    let body = OpenAPIRuntime.HTTPBody(pieces, length: .known(10), iterationBehavior: .single)
    let (head, _) = try await CatenaTransport(client).send(
      request, body: body, baseURL: URL(string: "https://a.test")!, operationID: "addPet")
    #expect(head.status == .ok)
    #expect(mock.journal.entries.map(\.request.text) == ["Balsa Fish", "Balsa Fish"])
    #expect(mock.journal.entries.first?.request.headers["Content-Type"] == "text/plain")
  }

  @Test(arguments: [3, 30]) func sizeOfABodyIsChecked(size: Int64) async throws {
    let client = Networking<Request>(transport: MockTransport { Route(nil, "/pets", .text("ok")) })
    let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
      continuation.yield(ArraySlice("Balsa Fish".utf8))
      continuation.finish()
    }
    let body = OpenAPIRuntime.HTTPBody(pieces, length: .known(size), iterationBehavior: .single)
    await #expect { () async throws in
      _ = try await CatenaTransport(client).send(
        HTTPTypes.HTTPRequest(method: .put, scheme: nil, authority: nil, path: "/pets"),
        body: body, baseURL: Self.url, operationID: "addPet")
    } throws: { ($0 as? NetworkError)?.code == .encodingFailed }
  }

  @Test func bodyOfUnknownSizeIsStreamed() async throws {
    let server = try MockServer { Route(.post, "/pets", .text("ok")) }
    let pieces = AsyncStream<ArraySlice<UInt8>> { continuation in
      for _ in 1...32 { continuation.yield(ArraySlice(repeating: 0x61, count: 65_536)) }
      continuation.finish()
    }
    let body = OpenAPIRuntime.HTTPBody(pieces, length: .unknown, iterationBehavior: .single)
    let (head, _) = try await CatenaTransport(Networking<Request>()).send(
      HTTPTypes.HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/pets"), body: body,
      baseURL: server.url, operationID: "addPet")
    #expect(head.status == .ok)
    let received = try #require(server.journal.entries.first).request
    #expect(received.bodyByteCount == 32 * 65_536)
    #expect(received.headers["Transfer-Encoding"] == "chunked")
  }

  @Test(arguments: [true, false]) func responseIsStreamedOnDemand(isStreamed: Bool) async throws {
    let server = try MockServer { Route(.get, "/events", .bytes(300_000)) }
    let transport = CatenaTransport(
      Networking<Request>(), streaming: isStreamed ? ["events"] : [])
    let (head, body) = try await transport.send(
      Self.get("/events"), body: nil, baseURL: server.url, operationID: "events")
    let response = try #require(body)
    #expect(head.headerFields[.contentLength] == nil)
    #expect(response.length == (isStreamed ? .unknown : .known(300_000)))
    #expect(response.iterationBehavior == (isStreamed ? .single : .multiple))
    #expect(try await Data(collecting: response, upTo: 300_000).count == 300_000)
  }

  @Test func streamedOperationHasTheBodyOfAnError() async throws {
    let server = try MockServer { Route(.get, "/events", .text("none", status: 404)) }
    let transport = CatenaTransport(Networking<Request>(), streaming: ["events"])
    let (head, body) = try await transport.send(
      Self.get("/events"), body: nil, baseURL: server.url, operationID: "events")
    #expect(head.status == .notFound)
    let data = try await Data(collecting: try #require(body), upTo: 100)
    #expect(String(decoding: data, as: UTF8.self) == "none")
  }

  @Test func cancelledTaskCancelsTheCall() async {
    await withVirtualTime { time in
      let mock = MockTransport(scheduler: time) {
        Route(.get, "/{path*}", .text("late").delayed(by: .seconds(60)))
      }
      let client = Networking<Request>(transport: mock)
      let task = Task {
        try await CatenaTransport(client).send(
          Self.get("/pets"), body: nil, baseURL: Self.url, operationID: "listPets")
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
  }
}
