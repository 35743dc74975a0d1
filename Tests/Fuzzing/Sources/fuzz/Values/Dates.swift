import Foundation

@testable import Networking

extension FuzzTarget {
  /// HTTP dates and the dates of cookies.
  ///
  /// Each line of the input is a date.
  static let dates = FuzzTarget("dates", maximumLength: 512) { input in
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    for line in input.lines {
      if let date = HTTPDate.parse(line, now: now) {
        check(date, line, now)
        let text = HTTPDate.text(of: date)
        let isPreferred = text == line
        expect(isPreferred || !line.hasPrefix(text), "a date has nothing after it: \(line)")
        // The parser of cookies finds the same, except for years that it limits or completes: for it,
        // 0050 is 2050.
        let isCommon = date.timeIntervalSince1970 >= -11_644_473_600
        if isPreferred, isCommon, let found = CookieDate.parse(line.utf8) {
          expect(found == date, "both parsers agree on \(line)")
        }
      }
      if let date = CookieDate.parse(line.utf8) {
        check(date, line, now)
        expect(date.timeIntervalSince1970 >= -11_644_473_600, "the year 1601 is the first")
      }
    }
    Growth.checkLinear(input) { bytes in
      _ = CookieDate.parse(bytes)
    }
    Growth.checkLinear(input) { bytes in
      _ = HTTPDate.parse(String(decoding: bytes, as: UTF8.self), now: now)
    }
  }

  private static func check(_ date: Date, _ line: String, _ now: Date) {
    let text = HTTPDate.text(of: date)
    expect(text.utf8.count == 29, "a date has 29 characters: \(text) of \(line)")
    expect(HTTPDate.parse(text, now: now) == date, "\(text) of \(line) is read again")
    expect(date.timeIntervalSince1970.rounded() == date.timeIntervalSince1970, "whole seconds")
  }
}
