import Foundation

/// Pairs in free text, such as `{"name": "password", "value": "s3cret"}`.
///
/// A pair can also be an operation of a JSON Patch, as in `{"path": "/password", "value": "s3cret"}`;
/// an array, as in `[["password", "s3cret"]]`; two attributes, as in
/// `<input name="password" value="s3cret">`; an attribute and the text of the element, as in
/// `<param name="password">s3cret</param>`; or two elements, as in
/// `<key>password</key><string>s3cret</string>`.
///
/// Source: RFC 6902 section 4; RFC 6901.
extension TextMasker {
  /// The limit for the value of a member such as `name`, which may itself be the name of a secret.
  static let maximumPairNameLength = 32
  /// The limit for the value of a member `path`, whose last segment may be the name of a secret.
  private static let maximumPathLength = 128
  /// The limit for the reported part of a value within a masked value.
  private static let maximumNestedLength = 1_024
  /// The limit for the members such as `name` and `type` that name one value.
  static let maximumPairNames = 4

  /// The members of an object that name a value, and the value.
  struct Pair {
    /// The values of the last members such as `name`, until the end of the object.
    var names: [(text: Range<Int>, isPath: Bool)] = []
    /// The start of the last member `value` that no `name` has preceded in its object.
    var value: Int?
    /// Whether that member is `content`, which a path does not name.
    var isContent = false
    /// The text of the element whose attributes are read.
    var elementText: Range<Int>?
  }

  enum PairRole {
    case name
    /// The name is the last segment of a path such as `/user/password`.
    case path
    case value
    /// A value that a path does not name, because it is the content of a file.
    case content
  }

  /// Returns the role of a member in a pair such as `{"name": "password", "value": "s3cret"}`.
  static func pairRole(of name: String) -> PairRole? {
    // Fast path: most names are no roles.
    guard 2...9 ~= name.utf8.count, let first = name.utf8.first,
      (first | 0x20).is(.roleStart)
    else { return nil }
    let name = name.lowercased()
    if name == "path" { return .path }
    if name == "content" { return .content }
    return pairNameRoles.contains(name) ? .name : valueRoles.contains(name) ? .value : nil
  }

  private static let pairNameRoles: [String] = [
    "name", "key", "field", "header", "param", "parameter", "property", "id", "type", "label",
    "attribute",
  ]
  private static let valueRoles: [String] = ["value", "val", "values"]

  /// The names of members that name a value, in the usual cases: `name`, `Name`, `NAME`.
  private static let pairNames = (pairNameRoles + ["path"]).flatMap {
    [$0, $0.capitalized, $0.uppercased()]
  }

  /// Returns the names that siblings such as `name` give to a member such as `value`.
  ///
  /// - Parameters:
  ///   - member: The name of the member.
  ///   - sibling: A closure that returns the text of another member, or `nil` if it has none.
  /// - Returns: The names.
  static func pairedNames(of member: String, _ sibling: (String) -> String?) -> [String] {
    let role = pairRole(of: member)
    guard role == .value || role == .content else { return [] }
    var names: [String] = []
    for name in pairNames where names.count < maximumPairNames {
      guard var text = sibling(name) else { continue }
      if pairRole(of: name) == .path {
        guard role == .value else { continue }
        text = String(decoding: text.utf8[namingSegment(of: text.utf8)], as: UTF8.self)
      }
      if isPairName(text) { names.append(text) }
    }
    return names
  }

  /// Returns the name in an array such as `["password", "s3cret"]`, or `nil` if it is no pair.
  ///
  /// An array that is not an element of an array may list names, so its second element must look
  /// like a secret: `"required": ["password", "email"]`.
  ///
  /// - Parameters:
  ///   - first: The first of the two elements, or `nil` if it is no text.
  ///   - second: The second element, or `nil` if it is no text.
  ///   - isElement: Whether the array is an element of an array.
  /// - Returns: The name, or `nil`.
  static func pairName(_ first: String?, _ second: String?, inArray isElement: Bool) -> String? {
    guard let first, isPairName(first) else { return nil }
    let isPair = isElement || second.map { SecretSensitivity.weak.isSecret($0) } == true
    return isPair ? first : nil
  }

  /// Returns the segment of a path that names its value: `password` in `/users/7/password` and
  /// `/password/0`, and in `user.password`.
  ///
  /// Positions in arrays and names such as `value` are skipped.
  static func namingSegment<Bytes: BidirectionalCollection<UInt8>>(
    of path: Bytes
  ) -> Range<Bytes.Index> {
    let separator = UInt8(ascii: path.contains(UInt8(ascii: "/")) ? "/" : ".")
    var end = path.endIndex
    while true {
      let slash = path[..<end].lastIndex(of: separator)
      let start = slash.map { path.index(after: $0) } ?? path.startIndex
      guard let slash, isPosition(path[start..<end]) else { return start..<end }
      end = slash
    }
  }

  /// Returns whether a segment of a path is a position in an array, or says nothing about a value.
  private static func isPosition(_ segment: some Collection<UInt8>) -> Bool {
    segment.elementsEqual("-".utf8) || segment.allSatisfy { UInt8(ascii: "0")...0x39 ~= $0 }
      || ["value", "id", "data", "text", "raw"].contains { segment.elementsEqual($0.utf8) }
  }

  /// Returns whether the value of a member such as `label` can be the name of a secret.
  ///
  /// A sentence is not a name.
  static func isPairName(_ text: String) -> Bool {
    text.utf8.count < maximumPairNameLength && text.utf8.count(where: { $0 == 0x20 }) < 2
  }

  /// Masks the value of a member such as `value` if one of the preceding names is secret.
  ///
  /// - Returns: The end of the masked value, or `nil` if the value is kept.
  mutating func maskPaired(
    _ value: Value, isContent: Bool, _ masking: Redactor.MaskProvider
  ) -> Int? {
    guard !pair.names.isEmpty else {
      (pair.value, pair.isContent) = (Self.opening(of: value), isContent)
      return nil
    }
    let names = pair.names.filter { !($0.isPath && isContent) }.map { scanner.text($0.text) }
    pair.names = []
    for name in names {
      if let mask = masking(name, { read(value, named: name, $0) }) {
        return replace(value, named: name, with: mask)
      }
    }
    return nil
  }

  /// Notes the value of a member such as `name`, and masks a preceding member `value`, or the text
  /// of the element, if that name is secret.
  mutating func noteName(
    _ value: Value, of member: String, isPath: Bool, _ masking: Redactor.MaskProvider
  ) {
    let length = isPath ? Self.maximumPathLength : Self.maximumPairNameLength
    let limit = value.start + budget.sampleLength(length, at: value.start)
    let nameEnd = end(of: value, limit: limit)
    budget.add(nameEnd - value.start)
    guard nameEnd < limit else { return }
    var range = value.start..<max(nameEnd, value.start)
    if isPath { range = Self.namingSegment(of: scanner.bytes[range]) }
    let name = scanner.text(range)
    guard Self.isPairName(name) else { return }
    if range.upperBound < tagEnd, !isPath {
      elementName = range
      noteSecretElement(named: range, by: member)
      if let text = pair.elementText, maskText(text, named: [name], masking) {
        pair.elementText = nil
      }
    }
    guard let start = pair.value else {
      if pair.names.count == Self.maximumPairNames { pair.names.removeFirst() }
      return pair.names.append((range, isPath))
    }
    if isPath, pair.isContent { return }
    guard let paired = self.value(at: start) else { return pair.value = nil }
    if paired.start < maskedPairEnd {
      // Already masked. Without a limit, each such value could be searched to the end of the text.
      let mask = masking(name, { read(paired, named: name, min($0, Self.maximumNestedLength)) })
      if mask != nil { pair.value = nil }
    } else if let mask = masking(name, { read(paired, named: name, $0) }) {
      pair.value = nil
      maskedPairEnd = replace(paired, named: name, with: mask)
    }
  }
}

// MARK: - Arrays

extension TextMasker {
  /// Masks the second element of an array such as `["password", "s3cret"]` if its first element
  /// names a secret.
  ///
  /// An array of arrays has pairs. Another array may list names, so its second element must look
  /// like a secret: `"required": ["password", "email"]`.
  ///
  /// - Parameters:
  ///   - name: The name, in quotation marks.
  ///   - masking: The provider of the replacements.
  /// - Returns: The end of the masked element, or `nil` if the element is kept.
  mutating func maskArrayPair(_ name: Range<Int>, _ masking: Redactor.MaskProvider) -> Int? {
    guard let start = startOfSecondElement(after: name), let value = value(at: start) else {
      return nil
    }
    if case .container = value.kind { return nil }
    let text = scanner.text(name)
    guard names.contains(text), let isPair = isInArrayOfArrays(name) else { return nil }
    let end = end(of: value)
    guard isLastElement(value, endingAt: end) else { return nil }
    let sample = scanner.text(value.start..<Self.end(of: 128, from: value.start, before: end))
    guard isPair || SecretSensitivity.weak.isSecret(sample),
      let mask = masking(text, { read(value, named: text, $0) })
    else { return nil }
    return replace(value, named: text, with: mask)
  }

  /// Returns the position of the value after a name in quotation marks and a comma, or `nil` if
  /// there is none.
  private mutating func startOfSecondElement(after name: Range<Int>) -> Int? {
    // Fast path: most names have no quotation marks.
    guard let byte = scanner.byte(at: name.upperBound),
      byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    else { return nil }
    let mark = scanner.end(of: .backslash, from: name.upperBound)
    guard scanner.byte(at: mark) == UInt8(ascii: "\"") else { return nil }
    let comma = skipSpace(from: mark + 1)
    return scanner.byte(at: comma) == UInt8(ascii: ",") ? skipSpace(from: comma + 1) : nil
  }

  /// Returns whether the array that starts with a name is itself the element of an array, or `nil`
  /// if the name is not the first element of an array.
  private mutating func isInArrayOfArrays(_ name: Range<Int>) -> Bool? {
    guard scanner.byte(before: name.lowerBound) == UInt8(ascii: "\"") else { return nil }
    let mark = scanner.start(of: .backslash, before: name.lowerBound - 1)
    let bracket = scanner.start(of: .space, before: mark)
    guard scanner.byte(before: bracket) == UInt8(ascii: "[") else { return nil }
    let before = scanner.start(of: .space, before: bracket - 1)
    switch scanner.byte(before: before) {
    case UInt8(ascii: "["): return true
    case UInt8(ascii: ","):
      return scanner.byte(before: scanner.start(of: .space, before: before - 1))
        == UInt8(ascii: "]")
    default: return false
    }
  }

  /// Returns whether an array ends after a value, or the text does.
  private mutating func isLastElement(_ value: Value, endingAt end: Int) -> Bool {
    var position = end
    if case .quoted = value.kind {
      position = scanner.end(of: .backslash, from: position)
      guard position < scanner.end else { return true }
      position += 1
    }
    position = skipSpace(from: position)
    return scanner.byte(at: position).map { $0 == UInt8(ascii: "]") } ?? true
  }
}
