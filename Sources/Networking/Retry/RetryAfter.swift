import Foundation

/// How long a server asks to be left alone.
///
/// Source: RFC 9110 section 10.2.3.
enum RetryAfter {
  /// Reads the first `Retry-After` field, of either form.
  ///
  /// - Parameters:
  ///   - headers: the response's.
  ///   - now: the time of day, for a date.
  /// - Returns: how long from now, nothing for a date in the past; nil when there is no such field, or it
  ///   says nothing that can be understood.
  static func delay(in headers: HTTPHeaders, now: Date) -> Duration? {
    guard
      let value = headers.values(for: "Retry-After").first?.trimmingCharacters(in: .whitespaces),
      !value.isEmpty
    else { return nil }
    if value.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      // What does not fit is longer than anybody waits.
      return .seconds(Int64(Int32(value) ?? .max))
    }
    return HTTPDate.parse(value, now: now).map { date in
      .seconds(min(max(0, date.timeIntervalSince(now)), Double(Int32.max)))
    }
  }
}
