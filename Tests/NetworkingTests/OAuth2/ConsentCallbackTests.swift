import Foundation
import TestGate
import TestSupport
import Testing

@testable import NetworkingOAuth2

/// The redirect URLs that a window of the system returns.
@Suite(.gated)
struct ConsentCallbackTests {
  private func callback(_ url: String, supportsHTTPS: Bool = true) throws -> ConsentCallback {
    try ConsentCallback(try #require(URL(string: url)), supportsHTTPS: supportsHTTPS)
  }

  private func refusal(_ url: String, supportsHTTPS: Bool = true) -> OAuth2Error? {
    #expect(throws: OAuth2Error.self) { try callback(url, supportsHTTPS: supportsHTTPS) }
  }

  @Test(
    arguments: [
      ("com.example.shop:/callback", "com.example.shop"),
      ("com.example.shop://callback?x=1", "com.example.shop"), ("Shop-1://cb", "shop-1"),
      ("shop:", "shop"),
    ])
  func aSchemeOfTheAppIsReturnedInLowerCase(url: String, scheme: String) throws {
    for supportsHTTPS in [true, false] {
      let callback = try callback(url, supportsHTTPS: supportsHTTPS)
      #expect(callback == .scheme(scheme) && callback.scheme == scheme)
    }
  }

  @Test(
    arguments: [
      ("https://shop.example/cb", "shop.example", "/cb"),
      ("HTTPS://Shop.Example/Cb", "shop.example", "/Cb"),
      ("https://shop.example", "shop.example", "/"),
      ("https://shop.example:443/a/b?x=1", "shop.example", "/a/b"),
      ("https://shop.example?x=1", "shop.example", "/"),
    ])
  func anHTTPSRedirectHasItsHostAndPath(url: String, host: String, path: String) throws {
    let callback = try callback(url)
    #expect(callback == .https(host: host, path: path) && callback.scheme == "https")
  }

  @Test func anHTTPSRedirectIsRefusedOnAnEarlierSystemWithTheVersions() {
    let error = refusal("https://shop.example/cb", supportsHTTPS: false)
    #expect(error?.code == .consentUnavailable)
    for version in ["iOS 17.4", "macOS 14.4", "tvOS 17.4", "visionOS 1.1"] {
      #expect(error?.description.contains(version) == true)
    }
  }

  @Test(arguments: ["https://shop.example:8443/cb", "https:///cb", "https:cb", "/cb"])
  func aRedirectThatTheSystemNeverReturnsIsRefused(url: String) {
    #expect(refusal(url)?.code == .consentUnavailable)
  }

  @Test(
    arguments: [
      ("http://127.0.0.1:8080/cb", true), ("HTTP://LOCALHOST/cb", true),
      ("http://shop.example/cb", false), ("http:", false),
    ])
  func anHTTPRedirectIsRefusedAndOneToThisMachineNamesTheLoopbackServer(
    url: String, isLoopback: Bool
  ) {
    let error = refusal(url)
    #expect(error?.code == .consentUnavailable)
    #expect(error?.description.contains("LoopbackConsent on macOS") == isLoopback)
  }
}
