import Foundation
import TestSupport
import Testing

@testable import Mocking

@Suite struct TokenMeasureTests {
  @Test(arguments: [
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAIOSFODNN7EXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEK3Y", "9f86d081884c7d659a2feaa0c55ad015",
    "k3j9x0qpw8r7t6y5u4i3", "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "https://hooks.example.com/services/T00000000/B00000000/7fXkQ2p9ZbL4mN8sVtR1cYwE",
  ])
  func aTokenIsFound(_ text: String) {
    #expect(!TokenDetector.tokens(in: text).isEmpty)
  }

  @Test(arguments: [
    "123e4567-e89b-12d3-a456-426614174000", "507f1f77bcf86cd799439011",
    "2026-11-21-report-of-q3-v2-final3-x86-64", "/v1/boards/7/cards/12/items/9/comments/3",
    "applicationDidFinishLaunchingWithOptions2", "2026-11-21T06:09:23.123456Z",
    "12345678901234567890123",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "internationalization",
    "aaaaaaaaaaaaaaaaaaaaaaaa1",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "max-age=31536000; includeSubDomains", "api.eu-central-1.elb.amazonaws.com",
  ])
  func whatPeopleWriteIsNoToken(_ text: String) {
    #expect(TokenDetector.tokens(in: text).isEmpty)
  }

  @Test func ofRandomTokensNearlyAllAreFound() {
    var random = SeededRandom(seed: 7)
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    let alphabets = [
      ("base64", Array(letters + "-_")), ("base62", Array(letters)),
      ("hex", Array("0123456789abcdef")),
      ("base36", Array("abcdefghijklmnopqrstuvwxyz0123456789")),
    ]
    for (name, alphabet) in alphabets {
      for (length, least) in [(24, 850), (32, 930), (43, 960)] {
        var found = 0
        for _ in 1...1_000 {
          let token = String(
            (0..<length).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] })
          if !TokenDetector.tokens(in: token).isEmpty { found += 1 }
        }
        #expect(found >= least || (name == "hex" && length == 24), "\(name), \(length): \(found)")
      }
    }
  }

  private struct SeededRandom {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
