import Foundation
import Mocking
import Networking
import TestGate
import Testing

/// Queries of nested parameters, in several formats.
@Suite(.gated)
struct ConduitQueriesTests {
  /// A server that responds with the query of the request.
  private let server: MockServer

  init() throws {
    server = try MockServer { Route(.get, "/kittens") { request in .text(request.target) } }
  }

  private func client(
    _ change: (inout NetworkingConfiguration) -> Void = { _ in }
  ) -> Networking<Request> {
    var configuration = NetworkingConfiguration()
    configuration.session = .ephemeral
    change(&configuration)
    return Networking(baseURL: server.url, configuration: configuration)
  }

  @Test("C3: complex query")
  func complexQuery() async throws {
    let sessionClient = client()
    // sample C3
    let request = Request.get(
      "kittens",
      parameters: [
        "options": [
          "include": ["fuzzy", "fluffy", "not mean"],
          "2+2": 4,
        ]
      ])
    let target = try await sessionClient.request(request).toString().value
    // end
    let names = ["options[include][]", "options[include][]", "options[include][]", "options[2+2]"]
    let items = URLComponents(string: target)?.queryItems ?? []
    #expect(items.map(\.name) == names)
    #expect(items.map(\.value) == ["fuzzy", "fluffy", "not mean", "4"])
  }

  @Test("C3b: dots, commas, a space as a plus sign, a plus sign as it is")
  func literalPlusSigns() async throws {
    // sample C3b
    let format = QueryFormat(
      arrays: .joined(by: .comma), nesting: .dots, spaces: .plus, plusSigns: .literal)
    let request = Request.get(
      "kittens",
      parameters: [
        "options": [
          "include": ["fuzzy", "fluffy", "not mean"],
          "2+2": 4,
        ]
      ], .queryFormat(format))
    // end
    let target = try await client().request(request).toString().value
    #expect(target == "/kittens?options.include=fuzzy,fluffy,not+mean&options.2+2=4")
  }

  @Test("C3c: dots, commas, a space as a plus sign, a plus sign that is escaped")
  func escapedPlusSigns() async throws {
    // sample C3c
    let format = QueryFormat(
      arrays: .joined(by: .comma), nesting: .dots, spaces: .plus, plusSigns: .percentEncoded)
    let sessionClient = client { $0.queryFormat = format }
    let request = Request.get(
      "kittens",
      parameters: ["options": ["include": ["fuzzy", "fluffy", "not mean"], "2+2": 4]])
    // end
    let target = try await sessionClient.request(request).toString().value
    #expect(target == "/kittens?options.include=fuzzy,fluffy,not+mean&options.2%2B2=4")
  }

  @Test("C3d: the format of one request")
  func formatOfOneRequest() async throws {
    let sessionClient = client()
    let tags = ["fuzzy", "fluffy"]
    // sample C3d
    let request = Request.get("kittens", parameters: ["tags": tags], .queryFormat(.rails))
    let other = Request.get("kittens", parameters: ["tags": tags], .queryFormat(.django))
    // end
    let targets = [
      try await sessionClient.request(request).toString().value,
      try await sessionClient.request(other).toString().value,
    ]
    #expect(
      targets.map { $0.removingPercentEncoding } == [
        "/kittens?tags[]=fuzzy&tags[]=fluffy", "/kittens?tags=fuzzy&tags=fluffy",
      ])
  }
}
