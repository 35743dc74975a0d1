import Foundation
import Mocking
import Networking

extension Tape {
  /// The parts in which a request must be equal to a recorded one.
  ///
  /// ```swift
  /// let options = Tape.Options(matching: [.method, .path, .query, .json("operationName")])
  /// let same = try Tape.Options(matching: Tape.Matching(parsing: "method,path,query,json:operationName"))
  /// ```
  ///
  /// By default, the method and the URL must be equal, and also the body if the recording contains
  /// requests that differ only in their bodies.
  ///
  /// A value that was masked when it was recorded is equal to any value, and so is a value of the
  /// request that the rules of the tape would mask. If several recorded requests match, the one with
  /// the fewest such values is replayed; then one whose responses have not all been replayed; then the
  /// first one.
  public struct Matching: Sendable, Hashable {
    /// The parts.
    public var parts: Set<Matcher>

    /// Creates a list of parts.
    ///
    /// - Parameter parts: The parts. Without parts, all recorded requests are equal.
    public init(_ parts: Set<Matcher>) {
      self.parts = parts
    }

    /// The method, the URL, and the body where only the bodies differ.
    public static let standard = Matching([.method, .url, .differingBody])

    /// Returns whether a part must be equal.
    ///
    /// - Parameter part: The part.
    /// - Returns: Whether the part is in ``parts``.
    public func contains(_ part: Matcher) -> Bool { parts.contains(part) }

    /// Whether the body of each request is compared.
    var alwaysReadsBody: Bool {
      parts.contains { part in
        if case .json = part { true } else { part == .body }
      }
    }

    /// The same parts without the origin, for requests to a server with another host and port.
    var ignoringOrigin: Matching {
      guard parts.contains(.url) else { return self }
      return Matching(parts.subtracting([.url]).union([.path, .query]))
    }
  }

  /// A part in which a request must be equal to a recorded one.
  public enum Matcher: Sendable, Hashable {
    /// The method.
    case method
    /// The URL: origin, path and query.
    ///
    /// The order of the query parameters does not matter, except that of parameters with the same name.
    case url
    /// The path.
    ///
    /// Together with ``query``, use it for servers whose host or port changes.
    case path
    /// The query parameters.
    ///
    /// Their order does not matter, except that of parameters with the same name.
    case query
    /// The order of the query parameters, in addition to ``url`` or ``query``.
    case queryOrder
    /// The values of a header field.
    case header(String)
    /// The value of a cookie.
    case cookie(String)
    /// The body.
    ///
    /// JSON is compared by value, a form by its fields, a multipart body without its boundary, a
    /// body larger than the limit by its size, and any other body by its bytes.
    case body
    /// The body, if the recording contains requests whose other parts are equal and whose bodies
    /// differ.
    ///
    /// The operations of GraphQL are distinguished in this way. If a request was recorded with one body
    /// only, it matches with any body.
    case differingBody
    /// The values at a path in a JSON body, such as `operationName` or `$.items[0].id`.
    ///
    /// The syntax is that of the JSON paths of a ``RequestCondition``; the `$` at the start is optional.
    /// A path that is malformed selects nothing.
    case json(String)
  }

  /// An error in a list of matchers.
  public struct MatchingError: Error, Hashable, CustomStringConvertible {
    /// The matcher.
    public let matcher: String
    /// The expected and the actual value.
    public let description: String
  }
}

extension Tape.Matching: ExpressibleByArrayLiteral {
  /// Creates a list of parts.
  public init(arrayLiteral elements: Tape.Matcher...) {
    self.init(Set(elements))
  }
}

extension Tape.Matching: CustomStringConvertible {
  /// Parses a list of parts, such as `method,path,query,header:Accept`.
  ///
  /// | text | part |
  /// |---|---|
  /// | `method` | the method |
  /// | `url` | origin, path and query |
  /// | `path`, `query` | the path, the query |
  /// | `query-order` | the order of the query parameters |
  /// | `header:NAME` | a header field |
  /// | `cookie:NAME` | a cookie |
  /// | `body` | the body |
  /// | `differing-body` | the body, where recorded requests differ only in their bodies |
  /// | `json:PATH` | a value in a JSON body, such as `json:items[0].id` |
  ///
  /// - Parameter text: The parts, separated by commas. Spaces around them are ignored.
  /// - Throws: ``Tape/MatchingError`` for an unknown part, or one without a name or with a wrong path.
  public init(parsing text: String) throws(Tape.MatchingError) {
    var parts: Set<Tape.Matcher> = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      parts.insert(try Tape.Matcher(parsing: item.trimmingCharacters(in: .whitespaces)))
    }
    self.init(parts)
  }

  /// The parts in the syntax of ``init(parsing:)``, sorted.
  public var description: String { parts.map(\.description).sorted().joined(separator: ",") }
}

extension Tape.Matcher: CustomStringConvertible {
  private static let plain: [(name: String, matcher: Tape.Matcher)] = [
    ("method", .method), ("url", .url), ("path", .path), ("query", .query),
    ("query-order", .queryOrder), ("body", .body), ("differing-body", .differingBody),
  ]

  fileprivate init(parsing text: String) throws(Tape.MatchingError) {
    if let known = Self.plain.first(where: { $0.name == text.lowercased() }) {
      self = known.matcher
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
    switch parts[0].lowercased() {
    case "header":
      guard value.isToken else {
        throw Tape.MatchingError(
          matcher: text, description: "\"\(text)\": expected the name of a field: header:NAME")
      }
      self = .header(value)
    case "cookie":
      guard !value.isEmpty else {
        throw Tape.MatchingError(
          matcher: text, description: "\"\(text)\": expected the name of a cookie: cookie:NAME")
      }
      self = .cookie(value)
    case "json":
      guard !value.isEmpty, Self.jsonPath(value) != nil else {
        throw Tape.MatchingError(
          matcher: text,
          description:
            "\"\(text)\": expected a path, such as json:operationName or json:items[0].id")
      }
      self = .json(value)
    default:
      let names = Self.plain.map(\.name) + ["header:NAME", "cookie:NAME", "json:PATH"]
      throw Tape.MatchingError(
        matcher: text,
        description: "\"\(text)\" is not one of \(names.joined(separator: ", "))")
    }
  }

  /// Parses a JSON path, with or without the root, or returns `nil` if it is malformed.
  static func jsonPath(_ text: String) -> JSONPath? {
    let root = text.hasPrefix("$") ? "" : text.hasPrefix("[") ? "$" : "$."
    return try? JSONPath(root + text)
  }

  /// The part in the syntax of ``Tape/Matching/init(parsing:)``.
  public var description: String {
    switch self {
    case .header(let name): "header:\(name)"
    case .cookie(let name): "cookie:\(name)"
    case .json(let path): "json:\(path)"
    default: Self.plain.first { $0.matcher == self }?.name ?? ""
    }
  }
}
