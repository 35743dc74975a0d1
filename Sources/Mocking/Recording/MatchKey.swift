import Foundation
import Networking

/// The parts of a request that must be equal to those of a recorded request.
struct MatchKey: Hashable, Sendable {
  /// A compared part of a request.
  struct Part: Hashable, Sendable {
    /// The name of the part in error messages, such as `path` or `header accept`.
    let name: String
    /// The value in a canonical form.
    var value: JSON
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
    func add(_ name: String, _ value: JSON) { parts.append(Part(name: name, value: value)) }
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
        add("header \(name.lowercased())", .array(values.map { .string($0.value) }))
      case .cookie(let name):
        let cookies = request.headers.filter { $0.name.lowercased() == "cookie" }
          .flatMap { CookieHeader.cookies($0.value) }
        add("cookie \(name)", .array(cookies.filter { $0.name == name }.map { .string($0.value) }))
      case .json(let path):
        let body = json ?? request.jsonBody
        json = body
        let values = Tape.Matcher.jsonPath(path)?.values(in: body) ?? []
        add("JSON value \(path)", .array(values))
      case .body: add("body", Self.body(of: request))
      case .method, .url, .path, .query, .queryOrder, .differingBody: break
      }
    }
  }

  /// Adds the body of the request that the key was made of.
  mutating func addBody(of request: HAR.Request) {
    parts.append(Part(name: "body", value: Self.body(of: request)))
  }

  // MARK: Canonical forms

  /// Splits a URL into its normalized origin, the decoded segments of its path, and its query.
  ///
  /// Each segment is decoded by itself, so that an encoded slash remains distinct from a separator.
  private static func split(_ text: String) -> (origin: String, path: [String], query: Substring) {
    let escaped = RecordedURL.escaped(text)
    let bare = escaped.prefix { $0 != "#" }
    let question = bare.firstIndex(of: "?") ?? bare.endIndex
    let query = question == bare.endIndex ? "" : bare[bare.index(after: question)...]
    guard let url = URL(string: String(bare[..<question])), let origin = Origin(url) else {
      return ("", [String(bare[..<question])], query)
    }
    let path = url.path(percentEncoded: true)
    let segments = (path.isEmpty ? "/" : path).split(
      separator: "/", omittingEmptySubsequences: false
    )
    .dropFirst().map { FormURLCoding.decode($0, false) }
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
    guard decoding else { return body.content.replacing(boundary, with: "boundary") }
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
      guard
        let partCount = MaskedValues.count(
          in: parts[index].value, matching: request.parts[index].value,
          masked: masked.parts[index].value)
      else { return nil }
      count += partCount
    }
    return count
  }

  /// Returns the names of the parts that do not match a request.
  func differences(from request: MatchKey, masked: MatchKey) -> [String] {
    zip(parts, zip(request.parts, masked.parts)).compactMap { part, other in
      MaskedValues.count(in: part.value, matching: other.0.value, masked: other.1.value) == nil
        ? part.name : nil
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

/// The URLs of recorded requests.
enum RecordedURL {
  /// Returns a URL in which the characters that a URL cannot contain are percent-encoded.
  ///
  /// Browsers send some of them, such as `[` in a query. Foundation would also encode each `%` of such a
  /// URL again.
  static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { !isAllowed($0) }) else { return text }
    // The authority is unchanged, because an IPv6 address is in brackets.
    let authority = text.range(of: "://")?.upperBound ?? text.startIndex
    let start = text[authority...].firstIndex { "/?".contains($0) } ?? text.endIndex
    return text[start...].utf8.reduce(into: String(text[..<start])) { escaped, byte in
      if isAllowed(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += String(format: "%%%02X", byte)
      }
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && !#"[]{}|\^"<>`"#.utf8.contains(byte)
  }
}

extension HAR.Request {
  /// The body as JSON, or `null`.
  fileprivate var jsonBody: JSON {
    guard let body = postData, body.encoding == nil else { return .null }
    return (try? JSON(parsing: Data(body.content.utf8))) ?? .null
  }
}

// MARK: - Masked values

/// A comparison of recorded values, which may be masked, with those of a request.
enum MaskedValues {
  /// Returns the number of masked values in which a recorded value and that of a request differ.
  ///
  /// - Parameters:
  ///   - recorded: The recorded value. Each placeholder in it matches any text.
  ///   - value: The value of the request.
  ///   - masked: The masked value of the request. A value that masking has changed is a secret, and
  ///     matches any recorded secret.
  /// - Returns: The number, or `nil` if the values do not match.
  static func count(in recorded: JSON, matching value: JSON, masked: JSON) -> Int? {
    if recorded == value { return 0 }
    if isPlaceholder(recorded) || isPlaceholder(masked) { return 1 }
    switch (recorded, value) {
    case (.string(let recorded), .string(let text)):
      if Placeholder.matches(pattern: recorded, text) { return 1 }
      guard let masked = masked.string, masked != text else { return nil }
      return Placeholder.matches(pattern: masked, recorded) ? 1 : nil
    case (.array(let recorded), .array(let values)):
      let hasMasked = masked.array?.count == values.count
      guard recorded.count == values.count else { return nil }
      return sum(recorded.indices) { index in
        count(
          in: recorded[index], matching: values[index],
          masked: hasMasked ? masked[index] : values[index])
      }
    case (.dictionary(let recorded), .dictionary(let members)):
      guard recorded.count == members.count else { return nil }
      return sum(recorded) { name, value in
        guard let member = members[name] else { return nil }
        return count(in: value, matching: member, masked: masked.dictionary?[name] ?? member)
      }
    case (.array, _), (.dictionary, _), (_, .array), (_, .dictionary): return nil
    default:
      // A masked number remains a number.
      return masked == value ? nil : 1
    }
  }

  private static func isPlaceholder(_ json: JSON) -> Bool {
    guard let text = json.string, text.hasPrefix(Redactor.mask) else { return false }
    return Placeholder.end(at: 0, in: Array(text.utf8)) == text.utf8.count
  }

  private static func sum<Values: Sequence>(
    _ values: Values, _ count: (Values.Element) -> Int?
  ) -> Int? {
    var sum = 0
    for value in values {
      guard let next = count(value) else { return nil }
      sum += next
    }
    return sum
  }
}

/// The placeholders of masked values in a recording, such as `***` and `***-3f2a9c`.
enum Placeholder {
  /// Returns the end of a placeholder that begins at a position, or `nil` if there is none.
  static func end(at position: Int, in bytes: [UInt8]) -> Int? {
    let mask = Array(Redactor.mask.utf8)
    guard bytes[position...].starts(with: mask) else { return nil }
    let end = position + mask.count
    guard end < bytes.count, bytes[end] == UInt8(ascii: "-") else { return end }
    let digits = bytes[(end + 1)...].prefix {
      (0x30...0x39).contains($0) || (0x61...0x66).contains($0)
    }
    return digits.isEmpty ? end : digits.endIndex
  }

  /// Returns whether a text contains a placeholder.
  static func isContained(in text: String) -> Bool { text.contains(Redactor.mask) }

  /// Returns whether a text is equal to a pattern in which each placeholder matches any text.
  ///
  /// The time is linear. A pattern without a placeholder does not match.
  static func matches(pattern: String, _ text: String) -> Bool {
    guard isContained(in: pattern) else { return false }
    let bytes = Array(pattern.utf8)
    var (fragments, start, position) = ([ArraySlice<UInt8>](), 0, 0)
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "*"), let end = end(at: position, in: bytes) {
        fragments.append(bytes[start..<position])
        (start, position) = (end, end)
      } else {
        position += 1
      }
    }
    let last = bytes[start...]
    guard let first = fragments.first else { return false }
    var rest = ArraySlice(Array(text.utf8))
    guard rest.starts(with: first) else { return false }
    rest = rest.dropFirst(first.count)
    for fragment in fragments.dropFirst() where !fragment.isEmpty {
      guard let end = endOfMatch(of: Array(fragment), in: rest) else { return false }
      rest = rest[end...]
    }
    return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
  }

  /// Returns the end of the first match of a pattern, by the algorithm of Knuth, Morris and Pratt.
  private static func endOfMatch(of pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    var borders = Array(repeating: 0, count: pattern.count)
    var length = 0
    for index in pattern.indices.dropFirst() {
      while length > 0, pattern[index] != pattern[length] { length = borders[length - 1] }
      if pattern[index] == pattern[length] { length += 1 }
      borders[index] = length
    }
    length = 0
    for index in bytes.indices {
      while length > 0, bytes[index] != pattern[length] { length = borders[length - 1] }
      if bytes[index] == pattern[length] { length += 1 }
      if length == pattern.count { return index + 1 }
    }
    return nil
  }
}
