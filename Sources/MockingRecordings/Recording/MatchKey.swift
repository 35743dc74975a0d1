import Foundation
import Mocking
import Networking

/// The parts of a request that must be equal to those of a recorded request.
struct MatchKey: Hashable, Sendable {
  /// A compared part of a request.
  struct Part: Hashable, Sendable {
    /// The name of the part in error messages, such as `path` or `header accept`.
    let name: String
    /// The value in a canonical form.
    var value: JSON
    /// Whether a secret of the request only matches an equal value or a placeholder.
    ///
    /// This is so for parts that are compared by name. In other parts, a secret also matches another
    /// secret, because an archive of another program is not masked.
    var comparesSecrets = false

    /// Returns the number of masked values in which this recorded part and that of a request differ, or
    /// `nil` if they do not match.
    func maskedCount(_ request: Part, _ masked: Part) -> Int? {
      MaskedValues.count(
        in: value, matching: request.value, masked: comparesSecrets ? request.value : masked.value)
    }
  }

  /// The parts in a fixed order.
  ///
  /// Keys with the same matchers have the same part names.
  private(set) var parts: [Part] = []
  /// The method and the number of path segments, which are never masked.
  let shape: Shape

  /// The properties by which requests are indexed that may be equal except for masked values.
  struct Shape: Hashable, Sendable {
    let method: String
    let segmentCount: Int
  }

  /// Creates the key of a request, without the body that is compared only where bodies differ.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - matching: The matchers, which select the parts.
  init(_ request: HAR.Request, _ matching: Tape.Matching) {
    let (origin, path, query) = Self.split(request.url)
    let hasURL = matching.contains(.url)
    let hasPath = hasURL || matching.contains(.path)
    shape = Shape(
      method: matching.contains(.method) ? request.method : "",
      segmentCount: hasPath ? path.count : 0)
    func add(_ name: String, _ value: JSON, comparesSecrets: Bool = false) {
      parts.append(Part(name: name, value: value, comparesSecrets: comparesSecrets))
    }
    if matching.contains(.method) { add("method", .string(request.method)) }
    if hasURL { add("origin", .string(origin)) }
    if hasPath { add("path", .array(path.map { .string($0) })) }
    if hasURL || matching.contains(.query) {
      let fields = FormURLCoding.fields(query)
      add("query", matching.contains(.queryOrder) ? Self.ordered(fields) : Self.byName(fields))
    }
    var json: JSON?
    for matcher in matching.parts.sorted(by: { $0.description < $1.description }) {
      switch matcher {
      case .header(let name):
        let values = request.headers.filter { $0.name.lowercased() == name.lowercased() }
        add(
          "header \(name.lowercased())", .array(values.map { .string($0.value) }),
          comparesSecrets: true)
      case .cookie(let name):
        let cookies = request.headers.filter { $0.name.lowercased() == "cookie" }
          .flatMap { CookieHeader.cookies($0.value) }
        add(
          "cookie \(name)", .array(cookies.filter { $0.name == name }.map { .string($0.value) }),
          comparesSecrets: true)
      case .json(let path):
        let body = json ?? request.jsonBody
        json = body
        let values = Tape.Matcher.jsonPath(path)?.values(in: body) ?? []
        add("JSON value \(path)", .array(values), comparesSecrets: true)
      case .body: add("body", Self.body(of: request))
      case .method, .url, .path, .query, .queryOrder, .differingBody: break
      }
    }
  }

  /// Whether a value contains a placeholder.
  var isMasked: Bool { parts.contains { MaskedValues.isContained(in: $0.value) } }

  /// Adds the body of the request that the key was made of.
  mutating func addBody(of request: HAR.Request) {
    parts.append(Part(name: "body", value: Self.body(of: request)))
  }

  // MARK: Canonical forms

  /// Splits a URL into its normalized origin, the decoded segments of its path, and its query.
  ///
  /// Each segment is decoded by itself, so that an encoded slash remains distinct from a separator.
  private static func split(_ text: String) -> (origin: String, path: [String], query: String) {
    guard let url = URL(reference: text), let origin = Origin(url) else {
      let parts = text.prefix { $0 != "#" }.split(
        separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
      return ("", [String(parts[0])], parts.count > 1 ? String(parts[1]) : "")
    }
    let path = url.path(percentEncoded: true)
    let segments = (path.isEmpty ? "/" : path).split(
      separator: "/", omittingEmptySubsequences: false
    )
    .dropFirst().map { FormURLCoding.decode($0, false) }
    let query = url.query(percentEncoded: true) ?? ""
    return ("\(origin.scheme)://\(origin.host):\(origin.port)", segments, query)
  }

  private static func ordered(_ fields: [HAR.Field]) -> JSON {
    .array(fields.map { [.string($0.name), .string($0.value)] })
  }

  /// Returns the values of fields by their names.
  private static func byName(_ fields: [HAR.Field]) -> JSON {
    .dictionary(
      Dictionary(grouping: fields, by: \.name).mapValues { .array($0.map { .string($0.value) }) })
  }

  /// Returns the body in a canonical form.
  ///
  /// The form is equal for equal JSON values, for equal form fields, and for multipart bodies that
  /// differ only in their boundary.
  static func body(of request: HAR.Request) -> JSON {
    guard let body = request.postData else { return "" }
    if body.encoding == "size" { return .string("of \(request.bodySize) bytes") }
    guard body.encoding == nil else { return .string(withoutBoundary(body, decoding: true)) }
    let type = MediaType(body.mimeType)
    if type?.description == "application/x-www-form-urlencoded" {
      return byName(FormURLCoding.fields(body.content))
    }
    if type?.type == "multipart" { return .string(withoutBoundary(body, decoding: false)) }
    return (try? JSON(parsing: Data(body.content.utf8))) ?? .string(body.content)
  }

  /// Returns a multipart body without its boundary, which is different in each request.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - decoding: Whether the body is recorded in an encoding, and must be decoded first.
  /// - Returns: The body as text, or in base64 if it was decoded.
  private static func withoutBoundary(_ body: HAR.PostData, decoding: Bool) -> String {
    guard let boundary = MediaType(body.mimeType)?.parameters["boundary"], !boundary.isEmpty else {
      return body.content
    }
    guard decoding else {
      return TextOccurrences(of: boundary, in: body.content).pieces.joined(separator: "boundary")
    }
    guard
      let data = HARBodyCoding.decode(
        body.content, encoding: body.encoding, mimeType: body.mimeType)
    else { return body.content }
    let name = Data(boundary.utf8)
    var (kept, position) = (Data(), data.startIndex)
    while let range = data.range(of: name, in: position..<data.endIndex) {
      kept += data[position..<range.lowerBound]
      position = range.upperBound
    }
    return (kept + data[position...]).base64EncodedString()
  }

  // MARK: Comparison

  /// Returns the number of values in which a recorded key matches a request without being equal.
  ///
  /// - Parameters:
  ///   - request: The key of the request.
  ///   - masked: The key of the masked request.
  /// - Returns: The number of masked values, or `nil` if a part does not match.
  func maskedCount(matching request: MatchKey, masked: MatchKey) -> Int? {
    guard parts.count == request.parts.count, parts.count == masked.parts.count else { return nil }
    var count = 0
    for index in parts.indices {
      guard let partCount = parts[index].maskedCount(request.parts[index], masked.parts[index])
      else { return nil }
      count += partCount
    }
    return count
  }

  /// Returns the names of the parts that do not match a request.
  func differences(from request: MatchKey, masked: MatchKey) -> [String] {
    zip(parts, zip(request.parts, masked.parts)).compactMap { part, other in
      part.maskedCount(other.0, other.1) == nil ? part.name : nil
    }
  }

  /// Returns the distance to a request.
  ///
  /// The distance depends on the number of different parts. For an equal number, it depends on the
  /// length of the common prefix of the paths.
  func distance(to request: MatchKey, masked: MatchKey) -> Int {
    let different = differences(from: request, masked: masked).reduce(0) { sum, name in
      // A different path outweighs up to nine other different parts.
      sum + (name == "path" ? 100_000 : 10_000)
    }
    return different - min(zip(pathText, request.pathText).prefix { $0 == $1 }.count, 9_999)
  }

  private var pathText: String {
    let path = parts.first { $0.name == "path" }?.value.array ?? []
    return path.map { $0.string ?? "" }.joined(separator: "/")
  }
}

extension HAR.Request {
  /// The body as JSON, or `null`.
  fileprivate var jsonBody: JSON {
    guard let body = postData, body.encoding == nil else { return .null }
    return (try? JSON(parsing: Data(body.content.utf8))) ?? .null
  }
}
