import Foundation
import NetworkingInterceptors
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking

/// The rules of RFC 9110 section 15.4 for the requests that follow a redirect.
@Suite(.gated)
struct RedirectTests {
  private static let start = URL.of("https://a.example/x/y?q=1")

  private func follow(
    _ request: HTTPRequest, _ policy: RedirectPolicy = .follow(),
    _ respond: @escaping FakeTransport.Handler
  ) async -> (result: Result<Response, any Error>, requests: [HTTPRequest]) {
    let transport = FakeTransport(respond)
    let pipeline = Pipeline([RedirectStage(policy: policy)])
    let exchange = Exchange(request, over: transport)
    return (await pipeline.send(exchange).result, transport.requests)
  }

  private func once(
    _ status: Int, to location: String, _ request: HTTPRequest
  ) async throws -> HTTPRequest {
    let (result, requests) = await follow(request) { sent in
      sent.url == request.url ? .response(status, ["Location": location]) : .response(200)
    }
    #expect(try result.get().status == 200)
    return try #require(requests.count == 2 ? requests[1] : nil)
  }

  @Test(arguments: [
    (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (307, "POST", "POST"),
    (308, "POST", "POST"), (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (303, "PUT", "GET"),
    (303, "HEAD", "HEAD"), (301, "HEAD", "HEAD"), (308, "PATCH", "PATCH"),
  ])
  func theStatusDeterminesMethodAndBody(_ status: Int, _ method: String, _ then: String)
    async throws
  {
    let request = HTTPRequest(
      method: HTTPMethod(rawValue: method), url: Self.start,
      headers: ["Content-Type": "text/plain", "X-Kept": "1"], body: .data(Data("body".utf8)))
    let next = try await once(status, to: "/z", request)
    #expect(next.method.rawValue == then)
    let keepsBody = [307, 308].contains(status) || (status != 303 && method != "POST")
    #expect(next.body == (keepsBody ? request.body : .none))
    #expect(next.headers.contains("Content-Type") == keepsBody)
    #expect(next.headers["X-Kept"] == "1")
  }

  @Test(arguments: [
    ("z", "https://a.example/x/z"), ("/z", "https://a.example/z"),
    ("?p=2", "https://a.example/x/y?p=2"),
    ("//b.example/z", "https://b.example/z"), ("../z#f", "https://a.example/z#f"),
    ("/z?f[id]=a%2Fb", "https://a.example/z?f%5Bid%5D=a%2Fb"),
    ("\u{E9}%20|?n=100%&s=%3D", "https://a.example/x/%C3%A9%20%7C?n=100%25&s=%3D"),
    ("\\\\b.example/z?a%20[", "https://b.example/z?a%20%5B"),
    ("HTTPS://a.example/x/../z", "https://a.example/z"),
    ("https://a.example:8443/", "https://a.example:8443/"),
  ])
  func aRelativeLocationIsResolvedAgainstTheRequest(_ location: String, _ target: String)
    async throws
  {
    let next = try await once(302, to: location, HTTPRequest(url: Self.start))
    #expect(next.url.absoluteString == target)
  }

  @Test func aFragmentIsInheritedUnlessTheLocationHasOne() async throws {
    let request = HTTPRequest(url: .of("https://a.example/x#here"))
    #expect(try await once(302, to: "/z", request).url.absoluteString == "https://a.example/z#here")
    #expect(try await once(302, to: "/z#f", request).url.absoluteString == "https://a.example/z#f")
    let escaped = HTTPRequest(url: .of("https://a.example/x#a%20b%2Fc"))
    #expect(
      try await once(302, to: "/z?%20[", escaped).url.absoluteString
        == "https://a.example/z?%20%5B#a%20b%2Fc")
  }

  @Test(arguments: [
    ("/z", true), ("https://a.example:443/z", true), ("https://A.EXAMPLE/z", true),
    ("https://b.example/z", false), ("https://a.example:8443/z", false),
    ("/\\b.example/z", false), ("https:/\\a.example\\@b.example/z", true),
  ])
  func credentialsStayWithTheirOrigin(_ location: String, _ kept: Bool) async throws {
    let names = [
      "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "X-Auth-Token",
      "X-Amz-Security-Token", "X-Session",
    ]
    var headers = HTTPHeaders(names.map { .init(name: $0.lowercased(), value: "secret") })
    headers["X-Forwarded"] = "Bearer s3cret-s3cret-s3cret"
    headers["X-Plain"] = "1"
    headers["Idempotency-Key"] = "4111 1111 1111 1111"
    let next = try await once(307, to: location, HTTPRequest(url: Self.start, headers: headers))
    for name in names + ["X-Forwarded"] { #expect(next.headers.contains(name) == kept) }
    #expect(next.headers["X-Plain"] == "1")
    #expect(next.headers["Idempotency-Key"] == "4111 1111 1111 1111")
  }

  @Test(arguments: [
    "http://a.example/z", "ftp://a.example/z", "mailto:a@b", "https://", "javascript:1",
  ])
  func aForbiddenLocationIsRejected(_ location: String) async {
    let (result, requests) = await follow(HTTPRequest(url: Self.start)) { _ in
      .response(302, ["Location": location])
    }
    #expect(result.failure(as: NetworkError.self)?.code == .redirectRefused)
    #expect(requests.count == 1)
  }

  @Test(arguments: ["/z", "http://a.example/z", "mailto:a@b", "https://"])
  func aRedirectRefusedByThePolicyIsTheResponse(_ location: String) async throws {
    let (result, requests) = await follow(HTTPRequest(url: Self.start), .refuse) { _ in
      .response(302, ["Location": location])
    }
    #expect(try result.get().status == 302)
    #expect(requests.count == 1)
  }

  @Test func aDowngradeIsFollowedIfPermitted() async throws {
    let (result, _) = await follow(HTTPRequest(url: Self.start), .follow(allowsDowngrade: true)) {
      $0.url.scheme == "http" ? .response(200) : .response(302, ["Location": "http://a.example/"])
    }
    #expect(try result.get().status == 200)
  }

  @Test func theLimitIsTwentyHops() async throws {
    for (hops, isFollowed) in [(20, true), (21, false)] {
      let (result, requests) = await follow(HTTPRequest(url: .of("https://a.example/0"))) {
        request in
        let number = Int(request.url.lastPathComponent) ?? 0
        return number < hops ? .response(302, ["Location": "/\(number + 1)"]) : .response(200)
      }
      #expect((try? result.get().status) == (isFollowed ? 200 : nil))
      #expect(result.failure(as: NetworkError.self)?.code == (isFollowed ? nil : .tooManyRedirects))
      #expect(requests.count == 21)
    }
  }

  @Test func aLoopIsFollowedUpToTheLimit() async {
    let (result, requests) = await follow(HTTPRequest(url: .of("https://a.example/1"))) { request in
      .response(302, ["Location": request.url.path == "/1" ? "/2" : "/1"])
    }
    #expect(result.failure(as: NetworkError.self)?.code == .tooManyRedirects)
    #expect(requests.count == 21)
  }

  /// A server that has not finished the work redirects to the same URL until it has.
  @Test(arguments: [301, 302, 303, 307, 308], [1, 2, 20, 21])
  func aRedirectToTheSameURLMayEnd(_ status: Int, _ redirects: Int) async {
    let request = HTTPRequest(
      method: .post, url: .of("https://a.example/1"), body: .data(Data("a".utf8)))
    let count = Counter()
    let (result, requests) = await follow(request) { _ in
      count.add() > redirects ? .response(200) : .response(status, ["Location": "/1"])
    }
    #expect((try? result.get().status) == (redirects <= 20 ? 200 : nil))
    #expect(requests.count == min(redirects, 20) + 1)
    #expect(requests.last?.method == (status < 304 ? .get : .post))
  }

  @Test(arguments: [
    ["Location": "https://a.example/1"], ["Location": ""], ["Location": "#fragment"],
    ["Location": "https://A.example:443/1"],
    ["Location": "/1", "Set-Cookie": "a=1"],
  ])
  func aRedirectToTheSameURLIsFollowedUpToTheLimit(_ fields: HTTPHeaders) async {
    let (result, requests) = await follow(HTTPRequest(url: .of("https://a.example/1"))) { _ in
      .response(302, fields)
    }
    #expect(result.failure(as: NetworkError.self)?.code == .tooManyRedirects)
    #expect(requests.count == 21)
  }

  /// The body of a redirect is endless: its exchange has no end event and has to be cancelled.
  @Test func theBodyOfARedirectIsBounded() async throws {
    let piece = TransportEvent.body(Data(count: 256 << 10))
    let transport = FakeTransport { request in
      request.url.path == "/z"
        ? .response(200)
        : [.head(.init(status: 302, headers: ["Location": "/z"]))]
          + Array(repeating: piece, count: 5)
    }
    let pipeline = Pipeline([RedirectStage(policy: .follow())])
    let response = try await pipeline.send(
      Exchange(HTTPRequest(url: Self.start), over: transport)
    ).value
    #expect(response.status == 200)
    #expect(transport.cancelled == 1)
  }

  @Test func aRedirectWithoutALocationOrWithTheRefusePolicyIsTheResponse() async throws {
    let plain = await follow(HTTPRequest(url: Self.start)) { _ in .response(302) }
    #expect(try plain.result.get().status == 302)
    let refused = await follow(HTTPRequest(url: Self.start), .refuse) { _ in
      .response(302, ["Location": "/z"])
    }
    #expect(try refused.result.get().status == 302)
    #expect(refused.requests.count == 1)
  }

  @Test func aClosureDecidesAboutARedirect() async throws {
    let policy = RedirectPolicy.deciding { response, proposed in
      var request = proposed
      request.headers["X-From"] = response.url.path
      return request
    }
    let (_, requests) = await follow(HTTPRequest(url: Self.start), policy) {
      $0.url == Self.start ? .response(307, ["Location": "/z"]) : .response(200)
    }
    #expect(requests.last?.headers["X-From"] == "/x/y")
  }

  @Test func aNewRequestOfTheDecisionKeepsTheAttributes() async {
    var request = HTTPRequest(url: Self.start)
    request.sendsCredentials = false
    request.attributes[TenantKey.self] = "acme"
    let policy = RedirectPolicy.deciding { _, proposed in HTTPRequest(url: proposed.url) }
    let (_, requests) = await follow(request, policy) {
      $0.url == Self.start ? .response(307, ["Location": "/z"]) : .response(200)
    }
    #expect(requests.count == 2 && requests.last?.sendsCredentials == false)
    #expect(requests.last?.attributes[TenantKey.self] == "acme")
  }

  @Test func aNewRequestOfAHopInterceptorStillWithholdsTheClientCertificate() async throws {
    let transport = FakeTransport {
      $0.url == Self.start ? .response(307, ["Location": "https://b.example/"]) : .response(200)
    }
    let pipeline = Pipeline([
      RedirectStage(policy: .follow()), RequestAdapter { HTTPRequest(url: $0.url) },
    ])
    _ = try await pipeline.send(Exchange(HTTPRequest(url: Self.start), over: transport)).value
    #expect(transport.requests.map(\.options.withholdsClientCertificate) == [false, true])
  }
}
