import Foundation

@testable import Mocking
@testable import MockingRecordings
@testable import Networking

extension FuzzTarget {
  /// The positions of values in JSON texts.
  static let jsonPaths = FuzzTarget("json-paths", maximumLength: 2_048) { input in
    let data = JSONDocumentError.text(of: input.data)
    var choices = input.choices
    Growth.checkLinear(input) { bytes in
      let data = Data(bytes)
      _ = JSONLocator.offset(of: ["a", .element(1)], in: data)
      _ = JSONDocumentError.syntax(of: data).place(in: data)
    }
    // Foundation takes a text with NUL bytes for UTF-16 or UTF-32.
    guard !data.contains(0) else { return }
    guard String(validating: data, as: UTF8.self) != nil, let json = try? JSON(parsing: data) else {
      let error = JSONDocumentError.syntax(of: data)
      expect((0...data.count).contains(error.offset ?? 0), "an error is in the text: \(error)")
      check(error.place(in: data), data)
      // The text is not valid, so only the bounds are certain.
      check(JSONDocumentError(path: ["a", .element(2), "b"], text: "").place(in: data), data)
      return
    }
    for _ in 0..<8 {
      let (path, value) = draw(json, &choices)
      func byte(_ offset: Int) -> UInt8 { offset < data.count ? data[offset] : 0 }
      let offset = JSONLocator.offset(of: path, in: data)
      expect(isStart(byte(offset), of: value), "\(path) is at the offset \(offset)")
      if case .member = path.steps.last {
        let offset = JSONLocator.offset(of: path, isName: true, in: data)
        expect(byte(offset) == UInt8(ascii: "\""), "the name of \(path) is at the offset \(offset)")
      }
      let kind = JSONLocator.kind(of: path, in: data)
      expect(kind == name(of: value), "\(path) is \(name(of: value)), not \(kind ?? "nothing")")
      check(JSONDocumentError(path: path, text: "").place(in: data), data)
      let missing = path.appending(.member("\u{1}none"))
      expect(JSONLocator.kind(of: missing, in: data) == nil, "there is no \(missing)")
      expect(!missing.description.utf8.contains { $0 < 0x20 }, "the text of a path is one line")
    }
  }

  private static func check(_ place: TextPosition, _ data: Data) {
    let lines = data.count { $0 == UInt8(ascii: "\n") } + 1
    expect((1...lines).contains(place.line), "the line \(place.line) is in the text")
    expect((1...(data.count + 1)).contains(place.column), "the column \(place.column) is in it")
  }

  /// Returns a path that exists, and the value there.
  private static func draw(_ json: JSON, _ choices: inout Choices) -> (JSONValuePath, JSON) {
    var (path, value) = (JSONValuePath(), json)
    while true {
      switch value {
      case .array(let values) where !values.isEmpty && choices.number(below: 6) > 0:
        let index = choices.number(below: values.count)
        path = path.appending(.element(index))
        value = values[index]
      case .dictionary(let members) where !members.isEmpty && choices.number(below: 6) > 0:
        let member = members.sorted { $0.key < $1.key }[choices.number(below: members.count)]
        path = path.appending(.member(member.key))
        value = member.value
      default: return (path, value)
      }
    }
  }

  private static func isStart(_ byte: UInt8, of value: JSON) -> Bool {
    switch value {
    case .null: byte == UInt8(ascii: "n")
    case .bool(let value): byte == UInt8(ascii: value ? "t" : "f")
    case .int, .decimal, .double:
      byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    case .string: byte == UInt8(ascii: "\"")
    case .array: byte == UInt8(ascii: "[")
    case .dictionary: byte == UInt8(ascii: "{")
    }
  }

  private static func name(of value: JSON) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int, .decimal, .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .dictionary: "an object"
    }
  }
}
