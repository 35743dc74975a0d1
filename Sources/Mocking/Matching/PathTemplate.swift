/// A path with variables: `/boards/{id}`, `/files/{rest*}`.
struct PathTemplate: Hashable {
  enum Segment: Hashable {
    case literal(String)
    case variable(String)
    /// The last: any number of segments.
    case rest(String)
  }

  let text: String
  let segments: [Segment]

  init(_ text: String) throws(MockServerError) {
    func invalid(_ reason: String) -> MockServerError { .invalidTemplate(text, reason: reason) }
    guard text.hasPrefix("/") else { throw invalid("it does not begin with a slash") }
    guard !text.contains("?"), !text.contains("#") else {
      throw invalid("a template is a path alone; a handler reads the query")
    }
    var segments: [Segment] = []
    var names: Set<String> = []
    for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if case .rest = segments.last {
        throw invalid("something follows {…*}, which takes all the rest")
      }
      guard part.contains("{") || part.contains("}") else {
        guard let literal = PercentCoding.decode(part) else { throw invalid("there is a lone %") }
        segments.append(.literal(literal))
        continue
      }
      let isRest = part.hasSuffix("*}")
      let name = String(part.dropFirst().dropLast(isRest ? 2 : 1))
      guard part.hasPrefix("{"), part.hasSuffix("}"), !name.isEmpty,
        !name.contains(where: { "{}*".contains($0) })
      else {
        throw invalid("\(part) is no variable; one takes a whole segment, as {name} or {name*}")
      }
      guard names.insert(name).inserted else { throw invalid("there are two variables {\(name)}") }
      segments.append(isRest ? .rest(name) : .variable(name))
    }
    self.text = text
    self.segments = segments
  }

  /// The variables' values; nil when the path does not match.
  func match(_ path: [String]) -> [String: String]? {
    guard matches(path) else { return nil }
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

  private func matches(_ path: [String]) -> Bool {
    for (index, segment) in segments.enumerated() {
      switch segment {
      case .literal(let literal):
        guard index < path.count, path[index] == literal else { return false }
      case .variable: guard index < path.count, !path[index].isEmpty else { return false }
      case .rest: return index <= path.count
      }
    }
    return path.count == segments.count
  }
}
