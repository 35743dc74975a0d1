#if os(Linux)
  import Foundation
  import Mocking
  import TestSupport
  import Testing

  /// What one exchange has set on libcurl's handle is not there for the next.
  @Suite(.timeLimit(.minutes(10)))
  struct HandleReuseTests {
    static let refused: [HTTPRequest] = {
      let url = URL(fileURLWithPath: "/")
      let headers: HTTPHeaders = ["not a token": "x"]
      return [
        HTTPRequest(method: .delete, url: url, headers: headers),
        HTTPRequest(method: .head, url: url, headers: headers),
        HTTPRequest(method: .post, url: url, headers: headers, body: .data(Data("old".utf8))),
      ]
    }()

    @Test(arguments: refused)
    func aRequestThatCannotBeSentLeavesNothingForTheNext(_ refused: HTTPRequest) async throws {
      let server = try MockServer { Route(nil, "/{rest*}") { _ in .text("new") } }
      defer { server.stop() }
      let transport = CurlTransport()
      let url = server.url.appending(path: "next")
      // First on a new handle, then on one that has served.
      for count in 1...2 {
        var refused = refused
        refused.url = url
        let failed = await PerformedExchange(transport, refused).outcome
        #expect(failed.failure?.code == .invalidHeader)
        let next = await PerformedExchange(transport, HTTPRequest(url: url)).outcome
        #expect(next.body == Data("new".utf8))
        #expect(server.receivedRequests.map(\.method) == Array(repeating: .get, count: count))
        #expect(server.receivedRequests.map(\.body.count).max() == 0)
      }
    }
  }
#endif
