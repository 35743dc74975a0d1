import Foundation
import Testing

@testable import Networking

#if os(Linux)
  struct HTTP1ServersTests {
    @Test func onlyURLsOfAddedServersMatch() throws {
      let servers = HTTP1OriginCache()
      #expect(try !servers.contains(url("https://a.example/")))
      servers.add(try origin("https://a.example/"))
      #expect(try servers.contains(url("https://a.example/v1/boards?page=1")))
      #expect(try servers.contains(url("https://a.example")))
      #expect(try servers.contains(url("HTTPS://A.example:443?page=1")))
      #expect(try !servers.contains(url("https://a.example.net/")))
      #expect(try !servers.contains(url("https://a.example:8443/")))
      #expect(try !servers.contains(url("http://a.example/")))
    }

    @Test func aRemovedServerDoesNotMatch() throws {
      let servers = HTTP1OriginCache()
      servers.add(try origin("https://a.example/"))
      servers.add(try origin("https://b.example/"))
      servers.remove(try origin("https://a.example/"))
      servers.remove(try origin("https://c.example/"))
      #expect(try !servers.contains(url("https://a.example/")))
      #expect(try servers.contains(url("https://b.example/")))
    }

    @Test(arguments: [
      ("http://a.example/", false), ("HTTP://a.example/https:", false),
      ("https://a.example/", true), ("HttpS://a.example/", true),
    ])
    func theSchemeDeterminesWhetherARequestIsSecure(_ url: String, _ isSecure: Bool) throws {
      #expect(HTTPRequest(url: try #require(URL(string: url))).isSecure == isSecure)
    }

    @Test func theOldestServerIsEvicted() throws {
      let servers = HTTP1OriginCache()
      for number in 0..<100 { servers.add(try origin("https://a\(number).example/")) }
      servers.add(try origin("https://a99.example/"))
      let known = try (0..<100).filter { try servers.contains(url("https://a\($0).example/")) }
      #expect(known == Array(68..<100))
    }

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    private func origin(_ text: String) throws -> Origin {
      try #require(URL(string: text).flatMap { Origin($0) })
    }
  }
#endif
