import Networking

/// A path with variables, such as `/boards/{id}` or `/files/{rest*}`.
///
/// Spellings of other tools that have one meaning are accepted: `/boards/:id`, `/boards/{id:[0-9]+}`,
/// `/files/**`, `/files/{*rest}`, `/files/{rest...}` and `/files/:rest*`. Those with several meanings
/// are errors that name the spelling to use.
package struct PathTemplate: Hashable {
  /// A part between slashes.
  package enum Segment: Hashable {
    case literal(String)
    case variable(String)
    /// A variable for all remaining segments; only the last segment of a template.
    case rest(String)
  }

  /// The template with a leading slash.
  package let text: String
  /// The segments.
  package let segments: [Segment]
  /// The patterns that the values of variables must match, by the index of the segment.
  let constraints: [Int: TextPattern]

  /// Parses a template.
  ///
  /// - Throws: ``MockServerError/invalidTemplate(_:reason:)``.
  package init(_ text: String) throws(MockServerError) {
    func invalid(_ reason: String) -> MockServerError { .invalidTemplate(text, reason: reason) }
    if let path = Self.pathOfURL(text) {
      throw invalid("it is a URL; write only its path, \(path)")
    }
    let rooted = Self.rooted(text)
    var segments: [Segment] = []
    var constraints: [Int: TextPattern] = [:]
    var names: Set<String> = []
    for part in Self.parts(of: rooted.unicodeScalars.dropFirst()) {
      if case .rest = segments.last {
        throw invalid("a segment follows {name*}, which must be the last one")
      }
      let parsed: PathSegmentParser.Parsed
      do throws(PathSegmentError) {
        parsed = try PathSegmentParser.parse(part)
      } catch {
        throw invalid(error.reason)
      }
      switch parsed.segment {
      case .variable(let name), .rest(let name):
        guard names.insert(name).inserted else {
          throw invalid("the variable {\(name)} occurs twice")
        }
      case .literal: break
      }
      constraints[segments.count] = parsed.constraint
      segments.append(parsed.segment)
    }
    self.text = rooted
    self.segments = segments
    self.constraints = constraints
  }

  /// Returns a path with a leading slash.
  package static func rooted(_ path: String) -> String {
    // A mark after the slash is a part of the same `Character`.
    path.utf8.first == UInt8(ascii: "/") ? path : "/" + path
  }

  /// Splits a path at the slashes that are not in braces.
  private static func parts(of path: Substring.UnicodeScalarView) -> [Substring] {
    guard path.contains("{") else {
      return path.split(separator: "/", omittingEmptySubsequences: false).map(Substring.init)
    }
    var parts: [Substring] = []
    var (start, depth) = (path.startIndex, 0)
    for index in path.indices {
      switch path[index] {
      case "{": depth += 1
      case "}": depth = max(depth - 1, 0)
      case "/" where depth == 0:
        parts.append(Substring(path[start..<index]))
        start = path.index(after: index)
      default: break
      }
    }
    return parts + [Substring(path[start...])]
  }

  /// Returns the path of a URL, or `nil` if the text does not begin with a scheme.
  package static func pathOfURL(_ text: String) -> String? {
    guard let scheme = text.firstRange(of: "://"),
      text[..<scheme.lowerBound].allSatisfy({ $0.isLetter })
    else { return nil }
    let path = text[scheme.upperBound...].drop { $0 != "/" }
    return path.isEmpty ? "/" : String(path)
  }

  // MARK: Matching

  /// Returns whether a path matches the template.
  func matches(_ path: ReceivedPath) -> Bool { matchedSegments(of: path) != nil }

  /// Returns the segments of a path that the template matches.
  ///
  /// - Parameter path: The path.
  /// - Returns: The segments after the path of the base URL, or else all segments. A variable matches no
  ///   segment of the base URL. `nil` if the path does not match.
  func matchedSegments(of path: ReceivedPath) -> [String]? {
    if path.baseCount > 0 {
      let rest = path.segmentsAfterBase
      if matches(rest) { return rest }
      guard beginsWithLiterals(path.baseCount) else { return nil }
    }
    return matches(path.segments) ? path.segments : nil
  }

  private func beginsWithLiterals(_ count: Int) -> Bool {
    segments.count >= count
      && segments.prefix(count).allSatisfy { if case .literal = $0 { true } else { false } }
  }

  /// Returns whether the template matches the segments of a path, or of a part of it.
  func matches(_ path: [String]) -> Bool {
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .literal(let literal):
        guard index < path.count, path[index] == literal else { return false }
      case .variable: guard index < path.count, !path[index].isEmpty else { return false }
      case .rest: return index <= path.count && meetsConstraints(path)
      }
    }
    return path.count == segments.count && meetsConstraints(path)
  }

  /// Returns whether the values of variables match their patterns, for a path that the template
  /// matches without them.
  func meetsConstraints(_ path: [String]) -> Bool {
    constraints.allSatisfy { index, pattern in pattern.matches([path[index]]) }
  }

  /// Returns the values of the variables for a path that the template matches.
  func variables(in path: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .literal: break
      case .variable(let name): variables[name] = path[index]
      case .rest(let name): variables[name] = path[index...].joined(separator: "/")
      }
    }
    return variables
  }

  /// Whether the template has a variable for all remaining segments.
  package var hasRest: Bool {
    guard case .rest? = segments.last else { return false }
    return true
  }

  /// Returns the distance between a path and the template; 0 if the path matches.
  func distance(from path: ReceivedPath) -> Int {
    guard !matches(path) else { return 0 }
    let whole = distance(from: path.segments)
    return 1 + (path.baseCount == 0 ? whole : min(whole, distance(from: path.segmentsAfterBase)))
  }

  private func distance(from path: [String]) -> Int {
    var distance = 0
    for index in 0..<max(segments.count, path.count) {
      guard index < segments.count, index < path.count else {
        distance += PathDistance.missingSegment
        continue
      }
      switch segments[index] {
      case .variable: distance += PathDistance.variable(path[index])
      case .rest: return distance + PathDistance.rest
      case .literal(let literal): distance += PathDistance.between(literal, path[index])
      }
    }
    return distance
  }
}

/// The distances between the segments of a path and of a template.
enum PathDistance {
  /// The distance of a segment that only one of them has.
  static let missingSegment = 10
  /// The distance of all remaining segments to a variable for them.
  static let rest = 1
  /// The largest distance between two segments.
  static let maximum = 10

  static func variable(_ segment: String) -> Int { segment.isEmpty ? maximum : 1 }

  static func between(_ literal: String, _ segment: String) -> Int {
    // More edits than the limit exceed the maximum.
    min(maximum, EditDistance.between(literal, segment, limit: maximum / 2 - 1) * 2)
  }
}
