import Networking

/// A generator of random YAML documents with known values.
struct DocumentGenerator {
  private var state: UInt64
  private var text = ""
  /// The values with an anchor, by name.
  private var anchors: [(name: String, value: JSON)] = []

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

  /// Returns a document and its value.
  mutating func document() -> (text: String, value: JSON) {
    (text, anchors) = ("", [])
    if chance(6) { text += "%YAML 1.1\n" }
    let isExplicit = !text.isEmpty || chance(3)
    if isExplicit { text += "---" }
    if isExplicit { text += chance(4) ? " # root\n" : "\n" }
    let value = blockValue(indentation: 0, depth: 0, isRoot: true)
    if chance(8) { text += "...\n" }
    if chance(12) { text = text.replacing("\n", with: "\r\n") }
    return (text, value)
  }

  // MARK: Random numbers

  mutating func below(_ limit: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % limit
  }

  private mutating func chance(_ limit: Int) -> Bool { below(limit) == 0 }

  private mutating func pick<Element>(_ values: [Element]) -> Element {
    values[below(values.count)]
  }

  // MARK: Blocks

  private func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }

  private mutating func lineEnd() {
    let isAfterIndicator = text.hasSuffix("-") || text.hasSuffix(":")
    if chance(7) { text += pick(["  # a comment", " #", isAfterIndicator ? " # x" : "\t# tab"]) }
    text += "\n"
    if chance(9) { text += pick(["\n", "# whole line\n", "   \n", "    # indented: [\n"]) }
  }

  /// Writes a value at the start of a line or after an indicator, and returns it.
  private mutating func blockValue(indentation: Int, depth: Int, isRoot: Bool = false) -> JSON {
    let kind = depth > 4 ? 9 : below(10)
    if kind < 3 { return blockObject(indentation, depth) }
    if kind < 5 { return blockArray(indentation, depth) }
    text += spaces(indentation)
    let value = inlineValue(indentation, depth, isRoot: isRoot)
    return value
  }

  /// Writes a scalar, a flow collection or an alias, and the end of the line.
  private mutating func inlineValue(_ indentation: Int, _ depth: Int, isRoot: Bool = false) -> JSON
  {
    if !isRoot, !anchors.isEmpty, chance(8) {
      let anchor = pick(anchors)
      text += "*\(anchor.name)"
      lineEnd()
      return anchor.value
    }
    let name = !isRoot && chance(10) ? "a\(anchors.count)" : nil
    if let name { text += "&\(name) " }
    let value: JSON
    if chance(5) {
      value = flowValue(indentation, depth + 1, mustBeCollection: true)
      lineEnd()
    } else if chance(4) {
      value = blockScalar(indentation)
    } else {
      value = scalar(inFlow: false, indentation)
      lineEnd()
    }
    if let name { anchors.append((name, value)) }
    return value
  }

  private mutating func blockArray(_ indentation: Int, _ depth: Int) -> JSON {
    var values: [JSON] = []
    for _ in 0...below(4) {
      text += spaces(indentation) + "-"
      values.append(entry(indentation, depth, isInArray: true))
    }
    return .array(values)
  }

  private mutating func blockObject(_ indentation: Int, _ depth: Int) -> JSON {
    var members: [String: JSON] = [:]
    for index in 0...below(4) {
      let (name, isQuoted) = key(index)
      text += spaces(indentation)
      if chance(9) {
        text += "? \(name)\n" + spaces(indentation) + ":"
      } else {
        text += name + (chance(10) ? " :" : ":")
      }
      members[isQuoted] = entry(indentation, depth, isInArray: false)
    }
    return .dictionary(members)
  }

  /// Writes a value after `-` or `:`, on the same line or on the next ones.
  private mutating func entry(_ indentation: Int, _ depth: Int, isInArray: Bool) -> JSON {
    if chance(12) {
      lineEnd()
      return .null
    }
    let deeper = indentation + 1 + below(4)
    switch below(3) {
    case 0 where depth < 5:
      if chance(6) { text += " &b\(anchors.count)x" }
      lineEnd()
      if !isInArray, chance(3) { return blockArray(indentation, depth + 1) }
      return chance(2) ? blockObject(deeper, depth + 1) : blockArray(deeper, depth + 1)
    case 1 where isInArray && depth < 5:
      // A compact collection, whose first line is written without its indentation.
      let column = indentation + 2
      let offset = text.utf8.count
      let value = chance(2) ? blockObject(column, depth + 1) : blockArray(column, depth + 1)
      let first = text.utf8.index(text.startIndex, offsetBy: offset)
      let end = text.utf8.index(first, offsetBy: column)
      text.replaceSubrange(first..<end, with: " ")
      return value
    default:
      // libyaml refuses a tab after an indicator at the start of a line.
      let mayBeTab = !isInArray && !text.hasSuffix(" :") && !text.hasSuffix("\n:")
      text += mayBeTab && chance(5) ? "\t" : pick([" ", " ", "  "])
      return inlineValue(indentation, depth)
    }
  }

  // MARK: Flow

  private mutating func flowBreak(_ indentation: Int) -> String {
    guard chance(6) else { return pick(["", " "]) }
    return "\n" + spaces(indentation + 1 + below(3))
  }

  private mutating func flowValue(
    _ indentation: Int, _ depth: Int, mustBeCollection: Bool = false
  ) -> JSON {
    guard mustBeCollection || depth < 4 && chance(3) else {
      return scalar(inFlow: true, indentation)
    }
    let count = below(4)
    if chance(2) {
      var values: [JSON] = []
      text += "[" + flowBreak(indentation)
      for index in 0..<count {
        if chance(10) {
          let (name, plain) = key(index)
          text += "\(name): "
          values.append(.dictionary([plain: flowValue(indentation, depth + 1)]))
        } else {
          values.append(flowValue(indentation, depth + 1))
        }
        text += flowBreak(indentation) + (index < count - 1 || chance(5) ? "," : "")
        text += flowBreak(indentation)
      }
      text += "]"
      return .array(values)
    }
    var members: [String: JSON] = [:]
    text += "{" + flowBreak(indentation)
    for index in 0..<count {
      let (name, plain) = key(index)
      text += name + ":" + (name.hasPrefix("\"") && chance(3) ? "" : " ")
      members[plain] = flowValue(indentation, depth + 1)
      text += flowBreak(indentation) + (index < count - 1 || chance(5) ? "," : "")
      text += flowBreak(indentation)
    }
    text += "}"
    return .dictionary(members)
  }

  // MARK: Scalars

  private static let words = [
    "pet", "a", "x-y", "don't", "50%", "http://a.b/c?d=e&f", "café", "日本", "😀", "a:b", "c#d",
    "no", "012", "v1.2", "@", "`", "\"q\"", "\\n", "/p/{id}", "[x]", "{y}", "*s", "&t", "!u", "- z",
    "? q", "key: v", "a #b", "|", ">", "%", ",", "-", "---", "...",
  ]

  private mutating func key(_ index: Int) -> (text: String, name: String) {
    let word = pick(["name", "x-rate", "200", "$ref", "a b", "ключ", "/pets/{id}", "type?"])
    let name = "\(word)\(index)"
    switch below(word.contains("{") ? 2 : 4) {
    case 0: return ("\"\(name)\"", name)
    case 1: return ("'\(name)'", name)
    default: return (name, name)
    }
  }

  private mutating func words() -> String {
    let count = 1 + below(5)
    return (0..<count).map { _ in pick(Self.words) }.joined(separator: " ")
  }

  private mutating func scalar(inFlow: Bool, _ indentation: Int) -> JSON {
    switch below(8) {
    case 0:
      let (source, value): (String, JSON) = pick([
        ("12", 12), ("-7", -7), ("1.5", 1.5), ("1e3", .double(1000)), ("0x1F", 31), ("0o17", 15),
        ("007", 7), ("+3", 3), (".5", 0.5), ("-0.25", -0.25),
      ])
      text += source
      return value
    case 1:
      let (source, value): (String, JSON) = pick([
        ("true", true), ("False", false), ("~", nil), ("null", nil), ("NULL", nil),
        ("yes", "yes"), ("Off", "Off"), ("0b1", "0b1"), ("1_000", "1_000"), ("12:30", "12:30"),
        ("2026-01-31", "2026-01-31"), ("!!str 12", "12"), ("!!int 12", 12), ("! 3", "3"),
      ])
      text += source
      return value
    case 2, 3:
      let value = words()
      text += "'" + folded(value.replacing("'", with: "''"), indentation) + "'"
      return .string(value)
    case 4, 5:
      let value = words() + pick(["", " ", "\n", "\t", "\u{7}"])
      var escaped = ""
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\"", "\\": escaped += "\\\(scalar)"
        case "\n": escaped += "\\n"
        case "\t": escaped += "\\t"
        case "\u{7}": escaped += "\\a"
        case "é": escaped += pick(["é", "\\xe9", "\\u00e9", "\\U000000E9"])
        default: escaped.unicodeScalars.append(scalar)
        }
      }
      text += "\"" + folded(escaped, indentation) + "\""
      return .string(value)
    default:
      let safe = ["plain", "don't", "a-b", "it's", "x_1", "日本", "😀", "z9", "a?b", "p/q"]
      let value = (0...below(4)).map { _ in pick(safe) }.joined(separator: " ")
      text += folded(value, indentation)
      return .string(value)
    }
  }

  /// Breaks lines at single spaces between words.
  private mutating func folded(_ text: String, _ indentation: Int) -> String {
    guard chance(3) else { return text }
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    var result = String(parts[0])
    for (before, part) in zip(parts, parts.dropFirst()) {
      // In a plain scalar, a word after a line break may not begin a comment or be an indicator.
      let mayBreak =
        !part.isEmpty && !before.isEmpty && part.first?.isLetter == true && chance(2)
        && result.last != "\\"
      result += (mayBreak ? "\n" + spaces(indentation + 1 + below(3)) : " ") + part
    }
    return result
  }

  private mutating func blockScalar(_ indentation: Int) -> JSON {
    let lineCount = 1 + below(4)
    var lines = (0..<lineCount).map { _ in
      (chance(4) ? "  " : "") + (chance(6) ? "" : words())
    }
    if lines.allSatisfy({ $0.allSatisfy { $0 == " " } }) { lines[0] = "text" }
    lines = lines.map { $0.allSatisfy { $0 == " " } ? "" : $0 }
    while lines.last == "" { lines.removeLast() }
    let newlineCount = below(4)
    let isFolded = !lines.contains { $0.hasPrefix(" ") || $0.isEmpty } && chance(2)
    let width = 1 + below(4)
    let mustState = lines[0].hasPrefix(" ") || lines[0].isEmpty
    // At the root, an indentation that is stated counts from column 0.
    text += isFolded ? ">" : "|"
    let states = mustState || chance(4)
    if states { text += "\(width)" }
    text += newlineCount == 0 ? "-" : newlineCount == 1 ? "" : "+"
    text += chance(5) ? " # comment\n" : "\n"
    for line in lines { text += line.isEmpty ? "\n" : spaces(indentation + width) + line + "\n" }
    for _ in 1..<max(newlineCount, 1) { text += "\n" }
    let body = lines.joined(separator: isFolded ? " " : "\n")
    return .string(body + String(repeating: "\n", count: newlineCount))
  }
}
