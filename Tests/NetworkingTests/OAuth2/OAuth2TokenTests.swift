import Foundation
import Promises
import TestGate
import TestSupport
import Testing

@testable import Networking
@testable import NetworkingOAuth2

/// The reading of token responses, and the times at which a token can be used.
@Suite(.gated)
struct OAuth2TokenTests {
  private let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func token(_ json: JSON, scope: Set<String>? = nil) throws -> OAuth2Token {
    try OAuth2Token(response: json, issued: now, requestedScope: scope)
  }

  @Test func readsACompleteResponse() throws {
    let token = try token([
      "access_token": "a", "token_type": "bearer", "expires_in": 3600, "refresh_token": "r",
      "scope": "b a", "id_token": "x.y.z", "tenant": "acme",
    ])
    #expect(token.accessToken == "a" && token.type == "Bearer" && token.refreshToken == "r")
    #expect(token.scope == ["a", "b"] && token.idToken == "x.y.z")
    #expect(token.expires == now + 3_600 && token.issued == now)
    #expect(token.other == ["tenant": "acme"])
  }

  @Test(
    arguments: [
      ("3600", 3_600), (" 60 ", 60), (1.5, 1.5), (-5, 0), (1e300, 100 * 365 * 86_400),
    ] as [(JSON, Double)])
  func readsLivesOfAnyKind(life: JSON, seconds: Double) throws {
    #expect(
      try token(["access_token": "a", "expires_in": life]).expires
        == now.addingTimeInterval(seconds))
  }

  @Test(arguments: ["soon" as JSON, .null, [], "nan", true])
  func ignoresLivesThatAreNoNumbers(life: JSON) throws {
    #expect(try token(["access_token": "a", "expires_in": life]).expires == nil)
  }

  @Test(arguments: [
    [] as JSON, [:], ["access_token": ""], ["access_token": 5], ["access_token": "a\r\nb"],
    ["access_token": "ä"], ["access_token": .null],
  ])
  func refusesResponsesWithoutATokenThatCanBeSent(json: JSON) {
    let error = #expect(throws: OAuth2Error.self) { try token(json) }
    #expect(error?.code == .malformedResponse)
  }

  @Test func refusesUnknownTypes() {
    let error = #expect(throws: OAuth2Error.self) {
      try token(["access_token": "a", "token_type": "mac"])
    }
    #expect(error?.code == .unsupportedTokenType)
  }

  @Test func aMissingTypeIsBearerAndAMissingScopeIsTheRequestedOne() throws {
    let token = try token(["access_token": "a"], scope: ["x"])
    #expect(token.type == "Bearer" && token.scope == ["x"] && token.refreshToken == nil)
  }

  @Test(arguments: [(3_600.0, 60.0), (600, 60), (100, 10), (0, 0)])
  func theLeewayIsAMinuteOrATenthOfTheLife(life: Double, leeway: Double) {
    let token = OAuth2Token(
      accessToken: "a", refreshToken: "r", issued: now, expires: now + life)
    #expect(token.leeway == leeway)
    #expect(!token.isFresh(at: now + life - leeway))
    #expect(life == 0 || token.isFresh(at: now + life - leeway - 0.01))
  }

  @Test func aClockThatWasSetBackMakesATokenStale() {
    let token = OAuth2Token(
      accessToken: "a", refreshToken: "r", issued: now, expires: now + 3_600)
    #expect(token.isFresh(at: now - 59))
    #expect(!token.isFresh(at: now - 61))
    #expect(OAuth2Token(accessToken: "a", issued: now).isFresh(at: now - 1e9))
  }

  @Test func aRefreshKeepsTheMembersThatTheServerLeavesOut() {
    let old = OAuth2Token(accessToken: "a", refreshToken: "r", scope: ["s"], idToken: "i")
    let new = OAuth2Token(accessToken: "b").replacing(old)
    #expect(new.accessToken == "b" && new.refreshToken == "r" && new.scope == ["s"])
    #expect(OAuth2Token(accessToken: "b", refreshToken: "q").replacing(old).refreshToken == "q")
  }

  @Test func noDescriptionContainsASecret() {
    let token = OAuth2Token(
      accessToken: "s3cret", refreshToken: "s3cret", scope: ["orders"], expires: now,
      idToken: "s3cret", other: ["x": "s3cret"])
    let client = OAuth2Client(id: "app", secret: "s3cret")
    var text = "\(token) \(client) \(String(reflecting: token)) \(String(reflecting: client))"
    dump(token, to: &text)
    dump(client, to: &text)
    dump(TokenEncryptionKey.passphrase("s3cret"), to: &text)
    #expect(text.contains("orders"))
    #expect(!text.contains("s3cret"))
  }

  @Test func aTokenOfConduitIsRead() throws {
    let json = #"{"accessToken":"a","refreshToken":"r","expiration":700000000}"#
    let token = try OAuth2Token(conduit: Data(json.utf8))
    #expect(token.accessToken == "a" && token.refreshToken == "r")
    #expect(token.expires == Date(timeIntervalSinceReferenceDate: 700_000_000))
    #expect(throws: OAuth2Error.self) { try OAuth2Token(conduit: Data("{}".utf8)) }
  }
}
