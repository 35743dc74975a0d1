public import Foundation

/// The date from which on pins are not checked any more.
///
/// A string literal is a day, such as `"2027-06-01"`, and stands for its start in UTC. A malformed one
/// is refused when the ``TLSOptions`` with it are made.
public struct PinExpiry: Sendable, Hashable, ExpressibleByStringLiteral {
  enum Kind: Hashable {
    case date(Date)
    case malformed(String)
  }

  let kind: Kind

  /// Makes an expiry.
  ///
  /// - Parameter date: The date.
  public init(_ date: Date) { kind = .date(date) }

  /// Makes an expiry from a day.
  ///
  /// - Parameter value: The day in the form of ISO 8601, such as `2027-06-01`.
  public init(stringLiteral value: String) {
    let style = Date.ISO8601FormatStyle(timeZone: TimeZone(secondsFromGMT: 0) ?? .current)
      .year().month().day()
    if value.utf8.count == 10, let date = try? style.parse(value), date.formatted(style) == value {
      kind = .date(date)
    } else {
      kind = .malformed(value)
    }
  }
}
