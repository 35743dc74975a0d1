import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking
@testable import MockingResources

/// Tests of the methods to which a backend responds without a route for them.
@Suite(.gated)
struct DefaultMethodTests {
  private let folder = TemporaryFolder()

  private func routes() throws -> [Route] {
    _ = try folder.file("a.txt", "0123456789")
    let carts = try Resource<JSON>("/carts", data: [["id": 1]])
    return carts.routes() + [
      Route(.get, "/file", .file("a.txt", in: folder.url)),
      Route(.get, "/events", .events(["1"], every: .seconds(1), repeats: .forever)),
      Route(.put, "/file/{name}", .status(201)), Route(.delete, "/file/{name}", .status(204)),
    ]
  }

  private static let paths = [
    ("/carts", "GET, HEAD, OPTIONS, POST"),
    ("/carts/1", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"),
    ("/carts/unknown", "DELETE, GET, HEAD, OPTIONS, PATCH, PUT"),
    ("/file", "GET, HEAD, OPTIONS"), ("/file/a", "DELETE, OPTIONS, PUT"),
  ]

  @Test(arguments: paths)
  func optionsListsTheMethodsOfThePath(path: String, methods: String) async throws {
    let transport = MockTransport(routes: try routes())
    let url = try #require(URL(string: "http://h\(path)"))
    let options = await transport.perform(HTTPRequest(method: .options, url: url))
    #expect(options.head?.status == 204)
    #expect(options.head?.headers["Allow"] == methods)
    let other = await transport.perform(
      HTTPRequest(method: HTTPMethod(rawValue: "PURGE"), url: url))
    #expect(other.head?.status == 405)
    #expect(other.head?.headers["Allow"] == methods)
  }

  @Test(arguments: ["/carts", "/carts/1", "/carts/unknown", "/file", "/unknown"])
  func headHasTheFieldsOfGetWithoutABody(path: String) async throws {
    let server = try MockServer(routes: try routes())
    var heads: [String] = []
    for method in ["GET", "HEAD"] {
      let client = try RawClient(port: server.port)
      try await client.send(
        "\(method) \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      let parts = try await client.receiveAll().components(separatedBy: "\r\n\r\n")
      try #require(parts.count == 2)
      #expect(parts[1].isEmpty == (method == "HEAD"))
      heads.append(parts[0].replacing(#/\r\nDate: [^\r]*/#, with: ""))
    }
    // The text of a 404 has the method of the request.
    if path != "/unknown" { #expect(heads[0] == heads[1]) }
    #expect(heads[1].contains("\r\nContent-Length: "))
  }

  @Test func headOfAStreamEndsWithTheHead() async throws {
    let server = try MockServer(routes: try routes())
    let client = try RawClient(port: server.port)
    try await client.send("HEAD /events HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    let response = try await client.receiveAll()
    #expect(response.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"))
    #expect(response.hasSuffix("\r\n\r\n"))
  }
}
