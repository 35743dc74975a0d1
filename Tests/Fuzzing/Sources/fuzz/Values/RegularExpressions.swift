import Foundation

@testable import Mocking

extension FuzzTarget {
  /// Regular expressions: the first line of the input, which is searched in the rest.
  static let regularExpressions = FuzzTarget("regular-expressions", maximumLength: 1_024) { input in
    let (line, rest) = input.firstLine
    let expression = RegularExpression(line)
    Growth.checkLinear(FuzzInput(rest)) { bytes in
      _ = expression.isFound(in: String(decoding: bytes, as: UTF8.self))
    }
    Growth.checkLinear(FuzzInput(Array(line.utf8))) { bytes in
      _ = RegularExpression(String(decoding: bytes, as: UTF8.self))
    }
    let text = String(decoding: rest, as: UTF8.self)
    var work = 0
    let isFound = expression.isFound(in: text, counting: &work)
    guard expression.validationError == nil else {
      expect(!isFound && work == 0, "a malformed expression matches nothing")
      return
    }
    expect(
      work <= 5_000 * (text.unicodeScalars.count + 1) * 2, "the work is bounded: \(work) visits")
    expect(isFound == expression.isFound(in: text), "a search has one result")
    let limited = expression.isFound(in: text, counting: &work, limit: 0)
    expect(!limited || isFound, "a search that ends early finds nothing else")
  }
}
