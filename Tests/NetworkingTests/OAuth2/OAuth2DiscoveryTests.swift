import Foundation
import Mocking
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The metadata of authorization servers.
@Suite(.gated)
struct OAuth2DiscoveryTests {
  private func discover(
    _ issuer: StaticString, _ routes: [Route], client: OAuth2Client = OAuth2Client(id: "app")
  ) async throws -> OAuth2Client {
    try await client.discovering(issuer: .of(issuer), transport: MockTransport(routes: routes))
      .value
  }

  private static func metadata(_ issuer: String) -> Mock {
    .json([
      "issuer": .string(issuer), "token_endpoint": "https://a.example/token",
      "authorization_endpoint": "https://a.example/authorize?p=a%2Fb[1]",
      "revocation_endpoint": "https://a.example/revoke",
      "authorization_response_iss_parameter_supported": true,
    ])
  }

  @Test func theURLsComeFromTheMetadata() async throws {
    let client = try await discover(
      "https://a.example/tenant",
      [
        Route(
          .get, "/.well-known/oauth-authorization-server/tenant",
          Self.metadata("https://a.example/tenant"))
      ])
    #expect(client.tokenURL == .of("https://a.example/token"))
    #expect(client.authorizationURL == .of("https://a.example/authorize?p=a%2Fb%5B1%5D"))
    #expect(client.revocationURL == .of("https://a.example/revoke"))
    #expect(client.deviceAuthorizationURL == nil)
    #expect(client.issuer == "https://a.example/tenant" && client.sendsIssuer)
  }

  @Test(arguments: [Mock.status(404), .text("<html>")])
  func openIDConnectIsTheSecondChoice(first: Mock) async throws {
    let own = OAuth2Client(id: "app", tokenURL: .of("https://own.example/token"))
    let client = try await discover(
      "https://a.example/tenant",
      [
        Route(.get, "/.well-known/oauth-authorization-server/tenant", first),
        Route(
          .get, "/tenant/.well-known/openid-configuration",
          Self.metadata("https://a.example/tenant")),
      ], client: own)
    #expect(client.tokenURL == .of("https://own.example/token"))
    #expect(client.authorizationURL == .of("https://a.example/authorize?p=a%2Fb%5B1%5D"))
  }

  @Test(arguments: ["https://evil.example", "https://a.example/"])
  func anotherIssuerIsRefused(issuer: String) async {
    let error = await #expect(throws: OAuth2Error.self) {
      try await discover(
        "https://a.example",
        [Route(.get, "/.well-known/oauth-authorization-server", Self.metadata(issuer))])
    }
    #expect(error?.code == .issuerMismatch)
  }

  @Test func anIssuerInClearIsRefused() async {
    let error = await #expect(throws: OAuth2Error.self) {
      try await discover("http://a.example", [])
    }
    #expect(error?.code == .insecureURL)
  }
}
