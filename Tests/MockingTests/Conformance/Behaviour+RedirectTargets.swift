#if os(Linux) || os(macOS)
  import Foundation
  import Mocking
  import Networking
  import TestSupport
  import Testing

  extension Behaviour {
    /// Locations of redirects from `/from/hop?...`, with the expected target.
    private static let locations = [
      ("/there", "/there"), ("there", "/from/there"), ("./there", "/from/there"),
      ("../there", "/there"), ("../../../there", "/there"), ("?only=query", "/from/hop?only=query"),
      ("/a%2Fb?c=%26", "/a%2Fb?c=%26"), ("/a b", "/a%20b"), ("/gr\u{FC}n", "/gr%C3%BCn"),
      ("/x#fragment", "/x"), ("/x?a=b/../c", "/x?a=b/../c"),
    ]

    static let redirectTargets: [Behaviour] =
      locations.map { location, target in
        Behaviour("the Location \"\(location)\" leads to \(target)") { kind async throws in
          let backend = try Backend(kind, hopping)
          let response = try await backend.client().request(hop(to: location)).value
          #expect(response.status == 200)
          #expect(backend.requests.map(\.target).last == target)
          #expect(backend.requests.count == 2)
        }
      }
      + [
        Behaviour("an absolute Location leads to another origin") { kind async throws in
          let backend = try Backend(kind, origins: 2, hopping)
          let target = try backend.url("/there?x=1", origin: 1)
          let response = try await backend.client().request(
            hop(to: target.absoluteString)
          ).value
          #expect(response.url == target)
          #expect(backend.requests.last?.target == "/there?x=1")
        },
        Behaviour("a Location without a scheme keeps the scheme of the request") {
          kind async throws in
          let backend = try Backend(kind, origins: 2, hopping)
          let target = try backend.url("/there", origin: 1)
          let location = target.absoluteString.dropFirst("http:".count)
          let response = try await backend.client().request(hop(to: String(location))).value
          #expect(response.url == target)
        },
        Behaviour("a Location with an IPv6 host and no scheme is followed") {
          kind async throws in
          let backend = try Backend(kind, hopping)
          let result = await backend.client().request(hop(to: "//[::1]:9/x")).result
          #expect(result.failure(as: NetworkError.self)?.code == .cannotConnect)
        },
        Behaviour("a fragment of a Location is in the response's URL and is not sent") {
          kind async throws in
          let backend = try Backend(kind, hopping)
          let response = try await backend.client().request(hop(to: "/there#part")).value
          #expect(response.url.fragment == "part")
          #expect(backend.requests.map(\.target).last == "/there")
        },
        Behaviour("the fragment of a request is in the response's URL and is not sent") {
          kind async throws in
          let backend = try Backend(kind, hopping)
          let plain = try await backend.client().request(.get("/there#own")).value
          #expect(plain.url.fragment == "own")
          for (location, fragment) in [("/there", "own"), ("/there%23part", "part")] {
            let request = Request.get(RequestPath(raw: "/from/hop?to=\(location)#own"))
            let response = try await backend.client().request(request).value
            #expect(response.url.fragment == fragment)
          }
          #expect(backend.requests.allSatisfy { !$0.target.contains("#") })
        },
        Behaviour("a Location that is not an http or https URL is rejected") { kind async throws in
          let backend = try Backend(kind, hopping)
          for location in ["ftp://a.example/", "mailto:a@b", "javascript:1", "file:///etc/passwd"] {
            let result = await backend.client().request(hop(to: location)).result
            #expect(
              result.failure(as: NetworkError.self)?.code == .redirectRefused, "\(location)")
          }
        },
        Behaviour("an empty Location is the same URL") {
          kind async throws in
          let backend = try Backend(kind) { _ in .redirect(to: "") }
          #expect(await backend.failure(of: "/x")?.code == .tooManyRedirects)
        },
        Behaviour("a redirect to an origin that refuses connections fails") {
          kind async throws in
          let backend = try Backend(kind, hopping)
          let result = await backend.client().request(hop(to: "http://127.0.0.1:9/")).result
          #expect(result.failure(as: NetworkError.self)?.code == .cannotConnect)
        },
        Behaviour("a redirect to an unknown host fails") { kind async throws in
          let backend = try Backend(kind, hopping)
          let result = await backend.client().request(hop(to: "http://catena.invalid/")).result
          #expect(result.failure(as: NetworkError.self)?.code == .dnsFailed)
        },
      ]
  }
#endif
