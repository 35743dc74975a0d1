import Foundation

/// Where a request goes: a path below a base URL, or an absolute URL.
///
/// ```swift
/// let path: RequestPath = "boards/\(id)/cards?owner=\(owner)"
/// ```
///
/// What is written stays as it is, and is checked when the request is built. What is interpolated is
/// percent-encoded as ONE segment of the path, or one value of the query: no `/`, `?`, `#` or `%` in it
/// gets out of its place. A segment that would come out empty, `.` or `..` for what was interpolated
/// names another resource than was meant, and no encoding saves it, as servers decode first; such a
/// path is refused with ``NetworkError/Code-swift.enum/invalidURL``, and so is a value inside the host
/// of an absolute URL. `\(raw:)` puts text in as if it had been written.
///
/// Source: RFC 3986 sections 2.3, 3.3 and 3.4.
public struct RequestPath: Sendable, Hashable {
  /// The path or URL, with what was interpolated encoded.
  public let text: String
  /// What is wrong with what was interpolated, or nil.
  let problem: String?

  init(text: String, problem: String?) {
    self.text = text
    self.problem = problem
  }

  /// Makes a path of text, as if it had been written in the place of a literal.
  ///
  /// - Parameter text: a path or an absolute URL.
  public init(raw text: String) {
    self.init(text: text, problem: nil)
  }

  /// An absolute URL, or one relative to the base URL.
  ///
  /// - Parameter url: the URL; its fragment is not sent.
  /// - Returns: a path that is the URL.
  public static func url(_ url: URL) -> RequestPath {
    RequestPath(raw: url.absoluteString)
  }
}

extension RequestPath: CustomStringConvertible {
  /// The path or URL, with what was interpolated encoded.
  public var description: String { text }
}

extension RequestPath: Codable {
  private enum CodingKeys: String, CodingKey {
    case text
    case problem
  }

  /// Reads a path.
  ///
  /// - Parameter decoder: what to read from.
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      text: try container.decode(String.self, forKey: .text),
      problem: try container.decodeIfPresent(String.self, forKey: .problem))
  }

  /// Writes the path; one that was refused stays so.
  ///
  /// - Parameter encoder: what to write to.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(text, forKey: .text)
    try container.encodeIfPresent(problem, forKey: .problem)
  }
}
