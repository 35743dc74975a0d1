import Foundation
import TestGate
import Testing

@testable import Networking

#if CATENA_CURL
  import CCatenaCurl
#endif

@Suite(.gated)
struct HTTPHeadersTests {
  @Test func namesAreCaseInsensitiveAndPreserved() {
    let headers: HTTPHeaders = ["Content-Type": "text/plain"]
    #expect(headers["content-TYPE"] == "text/plain")
    #expect(headers.contains("CONTENT-TYPE"))
    #expect(headers.fields.map(\.name) == ["Content-Type"])
    #expect(headers["Content-Typf"] == nil)
  }

  @Test func onlyLettersAreCaseInsensitive() {
    let headers: HTTPHeaders = ["a^b": "1", "a@": "2"]
    #expect(headers["a~b"] == nil)
    #expect(headers["a`"] == nil)
  }

  @Test func multipleValuesKeepTheirOrderAndAreJoined() {
    var headers: HTTPHeaders = ["Via": "1.1 a", "Accept": "*/*"]
    headers.add("1.1 b", for: "via")
    #expect(headers.values(for: "VIA") == ["1.1 a", "1.1 b"])
    #expect(headers["via"] == "1.1 a, 1.1 b")
    #expect(headers.count == 3)
  }

  @Test func cookiesAreNotJoined() {
    let headers: HTTPHeaders = ["Set-Cookie": "a=1", "set-cookie": "b=2"]
    #expect(headers["Set-Cookie"] == "a=1")
    #expect(headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
  }

  @Test func settingAValueReplacesAllValues() {
    var headers: HTTPHeaders = ["A": "1", "B": "2", "a": "3", "C": "4"]
    headers["a"] = "5"
    #expect(headers == ["a": "5", "B": "2", "C": "4"])
    headers["B"] = nil
    headers["D"] = ""
    #expect(headers == ["a": "5", "C": "4", "D": ""])
    headers.remove("A")
    #expect(headers.values(for: "A").isEmpty)
    #expect(!headers.isEmpty)
  }

  @Test func mergingReplacesAllValuesOfAName() {
    let base: HTTPHeaders = ["A": "1", "a": "2", "B": "3"]
    #expect(base.merging(["A": "4", "C": "5"]) == ["B": "3", "A": "4", "C": "5"])
    #expect(base.merging([:]) == base)
  }

  @Test func equalHeadersHaveEqualHashesAndRoundTripThroughStorage() throws {
    let headers: HTTPHeaders = ["A": "1", "b": "ü"]
    #expect(headers == ["a": "1", "B": "ü"])
    #expect(headers.hashValue == (["a": "1", "B": "ü"] as HTTPHeaders).hashValue)
    #expect(headers != ["b": "ü", "A": "1"])
    let data = try JSONEncoder().encode(headers)
    #expect(try JSONDecoder().decode(HTTPHeaders.self, from: data) == headers)
  }

  @Test func headersAreASequenceOfFields() {
    #expect((["A": "1", "B": "2"] as HTTPHeaders).map(\.value) == ["1", "2"])
  }
}

@Suite(.gated)
struct DefaultHeadersTests {
  @Test func defaultHeadersAreValid() {
    #expect(
      HTTPHeaders.defaults.map(\.name) == ["Accept-Encoding", "Accept-Language", "User-Agent"])
    #expect(HTTPHeaders.defaults.allSatisfy { HTTPHeaders.problem(of: $0) == nil })
    #expect(HTTPHeaders.defaults["User-Agent"]?.hasSuffix(" Catena") == true)
  }

  @Test func onlyCodingsThatCanBeDecodedAreOffered() {
    #expect(HTTPHeaders.acceptEncoding(decodesBrotli: false) == "gzip, deflate")
    let offered = HTTPHeaders.defaults["Accept-Encoding"]
    #if CATENA_CURL
      let decodesBrotli = catena_decoder_is_available(.brotli)
    #else
      let decodesBrotli = true
    #endif
    #expect(offered == HTTPHeaders.acceptEncoding(decodesBrotli: decodesBrotli))
    #expect(offered?.contains("br") == decodesBrotli)
  }

  @Test func languagesHaveDecreasingWeights() {
    #expect(HTTPHeaders.acceptLanguage(["de-DE", "en_GB", "fr"]) == "de-DE, en-GB;q=0.9, fr;q=0.8")
    #expect(HTTPHeaders.acceptLanguage([]) == "en")
    #expect(HTTPHeaders.acceptLanguage(["x\r\ny", "en"]) == "en")
    #expect(
      HTTPHeaders.acceptLanguage(Array(repeating: "en", count: 9)).split(separator: ",").count == 6)
  }

  @Test func theUserAgentHasTokensAndAComment() {
    #expect(
      HTTPHeaders.userAgent(program: "My App ü", version: "1.0 (2)", system: "Linux (x)\n\\")
        == "MyApp/1.02 (Linux x) Catena")
    #expect(HTTPHeaders.userAgent(program: "", version: nil, system: "") == "unknown () Catena")
  }
}

@Suite(.gated)
struct TokenTests {
  /// Source: RFC 9110 section 5.6.2.
  @Test func tokensHaveLettersDigitsAndFifteenSymbols() {
    let others = Array("!#$%&'*+-.^_`|~".utf8)
    for byte in UInt8.min...UInt8.max {
      let character = Unicode.Scalar(byte)
      let isLetterOrDigit =
        character.isASCII && (character.properties.isAlphabetic || ("0"..."9").contains(character))
      #expect(byte.isTokenCharacter == (isLetterOrDigit || others.contains(byte)), "\(byte)")
    }
  }
}

@Suite(.gated)
struct HTTPMethodTests {
  @Test(arguments: [
    (HTTPMethod.get, true, true), (.head, true, true), (.options, true, true),
    (.trace, true, true), (.put, false, true), (.delete, false, true), (.post, false, false),
    (.patch, false, false), (HTTPMethod(rawValue: "get"), false, false),
  ])
  func methodsHaveSafetyAndIdempotence(method: HTTPMethod, safe: Bool, idempotent: Bool) {
    #expect(method.isSafe == safe)
    #expect(method.isIdempotent == idempotent)
  }

  @Test func theDescriptionIsTheRequestLineToken() {
    #expect("\(HTTPMethod.patch)" == "PATCH")
  }
}
