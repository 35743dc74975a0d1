import Foundation
import TestGate
import TestSupport
import Testing

@testable import Mocking

/// Tests of the addresses that a server listens on.
@Suite(.gated)
struct ListeningAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "http://127.0.0.1:80"), ("localhost", "http://localhost:80"),
    ("LOCALHOST", "http://localhost:80"), ("0.0.0.0", "http://127.0.0.1:80"),
    ("::1", "http://[::1]:80"), ("[::1]", "http://[::1]:80"), ("::", "http://[::1]:80"),
    ("192.168.7.1", "http://192.168.7.1:80"), ("fe80::1", "http://[fe80::1]:80"),
  ])
  func theURLHasAnAddressThatClientsCanConnectTo(host: String, url: String) throws {
    let address = try #require(ListeningAddress(host, port: 80))
    #expect(address.url(scheme: "http")?.absoluteString == url)
    #expect(address.port == 80)
  }

  @Test(arguments: [
    "", "example.com", "1", "127.1", "256.0.0.1", "::1::", "[", "a:b", "127.0.0.1:80",
  ])
  func anotherNameIsAnError(host: String) {
    #expect(ListeningAddress(host, port: 0) == nil)
    #expect(throws: MockServerError.self) { try MockServer(host: host) {} }
  }

  private static let hasIPv6: Bool = {
    guard let address = ListeningAddress("::1", port: 0),
      let bound = try? Socket.bound(to: address)
    else { return false }
    bound.socket.close()
    return true
  }()

  @Test(.enabled(if: hasIPv6), arguments: ["::1", "::"])
  func aClientConnectsOverIPv6(host: String) async throws {
    let server = try MockServer(host: host) { Route(.get, "/", .text("six")) }
    #expect(server.url.absoluteString == "http://[::1]:\(server.port)")
    #expect(await PlatformTransport.make().get(server.url).body == Data("six".utf8))
    server.refuseConnections()
    #expect(await PlatformTransport.make().get(server.url).failure?.code == .cannotConnect)
    try server.acceptConnections()
    #expect(await PlatformTransport.make().get(server.url).body == Data("six".utf8))
  }

  @Test(arguments: ["localhost", "0.0.0.0"])
  func aClientConnectsOverIPv4(host: String) async throws {
    let server = try MockServer(host: host) { Route(.get, "/", .text("four")) }
    let client = try RawClient(port: server.port)
    try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try await client.receive(until: "four").hasPrefix("HTTP/1.1 200 OK\r\n"))
  }
}
