package import Foundation

/// A server-sent event.
///
/// A string literal creates an event with this data.
///
/// Source: HTML Standard, section 9.2.
public struct MockEvent: Sendable, Hashable, ExpressibleByStringLiteral {
  /// The data.
  ///
  /// Each line is sent as one `data` line.
  public var data: String
  /// The type of the event, or `nil` for `message`.
  public var event: String?
  /// The id, which a client sends as `Last-Event-ID` when it connects again.
  public var id: String?
  /// The time after which a client connects again, or `nil` for its default.
  public var retry: Duration?
  /// The delay after the previous event, or `nil` for the interval of the stream.
  public var delay: Duration?

  /// Creates an event.
  ///
  /// - Parameters:
  ///   - data: The data.
  ///   - event: The type. Line breaks are removed.
  ///   - id: The id. Line breaks and NUL are removed.
  ///   - retry: The time after which a client connects again.
  ///   - delay: The delay after the previous event. `nil` uses the interval of the stream.
  public init(
    _ data: String, event: String? = nil, id: String? = nil, retry: Duration? = nil,
    after delay: Duration? = nil
  ) {
    self.data = data
    self.event = event
    self.id = id
    self.retry = retry
    self.delay = delay
  }

  /// Creates an event with data.
  ///
  /// - Parameter value: The data.
  public init(stringLiteral value: String) { self.init(value) }

  /// The lines of the event, and the empty line after them.
  package var bytes: Data {
    func line(_ text: String) -> String {
      String(
        String.UnicodeScalarView(
          text.unicodeScalars.filter { !"\r\n\0".unicodeScalars.contains($0) }))
    }
    var text = ""
    if let event { text += "event: \(line(event))\n" }
    if let id { text += "id: \(line(id))\n" }
    if let retry { text += "retry: \(Int64(min(max(retry / .milliseconds(1), 0), 1e15)))\n" }
    // "\r\n" is one character.
    for part in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
      text += "data: \(part)\n"
    }
    return Data((text + "\n").utf8)
  }
}

extension Character {
  /// Whether the character ends a line of a server-sent event.
  fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}
