import CatenaSystem
import Mocking
import MockingRecordings
import Networking

/// A path template of an OpenAPI document.
///
/// A segment may have several parameters and literal text, such as `/reports/{year}-{month}.pdf`.
struct ContractPath: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case literal(String)
    case variable(String)
  }

  /// An item of the query that a request must have.
  struct QueryItem: Sendable, Hashable {
    /// The decoded name.
    let name: String
    /// The decoded value.
    ///
    /// `nil` is any value.
    let value: String?
    /// The name of the parameter that is the value.
    ///
    /// `nil` if there is none.
    let variable: String?
  }

  /// The parts of each segment.
  let segments: [[Part]]
  /// The items of the query.
  ///
  /// Empty for the paths of the specification, which have no query.
  let query: [QueryItem]

  init(_ text: String) {
    let sides = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = sides.first ?? ""
    segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      Self.parts(of: $0)
    }
    query = RequestQuery(sides.dropFirst().first).items.map { item in
      let parts = Self.parts(of: item.value[...])
      if parts.count == 1, case .variable(let name)? = parts.first {
        return QueryItem(name: item.name, value: nil, variable: name)
      }
      return QueryItem(
        name: item.name, value: item.value.isEmpty ? nil : item.value, variable: nil)
    }
  }

  private static func parts(of segment: Substring) -> [Part] {
    var parts: [Part] = []
    var rest = segment
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      if start > rest.startIndex { parts.append(.literal(String(rest[..<start]))) }
      parts.append(.variable(String(rest[rest.index(after: start)..<end])))
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty || parts.isEmpty { parts.append(.literal(String(rest))) }
    return parts
  }

  /// The names of the parameters.
  var names: [String] {
    segments.joined().compactMap { if case .variable(let name) = $0 { name } else { nil } }
  }

  /// The path without the names of its parameters.
  var shape: String {
    let path = segments.map { parts in
      "/" + parts.map { if case .literal(let text) = $0 { text } else { "{}" } }.joined()
    }
    let query = query.map { "?\($0.name)=\($0.value ?? "{}")" }.sorted()
    return (path + query).joined()
  }

  /// The conditions of a ``Route`` for the query.
  var conditions: [RequestCondition] {
    query.map { item in item.value.map { .query(item.name, $0) } ?? .query(item.name) }
  }

  /// Returns whether a request has the items of the query.
  func matches(_ query: RequestQuery) -> Bool {
    self.query.allSatisfy { item in
      query.values(for: item.name).contains { $0 == item.value ?? $0 }
    }
  }

  /// The template for a ``Route``.
  var template: String {
    var known: Set<String> = []
    return segments.enumerated().map { index, parts in
      switch parts.first {
      case .literal(let text)? where parts.count == 1:
        // Some documents have paths that are not percent-encoded.
        let isEncoded = PercentEncoding.decode(text[...]) != nil
        return PathTemplate.escaping("/" + (isEncoded ? text : text.replacing("%", with: "%25")))
      case .variable(let name)? where parts.count == 1:
        let isPlain = name.utf8.allSatisfy {
          $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
        }
        let isNew = known.insert(name).inserted
        return "/{\(isPlain && isNew && !name.isEmpty ? name : "p\(index)")}"
      default: return "/{p\(index):\(Self.expression(parts))}"
      }
    }.joined()
  }

  private static func expression(_ parts: [Part]) -> String {
    parts.map { part in
      switch part {
      case .variable: ".+"
      case .literal(let text):
        text.unicodeScalars.map { scalar in
          scalar.isASCII && !scalar.properties.isAlphabetic && !("0"..."9").contains(scalar)
            ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
      }
    }.joined()
  }

  /// Returns the values of the parameters in a path that matches, percent-encoded.
  ///
  /// - Parameter path: The path. Segments before those of this path are ignored.
  /// - Returns: The value.
  func values(in path: Substring) -> [String: String] {
    // Bytes, because a slash and a following combining character form one `Character`.
    let texts = path.utf8.dropFirst().split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard texts.count >= segments.count else { return [:] }
    var values: [String: String] = [:]
    for (parts, text) in zip(segments, texts.suffix(segments.count)) {
      // Fast path: most segments are one literal or one parameter.
      guard parts.count > 1 else {
        if case .variable(let name)? = parts.first { values[name] = String(Substring(text)) }
        continue
      }
      var rest = Substring(text)
      for (index, part) in parts.enumerated() {
        switch part {
        case .literal(let literal): rest = rest.dropFirst(literal.count)
        case .variable(let name):
          var end = rest.endIndex
          if index + 1 < parts.count, case .literal(let next) = parts[index + 1] {
            let isLast = index + 2 == parts.count
            let found = isLast ? rest.ranges(of: next).last : rest.dropFirst().firstRange(of: next)
            end = found?.lowerBound ?? end
          }
          values[name] = String(rest[..<end])
          rest = rest[end...]
        }
      }
    }
    return values
  }

  /// Returns whether this path is more concrete than another one: it takes precedence.
  func precedes(_ other: ContractPath) -> Bool {
    // Paths of different lengths match different requests.
    guard segments.count == other.segments.count else {
      return segments.count < other.segments.count
    }
    let (own, others) = (segments.map(Self.rank), other.segments.map(Self.rank))
    // A request with the longer query also matches the shorter one.
    return own == others
      ? query.count > other.query.count : own.lexicographicallyPrecedes(others)
  }

  private static func rank(_ parts: [Part]) -> Int {
    if parts.count > 1 { return 1 }
    if case .variable? = parts.first { return 2 }
    return 0
  }
}
