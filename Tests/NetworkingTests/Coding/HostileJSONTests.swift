import Foundation
import TestGate
import TestSupport
import Testing

@testable import Networking

/// JSON of any depth and width takes a bounded stack, and work in proportion to its length.
///
/// The tests run on threads with 512 KiB of stack, as the secondary threads of Apple's platforms, and
/// count steps. They do not measure time.
@Suite(.gated) struct HostileJSONTests {
  /// Containers within each other, around an array of elements.
  struct Shape: Sendable, CustomTestStringConvertible {
    let opening: String
    let closing: String
    /// Whether ``opening`` has a name twice, so that the first value counts.
    var isRepeated = false
    var testDescription: String { opening }
  }

  private static let shapes = [
    Shape(opening: "[", closing: "]"), Shape(opening: #"{"a":"#, closing: "}"),
    Shape(opening: #"{"token":1,"a":"#, closing: "}"),
    Shape(opening: #"{"a":1,"a":"#, closing: "}", isRepeated: true),
    Shape(opening: "[{\"\u{FEFF}\":", closing: "}]"),
  ]
  private static let elements = [
    "[]", "{}", "1", "-1.5e3", "\"\"", "true", "null", #"{"a":1,"a":2}"#, "\"\u{FEFF}\"",
    "12345678901234567890",
  ]
  private static let depths = [1, 2, 31, 62, 126, 127, 128, 250, 400, 5_000]
  private static let widths = [0, 1, 300]

  /// Returns a text, and the depth of its containers.
  private static func text(
    _ shape: Shape, _ count: Int, _ element: String, _ width: Int
  ) -> (text: String, depth: Int) {
    let isNested = element.hasPrefix("[") || element.hasPrefix("{")
    let elements = Array(repeating: element, count: width).joined(separator: ",")
    let content = width == 0 ? element : "[\(elements)]"
    let text =
      String(repeating: shape.opening, count: count) + content
      + String(repeating: shape.closing, count: count)
    let levels = shape.opening.hasPrefix("[{") ? 2 : 1
    return (text, count * levels + (width == 0 ? 0 : 1) + (isNested ? 1 : 0))
  }

  private static func forEachText(
    _ shape: Shape, _ body: (_ text: String, _ depth: Int) -> Void
  ) {
    for count in depths {
      for element in elements {
        for width in widths {
          let (text, depth) = text(shape, count, element, width)
          body(text, depth)
        }
      }
    }
  }

  @Test(arguments: shapes)
  func aTextIsReadInLinearTimeOrRefused(_ shape: Shape) async {
    await onThread(stackSize: 512 << 10) {
      Self.forEachText(shape) { text, depth in
        let data = Data(text.utf8)
        var steps = 0
        let json = try? JSON.parse(data, counting: &steps).json
        #expect((json != nil) == (depth <= JSON.maximumDepth), "\(depth): \(text.prefix(40))")
        // The values twice, the text, and its names and strings.
        #expect(steps <= 4 * data.count + 4)
        if shape.isRepeated, let json { #expect(json == ["a": 1]) }
      }
    }
  }

  /// The functions on a value that was read need a bounded stack.
  @Test(arguments: shapes)
  func aValueIsUsedOnASmallStack(_ shape: Shape) async {
    await onThread(stackSize: 512 << 10) {
      Self.forEachText(shape) { text, _ in
        let data = Data(text.utf8)
        guard let json = try? JSON(parsing: data), let other = try? JSON(parsing: data) else {
          return
        }
        #expect(json == other && json.hashValue == other.hashValue)
        let written = try? json.data()
        #expect(written.flatMap { try? JSON(parsing: $0) } == json)
        #expect(json.description.utf8.count == written?.count)
        for redactor in [Redactor.standard, Redactor(purpose: .recording)] {
          let masked = redactor.maskedBody(data, contentType: "application/json")
          #expect(masked?.isEmpty == false)
        }
      }
    }
  }

  @Test(arguments: shapes)
  func aDecoderReadsAMemberOrRefusesIt(_ shape: Shape) async {
    struct Page: Decodable {
      var value: JSON
    }
    await onThread(stackSize: 512 << 10) {
      Self.forEachText(shape) { text, depth in
        let page = try? JSONDecoder().decode(Page.self, from: Data(#"{"value":\#(text)}"#.utf8))
        let isWithin = shape.isRepeated || depth + 1 <= JSON.maximumCodingDepth
        // Foundation refuses texts that are nested more than 512 levels deep.
        #expect((page != nil) == (isWithin && depth < 512), "\(depth): \(text.prefix(40))")
        if let page, let json = try? JSON(parsing: Data(text.utf8)) { #expect(json == page.value) }
      }
    }
  }

  @Test(arguments: shapes)
  func anEncoderWritesAValueOrRefusesIt(_ shape: Shape) async {
    await onThread(stackSize: 512 << 10) {
      Self.forEachText(shape) { text, depth in
        guard let json = try? JSON(parsing: Data(text.utf8)) else { return }
        let data = try? JSONEncoder().encode([json])
        let isWithin = shape.isRepeated || depth <= JSON.maximumCodingDepth
        #expect((data != nil) == isWithin, "\(depth): \(text.prefix(40))")
        if let data { #expect((try? JSON(parsing: data)) == [json]) }
      }
    }
  }

  @Test func aTextThatIsTooDeepHasAnErrorThatSaysSo() {
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    let error = #expect(throws: CocoaError.self) { try JSON(parsing: Data(deep.utf8)) }
    let reason = error?.userInfo["NSDebugDescription"] as? String
    #expect(reason == "It is nested more than 128 levels deep.")
    let decoding = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(JSON.self, from: Data(deep.utf8))
    }
    guard case .dataCorrupted(let context) = decoding else {
      Issue.record("\(String(describing: decoding))")
      return
    }
    #expect(context.debugDescription == "It is nested more than 64 levels deep.")
  }

  @Test(arguments: [
    #" { "a" : 1 , "a" : [ {"a":"},"} , 3 ] , "b" : "," , "\u0061" : 5 , "c":{"a":2,"a":3}} "#,
    #"[{"":1,"":{"":[1,2]},"x":"\"","x\u0022":0,"x\"":1}]"#, "{\"a\u{301}\":1,\"\u{e1}\":2}",
    #"{"a":1,"a":2,"a":{"b":3},"b":4}"#, #"{"a":{"b":1,"b":2},"a":3,"c":[{"d":0,"d":1}]}"#,
  ])
  func theFirstOfRepeatedNamesCountsInEachEncoding(_ text: String) throws {
    let expected = try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
    let encodings: [String.Encoding] = [
      .utf8, .utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian,
      .utf32LittleEndian,
    ]
    for encoding in encodings {
      let (json, hasRepeatedNames) = try JSON.parse(try #require(text.data(using: encoding)))
      #expect(json == expected, "\(encoding)")
      #expect(hasRepeatedNames)
    }
  }

  @Test func aNameThatOccursInSeveralObjectsIsNotRepeated() throws {
    let data = try #require(#"[{"a":{"a":"a"}},{"a":1}]"#.data(using: .utf16))
    #expect(try JSON.parse(data).hasRepeatedNames == false)
  }
}
