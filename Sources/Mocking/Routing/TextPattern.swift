import Synchronization

/// Why a ``MockServer`` does not do what it was asked.
public enum MockServerError: Error, Hashable, Sendable {
  /// The port cannot be listened on: it is in use, or not ours to take.
  case cannotListen(port: Int, reason: String)
  /// The template of a route is malformed.
  case invalidTemplate(String, reason: String)
  /// A regular expression in a condition is malformed.
  case invalidPattern(String, reason: String)
  /// The connection closed so long ago that the server has forgotten how.
  case forgotten(connection: Int)
  /// The server has been stopped, so what was waited for will not come.
  case stopped
}

extension MockServerError: CustomStringConvertible {
  /// What is wrong, and with what.
  public var description: String {
    switch self {
    case .cannotListen(let port, let reason): "cannot listen on 127.0.0.1:\(port): \(reason)"
    case .invalidTemplate(let template, let reason):
      "the route \"\(template)\" is malformed: \(reason)"
    case .invalidPattern(let pattern, let reason):
      "the regular expression /\(pattern)/ is malformed: \(reason)"
    case .forgotten(let connection):
      "connection \(connection) has closed, and how is forgotten; see MockServerLimits"
    case .stopped: "the server has been stopped"
    }
  }
}

/// What a text has to be: the value of a query item, a header field or a form's field, or a body.
///
/// A literal stands for ``equal(_:)``.
///
/// ```swift
/// .query("page", "2")
/// .header("Authorization", .present)
/// .header("Accept", .containing("json"))
/// .form("year", .matching("^[0-9]{4}$"))
/// ```
///
/// Of a name that has several values one that fits is enough.
public struct TextPattern: Sendable, Hashable {
  enum Kind: Hashable {
    case equal(String)
    case present
    case absent
    case containing(String)
    case matching(CompiledPattern)
  }

  let kind: Kind

  /// Any text, be it empty.
  public static let present = TextPattern(kind: .present)

  /// No text: there is no value of the name, or the body is empty.
  public static let absent = TextPattern(kind: .absent)

  /// This very text.
  ///
  /// - Parameter text: the text.
  /// - Returns: the pattern.
  public static func equal(_ text: String) -> TextPattern { TextPattern(kind: .equal(text)) }

  /// A text with another in it.
  ///
  /// - Parameter part: what has to be in it; empty is in every one.
  /// - Returns: the pattern.
  public static func containing(_ part: String) -> TextPattern {
    TextPattern(kind: .containing(part))
  }

  /// A text in which a regular expression finds something.
  ///
  /// - Parameter expression: the expression, as Swift's `Regex` reads it; `^` and `$` tie it to the
  ///   beginning and the end. Where a malformed one is used for a route, making the server throws
  ///   ``MockServerError/invalidPattern(_:reason:)`` and a transport fails all requests; a verification
  ///   fails and says so.
  /// - Returns: the pattern.
  public static func matching(_ expression: String) -> TextPattern {
    TextPattern(kind: .matching(CompiledPattern(expression)))
  }

  /// Whether one of some values fits.
  func fits(_ values: [String]) -> Bool {
    switch kind {
    case .present: !values.isEmpty
    case .absent: values.isEmpty
    case .equal(let text): values.contains(text)
    case .containing(let part): values.contains { part.isEmpty || $0.contains(part) }
    case .matching(let pattern): values.contains { pattern.isFound(in: $0) }
    }
  }

  /// What is wrong with it; nil for nothing.
  var flaw: MockServerError? {
    guard case .matching(let pattern) = kind, let flaw = pattern.flaw else { return nil }
    return .invalidPattern(pattern.text, reason: flaw)
  }
}

extension TextPattern: ExpressibleByStringInterpolation {
  /// Makes ``equal(_:)``.
  public init(stringLiteral value: String) { self = .equal(value) }
}

extension TextPattern: CustomStringConvertible {
  /// What is expected, such as `"2"`, `any value` or `a match of /^[0-9]+$/`.
  public var description: String { description { $0 } }

  /// What is expected of a body's text, values of telling names masked.
  var bodyDescription: String { description(ReportFormatter.masked) }

  private func description(_ masked: (String) -> String) -> String {
    func quoted(_ text: String) -> String { ReportFormatter.quoted(masked(text)) }
    return switch kind {
    case .equal(let text): quoted(text)
    case .present: "any value"
    case .absent: "none"
    case .containing(let part): "something with \(quoted(part)) in it"
    case .matching(let pattern): ReportFormatter.bounded("a match of /\(masked(pattern.text))/")
    }
  }
}

/// A regular expression, compiled once.
final class CompiledPattern: Sendable {
  let text: String
  /// Why it cannot be used; nil when it can.
  let flaw: String?
  /// Behind a lock because a `Regex` may not be shared between threads.
  private let regex: Mutex<Regex<AnyRegexOutput>?>

  init(_ text: String) {
    self.text = text
    do {
      regex = Mutex(try Regex(text))
      flaw = nil
    } catch {
      regex = Mutex(nil)
      flaw = "\(error)"
    }
  }

  func isFound(in text: String) -> Bool {
    regex.withLock { regex in regex.map { text.firstMatch(of: $0) != nil } ?? false }
  }
}

extension CompiledPattern: Hashable {
  static func == (left: CompiledPattern, right: CompiledPattern) -> Bool { left.text == right.text }

  func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
