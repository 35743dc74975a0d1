import Foundation
import TestGate
import TestSupport
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

  // MARK: Many fields

  /// The names of the tests with many fields, all of one length.
  private static let manyNames = (1_000..<5_000).map { "X-\($0)" }

  private static func manyFields(_ value: String = "v") -> HTTPHeaders {
    HTTPHeaders(manyNames.map { HTTPHeaders.Field(name: $0, value: value) })
  }

  @Test(arguments: ["initializer", "add", "subscript", "merging", "removal"])
  func aSearchAmongManyFieldsComparesFewOfThem(origin: String) {
    var headers = HTTPHeaders()
    switch origin {
    case "initializer": headers = Self.manyFields()
    case "add": for name in Self.manyNames { headers.add("v", for: name) }
    case "subscript": for name in Self.manyNames { headers[name] = "v" }
    case "merging": headers = Self.manyFields("old").merging(Self.manyFields())
    default:
      headers = Self.manyFields()
      headers.add("v", for: "Other")
      headers.removeNames(of: ["other": "", "missing": ""])
    }
    #expect(headers == Self.manyFields())
    func comparisons(_ names: [String]) -> Int {
      names.reduce(0) { $0 + (headers.candidates(for: $1)?.count ?? headers.count) }
    }
    let count = Self.manyNames.count
    #expect(comparisons(Self.manyNames) < 2 * count)
    #expect(comparisons(Self.manyNames.map { $0.lowercased() }) < 2 * count)
    #expect(comparisons(Self.manyNames.map { "Y" + $0 }) < count)
  }

  @Test func fewFieldsAreSearchedWithoutAnIndex() {
    var headers = HTTPHeaders()
    for number in 0..<HTTPHeaders.maximumUnindexed { headers.add("v", for: "X-\(number)") }
    #expect(headers.candidates(for: "X-1") == nil)
    headers.add("v", for: "Last")
    #expect(headers.candidates(for: "x-1") == [1])
    headers.remove("LAST")
    #expect(headers.candidates(for: "X-1") == nil)
  }

  /// Random changes of headers and of their copies, beside an array without an index.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func manyFieldsBehaveLikeFewOnes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var headers = HTTPHeaders()
    var fields: [HTTPHeaders.Field] = []
    func isEqual(_ field: HTTPHeaders.Field, _ name: String) -> Bool {
      field.name.lowercased() == name.lowercased()
    }
    var copies: [(headers: HTTPHeaders, fields: [HTTPHeaders.Field])] = []
    for step in 0..<TestSize.of(400, full: 4_000) {
      let number = Int.random(in: 0..<60, using: &generator)
      let name = Bool.random(using: &generator) ? "Name-\(number)" : "nAME-\(number)"
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5:
        headers.add("\(step)", for: name)
        fields.append(HTTPHeaders.Field(name: name, value: "\(step)"))
      case 5..<7:
        headers[name] = "\(step)"
        let new = HTTPHeaders.Field(name: name, value: "\(step)")
        let first = fields.firstIndex { isEqual($0, name) }
        fields = fields.enumerated().compactMap { position, field in
          isEqual(field, name) ? (position == first ? new : nil) : field
        }
        if first == nil { fields.append(new) }
      case 7:
        headers.remove(name)
        fields.removeAll { isEqual($0, name) }
      case 8: copies.append((headers, fields))
      default:
        headers = headers.merging([name: "a", "Other": "b"])
        fields.removeAll { isEqual($0, name) || isEqual($0, "Other") }
        fields += [
          HTTPHeaders.Field(name: name, value: "a"), HTTPHeaders.Field(name: "Other", value: "b"),
        ]
      }
      let values = fields.filter { isEqual($0, name) }.map(\.value)
      #expect(headers.fields == fields)
      #expect(headers.values(for: name) == values)
      #expect(headers[name] == (values.isEmpty ? nil : values.joined(separator: ", ")))
      #expect(headers.contains(name) == !values.isEmpty)
    }
    #expect(copies.allSatisfy { $0.headers.fields == $0.fields })
    #expect(copies.allSatisfy { $0.headers == HTTPHeaders($0.fields) })
  }

  @Test func cookiesAmongManyFieldsAreNotJoined() {
    var headers = Self.manyFields()
    headers.add("a=1", for: "Set-Cookie")
    headers.add("b=2", for: "set-cookie")
    #expect(headers["Set-Cookie"] == "a=1")
    #expect(headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
  }

  @Test func mergedHeadersMaskTheSecretsOfAClient() {
    let common: HTTPHeaders = ["Accept": "*/*"]
    var own: HTTPHeaders = ["X-Region": "s3cret"]
    own.secretNames = SecretNames(including: ["X-Region"])
    for merged in [common.merging(own), own.merging(common)] {
      #expect(merged.description.contains(#""X-Region": "***""#))
    }
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
