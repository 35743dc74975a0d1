import Foundation
import Networking
import Testing

struct JSONParameterEncoderTests {
  private func text(_ parameters: Parameters) throws -> String {
    guard
      case .body(let pieces, "application/json") = try JSONParameterEncoder().encode(parameters),
      case .data(let data)? = pieces.first, pieces.count == 1
    else { return "no body" }
    return String(decoding: data, as: UTF8.self)
  }

  @Test func membersKeepTheirOrder() throws {
    #expect(
      try text(["z": 1, "a": [true, nil, 2.5, "x"], "m": [:], "e": []])
        == #"{"z":1,"a":[true,null,2.5,"x"],"m":{},"e":[]}"#)
  }

  @Test func rootsOfAllKinds() throws {
    #expect(try text(nil) == "null")
    #expect(try text("a") == "\"a\"")
    #expect(try text([]) == "[]")
    #expect(try text(.data(Data([1, 2]))) == "\"AQI=\"")
  }

  @Test func everyCharacterComesBack() throws {
    let all = String(String.UnicodeScalarView((0..<0x300).compactMap { Unicode.Scalar($0) })) + "😀"
    let json = try JSON(parsing: Data(text([.string(all)]).utf8))
    #expect(json[0].string == all)
    #expect(try text("\u{0}\u{1f}\"\\/") == #""\u0000\u001F\"\\/""#)
  }

  @Test(arguments: [
    0.1, -0.0, 1e-300, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e21, 123_456_789.125,
  ])
  func numbersComeBack(number: Double) throws {
    #expect(try JSON(parsing: Data(text([.double(number)]).utf8))[0].double == number)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func whatIsNotFiniteIsRefusedByItsKeyPath(number: Double) {
    let error = #expect(throws: ParameterEncodingError.self) {
      try text(["filter": ["sizes": [1, .double(number)]]])
    }
    #expect(error?.keyPath == "filter.sizes[1]")
    #expect(error?.description == "the parameter filter.sizes[1] is not a finite number")
    let root = #expect(throws: ParameterEncodingError.self) { try text(.double(number)) }
    #expect(root?.description == "the root of the parameters is not a finite number")
    #expect(throws: ParameterEncodingError.self) { try text([.decimal(.nan)]) }
  }

  @Test func tooDeepATreeIsRefused() {
    var deep: Parameters = 1
    for _ in 0..<2_000 { deep = ["a": deep] }
    let error = #expect(throws: ParameterEncodingError.self) { try text(deep) }
    #expect(error?.reason == "is nested too deeply")
  }
}
