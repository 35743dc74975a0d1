import Foundation

@testable import Networking

extension FuzzTarget {
  /// Media types, media ranges and lists of them.
  ///
  /// Each line of the input is the value of `Content-Type` or `Accept`.
  static let mediaTypes = FuzzTarget("media-types", maximumLength: 1_024) { input in
    for line in input.lines {
      if let type = MediaType(line) { check(type, line) }
      let list = MediaType.list(line)
      expect(list.count <= line.utf8.count / 3 + 1, "a member has at least three characters")
      for member in list { check(member, line) }
      let written = list.map(text).joined(separator: " ,\t")
      expect(MediaType.list(written) == list, "a list that is written again is equal: \(written)")
    }
    Growth.checkLinear(input) { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      _ = MediaType(text)
      _ = MediaType.list(text)
    }
  }

  private static func check(_ type: MediaType, _ line: String) {
    expect(type.type.isToken && type.subtype.isToken, "both parts are tokens: \(line)")
    expect(type.type == type.type.lowercased(), "the type is in lower case: \(line)")
    expect(type.parameters.keys.allSatisfy(\.isToken), "the names are tokens: \(line)")
    expect(type.matches(type), "a type matches itself: \(line)")
    if let any = MediaType("*/*"), let range = MediaType("\(type.type)/*") {
      expect(type.matches(any) && type.matches(range), "a type matches its ranges: \(line)")
    }
    expect(MediaType(text(of: type)) == type, "\(text(of: type)) of \(line) is read again")
  }

  /// Returns the text of a type, with quoted values.
  private static func text(of type: MediaType) -> String {
    type.parameters.sorted { $0.key < $1.key }.reduce("\(type)") { text, parameter in
      // As scalars, because a quotation mark with a combining character is another `Character`.
      var value = "".unicodeScalars
      for scalar in parameter.value.unicodeScalars {
        if scalar == "\\" || scalar == "\"" { value.append("\\") }
        value.append(scalar)
      }
      return "\(text); \(parameter.key)=\"\(String(value))\""
    }
  }
}
