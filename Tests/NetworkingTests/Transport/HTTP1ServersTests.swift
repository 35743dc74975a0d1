#if os(Linux)
  import Testing

  @testable import Networking

  struct HTTP1ServersTests {
    @Test func itKnowsTheURLsOfAServerAndOfNoOther() {
      let servers = HTTP1Servers()
      servers.add("https://a.example/")
      #expect(servers.contains("https://a.example/v1/boards?page=1"))
      #expect(!servers.contains("https://a.example.net/"))
      #expect(!servers.contains("https://a.example:8443/"))
      #expect(!servers.contains("http://a.example/"))
    }

    @Test func ofManyItForgetsTheOldest() {
      let servers = HTTP1Servers()
      for number in 0..<100 { servers.add("https://a\(number).example/") }
      servers.add("https://a99.example/")
      #expect((0..<100).filter { servers.contains("https://a\($0).example/") } == Array(68..<100))
    }
  }
#endif
