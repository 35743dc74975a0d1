import Foundation

/// A pattern of ids, such as `SHP-{counter:0000}`.
struct IDPattern: Sendable, Hashable {
  private enum Part: Sendable, Hashable {
    case literal(String)
    /// The number, with zeros in front up to this number of digits.
    case counter(digits: Int)
    case uuid
  }

  private static let maximumDigits = 19

  private let parts: [Part]

  /// Parses a pattern.
  ///
  /// Braces without a variable are literal text. A pattern without a variable has a counter at its end,
  /// because only one id would be possible.
  init(_ text: String) {
    var parts: [Part] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "{"), let end = rest[start...].firstIndex(of: "}") {
      let name = rest[rest.index(after: start)..<end]
      guard let variable = Self.variable(name) else {
        parts.append(.literal(String(rest[...start])))
        rest = rest[rest.index(after: start)...]
        continue
      }
      if start > rest.startIndex { parts.append(.literal(String(rest[..<start]))) }
      parts.append(variable)
      rest = rest[rest.index(after: end)...]
    }
    if !rest.isEmpty { parts.append(.literal(String(rest))) }
    self.parts = parts
  }

  private static func variable(_ name: Substring) -> Part? {
    if name == "uuid" { return .uuid }
    if name == "counter" { return .counter(digits: 1) }
    guard name.hasPrefix("counter:") else { return nil }
    let zeros = name.dropFirst("counter:".count)
    guard !zeros.isEmpty, zeros.count <= maximumDigits, zeros.allSatisfy({ $0 == "0" }) else {
      return nil
    }
    return .counter(digits: zeros.count)
  }

  /// Whether ids differ.
  var hasVariable: Bool {
    parts.contains { if case .literal = $0 { false } else { true } }
  }

  /// Returns an id.
  func id(_ number: Int, uuid: () -> String) -> String {
    let id = parts.map { part in
      switch part {
      case .literal(let text): return text
      case .uuid: return uuid()
      case .counter(let digits):
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.count, 0)) + text
      }
    }.joined()
    return hasVariable ? id : id + String(number)
  }

  /// Returns the number of an id that this pattern could have made.
  ///
  /// - Parameter id: The id.
  /// - Returns: The number. `nil` if the id has another form, or if the pattern has more than one variable.
  func number(in id: String) -> Int? {
    let variables = parts.indices.filter { if case .literal = parts[$0] { false } else { true } }
    guard variables.count == 1, case .counter = parts[variables[0]] else { return nil }
    func text(_ range: some Sequence<Part>) -> String {
      range.map { if case .literal(let text) = $0 { text } else { "" } }.joined()
    }
    let (start, end) = (text(parts[..<variables[0]]), text(parts[(variables[0] + 1)...]))
    guard id.hasPrefix(start), id.hasSuffix(end), id.utf8.count > start.utf8.count + end.utf8.count
    else { return nil }
    let digits = id.dropFirst(start.count).dropLast(end.count)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(digits)
  }
}
