import Foundation
import TestGate
import Testing

@testable import Networking

/// Queries and forms.
///
/// The expected forms are the output of the URL Standard's serializer.
@Suite(.gated)
struct FieldEncodersTests {
  private func query(_ parameters: Parameters, _ format: QueryFormat = .standard) throws
    -> String
  {
    let encoder = ParameterEncoders().formatted(format).query
    guard case .query(let query) = try encoder.encode(parameters) else { return "no query" }
    return query
  }

  private func form(_ parameters: Parameters) throws -> String {
    let encoder = ParameterEncoders().formURLEncoded
    guard case .body(let pieces, let type) = try encoder.encode(parameters),
      type == "application/x-www-form-urlencoded", pieces.count == 1,
      case .data(let data)? = pieces.first
    else { return "no form" }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func queriesPercentEncodeAllButUnreservedCharacters() throws {
    #expect(
      try query(["a b": "c+d&e=f/?#%", "ü": "😀", "-._~": "*"])
        == "a%20b=c%2Bd%26e%3Df%2F%3F%23%25&%C3%BC=%F0%9F%98%80&-._~=%2A")
    #expect(try query([:]) == "")
    #expect(try query(nil) == "")
    #expect(try query(["": ""]) == "=")
  }

  @Test func formsFollowTheURLStandard() throws {
    #expect(
      try form(["a b": "c+d", "x": "*-._~", "ü": "\r\n", "é&=": "%"])
        == "a+b=c%2Bd&x=*-._%7E&%C3%BC=%0D%0A&%C3%A9%26%3D=%25")
  }

  @Test func valuesOfAllTypesAreEncoded() throws {
    #expect(
      try query([
        "i": -1, "d": 1e30, "b": true, "n": nil, "x": .data(Data([255])),
        "e": .decimal(Decimal(UInt64.max)),
      ]) == "i=-1&d=1e%2B30&b=true&x=%2Fw%3D%3D&e=18446744073709551615")
    #expect(
      try query(["b": false, "n": nil], QueryFormat(bools: .digits, nulls: .empty)) == "b=0&n=")
  }

  @Test(arguments: [
    (QueryFormat.Dates.iso8601, 1_714_564_800.25, "2024-05-01T12:00:00Z"),
    (.iso8601, -62_135_596_800, "0001-01-01T00:00:00Z"),
    (.iso8601, 253_402_300_799, "9999-12-31T23:59:59Z"),
    (.secondsSince1970, 1_714_564_800, "1714564800"),
    (.secondsSince1970, 0.5, "0.5"), (.millisecondsSince1970, 1_714_564_800.1234, "1714564800123"),
    (.millisecondsSince1970, -0.001, "-1"),
    (.iso8601WithMilliseconds, 1_714_564_800.25, "2024-05-01T12:00:00.250Z"),
    (.iso8601WithMilliseconds, -0.001, "1969-12-31T23:59:59.999Z"),
    (.iso8601WithMilliseconds, 0.9996, "1970-01-01T00:00:01.000Z"),
    (.day, 1_714_564_800.25, "2024-05-01"), (.day, -1, "1969-12-31"),
    (.secondsSince2001, 978_307_201.5, "1.5"),
    (.pattern("dd.MM.yyyy HH:mm EEE"), 1_714_564_800, "01.05.2024 12:00 Wed"),
  ])
  func datesHaveTheConfiguredText(_ style: QueryFormat.Dates, _ seconds: Double, _ text: String)
    throws
  {
    let query = try query(
      ["at": .date(Date(timeIntervalSince1970: seconds))], QueryFormat(dates: style))
    #expect(query.removingPercentEncoding == "at=" + text)
  }

  @Test(arguments: [
    (QueryFormat.Dates.iso8601, -62_135_596_801), (.iso8601, 253_402_300_800), (.iso8601, .nan),
    (.iso8601, 1e300), (.secondsSince1970, .infinity), (.millisecondsSince1970, .nan),
    (.iso8601WithMilliseconds, 253_402_300_799.9999), (.iso8601WithMilliseconds, .nan),
    (.day, 253_402_300_800), (.pattern("yyyy"), .infinity), (.secondsSince2001, .nan),
  ])
  func datesOutOfRangeAreRejected(_ style: QueryFormat.Dates, _ seconds: Double) {
    let error = #expect(throws: ParameterEncodingError.self) {
      try query(["at": .date(Date(timeIntervalSince1970: seconds))], QueryFormat(dates: style))
    }
    #expect(error?.description == "the parameter at is a date out of range")
  }

  @Test func unencodableValuesAreRejectedByName() {
    let nan = #expect(throws: ParameterEncodingError.self) {
      try query(["a": ["b": .double(.nan)]])
    }
    #expect(nan?.description == "the parameter a.b is not a finite number")
    let root = #expect(throws: ParameterEncodingError.self) { try query([1]) }
    #expect(
      root?.description
        == "the root of the parameters must be a dictionary to be encoded as a query or a form")
    var deep: Parameters = 1
    for _ in 0..<2_000 { deep = [deep] }
    #expect(throws: ParameterEncodingError.self) { try query(["a": deep]) }
  }
}

@Suite(.gated)
struct JSONParameterEncoderTests {
  private func text(_ parameters: Parameters, _ encoder: JSONEncoder? = nil) throws -> String {
    guard
      case .body(let pieces, "application/json") = try JSONParameterEncoder(encoder: encoder)
        .encode(parameters),
      case .data(let data)? = pieces.first, pieces.count == 1
    else { return "no body" }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func membersKeepTheirOrder() throws {
    #expect(
      try text(["z": 1, "a": [true, nil, 2.5, "x"], "m": [:], "e": []])
        == #"{"z":1,"a":[true,null,2.5,"x"],"m":{},"e":[]}"#)
  }

  @Test func rootsOfAllTypesAreEncoded() throws {
    #expect(try text(nil) == "null")
    #expect(try text("a") == "\"a\"")
    #expect(try text([]) == "[]")
    #expect(try text(.data(Data([1, 2]))) == "\"AQI=\"")
  }

  @Test func everyCharacterRoundTrips() throws {
    let all = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) })) + "😀"
    let json = try JSON(parsing: Data(text([.string(all)]).utf8))
    #expect(json[0].string == all)
    #expect(try text("\u{0}\u{1f}\"\\/") == #""\u0000\u001F\"\\/""#)
  }

  @Test(arguments: [
    0.1, -0.0, 1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e21, 123_456_789.125,
  ])
  func numbersRoundTrip(number: Double) throws {
    #expect(try JSON(parsing: Data(text([.double(number)]).utf8))[0].double == number)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func nonFiniteNumbersAreRejectedByKeyPath(number: Double) {
    let error = #expect(throws: ParameterEncodingError.self) {
      try text(["filter": ["sizes": [1, .double(number)]]])
    }
    #expect(error?.keyPath == "filter.sizes[1]")
    #expect(error?.description == "the parameter filter.sizes[1] is not a finite number")
    let root = #expect(throws: ParameterEncodingError.self) { try text(.double(number)) }
    #expect(root?.description == "the root of the parameters is not a finite number")
    #expect(throws: ParameterEncodingError.self) { try text([.decimal(.nan)]) }
  }

  @Test(arguments: [nil, JSONEncoder()])
  func treesThatAreTooDeepAreRejected(_ encoder: JSONEncoder?) {
    var deep: Parameters = 1
    for _ in 0..<2_000 { deep = ["a": deep] }
    let error = #expect(throws: ParameterEncodingError.self) { try text(deep, encoder) }
    #expect(error?.reason == "is nested too deeply")
  }

  @Test func datesAreSecondsSince2001() throws {
    let date = Parameters.date(Date(timeIntervalSinceReferenceDate: 1.5))
    #expect(try text(["at": date]) == #"{"at":1.5}"#)
    #expect(throws: ParameterEncodingError.self) {
      try text([.date(Date(timeIntervalSinceReferenceDate: .nan))])
    }
  }

  @Test func theStrategiesOfAnEncoderApply() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    encoder.dataEncodingStrategy = .custom { data, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(data.count)
    }
    let parameters: Parameters = [
      "madeAt": .date(Date(timeIntervalSince1970: 1_714_564_800)), "isOpen": true, "none": nil,
      "boardParts": [["partName": "a/b", "size": 2.5], 1], "picture": .data(Data(count: 3)),
      "exact": .decimal(Decimal(UInt64.max)),
    ]
    #expect(
      try text(parameters, encoder)
        == #"{"board_parts":[{"part_name":"a/b","size":2.5},1],"exact":18446744073709551615,"#
        + #""is_open":true,"made_at":"2024-05-01T12:00:00Z","none":null,"picture":3}"#)
    #expect(try text("a", encoder) == "\"a\"")
    #expect(try text(nil, encoder) == "null")
  }

  @Test func aValueThatTheEncoderRejectsIsNamed() {
    let error = #expect(throws: ParameterEncodingError.self) {
      try text(["filter": ["sizes": [1, .double(.nan)]]], JSONEncoder())
    }
    #expect(error?.description == "the parameter filter.sizes[1] is rejected by the JSON encoder")
  }

  @Test func encodersAreComparedByIdentity() {
    let encoder = JSONEncoder()
    #expect(JSONParameterEncoder(encoder: encoder) == JSONParameterEncoder(encoder: encoder))
    #expect(JSONParameterEncoder(encoder: encoder) != JSONParameterEncoder(encoder: JSONEncoder()))
    #expect(JSONParameterEncoder(encoder: encoder) != JSONParameterEncoder())
    #expect(Set([JSONParameterEncoder(), JSONParameterEncoder()]).count == 1)
  }
}
