import Foundation
import Testing

@testable import Networking

#if os(Linux)
  struct HTTP1ServersTests {
    @Test func onlyURLsOfAddedServersMatch() {
      let servers = HTTP1OriginCache()
      servers.add("https://a.example/")
      #expect(servers.contains("https://a.example/v1/boards?page=1"))
      #expect(!servers.contains("https://a.example.net/"))
      #expect(!servers.contains("https://a.example:8443/"))
      #expect(!servers.contains("http://a.example/"))
    }

    @Test func aRemovedServerDoesNotMatch() {
      let servers = HTTP1OriginCache()
      servers.add("https://a.example/")
      servers.add("https://b.example/")
      servers.remove("https://a.example/")
      servers.remove("https://c.example/")
      #expect(!servers.contains("https://a.example/") && servers.contains("https://b.example/"))
    }

    @Test(arguments: [
      ("http://a.example/", false), ("HTTP://a.example/https:", false),
      ("https://a.example/", true), ("HttpS://a.example/", true),
    ])
    func theSchemeDeterminesWhetherARequestIsSecure(_ url: String, _ isSecure: Bool) throws {
      #expect(HTTPRequest(url: try #require(URL(string: url))).isSecure == isSecure)
    }

    @Test func theOldestServerIsEvicted() {
      let servers = HTTP1OriginCache()
      for number in 0..<100 { servers.add("https://a\(number).example/") }
      servers.add("https://a99.example/")
      #expect((0..<100).filter { servers.contains("https://a\($0).example/") } == Array(68..<100))
    }
  }
#endif

struct LoopbackTests {
  @Test(arguments: [
    "http://localhost", "https://LocalHost:8443/a", "http://boards.localhost/",
    "http://127.0.0.1:80",
    "http://127.8.9.255?q", "http://[::1]:8080/x", "http://[::1]",
  ])
  func loopbackNamesAreRecognized(url: String) {
    #expect(Loopback.isHost(ofURL: url))
  }

  @Test(arguments: [
    "http://example.com/localhost", "http://localhost.example.com", "http://127.0.0.1.example.com",
    "http://127.example.com", "http://127.0.0.256", "http://128.0.0.1", "http://notlocalhost",
    "http://[::2]", "http://example.com?localhost", "http://10.0.0.1", "http://", "localhost",
  ])
  func otherNamesAreNotRecognized(url: String) {
    #expect(!Loopback.isHost(ofURL: url))
  }
}
