import Testing

@testable import Networking

struct DefaultHeadersTests {
  @Test func defaultsCanBeSent() {
    #expect(
      HTTPHeaders.defaults.map(\.name) == ["Accept-Encoding", "Accept-Language", "User-Agent"])
    #expect(HTTPHeaders.defaults.allSatisfy { HTTPHeaders.problem(of: $0) == nil })
    #expect(HTTPHeaders.defaults["User-Agent"]?.hasSuffix(" Catena") == true)
  }

  @Test func languagesFallInWeight() {
    #expect(HTTPHeaders.acceptLanguage(["de-DE", "en_GB", "fr"]) == "de-DE, en-GB;q=0.9, fr;q=0.8")
    #expect(HTTPHeaders.acceptLanguage([]) == "en")
    #expect(HTTPHeaders.acceptLanguage(["x\r\ny", "en"]) == "en")
    #expect(
      HTTPHeaders.acceptLanguage(Array(repeating: "en", count: 9)).split(separator: ",").count == 6)
  }

  @Test func theUserAgentIsMadeOfTokensAndAComment() {
    #expect(
      HTTPHeaders.userAgent(program: "My App ü", version: "1.0 (2)", system: "Linux (x)\n\\")
        == "MyApp/1.02 (Linux x) Catena")
    #expect(HTTPHeaders.userAgent(program: "", version: nil, system: "") == "unknown () Catena")
  }
}
